// The sets of impulses that the laws allow: projection, its derivative, and the slip bound of
// Coulomb's law (E3, E4).
//
// K_mu = {(p_n, p_T): |p_T| <= mu p_n}, exact, or the cone over a polygon with the vertices mu d_i:
// a regular one, d_i = (cos 2 pi i/k, sin 2 pi i/k), inscribed in the circle, or any convex one
// around the origin (E247). With two rows the exact and the regular ones are the same wedge.
#pragma once

#include <cmath>
#include <span>

#include "cairn/problem.hpp"

namespace cairn::problem {

// What a constraint's law needs, without its Jacobian. `lo` and `hi` count for Law::box, `hi`, the
// radius, for Law::disc: whoever holds the impulses sets it (E240).
struct LawSet {
  Law law = Law::equality;
  int rows = 1;
  std::span<const Corner> corners = {};  // d_i; none: exact
  double mu = 0;
  double lo = 0, hi = 0;
};

// d_i of the regular polygon with 3 to 64 corners.
std::span<const Corner> regular_polygon(int corners);

// Corners of a cone's section: none with fewer than three rows.
inline std::span<const Corner> corners_of(int rows, int facets, const FrictionPolygon* section) {
  if (rows < 3) return {};
  if (section) return *section;
  return facets > 0 ? regular_polygon(facets) : std::span<const Corner>();
}

// Valid as long as the constraint is.
inline LawSet law_set(const Constraint& c) {
  return {c.law, c.rows, corners_of(c.rows, c.facets, c.section.get()), c.mu, c.lo, c.hi};
}

// Radius of a disc: mu times the normal impulse it is tied to (E240), or what is given (E680).
inline double disc_radius(const Problem& problem, const Constraint& c, const VecX& lambda) {
  if (c.tie < 0) return c.hi;
  const double normal = lambda[problem.first_row[static_cast<std::size_t>(c.tie)]];
  return normal > 0 ? c.mu * normal : 0;
}

// Exact friction in space, which nearly all work is spent on: kept where callers can inline it.
inline bool is_round_cone(const LawSet& set) {
  return set.rows == 3 && set.corners.empty() && has_cone(set.law);
}

void project_any(const LawSet& set, const double* z, double* p);

// p = the point of the law's set next to z.
inline void project(const LawSet& set, const double* z, double* p) {
  if (!is_round_cone(set)) return project_any(set, z, p);
  // The polar branch comes first: with mu = 0, z_T = 0, z_n < 0 the other order returns a negative
  // impulse.
  const double t = std::sqrt(z[1] * z[1] + z[2] * z[2]), mu = set.mu;
  if (mu * t <= -z[0]) {
    p[0] = p[1] = p[2] = 0;
  } else if (t <= mu * z[0]) {
    for (int i = 0; i < 3; ++i) p[i] = z[i];
  } else {
    p[0] = (z[0] + mu * t) / (1 + mu * mu);
    const double share = mu * p[0] / t;
    p[1] = share * z[1];
    p[2] = share * z[2];
  }
}

// D = derivative of the projection at z, rows x rows, symmetric positive semidefinite, eigenvalues
// in [0, 1].
void project_derivative(const LawSet& set, const double* z, double D[max_rows][max_rows]);

// sigma(w_T) = max over the friction section of -beta . w_T, (E4); zero for the other laws, the
// relaxed cone among them.
double slip_bound_any(const LawSet& set, const double* w);
inline double slip_bound(const LawSet& set, const double* w) {
  if (set.law != Law::coulomb) return 0;
  if (is_round_cone(set)) return set.mu * std::sqrt(w[1] * w[1] + w[2] * w[2]);
  return slip_bound_any(set, w);
}

// Of a unilateral law: negative where velocity w asks for an impulse. w_n, and with the relaxed
// cone, whose velocities lie in K_mu*, w_n less the friction section's support of w_T.
double opening_speed(const LawSet& set, const double* w);

// The size of the tangential impulse as the cone measures it: the impulse is in K_mu where it is at
// most mu p_n.
double friction_gauge(const LawSet& set, const double* p);

// (x, y) as a combination of the two vertices of the polygon on either side of it, the first with
// the larger weight.
struct PolygonPlace {
  int first = 0, second = 0;
  double weight_first = 0, weight_second = 0;
};
PolygonPlace polygon_place(std::span<const Corner> corners, double x, double y);

// d_i . (x, y).
inline double along(const Corner& d, double x, double y) {
  return d[0] * x + d[1] * y;
}

// tau = d sigma / d w (tau[0] = 0).
void slip_gradient(const LawSet& set, const double* w, double* tau);

}  // namespace cairn::problem
