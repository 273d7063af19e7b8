#include "collide/ratio/events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::collide {
namespace {

constexpr int part_bits = 30;
enum Part : std::uint32_t { face = 0, corner = 1, edge_part = 2 };
constexpr double no_crossing = 0x1p-40;  // sine of the angle below which two edges have none [-]

const Polyhedron::Edge& edge(const Placed& p, int i) {
  return p.shape->edges[static_cast<std::size_t>(i)];
}

// Two edges as lines, with the points where they cross seen along their common normal.
struct Crossing {
  Vec3 along_a, along_b, cross;
  Vec3 tail_a, tail_b;
  double s = 0, t = 0;  // places of the crossing, 0 at the tail, 1 at the head [-]
  double sine = 0;      // of the angle between the edges [-]

  Crossing(const Event& e, const Placed& a, const Placed& b) {
    tail_a = a.vertex(edge(a, e.a).tail);
    tail_b = b.vertex(edge(b, e.b).tail);
    along_a = a.vertex(edge(a, e.a).head) - tail_a;
    along_b = b.vertex(edge(b, e.b).head) - tail_b;
    cross = along_a.cross(along_b);
    sine = cross.norm() / (along_a.norm() * along_b.norm());
    if (!(sine > no_crossing)) return;
    const Vec3 d = tail_b - tail_a;
    const Vec3 over = cross / cross.squaredNorm();
    s = d.cross(along_b).dot(over);
    t = d.cross(along_a).dot(over);
  }
};

// The normal of edges that are nearly parallel: that of the two faces beside them that oppose each
// other most.
Vec3 face_normal_beside(const Event& e, const Placed& a, const Placed& b) {
  double best = -std::numeric_limits<double>::infinity();
  Vec3 normal = Vec3::UnitZ();
  for (const int f : {edge(a, e.a).left, edge(a, e.a).right})
    for (const int g : {edge(b, e.b).left, edge(b, e.b).right}) {
      const double opposed = -a.normal(f).dot(b.normal(g));
      if (opposed <= best) continue;
      best = opposed;
      normal = a.normal(f);
    }
  return normal;
}

// Out of A's edge and into B's.
Vec3 outward(const Event& e, const Placed& a, const Placed& b) {
  return a.normal(edge(a, e.a).left) + a.normal(edge(a, e.a).right) - b.normal(edge(b, e.b).left) -
         b.normal(edge(b, e.b).right);
}

// Signed distance of p from the border of a face, seen along its normal, > 0 inside [m].
double inside_face(const Polyhedron& shape, int face, const Vec3& p_S) {
  const std::span<const int> loop = shape.loop(face);
  const Vec3& n = shape.faces[static_cast<std::size_t>(face)].normal;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3& from = shape.vertices[static_cast<std::size_t>(loop[i])];
    const Vec3& to = shape.vertices[static_cast<std::size_t>(loop[(i + 1) % loop.size()])];
    if (shape.planar) {
      const Vec3 along = to - from;
      const double length = along.norm(), place = along.dot(p_S - from) / length;
      return std::min(place, length - place);
    }
    const Vec3 inward = n.cross(to - from);
    least = std::min(least, inward.dot(p_S - from) / inward.norm());
  }
  return least;
}

ShapeContact corner_on_face(const Placed& owner, int face, const Vec3& corner) {
  const Polyhedron::Face& f = owner.shape->faces[static_cast<std::size_t>(face)];
  const Vec3 n = owner.direction(f.normal);
  const double gap = f.normal.dot(owner.local(corner)) - f.offset;
  return {corner - gap * n, corner, n, gap, 0};
}

}  // namespace

Features features_of(const Event& e) {
  const auto code = [](Part part, int number) {
    CAIRN_DCHECK(number >= 0 && number < max_features, number);
    return part << part_bits | static_cast<std::uint32_t>(number);
  };
  switch (e.kind) {
    case Event::Kind::corner_b:
      return {code(face, e.a), code(corner, e.b)};
    case Event::Kind::corner_a:
      return {code(corner, e.a), code(face, e.b)};
    case Event::Kind::edges:
      break;
  }
  return {code(edge_part, e.a), code(edge_part, e.b)};
}

Event event_of(Features features) {
  const auto number = [](std::uint32_t code) {
    return static_cast<int>(code & static_cast<std::uint32_t>(max_features - 1));
  };
  const std::uint32_t part = features.a >> part_bits;
  return {part == face     ? Event::Kind::corner_b
          : part == corner ? Event::Kind::corner_a
                           : Event::Kind::edges,
          number(features.a), number(features.b)};
}

std::string name(const Event& event) {
  const bool of_a = event.kind == Event::Kind::corner_a, of_b = event.kind == Event::Kind::corner_b;
  const std::string a = of_a ? "corner" : of_b ? "face" : "edge";
  const std::string b = of_b ? "corner" : of_a ? "face" : "edge";
  return a + std::to_string(event.a) + "-" + b + std::to_string(event.b);
}

bool evaluate(const Event& e, const Placed& a, const Placed& b, double parallel,
              ShapeContact& out) {
  switch (e.kind) {
    case Event::Kind::corner_b:
      out = corner_on_face(a, e.a, b.vertex(e.b));
      break;
    case Event::Kind::corner_a: {
      const ShapeContact turned = corner_on_face(b, e.b, a.vertex(e.a));
      out = {turned.p_WB, turned.p_WA, -turned.n_W, turned.gap, 0};
      break;
    }
    case Event::Kind::edges: {
      const Crossing c(e, a, b);
      if (!(c.sine > no_crossing)) return false;
      Vec3 n = face_normal_beside(e, a, b);
      if (c.sine > parallel)
        n = c.cross.normalized() * (c.cross.dot(outward(e, a, b)) < 0 ? -1 : 1);
      const Vec3 p_A = c.tail_a + c.s * c.along_a, p_B = c.tail_b + c.t * c.along_b;
      out = {p_A, p_B, n, n.dot(p_B - p_A), 0};
      break;
    }
  }
  out.feature = features_of(e);
  return true;
}

double depth_inside(const Event& e, const PlacedPair& now, const PlacedPair& ahead, double tau) {
  auto corner = [&](const Placed& face, int vertex, const Placed& of) {
    return Vec3(face.local(of.vertex(vertex)));
  };
  if (e.kind == Event::Kind::corner_b) {
    Vec3 p = corner(now.a, e.b, now.b);
    if (tau > 0) p += tau * (corner(ahead.a, e.b, ahead.b) - p);
    return inside_face(*now.a.shape, e.a, p);
  }
  if (e.kind == Event::Kind::corner_a) {
    Vec3 p = corner(now.b, e.a, now.a);
    if (tau > 0) p += tau * (corner(ahead.b, e.a, ahead.a) - p);
    return inside_face(*now.b.shape, e.b, p);
  }
  const Crossing c(e, now.a, now.b);
  if (!(c.sine > no_crossing)) return -std::numeric_limits<double>::infinity();
  double s = c.s, t = c.t;
  if (tau > 0) {
    const Crossing later(e, ahead.a, ahead.b);
    if (!(later.sine > no_crossing)) return -std::numeric_limits<double>::infinity();
    s += tau * (later.s - s);
    t += tau * (later.t - t);
  }
  return std::min(std::min(s, 1 - s) * c.along_a.norm(), std::min(t, 1 - t) * c.along_b.norm());
}

}  // namespace cairn::collide
