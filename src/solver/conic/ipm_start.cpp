// The sets of the interior point method as cones and facets, and a centred start (E48).
#include <cmath>
#include <numbers>

#include "base/index.hpp"
#include "base/infinity.hpp"
#include "solver/conic/interior_point.hpp"

namespace cairn::solver {
namespace {

constexpr int disc_facets = 16;

// Cones without friction are a ray and belong to the polyhedral sets.
bool is_second_order(const problem::LawSet& set) {
  return problem::is_round_cone(set) && set.mu > 0;
}

}  // namespace

void InteriorPoint::add_facet(const double* normal, double bound, int rows) {
  IpmBuffers::Facet facet;
  double size = 0;
  for (int k = 0; k < rows; ++k) size += normal[k] * normal[k];
  size = std::sqrt(size);
  for (int k = 0; k < rows; ++k) facet.normal[k] = normal[k] / size;
  facet.bound = bound / size;
  b_.facets.push_back(facet);
}

void InteriorPoint::add_facets(const problem::LawSet& set, Shape& shape) {
  const double up[max_rows] = {1, 0, 0}, down[max_rows] = {-1, 0, 0};
  shape.kind = Kind::facets;
  if (set.law == Law::nonnegative || (has_cone(set.law) && set.mu == 0)) {
    add_facet(up, 0, set.rows);
    shape.pinned = set.rows > 1;
  } else if (set.law == Law::box) {
    shape.pinned = set.lo == set.hi;
    if (!shape.pinned && set.lo > -base::infinity) add_facet(up, set.lo, 1);
    if (!shape.pinned && set.hi < base::infinity) add_facet(down, -set.hi, 1);
  } else if (set.law == Law::disc) {
    // A polygon around the disc; Newton takes the answer from there to the circle.
    shape.pinned = !(set.hi > 0);
    for (int k = 0; k < disc_facets && !shape.pinned; ++k) {
      const double angle = 2 * std::numbers::pi * k / disc_facets;
      const double normal[max_rows] = {-std::cos(angle), -std::sin(angle), 0};
      add_facet(normal, -set.hi, 2);
    }
  } else if (set.rows == 2) {
    for (const double side : {1.0, -1.0}) {
      const double normal[max_rows] = {set.mu, side, 0};
      add_facet(normal, 0, 2);
    }
  } else {
    // Across each side of the polygon, whose line is (a x b)/|b - a| from the origin.
    for (std::size_t k = 0; k < set.corners.size(); ++k) {
      const Corner &a = set.corners[k], &b = set.corners[(k + 1) % set.corners.size()];
      const double normal[max_rows] = {set.mu * (a[0] * b[1] - a[1] * b[0]), a[1] - b[1],
                                       b[0] - a[0]};
      add_facet(normal, 0, 3);
    }
  }
}

double InteriorPoint::start_size() const {
  double size = 0;
  for (const Coupling::Part& part : coupling_.parts()) {
    const double* q = &coupling_.q()[base::at(part.first)];
    if (is_unilateral(part.set.law) && problem::opening_speed(part.set, q) >= 0) continue;
    for (int k = 0; k < part.set.rows; ++k) size = std::max(size, std::abs(q[k]));
  }
  return size;
}

bool InteriorPoint::start() {
  const double size = start_size();
  const std::size_t parts = coupling_.parts().size();
  b_.shapes.assign(parts, {});
  b_.scalings.assign(parts, {});
  b_.theta.assign(parts, {});
  b_.facets.clear();
  b_.interior.assign(coupling_.rows(), 0.0);
  degree_ = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    const problem::LawSet& set = part(i).set;
    Shape& shape = b_.shapes[i];
    double* r = row(b_.interior, i);
    shape.first = static_cast<int>(b_.facets.size());
    const bool unbounded =
        set.law == Law::box && set.lo == -base::infinity && set.hi == base::infinity;
    if (set.law == Law::equality) continue;
    if (is_second_order(set)) {
      shape.kind = Kind::cone;
      b_.facets.resize(b_.facets.size() + 3);
      r[0] = size / set.mu;
    } else if (!unbounded) {
      add_facets(set, shape);
      const bool below = set.lo > -base::infinity, above = set.hi < base::infinity;
      if (is_unilateral(set.law)) r[0] = size;
      if (set.law == Law::box)
        r[0] = below && above ? 0.5 * (set.lo + set.hi) : below ? set.lo + size : set.hi - size;
    } else {
      shape.kind = Kind::facets;  // no facet at all: the velocity has to vanish
    }
    shape.count = static_cast<int>(b_.facets.size()) - shape.first;
    degree_ += shape.kind == Kind::cone ? 1 : shape.count;
  }
  for (auto* values : {&b_.x, &b_.y, &b_.dx, &b_.dy, &b_.target}) values->resize(b_.facets.size());
  for (auto* values : {&b_.u, &b_.tau, &b_.rest, &b_.dr, &b_.product, &b_.correction})
    values->resize(coupling_.rows());
  b_.sigma.resize(parts);
  slacks();
  for (std::size_t i = 0; i < parts; ++i) {
    const Shape& shape = b_.shapes[i];
    for (int k = shape.first; k < shape.first + shape.count; ++k)
      b_.y[base::at(k)] = shape.kind == Kind::cone ? (k == shape.first ? size : 0)
                                                   : size * size / b_.x[base::at(k)];
  }
  return size > 0;
}

// x = F r - c; a cone's is T r = (mu r_n, r_T).
void InteriorPoint::slacks() {
  for (std::size_t i = 0; i < b_.shapes.size(); ++i) {
    const Shape& shape = b_.shapes[i];
    const double* r = row(b_.interior, i);
    double* x = b_.x.data() + shape.first;
    if (shape.kind == Kind::cone) {
      x[0] = part(i).set.mu * r[0];
      x[1] = r[1];
      x[2] = r[2];
      continue;
    }
    for (int k = 0; k < shape.count; ++k) {
      const IpmBuffers::Facet& facet = b_.facets[base::at(shape.first + k)];
      x[k] = -facet.bound;
      for (int c = 0; c < part(i).set.rows; ++c) x[k] += facet.normal[c] * r[c];
    }
  }
}

}  // namespace cairn::solver
