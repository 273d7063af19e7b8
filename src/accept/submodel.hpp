// A group of bodies as a model of its own, for steps in which nothing connects it with the rest
// (E307). Ids of bodies, shapes and joints are renumbered; ground and prescribed bodies are in
// every group.
#pragma once

#include <span>
#include <vector>

#include "cairn/simulator.hpp"

namespace cairn::accept {

class SubModel {
 public:
  // member[i]: body i of the model is one of the group. Bodies that are not dynamic always are.
  SubModel(const Model& model, std::span<const char> member);

  const Model& model() const { return model_; }

  State extract(const State& whole) const;
  std::vector<ExternalForce> extract(std::span<const ExternalForce> forces) const;
  std::vector<MotorTarget> extract(std::span<const MotorTarget> targets) const;

  // Poses and velocities of the group.
  void put_back(const State& part, State& whole) const;
  // Renumbers every id in what the group has done.
  void rename(State& part) const;
  void rename(StepReport& report) const;

 private:
  ContactKey renamed(const ContactKey& key) const;
  ConstraintKey renamed(ConstraintKey key) const;

  Model model_;
  const Model* whole_;
  // Of the whole model, by number in the part; and the other way round, -1: not in the part.
  std::vector<int> bodies_, shapes_, joints_, gears_;
  std::vector<int> body_in_, shape_in_, joint_in_, gear_in_;
};

}  // namespace cairn::accept
