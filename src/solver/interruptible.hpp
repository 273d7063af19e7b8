// What the loops of the methods ask after each iteration: whether the caller wants an end
// (Interrupt) or the work allowed is done (WorkMeter). Islands and what is made of them pass it on.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cairn/solver.hpp"

namespace cairn::solver {

// Costs in products of 6 x 6 blocks, as measured for one constraint (E314).
namespace cost {
inline constexpr double sweep = 2;              // of Gauss-Seidel
inline constexpr double gradient = 1.5;         // product with W through the bodies
inline constexpr double packed_gradient = 0.5;  // the same in the layout of packings
inline constexpr double evaluation = 1;         // of velocities, projections and residual
inline constexpr double dense = 1.0 / 216;      // of a multiplication in a dense matrix
}  // namespace cost

// Remembers a yes: from then on nothing more is tried.
class StopSignal {
 public:
  void begin(const Interrupt& interrupt, WorkMeter* meter, std::size_t constraints) {
    interrupt_ = interrupt;
    meter_ = meter;
    work_ = 0;
    allowed_ = std::numeric_limits<double>::infinity();
    stopped_ = out_of_budget_ = false;
    if (!meter_ || !(meter_->per_constraint > 0)) return;
    const double size = static_cast<double>(std::max(constraints, least_constraints));
    meter_->limit = std::max(meter_->limit, meter_->per_constraint * size);
    allowed_ = std::max(least_share * meter_->limit,
                        (1 - meter_->reserve) * meter_->limit - meter_->spent);
  }
  // Books the work of an iteration.
  bool ask(double work = 0) {
    work_ += work;
    if (meter_) meter_->spent += work;
    if (stopped_) return true;
    if (interrupt_.asked) stopped_ = interrupt_.asked(interrupt_.context);
    if (!stopped_ && work_ > allowed_) stopped_ = out_of_budget_ = true;
    return stopped_;
  }
  bool stopped() const { return stopped_; }
  bool out_of_budget() const { return out_of_budget_; }
  double work() const { return work_; }

 private:
  static constexpr std::size_t least_constraints = 200;  // small problems have the budget of these
  // Whatever was spent before, each solve has this share of the limit (E732).
  static constexpr double least_share = 1.0 / 64;

  Interrupt interrupt_;
  WorkMeter* meter_ = nullptr;
  double work_ = 0, allowed_ = 0;
  bool stopped_ = false, out_of_budget_ = false;
};

// The attempts of a solve, island by island.
class AttemptLog {
 public:
  void begin(std::vector<SolveAttempt>& attempts) {
    attempts_ = &attempts;
    attempts.clear();
    island_ = left_out_ = 0;
    first_ = 0;
  }
  void add(const char* method, int iterations, double before, double after, double work) {
    if (attempts_->size() < most)
      attempts_->push_back({method, island_, iterations, before, after, work});
    else
      ++left_out_;
  }
  // Islands that one method solved are not kept where there are many.
  void end_island() {
    if (attempts_->size() > many && attempts_->size() == first_ + 1) {
      attempts_->pop_back();
      ++left_out_;
    }
    first_ = attempts_->size();
    ++island_;
  }
  int left_out() const { return left_out_; }

 private:
  static constexpr std::size_t many = 32, most = 1024;

  std::vector<SolveAttempt>* attempts_ = nullptr;
  std::size_t first_ = 0;  // of the island at hand
  int island_ = 0, left_out_ = 0;
};

struct Interruptible {
  StopSignal* stop = nullptr;
  AttemptLog* log = nullptr;
  bool interrupted(double work = 0) const { return stop && stop->ask(work); }
  double work() const { return stop ? stop->work() : 0; }
};

}  // namespace cairn::solver
