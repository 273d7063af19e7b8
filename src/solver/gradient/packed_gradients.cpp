#include "solver/gradient/packed_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::solver {
namespace {

// Whether to look at the residual, which costs a third of a step: often where few steps are taken.
bool is_time_to_look(int steps) {
  return steps % (steps < 60 ? 2 : 5) == 0;
}

// Keeps the best impulses seen; these methods are not monotone.
class BestPoint {
 public:
  BestPoint(const PackedContacts& packing, std::vector<double>& r) : packing_(packing), r_(r) {}
  void offer(const PackedPoint& point) {
    const double now = packing_.residual(point.x, point.g);
    failed_ = !std::isfinite(now);
    if (!(now < value_)) return;
    value_ = now;
    packing_.store(point.x, r_);
  }
  double value() const { return value_; }
  bool failed() const { return failed_; }

 private:
  const PackedContacts& packing_;
  std::vector<double>& r_;
  double value_ = std::numeric_limits<double>::infinity();
  bool failed_ = false;
};

// Sums over all contacts in two lanes, of the even and of the odd ones: always in the same order,
// and two at a time.
struct LaneSum {
  double lane[2] = {0, 0};
  double value() const { return lane[0] + lane[1]; }
};

// Products of the last change of x with itself and with that of the law's velocity.
struct Changes {
  double xx, xg, gg;
};

Changes changes(const PackedPoint& from, const double* sigma_from, const PackedPoint& to,
                const double* sigma_to) {
  LaneSum xx, xg, gg;
  for (std::size_t k = 0; k < 3; ++k) {
    const double *x = from.x.row[k].data(), *y = to.x.row[k].data(), *g = from.g.row[k].data(),
                 *h = to.g.row[k].data();
    for (std::size_t i = 0, n = to.x.row[k].size(); i < n; i += 2)
      for (std::size_t lane = 0; lane < 2; ++lane) {
        const std::size_t j = i + lane;
        const double dx = y[j] - x[j];
        const double dg = k == 0 ? (h[j] + sigma_to[j]) - (g[j] + sigma_from[j]) : h[j] - g[j];
        xx.lane[lane] += dx * dx;
        xg.lane[lane] += dx * dg;
        gg.lane[lane] += dg * dg;
      }
  }
  return {xx.value(), xg.value(), gg.value()};
}

// (E62): the two lengths of Barzilai and Borwein and the mean of both in turn. The law is not
// monotone, so that no curvature, or a negative one, may be met: the mean does without it.
double spectral_length(const Changes& sums, int turn) {
  double length = std::sqrt(sums.xx / sums.gg);
  if (sums.xg > 0 && turn % 3 == 0) length = sums.xx / sums.xg;
  if (sums.xg > 0 && turn % 3 == 1) length = sums.xg / sums.gg;
  return std::isfinite(length) ? std::clamp(length, 1e-8, 1e8) : 1;
}

// y = now + momentum (now - last), of x and g alike.
void extrapolate(const PackedPoint& now, const PackedPoint& last, double momentum,
                 PackedPoint& ahead) {
  for (std::size_t k = 0; k < 3; ++k) {
    const double *x = now.x.row[k].data(), *g = now.g.row[k].data(), *x_last = last.x.row[k].data(),
                 *g_last = last.g.row[k].data();
    double *y = ahead.x.row[k].data(), *h = ahead.g.row[k].data();
    for (std::size_t i = 0, n = now.x.row[k].size(); i < n; ++i) {
      y[i] = x[i] + momentum * (x[i] - x_last[i]);
      h[i] = g[i] + momentum * (g[i] - g_last[i]);
    }
  }
}

// Of the step from y to x: its curvature and size, and the slope at y of the way to x from the
// iterate before.
struct StepSums {
  double curvature, size, slope;
};

StepSums step_sums(const PackedBuffers& b) {
  LaneSum curvature, size, slope;
  for (std::size_t k = 0; k < 3; ++k) {
    const double *y = b.ahead.x.row[k].data(), *h = b.ahead.g.row[k].data(),
                 *x = b.next.x.row[k].data(), *g = b.next.g.row[k].data(),
                 *before = b.now.x.row[k].data();
    for (std::size_t i = 0, n = b.now.x.row[k].size(); i < n; i += 2)
      for (std::size_t lane = 0; lane < 2; ++lane) {
        const std::size_t j = i + lane;
        const double step = x[j] - y[j];
        curvature.lane[lane] += step * (g[j] - h[j]);
        size.lane[lane] += step * step;
        slope.lane[lane] += h[j] * (x[j] - before[j]);
      }
  }
  return {curvature.value(), size.value(), slope.value()};
}

// The impulses to start from, with their velocities. All memory is made here: points are swapped
// later on.
void start(const std::vector<double>& r, PackedBuffers& b) {
  for (PackedPoint* point : {&b.now, &b.last, &b.ahead, &b.next}) {
    point->x.resize(b.packing.size());
    point->g.resize(b.packing.size());
  }
  b.sigma_next.resize(b.packing.size());
  b.packing.load(r, b.now.x);
  b.packing.multiply(b.now.x, b.now.g);
  b.packing.slip_bounds(b.now.g, b.sigma);
}

}  // namespace

IterationResult packed_spectral(const FirstOrderLimits& limits, PackedBuffers& b,
                                std::vector<double>& r) {
  PackedContacts& packing = b.packing;
  start(r, b);
  BestPoint best(packing, r);
  best.offer(b.now);
  IterationResult result;
  double alpha = 1;
  while (result.iterations < limits.iterations && !(best.value() <= limits.tolerance) &&
         !packing.interrupted(cost::packed_gradient * static_cast<double>(packing.size()))) {
    ++result.iterations;
    packing.project(b.now.x, b.now.g, b.sigma, alpha, b.next.x);
    packing.multiply(b.next.x, b.next.g);
    packing.slip_bounds(b.next.g, b.sigma_next);
    const Changes sums = changes(b.now, b.sigma.data(), b.next, b.sigma_next.data());
    std::swap(b.now, b.next);
    b.sigma.swap(b.sigma_next);
    const bool moved = sums.xx > 0;
    if (is_time_to_look(result.iterations) || !moved || result.iterations == limits.iterations)
      best.offer(b.now);
    if (best.failed() || !moved) break;
    alpha = spectral_length(sums, result.iterations);
  }
  result.residual = best.value();
  return result;
}

IterationResult packed_apgd(const FirstOrderLimits& limits, PackedBuffers& b,
                            std::vector<double>& r) {
  PackedContacts& packing = b.packing;
  start(r, b);
  BestPoint best(packing, r);
  best.offer(b.now);
  b.last = b.now;
  IterationResult result;
  double theta = 1, momentum = 0, L = 1;
  for (int steps = 1; result.iterations < limits.iterations && !(best.value() <= limits.tolerance);
       ++steps) {
    if (packing.interrupted(cost::packed_gradient * static_cast<double>(packing.size()))) break;
    extrapolate(b.now, b.last, momentum, b.ahead);
    StepSums sums;
    for (;;) {  // L must bound the curvature along the step
      ++result.iterations;
      packing.project(b.ahead.x, b.ahead.g, b.sigma, 1 / L, b.next.x);
      packing.multiply(b.next.x, b.next.g);
      sums = step_sums(b);
      if (!(sums.curvature > L * sums.size) || L >= largest_L) break;
      L = std::min(largest_L, std::max(1.2 * L, sums.curvature / sums.size));
    }
    // Momentum is dropped where it points uphill.
    const double before = theta;
    theta = sums.slope > 0 ? 1 : 0.5 * (before * std::sqrt(before * before + 4) - before * before);
    momentum = sums.slope > 0 ? 0 : before * (1 - before) / (before * before + theta);
    std::swap(b.last, b.now);
    std::swap(b.now, b.next);
    L *= 0.99;
    if (is_time_to_look(steps) || !(result.iterations < limits.iterations)) best.offer(b.now);
    if (best.failed()) break;
  }
  result.residual = best.value();
  return result;
}

}  // namespace cairn::solver
