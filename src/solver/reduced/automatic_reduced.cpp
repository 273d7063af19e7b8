#include "solver/reduced/automatic_reduced.hpp"

#include <algorithm>

#include "solver/best_attempt.hpp"

namespace cairn::solver {
namespace {

constexpr int pyramid_rows = 600;  // pivoting costs the cube of this

class ReducedAttempts : public BestAttempt<ReducedIsland> {
 public:
  ReducedAttempts(const ReducedIsland& island, const Auto& asked, ReducedBuffers& buffers,
                  std::vector<double>& r, std::vector<double>& u)
      : BestAttempt(island, asked, buffers.best, r, u), b_(buffers) {
    judge();
  }

  bool sweeps(int most) {
    take_impulses(solver::nsgs(island_, {.tolerance = rounding, .sweeps = most}, b_.nsgs, r_, v_),
                  "nsgs");
    return good();
  }
  bool newton(int factorisations, double rho) {
    const NewtonLimits limits{.tolerance = options.tolerance,
                              .aim = std::min(rounding, options.tolerance),
                              .factorisations = factorisations,
                              .rho = rho};
    take(solver::newton(island_, limits, b_.newton, r_, v_), "newton");
    return good();
  }
  bool lemke() {
    const LemkeLimits limits{
        .tolerance = options.tolerance, .draws = 40, .variables = options.lemke_rows};
    take(solver::lemke(island_, limits, b_.lemke, r_, v_), "lemke");
    return good();
  }
  // Starts over from the answer with pyramids of so many sides in place of the exact cones: a
  // linear problem that pivoting solves from anywhere. False where it would be too large.
  bool start_from_pyramids(int facets) {
    ReducedIsland rough = island_;
    int size = 0;
    for (ReducedGroup& g : rough.groups) {
      if (!is_linear(g)) g.set.corners = problem::regular_polygon(facets);
      size += variables(g, Form::full);
    }
    if (size > std::min(pyramid_rows, options.lemke_rows)) return false;
    restart();
    const LemkeLimits limits{.tolerance = 1e-10, .draws = 4};
    total_.iteration.iterations += solver::lemke(rough, limits, b_.lemke, r_, v_).iterations;
    return true;
  }
  void restart() {
    start_from_zero();
    fallback_ = true;
  }
  MethodResult result() { return BestAttempt::result(fallback_); }

 private:
  ReducedBuffers& b_;
  bool fallback_ = false;
};

}  // namespace

MethodResult automatic(const ReducedIsland& island, const Auto& options, ReducedBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& u) {
  ReducedAttempts best(island, options, buffers, r, u);
  if (best.value() <= ReducedAttempts::rounding) return best.result();
  const int factorisations = std::min(60, options.max_iterations);

  // A budget of sweeps, then Newton from there.
  best.sweeps(std::min(60, options.max_sweeps));
  if (best.newton(factorisations, 1e2)) return best.result();

  // Pivoting, where the laws are a linear complementarity problem; Newton from its vertex.
  const bool linear = std::all_of(island.groups.begin(), island.groups.end(), is_linear);
  if (linear && options.lemke_rows > 0 && best.lemke()) return best.result();
  if (linear && best.newton(factorisations, 1e2)) return best.result();

  // From the pyramid's answer, a few degrees off the cone's.
  for (const int facets : {8, 16, 32})
    if (!linear && best.start_from_pyramids(facets) && best.newton(factorisations, 1e2))
      return best.result();

  // From rest, stiffer and softer, with all that the options allow.
  for (const double rho : {1e3, 1e1, 1e5}) {
    best.restart();
    if (best.newton(options.max_iterations, rho)) return best.result();
  }
  if (best.sweeps(options.max_sweeps) || best.newton(options.max_iterations, 1e3))
    return best.result();
  best.newton(options.max_iterations, 1);
  return best.result();
}

}  // namespace cairn::solver
