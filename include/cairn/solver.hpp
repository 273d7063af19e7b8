// Solvers as options; solve() splits a problem into islands and runs the chosen method on each.
#pragma once

#include <memory>
#include <variant>

#include "cairn/error.hpp"
#include "cairn/reduced.hpp"
#include "cairn/solution.hpp"

namespace cairn {

struct Nsgs {               // nonsmooth Gauss-Seidel with the exact local law
  double tolerance = 1e-8;  // scaled residual of the certificate [-]
  int max_sweeps = 20000;
  bool accelerate = true;  // nonlinear conjugate gradient (NNCG)
};

struct Newton {              // proximal augmented Lagrangian with the Coulomb Jacobian
  double tolerance = 1e-8;   // [-]
  int max_iterations = 200;  // factorisations per island
};

struct Lemke {              // complementary pivoting, planar and polyhedral cones only
  double tolerance = 1e-8;  // [-]
  int max_pivots = 20000;   // per draw
  int draws = 10;           // covering vectors tried before giving up
  std::uint64_t seed = 1;   // of the covering vector
};

struct Admm {                 // alternating directions on one factorisation
  double tolerance = 1e-8;    // [-]
  int max_iterations = 2000;  // per island
};

struct Ipm {                // interior point method on second-order cones, then Newton
  double tolerance = 1e-8;  // [-]
  int max_iterations = 60;  // factorisations per island, of the interior point method
  bool polish = true;       // hands over to Newton, with as many factorisations again
};

struct Apgd {                  // accelerated projected gradients
  double tolerance = 1e-8;     // [-]
  int max_iterations = 20000;  // per island
  int refresh = 10;            // iterations from one update of the slip bounds to the next
};

struct Bb {                    // spectral projected gradients (Barzilai and Borwein)
  double tolerance = 1e-8;     // [-]
  int max_iterations = 20000;  // per island
  int refresh = 10;            // as above
};

struct Auto {                // picks per island, falls back, polishes
  double tolerance = 1e-8;   // [-]
  int max_sweeps = 4000;     // Gauss-Seidel sweeps per island at the most
  int max_iterations = 200;  // factorisations per island at the most
  int lemke_rows = 8000;     // largest complementarity problem that is handed to Lemke; 0: never
};

using SolverOptions = std::variant<Auto, Nsgs, Newton, Lemke, Admm, Ipm, Apgd, Bb>;
const char* name(const SolverOptions& options);
double tolerance(const SolverOptions& options);

// Whether a solve should end before its time: asked once a sweep, iteration, pivot or
// factorisation, from the thread that solves. Once it says yes it should go on until the solve has
// ended.
struct Interrupt {
  bool (*asked)(void* context) = nullptr;  // nullptr: never interrupted
  void* context = nullptr;
};

// Work of the solves of a step and its bound, in products of 6 x 6 blocks (E314): counted, not
// timed, so that a bound gives the same results on every machine.
struct WorkMeter {
  double spent = 0;
  double limit = 0;           // 0: none yet; each solve raises it to what its size allows
  double per_constraint = 0;  // of a problem; 0: no bound
  double reserve = 0;         // share of the limit that solves leave (E732) [-]
  // More than this share of the limit is spent.
  bool beyond(double share) const {
    return per_constraint > 0 && limit > 0 && spent > share * limit;
  }
  bool exhausted() const { return beyond(1); }
};

// Scratch of the solvers; holds nothing that a fresh one would not compute again.
class SolverWorkspace {
 public:
  SolverWorkspace();
  ~SolverWorkspace();
  SolverWorkspace(SolverWorkspace&&) noexcept;
  SolverWorkspace& operator=(SolverWorkspace&&) noexcept;
  struct Buffers;
  Buffers& buffers() { return *buffers_; }

  // Of every solve from now on.
  void set_interrupt(const Interrupt& interrupt);
  // Adds up the work of every solve from now on and ends those beyond its limit; nullptr: none.
  void set_meter(WorkMeter* meter);

 private:
  std::unique_ptr<Buffers> buffers_;
};

// Whether the solver takes every constraint of the problem; if not, says which one and why.
Result<void> accepts(const SolverOptions& options, const Problem& problem);

// solution.lambda is the warm start if it has the right size, else zero is taken. Ends with
// certify(), on the best impulses found so far where it was interrupted. Where a check of the
// program fails the status is internal_error, lambda is the warm start and v is empty. Nothing but
// std::bad_alloc is thrown, and leaves lambda likewise.
void solve(const Problem& problem, const SolverOptions& options, SolverWorkspace& workspace,
           Solution& solution);

// The same for a problem of which W and q alone are known.
Result<void> accepts(const SolverOptions& options, const ReducedProblem& problem);
void solve(const ReducedProblem& problem, const SolverOptions& options, ReducedSolution& solution,
           const Interrupt& interrupt = {});

}  // namespace cairn
