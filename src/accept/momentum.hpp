// Momentum and angular momentum of islands that touch nothing fixed (E305), from poses and
// velocities at both ends of a step, not from rows.
#pragma once

#include <span>
#include <vector>

#include "base/union_find.hpp"
#include "cairn/simulator.hpp"

namespace cairn::accept {

struct MomentumError {
  double judged = 0;    // of islands without springs, under constant forces [-]
  double reported = 0;  // of all other isolated islands [-]
  BodyId body{};        // of the island with the largest judged one
};

class MomentumBalance {
 public:
  explicit MomentumBalance(const Model& model);
  // `model`: that of the constructor.
  MomentumError measure(const Model& model, const State& before, const State& after,
                        const StepReport& report, std::span<const ExternalForce> external,
                        double h);

 private:
  // Bodies that nothing from outside holds.
  struct Island {
    BodyId first{};
    bool plain = true;         // judged
    bool turns = true;         // all bodies take torques about the axes that are free
    Vec3 free = Vec3::Ones();  // axes along which all bodies move
    double mass = 0;
    Vec3 center[2] = {Vec3::Zero(), Vec3::Zero()};    // before and after [m]
    Vec3 momentum[2] = {Vec3::Zero(), Vec3::Zero()};  // [N s]
    Vec3 spin[2] = {Vec3::Zero(), Vec3::Zero()};      // about the centre of mass [N m s]
    Vec3 impulse = Vec3::Zero();                      // of gravity and applied forces [N s]
    Vec3 torque = Vec3::Zero();                       // about the centre of mass [N m s]
    double momentum_scale = 0, spin_scale = 0;
    double momentum_rounding = 0;  // [N s]
    double spin_rounding = 0;  // of the differences that the angular momentum is made of [N m s]
  };
  void list_links(const Model& model, const StepReport& report);
  void join(const Model& model, const StepReport& report, std::span<const ExternalForce> external);
  void attach(BodyId body);
  bool is_free(BodyId body) const { return body != BodyId::world && free_[index(body)]; }
  void add_body(const Model& model, const State& before, const State& after, std::size_t i,
                double h);
  void add_spin(const Model& model, const State& state, std::size_t i, std::size_t end);
  void add_rounding(const State& before, const StepReport& report);
  void add_forces(const Model& model, const State& before, double h);

  struct Link {
    BodyId a{}, b{};
    bool spring = false;
  };
  std::vector<Link> links_;
  std::vector<char> free_;             // by body, 1: it has velocities
  std::vector<char> held_, sprung_;    // by the root of a set
  std::vector<std::size_t> balanced_;  // bodies of islands
  std::vector<int> island_of_;         // by body; -1: none
  base::UnionFind sets_;
  std::vector<Island> islands_;
};

}  // namespace cairn::accept
