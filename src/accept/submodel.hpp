// A group of bodies as a model of its own, for steps in which nothing connects it with the rest
// (E307). Ids of bodies, shapes and joints are renumbered; ground and prescribed bodies are in
// every group.
#pragma once

#include <span>
#include <vector>

#include "cairn/external_force.hpp"
#include "cairn/simulator.hpp"

namespace cairn::accept {

class SubModel {
 public:
  // member[i]: body i of the model is one of the group. Bodies that are not dynamic always are.
  SubModel(const Model& model, std::span<const char> member);

  const Model& model() const { return model_; }

  // The state of the group. `joint_rows`: number of rows of each joint of the whole model, which
  // assigns impulses to joints; empty: they are left out.
  State extract(const State& whole, std::span<const int> joint_rows) const;
  std::vector<ExternalForce> extract(std::span<const ExternalForce> forces) const;

  // Poses and velocities of the group.
  void put_back(const State& part, State& whole) const;
  // Renumbers every id in what the group has done.
  void rename(State& part) const;
  void rename(StepReport& report) const;
  int joint(int part) const { return joints_[static_cast<std::size_t>(part)]; }

 private:
  ContactKey renamed(const ContactKey& key) const;

  Model model_;
  const Model* whole_;
  std::vector<int> bodies_, shapes_, joints_;       // of the whole model, by number in the part
  std::vector<int> body_in_, shape_in_, joint_in_;  // the other way round; -1: not in the part
};

// Rows of each joint in a problem of the model.
std::vector<int> rows_of_joints(const Model& model, const Problem& problem);

}  // namespace cairn::accept
