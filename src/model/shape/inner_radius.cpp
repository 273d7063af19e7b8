// Closed forms, and the least width of a polyhedron over the directions of its faces and of
// antipodal pairs of edges (E340).
#include "model/shape/inner_radius.hpp"

#include <algorithm>
#include <cmath>

#include "base/infinity.hpp"
#include "cairn/check.hpp"

namespace cairn::model {
namespace {

double width(const Polyhedron& p, const Vec3& n) {
  double lo = base::infinity, hi = -base::infinity;
  for (const Vec3& v : p.vertices) {
    const double along = n.dot(v);
    lo = std::min(lo, along);
    hi = std::max(hi, along);
  }
  return hi - lo;
}

// The outward normals along an edge: the arc on the unit sphere between those of its two faces.
struct Arc {
  Vec3 a, b;      // ends
  Vec3 pole;      // b x a
  double lo, hi;  // no point of the arc has its z outside
};

Arc arc_of(const Polyhedron& p, const Polyhedron::Edge& edge) {
  const Vec3& a = p.faces[static_cast<std::size_t>(edge.left)].normal;
  const Vec3& b = p.faces[static_cast<std::size_t>(edge.right)].normal;
  // The arc bulges by 1 - cos(angle/2) beyond its chord, at most |a - b|^2/4; 2^-40: rounding.
  const double bulge = 0.25 * (a - b).squaredNorm() + 0x1p-40;
  return {a, b, b.cross(a), std::min(a.z(), b.z()) - bulge, std::max(a.z(), b.z()) + bulge};
}

// Does the arc e cross the antipode of the arc f? The ends of each lie on both sides of the other's
// plane, and the arcs on the same half of the sphere. Arcs that only touch do so at the normal of a
// face, whose width is known.
bool antipodal(const Arc& e, const Arc& f) {
  const double fa = -f.a.dot(e.pole), fb = -f.b.dot(e.pole);
  if (!(fa * fb < 0)) return false;
  const double ea = e.a.dot(f.pole), eb = e.b.dot(f.pole);
  return ea * eb < 0 && fa * eb > 0;
}

double least_width(const Polyhedron& p) {
  double least = base::infinity;
  for (const Polyhedron::Face& face : p.faces) least = std::min(least, width(p, face.normal));
  std::vector<Arc> arcs;
  for (const Polyhedron::Edge& edge : p.edges) arcs.push_back(arc_of(p, edge));
  const auto vertex = [&](int i) -> const Vec3& { return p.vertices[static_cast<std::size_t>(i)]; };
  for (std::size_t i = 1; i < arcs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (arcs[i].lo > -arcs[j].lo || arcs[i].hi < -arcs[j].hi) continue;
      if (!antipodal(arcs[i], arcs[j])) continue;
      const Polyhedron::Edge &e = p.edges[i], &f = p.edges[j];
      const Vec3 n =
          (vertex(e.head) - vertex(e.tail)).cross(vertex(f.head) - vertex(f.tail)).normalized();
      const double distance = std::abs(n.dot(vertex(e.tail) - vertex(f.tail)));
      // Of all vertices, so that nothing but a true width counts.
      if (distance < least) least = std::min(least, width(p, n));
    }
  return least;
}

double radius_of(const Point&, const Polyhedron*) {
  return 0;
}
double radius_of(const Sphere& s, const Polyhedron*) {
  return s.radius;
}
double radius_of(const Box& s, const Polyhedron*) {
  return 0.5 * s.size.minCoeff();
}
double radius_of(const Capsule& s, const Polyhedron*) {
  return s.radius;
}
double radius_of(const Ellipsoid& s, const Polyhedron*) {
  return s.radii.minCoeff();
}
// Between the ends, across the axis, or between a line of the side and the rim opposite to it
// (E901).
double radius_of(const Frustum& s, const Polyhedron*) {
  const double slant = std::hypot(s.length, s.radius - s.top_radius);
  const double across = 2 * s.largest_radius() * (s.length / slant);
  return 0.5 * std::min(s.length, across);
}
double radius_of(const Halfspace&, const Polyhedron*) {
  return base::infinity;
}
double radius_of(const Disc& s, const Polyhedron*) {
  return s.radius;
}
double radius_of(const Ellipse& s, const Polyhedron*) {
  return s.radii.minCoeff();
}
double radius_of(const Hull&, const Polyhedron* p) {
  return 0.5 * least_width(*p);
}
double radius_of(const Polygon&, const Polyhedron* p) {
  return 0.5 * least_width(*p);
}

}  // namespace

double inner_radius(const Geometry& geometry, const Polyhedron* polyhedron) {
  CAIRN_DCHECK(polyhedron || !(std::holds_alternative<Hull>(geometry) ||
                               std::holds_alternative<Polygon>(geometry)));
  return std::visit([&](const auto& shape) { return radius_of(shape, polyhedron); }, geometry);
}

double pair_inner_radius(const Model& model, const Shape& a, const Shape& b) {
  const double ra = a.inner_radius, rb = b.inner_radius;
  const double r = ra > 0 && rb > 0 ? std::min(ra, rb) : std::max(ra, rb);
  return r > 0 && std::isfinite(r) ? r : model.length_unit;
}

double contact_inner_radius(const Model& model, const ContactKey& key) {
  if (is_limit(key)) return model.smaller_radius(key.body_a, key.body_b);
  return pair_inner_radius(model, model.shapes[index(key.shape_a)],
                           model.shapes[index(key.shape_b)]);
}

}  // namespace cairn::model
