#include "collide/ratio/ratio_event.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::collide {
namespace {

constexpr double nearly_active = 0x1p-38;  // generous: more candidates do no harm
constexpr double clearly_positive = 0x1p-20;
constexpr double as_good = 0x1p-44;  // components that differ by less are equal

const Vec3& at(const std::vector<Vec3>& list, int i) {
  return list[static_cast<std::size_t>(i)];
}

// Faces around those of the basis for which p.x >= t to rounding; what is active at a point of a
// convex surface hangs together. A corner of more faces than there is room for keeps the first
// ones.
ActiveFaces collect(const Polyhedron& body, std::span<const int> seeds, const Vec3& x, double t,
                    double unit) {
  ActiveFaces result;
  std::array<int, ActiveFaces::capacity> queue{};
  int queued = 0;
  const auto add = [&](int f) {
    if (queued == ActiveFaces::capacity || result.holds(f)) return;
    queue[static_cast<std::size_t>(queued++)] = f;
    result.add(f);
  };
  for (const int f : seeds)
    if (f >= 0) add(f);
  // |p| is at most the inverse of the inner radius.
  const double least = t / unit - nearly_active * (t / unit + x.norm() / body.inner_radius);
  for (int i = 0; i < queued; ++i)
    for (const int f : body.neighbors(queue[static_cast<std::size_t>(i)]))
      if (at(body.polar, f).dot(x) >= least) add(f);
  return result;
}

// Support height over the corners of the active faces. Elsewhere the body is lower along the axis
// of an optimal event; along any other axis the component comes out below the optimum all the same.
double height(const Polyhedron& body, const ActiveFaces& active, const Vec3& axis) {
  double top = -std::numeric_limits<double>::infinity();
  for (const int f : active.all())
    for (const int v : body.loop(f))
      top = std::max(top, axis.dot(at(body.vertices, v) - body.center));
  return top;
}

double face_distance(const Polyhedron& body, int f) {
  const Polyhedron::Face& face = body.faces[static_cast<std::size_t>(f)];
  return face.offset - face.normal.dot(body.center);
}

RatioComponent face_component(const RatioPair& pair, const ActiveFacets& active, bool of_b, int f) {
  RatioComponent c;
  const Vec3& n = (of_b ? pair.b : pair.a).faces[static_cast<std::size_t>(f)].normal;
  if (of_b) {
    c.event = RatioEvent::face_of_b;
    c.of_b[0] = f;
    c.axis = -(pair.R_AB * n);
    c.height_a = height(pair.a, active.a, c.axis);
    c.height_b = face_distance(pair.b, f);
  } else {
    c.of_a[0] = f;
    c.axis = n;
    c.height_a = face_distance(pair.a, f);
    c.height_b = height(pair.b, active.b, -(pair.R_AB.transpose() * n));
  }
  c.along = c.axis.dot(pair.d_A);
  return c;
}

// What rounding may change a component by, relative to its value.
double band(const RatioPair& pair, const RatioComponent& c) {
  return c.value() > 0 ? as_good * (1 + pair.size / c.support()) : 0;
}

// Calls visit(tail, head) for each edge between two active faces.
template <class Visit>
void for_active_edges(const Polyhedron& body, const ActiveFaces& active, const Visit& visit) {
  for (const int f : active.all()) {
    const std::span<const int> loop = body.loop(f), next = body.neighbors(f);
    for (std::size_t i = 0; i < loop.size(); ++i)
      if (next[i] > f && active.holds(next[i])) {
        const int v = loop[i], w = loop[(i + 1) % loop.size()];
        visit(std::min(v, w), std::max(v, w));
      }
  }
}

// max over pairs of active edges, the first of those that are as good.
bool best_edges(const RatioPair& pair, const ActiveFacets& active, RatioComponent& best) {
  bool found = false;
  for_active_edges(pair.a, active.a, [&](int a0, int a1) {
    const Vec3 e = at(pair.a.vertices, a1) - at(pair.a.vertices, a0);
    for_active_edges(pair.b, active.b, [&](int b0, int b1) {
      const Vec3 normal = e.cross(pair.R_AB * (at(pair.b.vertices, b1) - at(pair.b.vertices, b0)));
      const double length = normal.norm();
      if (length == 0) return;
      RatioComponent c;
      c.event = RatioEvent::edges;
      c.of_a = {a0, a1}, c.of_b = {b0, b1};
      c.axis = (normal.dot(pair.d_A) < 0 ? -1 : 1) * normal / length;
      c.along = c.axis.dot(pair.d_A);
      c.height_a = height(pair.a, active.a, c.axis);
      c.height_b = height(pair.b, active.b, -(pair.R_AB.transpose() * c.axis));
      const bool same =
          found && std::abs(c.value() - best.value()) <= band(pair, best) * best.value();
      const auto key = [](const RatioComponent& each) { return std::pair(each.of_a, each.of_b); };
      if (!found || (same ? key(c) < key(best) : c.value() > best.value())) best = c, found = true;
    });
  });
  return found;
}

// Contact in the configuration where B is moved to touch A; positions in A's frame from A's centre.
class TouchingPoint {
 public:
  TouchingPoint(const RatioPair& pair, const ActiveFacets& active, RatioComponent& component)
      : pair_(pair), active_(active), c_(component) {
    shift_ = touching_shift(pair, component);
    on_a_ = component.event == RatioEvent::face_of_a;
    down_ = on_a_ ? Vec3(-(pair.R_AB.transpose() * component.axis)) : component.axis;
    least_ = (on_a_ ? component.height_b : component.height_a) - 0x1p-46 * pair.size;
  }

  bool find(Vec3& point) {
    if (c_.event == RatioEvent::edges) return cross_edges(point);
    return corner_on_face(point) || corner_of_face(point) || edge_over_edge(point);
  }

 private:
  const Polyhedron& owner() const { return on_a_ ? pair_.a : pair_.b; }  // of the face
  const Polyhedron& other() const { return on_a_ ? pair_.b : pair_.a; }
  int face() const { return on_a_ ? c_.of_a[0] : c_.of_b[0]; }
  const ActiveFaces& other_active() const { return on_a_ ? active_.b : active_.a; }

  // By side, not by polyhedron: equal shapes share one.
  Vec3 place_a(int vertex) const { return at(pair_.a.vertices, vertex) - pair_.a.center; }
  Vec3 place_b(int vertex) const {
    return shift_ + pair_.R_AB * (at(pair_.b.vertices, vertex) - pair_.b.center);
  }
  Vec3 place_owner(int vertex) const { return on_a_ ? place_a(vertex) : place_b(vertex); }
  Vec3 place_other(int vertex) const { return on_a_ ? place_b(vertex) : place_a(vertex); }
  // A corner of the other body that lies in the plane of the face to rounding.
  bool tied(int vertex) const {
    return down_.dot(at(other().vertices, vertex) - other().center) >= least_;
  }
  bool inside_sides(bool of_a, int f, const Vec3& point) const {
    const Polyhedron& body = of_a ? pair_.a : pair_.b;
    const Vec3 local = of_a ? point : Vec3(pair_.R_AB.transpose() * (point - shift_));
    for (const int side : body.neighbors(f)) {
      const Vec3& p = at(body.polar, side);
      if (p.dot(local) > 1 + as_good * (1 + p.norm() * pair_.size)) return false;
    }
    return true;
  }

  // The lowest corner of the other body on the face.
  bool corner_on_face(Vec3& point) {
    int& lowest = on_a_ ? c_.of_b[0] : c_.of_a[0];
    for (const int f : other_active().all())
      for (const int v : other().loop(f)) {
        if ((lowest >= 0 && v >= lowest) || !tied(v)) continue;
        const Vec3 p = place_other(v);
        if (inside_sides(on_a_, face(), p)) lowest = v, point = p;
      }
    return lowest >= 0;
  }

  // The lowest corner of the face on a face of the other body that lies flat on it.
  bool corner_of_face(Vec3& point) {
    int lowest = -1;
    for (const int f : other_active().all()) {
      const std::span<const int> loop = other().loop(f);
      if (!std::all_of(loop.begin(), loop.end(), [&](int v) { return tied(v); })) continue;
      for (const int v : owner().loop(face())) {
        if (lowest >= 0 && v >= lowest) continue;
        const Vec3 p = place_owner(v);
        if (inside_sides(!on_a_, f, p)) lowest = v, point = p;
      }
    }
    return lowest >= 0;
  }

  // Edges of the face crossed by edges of the other body that lie in its plane.
  bool edge_over_edge(Vec3& point) {
    std::array<int, 4> lowest{};
    bool found = false;
    const std::span<const int> sides = owner().loop(face());
    for (std::size_t i = 0; i < sides.size(); ++i)
      for (const int f : other_active().all()) {
        const std::span<const int> loop = other().loop(f);
        for (std::size_t k = 0; k < loop.size(); ++k) {
          const int v = sides[i], w = sides[(i + 1) % sides.size()];
          const int o = loop[k], p = loop[(k + 1) % loop.size()];
          const std::array<int, 4> key{std::min(v, w), std::max(v, w), std::min(o, p),
                                       std::max(o, p)};
          if ((found && !(key < lowest)) || !tied(o) || !tied(p)) continue;
          const Vec3 start = place_owner(key[0]), e = place_owner(key[1]) - start;
          const Vec3 there = place_other(key[2]), g = place_other(key[3]) - there;
          const double area = c_.axis.dot(e.cross(g));
          if (area == 0) continue;
          const double s = c_.axis.dot((there - start).cross(g)) / area;
          const double t = c_.axis.dot((there - start).cross(e)) / area;
          constexpr double end = 1 + as_good;
          if (std::min(s, t) < 1 - end || std::max(s, t) > end) continue;
          lowest = key, found = true;
          point = there + t * g;
        }
      }
    return found;
  }

  // Both lines cut each other where B is moved to; rounding may leave them at their ends.
  bool cross_edges(Vec3& point) const {
    const Vec3 start = place_a(c_.of_a[0]), e = place_a(c_.of_a[1]) - start;
    const Vec3 there = place_b(c_.of_b[0]), g = place_b(c_.of_b[1]) - there;
    const double s = c_.axis.dot((there - start).cross(g)) / c_.axis.dot(e.cross(g));
    if (!std::isfinite(s)) return false;
    point = start + std::clamp(s, 0.0, 1.0) * e;
    return true;
  }

  const RatioPair& pair_;
  const ActiveFacets& active_;
  RatioComponent& c_;
  Vec3 shift_, down_;  // down_: from the other body towards the face, in its frame
  double least_ = 0;
  bool on_a_ = true;
};

// One basis alone with clearly positive multipliers: its event is the only one.
bool is_regular(const RatioPair& pair, const RatioOptimum& optimum, const ActiveFacets& active) {
  const int count = pair.a.planar ? 3 : 4;
  if (active.a.count + active.b.count != count) return false;
  for (int k = 0; k < count; ++k)
    if (!(optimum.multipliers[static_cast<std::size_t>(k)] > clearly_positive)) return false;
  return true;
}

}  // namespace

bool ActiveFaces::holds(int face) const {
  for (const int f : all())
    if (f == face) return true;
  return false;
}

void ActiveFaces::add(int face) {
  int i = count++;
  for (; i > 0 && faces[static_cast<std::size_t>(i - 1)] > face; --i)
    faces[static_cast<std::size_t>(i)] = faces[static_cast<std::size_t>(i - 1)];
  faces[static_cast<std::size_t>(i)] = face;
}

ActiveFacets active_faces(const RatioPair& pair, const RatioOptimum& optimum) {
  const std::span<const int> facets(optimum.basis.facets.data(),
                                    static_cast<std::size_t>(optimum.basis.count));
  const auto of_a = static_cast<std::size_t>(optimum.basis.of_a);
  const Vec3 x_B = pair.R_AB.transpose() * (optimum.x - pair.u);
  return {collect(pair.a, facets.first(of_a), optimum.x, optimum.t, pair.unit),
          collect(pair.b, facets.subspan(of_a), x_B, optimum.t, pair.unit)};
}

// Faces of A, then of B, then pairs of edges; the first whose value is as good as any. Since each
// value is computed from its features alone, all starts lead to the same one.
RatioComponent best_component(const RatioPair& pair, const RatioOptimum& optimum,
                              const ActiveFacets& active) {
  if (is_regular(pair, optimum, active)) {
    RatioComponent edges;
    if (active.a.count == 1) return face_component(pair, active, false, active.a.faces[0]);
    if (active.b.count == 1) return face_component(pair, active, true, active.b.faces[0]);
    if (best_edges(pair, active, edges)) return edges;
  }
  RatioComponent best;
  double top = -1;
  for (const bool of_b : {false, true})
    for (const int f : (of_b ? active.b : active.a).all()) {
      const RatioComponent c = face_component(pair, active, of_b, f);
      if (top < 0 || c.value() > top * (1 + band(pair, c))) best = c;
      top = std::max(top, c.value());
    }
  RatioComponent edges;
  if (best_edges(pair, active, edges) && edges.value() > top * (1 + band(pair, edges)))
    best = edges;
  return best;
}

Vec3 touching_shift(const RatioPair& pair, const RatioComponent& component) {
  return pair.u * (component.support() / component.axis.dot(pair.u));
}

Vec3 touching_point(const RatioPair& pair, const ActiveFacets& active, const RatioOptimum& optimum,
                    RatioComponent& component) {
  Vec3 point = Vec3::Zero();
  if (TouchingPoint(pair, active, component).find(point)) return point;
  return optimum.x * (pair.unit / optimum.t);
}

}  // namespace cairn::collide
