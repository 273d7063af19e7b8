// Judges the motion and the energy of a step or of a part of one (E300 to E306). Reads what the
// scheme reports, the states at both ends and the path between them; writes a verdict.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "accept/momentum.hpp"
#include "cairn/simulator.hpp"
#include "collide/finder.hpp"
#include "collide/sweep/sweep.hpp"
#include "dynamics/forces.hpp"
#include "scheme/common/step_path.hpp"

namespace cairn::accept {

// A step or a part of one that a scheme has taken.
struct Taken {
  const Model& model;
  const State& before;
  const State& after;
  const scheme::StepPath& path;
  const StepReport& report;
  double length = 0;     // [s]
  double nominal = 0;    // of the whole step [s]
  bool elastic = false;  // contacts may return energy that an earlier step took
  std::span<const ExternalForce> external = {};
  double (*clock)() = nullptr;  // CPU time [s]; null: checks are not timed
  double most_turn = 0.5;       // of a body that a joint leaves free to turn (E644) [rad]
};

struct Judgement {
  Verdict verdict;
  double certified = 1;  // share of the length up to which the swept test certifies the motion,
                         // with half of the limit where the step begins within that [-]
  std::vector<std::pair<BodyId, BodyId>> culprits;  // pairs that fail in motion, not from before
  bool passes = false;                              // a body may have gone through another one
  bool started_so = false;  // a pair was beyond its limit at the beginning (E731)
  bool fails_anew = false;  // a pair is beyond it that was not
  double work = 0;          // of the swept test, in products of 6 x 6 blocks (E314)
  StepReport::Seconds::Checks seconds;
};

class Judge {
 public:
  Judge(const Model& model, const SolverOptions& solver, const VerdictOptions& limits);
  Judgement operator()(const Taken& taken);

  // (E306) alone, of a step or a part of one; the path is not read.
  void judge_energy(const Taken& taken, Verdict& out);

 private:
  void judge_solve(const Taken& taken, Judgement& out) const;
  void judge_overlaps(const Taken& taken, Judgement& out);
  void judge_path(const Taken& taken, Judgement& out);
  void judge_stretch(const Taken& taken, Judgement& out);
  void judge_piece(const Taken& taken, const collide::PathSegment& piece, Judgement& out);
  void find_all_depths(const Model& model, std::span<const Pose> poses);
  double excess_before(const Taken& taken, ShapeId a, ShapeId b, double limit);
  bool began_so(const Taken& taken, ShapeId a, ShapeId b, double limit, double depth,
                Judgement& out);
  void judge_joints(const Taken& taken, Judgement& out) const;
  void judge_gear(const Taken& taken, const Gear& gear, Judgement& out) const;
  void judge_tops(const Taken& taken, const Joint& joint, Judgement& out) const;
  void judge_momentum(const Taken& taken, Judgement& out);
  void find_loads(const Taken& taken);
  double moving_energy(const Taken& taken);
  double energy_rounding(const Taken& taken) const;

  SolverOptions solver_;
  VerdictOptions limits_;
  collide::Sweeper sweeper_;
  collide::ContactFinder finder_;
  MomentumBalance momentum_;
  dynamics::Forces loads_;          // at the beginning of the step
  std::vector<double> load_roots_;  // of each body: root of the energy that applied forces give it
                                    // in the step, from rest; empty: there are none [sqrt(J)]
  collide::PathSegment segment_, piece_;
  double thinnest_ = 0;           // least inner radius of all shapes [m]
  bool moves_by_itself_ = false;  // a body has prescribed motion
  bool swept_ = false;            // the path of the step at hand has a stretch
  std::vector<collide::SweepFinding> findings_;
  std::vector<Contact> overlaps_;
  std::vector<collide::ContactFinder::Depth> depths_, depths_before_;
  bool knows_before_ = false;  // depths_before_ are those of the step at hand
};

// Takes the verdict of a part into that of the whole step: the worst of each figure.
void add_part(const Verdict& part, Verdict& whole);

}  // namespace cairn::accept
