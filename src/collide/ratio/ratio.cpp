#include "collide/ratio/ratio.hpp"

#include <algorithm>
#include <cmath>

#include "cairn/error.hpp"
#include "collide/ratio/ratio_event.hpp"

namespace cairn::collide {
namespace {

double full_height(const Polyhedron& body, const Vec3& axis) {
  double top = -std::numeric_limits<double>::infinity();
  for (const Vec3& v : body.vertices) top = std::max(top, axis.dot(v - body.center));
  return top;
}

int highest(const Polyhedron& body, const Vec3& axis) {
  int best = 0;
  for (std::size_t v = 1; v < body.vertices.size(); ++v)
    if (axis.dot(body.vertices[v] - body.vertices[static_cast<std::size_t>(best)]) > 0)
      best = static_cast<int>(v);
  return best;
}

// Equal centres leave every direction open: the face along which the bodies part soonest.
RatioComponent least_depth(const RatioPair& pair) {
  RatioComponent best;
  for (const bool of_b : {false, true}) {
    const Polyhedron& body = of_b ? pair.b : pair.a;
    for (std::size_t f = 0; f < body.faces.size(); ++f) {
      const Polyhedron::Face& face = body.faces[f];
      RatioComponent c;
      c.axis = of_b ? Vec3(-(pair.R_AB * face.normal)) : face.normal;
      c.height_a = full_height(pair.a, c.axis);
      c.height_b = full_height(pair.b, -(pair.R_AB.transpose() * c.axis));
      if ((of_b || f > 0) && c.support() >= best.support()) continue;
      c.event = of_b ? RatioEvent::face_of_b : RatioEvent::face_of_a;
      (of_b ? c.of_b : c.of_a)[0] = static_cast<int>(f);
      best = c;
    }
  }
  if (best.event == RatioEvent::face_of_a)
    best.of_b[0] = highest(pair.b, -(pair.R_AB.transpose() * best.axis));
  else
    best.of_a[0] = highest(pair.a, best.axis);
  return best;
}

// Points of the event from `c1` and `c2`, the touching point as seen from both centres in W.
void set_points(const RatioPair& pair, const RatioComponent& component, const Vec3& c1,
                const Vec3& c2, Ratio& result) {
  result.p_WA = result.x_WA + c1;
  result.p_WB = result.x_WB + c2;
  result.p_W = result.x_WA + result.r * c1;
  const Vec3 across = pair.R_WA.col(2) * (0.5 * pair.out_of_plane);
  result.p_WA += across, result.p_W += across, result.p_WB -= across;
  // Corner and foot of its perpendicular on the face; of two edges the points next to each other.
  const Vec3 step = result.separation * result.axis;
  result.q_WA = result.p_WA, result.q_WB = result.p_WB;
  if (component.event == RatioEvent::face_of_a) {
    result.q_WA = result.q_WB - step;
  } else if (component.event == RatioEvent::face_of_b) {
    result.q_WB = result.q_WA + step;
  } else {
    const auto edge = [](const Polyhedron& body, const std::array<int, 2>& ends) {
      return Vec3(body.vertices[static_cast<std::size_t>(ends[1])] -
                  body.vertices[static_cast<std::size_t>(ends[0])]);
    };
    const Vec3 e = pair.R_WA * edge(pair.a, component.of_a),
               g = pair.R_WA * (pair.R_AB * edge(pair.b, component.of_b));
    const Vec3 apart = result.p_WB - result.p_WA;
    result.q_WA += e * (result.axis.dot(apart.cross(g)) / result.axis.dot(e.cross(g)));
    result.q_WB = result.q_WA + step;
  }
}

}  // namespace

Ratio ratio_metric(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b, const Pose& X_WB,
                   const RatioBasis* start, RatioSearch search) {
  CAIRN_CHECK(a.planar == b.planar);
  const RatioPair pair = ratio_pair(a, X_WA, b, X_WB);
  Ratio result;
  result.x_WA = pair.x_WA, result.x_WB = pair.x_WB;
  RatioComponent component;
  Vec3 c1, c2;
  if (pair.distance == 0) {
    component = least_depth(pair);
    // Touching happens anywhere along the axis: at the corner, as elsewhere.
    const Vec3 shift = component.support() * component.axis;
    if (component.event == RatioEvent::face_of_a)
      c1 = shift + pair.R_AB * (b.vertices[static_cast<std::size_t>(component.of_b[0])] - b.center);
    else
      c1 = a.vertices[static_cast<std::size_t>(component.of_a[0])] - a.center;
    c2 = c1 - shift;
  } else {
    const RatioOptimum optimum = solve_ratio_program(pair, start, search);
    const ActiveFacets active = active_faces(pair, optimum);
    component = best_component(pair, optimum, active);
    c1 = touching_point(pair, active, optimum, component);
    c2 = c1 - touching_shift(pair, component);
    result.basis = optimum.basis;
    result.multipliers = optimum.multipliers;
    result.pivots = optimum.pivots, result.evaluations = optimum.evaluations;
  }
  result.axis = pair.R_WA * component.axis;
  result.centre_distance = component.along;
  result.support = component.support();
  result.separation = component.along - component.support();
  result.r = component.value();
  result.rho = std::max(result.separation / component.along, std::numeric_limits<double>::lowest());
  result.event = component.event;
  result.of_a = component.of_a, result.of_b = component.of_b;
  set_points(pair, component, pair.R_WA * c1, pair.R_WA * c2, result);
  return result;
}

// Only the scaled event moves: its lever arms are those of the scaled bodies.
RatioGradient gradient_of_r(const Ratio& ratio) {
  const Vec3 g = ratio.axis / ratio.support;
  return {-g, -(ratio.p_W - ratio.x_WA).cross(g), g, (ratio.p_W - ratio.x_WB).cross(g)};
}

RatioGradient gradient_of_rho(const Ratio& ratio) {
  RatioGradient g = gradient_of_r(ratio);
  const double factor = 1 / (ratio.r * ratio.r);
  for (Vec3* each : {&g.x1, &g.theta1, &g.x2, &g.theta2}) *each *= factor;
  return g;
}

RatioGradient gradient_of_separation(const Ratio& ratio) {
  const Vec3& n = ratio.axis;
  return {-n, -(ratio.q_WA - ratio.x_WA).cross(n), n, (ratio.q_WB - ratio.x_WB).cross(n)};
}

double depth(const Ratio& ratio) {
  return std::max(0.0, -ratio.separation);
}

RatioBound ratio_bound(const Polyhedron& a, const Pose& X_WA, const Polyhedron& b,
                       const Pose& X_WB) {
  Vec3 d = X_WB * b.center - X_WA * a.center;
  if (a.planar) {
    const Vec3 z = X_WA.R * Vec3::UnitZ();
    d -= z * z.dot(d);
  }
  const double distance = d.norm(), size = a.outer_radius + b.outer_radius;
  RatioBound bound;
  bound.distance = distance - size;
  bound.rho = std::max(bound.distance / distance, std::numeric_limits<double>::lowest());
  // separation = (r - 1) H with r >= distance / size, inner radii <= H <= size
  bound.separation =
      (distance / size - 1) * (distance < size ? size : a.inner_radius + b.inner_radius);
  return bound;
}

}  // namespace cairn::collide
