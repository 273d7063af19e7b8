#include "solve/automatic_reduced.hpp"

#include <algorithm>

namespace cairn {
namespace {

constexpr int pyramid_rows = 600;  // pivoting costs the cube of this

// Keeps the best impulses that any method has left in r.
class Best {
 public:
  Best(const ReducedIsland& island, const Auto& options, ReducedBuffers& buffers,
       std::vector<double>& r, std::vector<double>& u)
      : island_(island), options_(options), b_(buffers), r_(r), u_(u) {
    velocities_from_impulses(island, r, u);
    value_ = residual(island, r, u);
    b_.best = r;
  }
  // Where nobody waits any more, whatever there is has to do.
  bool good() const { return value_ <= options_.tolerance || island_.interrupted(); }
  double value() const { return value_; }

  bool sweeps(int most) {
    return take(cairn::nsgs(island_, {.tolerance = 1e-14, .sweeps = most}, b_.nsgs, r_, u_),
                "nsgs");
  }
  bool newton(int factorisations, double rho) {
    const NewtonLimits limits{.tolerance = options_.tolerance,
                              .aim = std::min(1e-14, options_.tolerance),
                              .factorisations = factorisations,
                              .rho = rho};
    return take(cairn::newton(island_, limits, b_.newton, r_, u_), "newton");
  }
  bool lemke() {
    const LemkeLimits limits{
        .tolerance = options_.tolerance, .draws = 40, .variables = options_.lemke_rows};
    return take(cairn::lemke(island_, limits, b_.lemke, r_, u_), "lemke");
  }
  // Starts over from the answer with pyramids of so many sides in place of the exact cones: a
  // linear problem that pivoting solves from anywhere. False where it would be too large.
  bool start_from_pyramids(int facets) {
    ReducedIsland rough = island_;
    int size = 0;
    for (ReducedGroup& g : rough.groups) {
      if (!is_linear(g)) g.set.corners = regular_polygon(facets);
      size += variables(g, Form::full);
    }
    if (size > std::min(pyramid_rows, options_.lemke_rows)) return false;
    restart();
    const LemkeLimits limits{.tolerance = 1e-10, .draws = 4};
    total_.iteration.iterations += cairn::lemke(rough, limits, b_.lemke, r_, u_).iterations;
    return true;
  }
  void restart() {
    std::fill(r_.begin(), r_.end(), 0.0);
    fallback_ = true;
  }
  MethodResult result() {
    total_.iteration.residual = value_;
    total_.fallback = fallback_;
    return total_;
  }

 private:
  bool take(const IterationResult& result, const char* method) {
    total_.iteration.iterations += result.iterations;
    total_.iteration.ray = total_.iteration.ray || result.ray;
    if (result.residual < value_) {
      value_ = result.residual;
      b_.best = r_;
      total_.method = method;
    }
    r_ = b_.best;
    velocities_from_impulses(island_, r_, u_);
    return good();
  }

  const ReducedIsland& island_;
  const Auto& options_;
  ReducedBuffers& b_;
  std::vector<double>&r_, &u_;
  double value_ = 0;
  bool fallback_ = false;
  MethodResult total_{{}, "warm", false};
};

}  // namespace

MethodResult automatic(const ReducedIsland& island, const Auto& options, ReducedBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& u) {
  Best best(island, options, buffers, r, u);
  if (best.value() <= 1e-14) return best.result();
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

}  // namespace cairn
