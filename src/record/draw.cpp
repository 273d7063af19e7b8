// Draws one still: ground, bodies from back to front, joints, contact forces, a scale.
#include "record/draw.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numbers>

#include "record/html.hpp"
#include "record/plot.hpp"

namespace cairn {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr std::size_t max_arrows = 400;  // the strongest ones
constexpr double arrow_share = 0.22;     // longest arrow, of the picture's width [-]
constexpr double least_arrow = 1.5;      // shorter ones are left out [px]

struct Canvas {
  const Model& model;
  const View& view;
  const Still& still;
  int number;
  std::string svg = {};

  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(svg), text, std::forward<Args>(args)...);
  }
  Vec2 direction(const Vec3& d_W) const {
    return {view.right.dot(d_W) * view.scale(), -view.up.dot(d_W) * view.scale()};
  }
  Vec2 pixel(const Vec3& p_W) const {
    return {(view.right.dot(p_W) - view.x0) * view.scale(),
            (view.y1 - view.up.dot(p_W)) * view.scale()};
  }
  void polygon(std::span<const Vec2> corners, const std::string& attributes) {
    svg += "<path d=\"";
    for (std::size_t i = 0; i < corners.size(); ++i)
      put("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", corners[i].x(), corners[i].y());
    put("Z\" {}/>", attributes);
  }
  void line(const Vec2& a, const Vec2& b, const char* style) {
    put("<path class=\"{}\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", style, a.x(), a.y(), b.x(),
        b.y());
  }
};

// Few bodies get colours of their own; many get shades of one, so that the eye sees the heap and
// not the palette.
std::string fill(const Model& model, BodyId id, double brightness = 0) {
  const Body& body = model.body(id);
  if (body.kind != BodyKind::dynamic)
    return fmt::format("fill=\"hsl(220 8% {:.0f}%)\"", 62 + brightness);
  constexpr std::array hues = {212, 24, 152, 338, 265, 45, 186, 95};
  int free_bodies = 0, rank = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind != BodyKind::dynamic) continue;
    if (i < index(id)) ++rank;
    ++free_bodies;
  }
  if (free_bodies <= 8)
    return fmt::format("fill=\"hsl({} 58% {:.0f}%)\"",
                       hues[static_cast<std::size_t>(rank) % hues.size()], 60 + brightness);
  return fmt::format("fill=\"hsl(212 50% {:.0f}%)\"", 50 + 5 * (rank % 5) + brightness);
}

// ---- Shapes
// -----------------------------------------------------------------------------------------------------

// The outline of an ellipsoid with semi-axes `radii` along the shape's axes: its shadow P diag(r^2)
// P^T.
void draw_ellipse(Canvas& c, const Pose& X, const Vec3& radii, const std::string& attributes) {
  Eigen::Matrix<double, 2, 3> P;
  for (int i = 0; i < 3; ++i) P.col(i) = radii[i] * c.direction(X.R * Vec3::Unit(i));
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(P * P.transpose());
  const Vec2 r = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  const Vec2 p = c.pixel(X.p);
  if (r[1] - r[0] < 0.05) {
    c.put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2f}\" {}/>", p.x(), p.y(), r[1], attributes);
    return;
  }
  const Vec2 major = eigen.eigenvectors().col(1);
  const double angle = std::atan2(major.y(), major.x()) * 180 / std::numbers::pi;
  c.put(
      "<ellipse rx=\"{:.2f}\" ry=\"{:.2f}\" transform=\"translate({:.1f} {:.1f}) rotate({:.1f})\" "
      "{}/>",
      r[1], r[0], p.x(), p.y(), angle, attributes);
}

// A line from the centre to the rim along the shape's axis that is seen longest: it shows the
// rotation.
void draw_spoke(Canvas& c, const Pose& X, const Vec3& radii) {
  const Vec2 p = c.pixel(X.p);
  Vec2 best = Vec2::Zero();
  for (int i = 0; i < 2; ++i) {
    const Vec2 end = radii[i] * c.direction(X.R * Vec3::Unit(i));
    if (end.norm() > 1.001 * best.norm()) best = end;
  }
  if (best.norm() > 2) c.line(p, p + best, "spoke");
}

void draw_round(Canvas& c, const Pose& X, const Vec3& radii, const std::string& attributes) {
  draw_ellipse(c, X, radii, attributes);
  if (c.view.planar)
    draw_spoke(c, X, radii);
  else if (c.view.scale() * radii.maxCoeff() > 3)
    draw_ellipse(c, X, Vec3(radii.x(), radii.y(), 0), "class=\"spoke\"");
}

// The faces of a box that look at the viewer, each as bright as it faces up.
void draw_box(Canvas& c, const Pose& X, const Vec3& size, BodyId body) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const Vec3 n = sign * (X.R * Vec3::Unit(axis));
      if (n.dot(c.view.toward) <= 1e-9) continue;
      const Vec3 u = X.R * (0.5 * size[(axis + 1) % 3] * Vec3::Unit((axis + 1) % 3));
      const Vec3 w = X.R * (0.5 * size[(axis + 2) % 3] * Vec3::Unit((axis + 2) % 3));
      const Vec3 m = X.p + 0.5 * size[axis] * n;
      const std::array corners = {c.pixel(m - u - w), c.pixel(m + u - w), c.pixel(m + u + w),
                                  c.pixel(m - u + w)};
      const double brightness = c.view.planar ? 0 : 12 * n.dot(c.view.up) - 8 * n.dot(c.view.right);
      c.polygon(corners, fill(c.model, body, std::round(brightness / 2) * 2));
    }
}

// The faces of a hull that look at the viewer, as those of a box.
void draw_hull(Canvas& c, const Pose& X, const Polyhedron& p, BodyId body) {
  std::vector<Vec2> corners;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const Vec3 n = X.R * p.faces[f].normal;
    if (n.dot(c.view.toward) <= 1e-9) continue;
    corners.clear();
    for (const int v : p.loop(static_cast<int>(f)))
      corners.push_back(c.pixel(X * p.vertices[static_cast<std::size_t>(v)]));
    const double brightness = c.view.planar ? 0 : 12 * n.dot(c.view.up) - 8 * n.dot(c.view.right);
    c.polygon(corners, fill(c.model, body, std::round(brightness / 2) * 2));
  }
}

// A polygon with a line from its centre to its first corner, which shows the rotation.
void draw_polygon(Canvas& c, const Pose& X, const Polyhedron& p, const std::string& attributes) {
  std::vector<Vec2> corners;
  for (const Vec3& v : p.vertices) corners.push_back(c.pixel(X * v));
  c.polygon(corners, attributes);
  c.line(c.pixel(X * p.center), corners[0], "spoke");
}

void draw_capsule(Canvas& c, const Pose& X, const Capsule& capsule, const std::string& attributes) {
  const Vec3 half = X.R * Vec3(0, 0, 0.5 * capsule.length);
  const Vec2 a = c.pixel(X.p - half), b = c.pixel(X.p + half);
  const double r = capsule.radius * c.view.scale();
  const Vec2 along = b - a;
  if (along.norm() < 0.05) return draw_ellipse(c, X, Vec3::Constant(capsule.radius), attributes);
  const Vec2 across = r * Vec2(-along.y(), along.x()) / along.norm();
  const Vec2 p[4] = {a + across, b + across, b - across, a - across};
  c.put("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}A{:.2f} {:.2f} 0 0 0 {:.1f} {:.1f}", p[0].x(),
        p[0].y(), p[1].x(), p[1].y(), r, r, p[2].x(), p[2].y());
  c.put("L{:.1f} {:.1f}A{:.2f} {:.2f} 0 0 0 {:.1f} {:.1f}Z\" {}/>", p[3].x(), p[3].y(), r, r,
        p[0].x(), p[0].y(), attributes);
  if (c.view.planar) c.line(a, b, "spoke");
}

void draw_shape(Canvas& c, const Shape& shape, const Pose& X) {
  const std::string attributes = fill(c.model, shape.body);
  struct Visitor {
    Canvas& c;
    const Shape& shape;
    const Pose& X;
    const std::string& attributes;
    void operator()(const Point&) const {
      const Vec2 p = c.pixel(X.p);
      c.put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" {}/>", p.x(), p.y(), attributes);
    }
    void operator()(const Sphere& s) const {
      draw_round(c, X, Vec3::Constant(s.radius), attributes);
    }
    void operator()(const Ellipsoid& s) const { draw_round(c, X, s.radii, attributes); }
    void operator()(const Box& s) const { draw_box(c, X, s.size, shape.body); }
    void operator()(const Capsule& s) const { draw_capsule(c, X, s, attributes); }
    void operator()(const Halfspace&) const {}  // ground, drawn before all else
    void operator()(const Disc& s) const {
      draw_round(c, X, Vec3(s.radius, s.radius, 0), attributes);
    }
    void operator()(const Ellipse& s) const {
      draw_round(c, X, Vec3(s.radii.x(), s.radii.y(), 0), attributes);
    }
    void operator()(const Hull&) const { draw_hull(c, X, polyhedron(), shape.body); }
    void operator()(const Polygon&) const { draw_polygon(c, X, polyhedron(), attributes); }
    const Polyhedron& polyhedron() const {
      return c.model.polyhedra[static_cast<std::size_t>(shape.polyhedron)];
    }
  };
  std::visit(Visitor{c, shape, X, attributes}, shape.geometry);
}

// ---- Ground
// -----------------------------------------------------------------------------------------------------

// The part of the picture below a plane seen edge on: the picture's corners cut by the line n . x
// <= offset.
void draw_solid_side(Canvas& c, const Vec3& p_W, const Vec3& n_W) {
  const Vec2 p = c.pixel(p_W);
  Vec2 n = c.direction(n_W);
  if (n.norm() < 1e-9 * c.view.scale()) return;  // the plane of the picture itself
  n.normalize();
  const double w = c.view.width, h = c.view.height;
  const std::array<Vec2, 4> corners = {Vec2(0, 0), Vec2(w, 0), Vec2(w, h), Vec2(0, h)};
  std::vector<Vec2> solid, edge;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec2 &a = corners[i], &b = corners[(i + 1) % 4];
    const double da = n.dot(a - p), db = n.dot(b - p);
    if (da <= 0) solid.push_back(a);
    if ((da <= 0) != (db <= 0)) {
      solid.push_back(a + (b - a) * (da / (da - db)));
      edge.push_back(solid.back());
    }
  }
  if (solid.size() < 3) return;
  c.polygon(solid, fmt::format("fill=\"url(#hatch{})\"", c.number));
  if (edge.size() == 2) c.line(edge[0], edge[1], "ground");
}

// A grid on a plane that faces the viewer, around the bodies.
void draw_grid(Canvas& c, const Vec3& p_W, const Vec3& n_W) {
  if (n_W.dot(c.view.toward) <= 1e-6) return;  // seen from behind: it would hide the bodies
  const Tangents t = tangents(n_W);
  const Vec3 m = c.view.center - n_W * n_W.dot(c.view.center - p_W);
  const double reach = 1.3 * c.view.reach;
  const std::vector<double> ticks = round_ticks(-reach, reach, 8);
  const double end = ticks.back();
  const std::array corners = {
      c.pixel(m - end * t.t1 - end * t.t2), c.pixel(m + end * t.t1 - end * t.t2),
      c.pixel(m + end * t.t1 + end * t.t2), c.pixel(m - end * t.t1 + end * t.t2)};
  c.polygon(corners, "class=\"floor\"");
  c.svg += "<path class=\"lines\" d=\"";
  for (const double x : ticks)
    for (const bool first : {true, false}) {
      const Vec3 &u = first ? t.t1 : t.t2, &v = first ? t.t2 : t.t1;
      const Vec2 a = c.pixel(m + x * u - end * v), b = c.pixel(m + x * u + end * v);
      c.put("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x(), a.y(), b.x(), b.y());
    }
  c.svg += "\"/>";
}

void draw_ground(Canvas& c) {
  for (const Shape& shape : c.model.shapes) {
    const Halfspace* half = std::get_if<Halfspace>(&shape.geometry);
    if (!half) continue;
    const Pose X = c.still.poses[index(shape.body)] * shape.X_CS;
    if (c.view.planar)
      draw_solid_side(c, X.p, X.R * half->normal);
    else
      draw_grid(c, X.p, X.R * half->normal);
  }
}

// ---- Bodies, joints, forces
// -------------------------------------------------------------------------------------

void draw_bodies(Canvas& c) {
  struct Item {
    double depth;
    std::size_t shape;
  };
  std::vector<Item> items;
  std::vector<Pose> X_W;
  for (const Shape& shape : c.model.shapes) {
    X_W.push_back(c.still.poses[index(shape.body)] * shape.X_CS);
    items.push_back({c.view.toward.dot(X_W.back().p), items.size()});
  }
  if (!c.view.planar)
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.depth < b.depth; });
  c.svg += "<g class=\"bodies\">";
  for (const Item& item : items)
    if (X_W[item.shape].p.allFinite()) draw_shape(c, c.model.shapes[item.shape], X_W[item.shape]);
  for (std::size_t i = 0; i < c.model.bodies.size(); ++i)
    if (c.model.bodies[i].shapes == 0 && c.model.bodies[i].kind == BodyKind::dynamic) {
      const Vec2 p = c.pixel(c.still.poses[i].p);
      c.put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {}/>", p.x(), p.y(),
            fill(c.model, static_cast<BodyId>(i)));
    }
  c.svg += "</g>";
}

template <class Link>
void draw_link(Canvas& c, const Link& link, const char* style) {
  Vec2 ends[2];
  for (std::size_t side = 0; side < 2; ++side)
    ends[side] = c.pixel(link.bodies[side] == BodyId::world
                             ? link.anchors[side]
                             : c.still.poses[index(link.bodies[side])] * link.anchors[side]);
  c.line(ends[0], ends[1], style);
}

void draw_arrow(Canvas& c, const Vec2& from, const Vec2& along) {
  const Vec2 to = from + along;
  const double head = std::min(5.0, 0.5 * along.norm());
  const Vec2 e = along / along.norm() * head, s = 0.5 * Vec2(-e.y(), e.x());
  const Vec2 a = to - e + s, b = to - e - s;
  c.put("M{:.1f} {:.1f}L{:.1f} {:.1f}M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}", from.x(),
        from.y(), to.x(), to.y(), a.x(), a.y(), to.x(), to.y(), b.x(), b.y());
}

// On each free body of a contact the force that it feels.
void draw_forces(Canvas& c) {
  if (!(c.view.largest_force > 0) || !(c.still.h > 0)) return;
  std::vector<const ContactReport*> strongest;
  for (const ContactReport& contact : c.still.contacts) strongest.push_back(&contact);
  std::stable_sort(strongest.begin(), strongest.end(),
                   [](const ContactReport* a, const ContactReport* b) {
                     return a->impulse.squaredNorm() > b->impulse.squaredNorm();
                   });
  if (strongest.size() > max_arrows) strongest.resize(max_arrows);
  const double metres =
      arrow_share * c.view.width / c.view.scale() / c.view.largest_force;  // per newton
  std::string before = std::move(c.svg);
  c.svg.clear();
  for (const ContactReport* r : strongest) {
    const Contact& k = r->contact;
    const Vec3 force =
        (k.n_W * r->impulse[0] + k.t1_W * r->impulse[1] + k.t2_W * r->impulse[2]) / c.still.h;
    const Vec2 along = c.direction(metres * force);
    if (along.norm() < least_arrow) continue;
    const Vec2 p = c.pixel(k.p_WC);
    if (c.model.body(k.key.body_b).kind == BodyKind::dynamic) draw_arrow(c, p, along);
    if (c.model.body(k.key.body_a).kind == BodyKind::dynamic) draw_arrow(c, p, -along);
  }
  std::string arrows = std::move(c.svg);
  c.svg = std::move(before);
  if (!arrows.empty()) c.put("<path class=\"force\" d=\"{}\"/>", arrows);
}

void draw_scale(Canvas& c) {
  const double metres = round_down((c.view.x1 - c.view.x0) / 3);
  const double px = metres * c.view.scale(), y = c.view.height - 7;
  c.put("<path class=\"scale\" d=\"M8 {:.1f}v-4v4h{:.1f}v-4\"/>", y, px);
  c.put("<text class=\"tick halo\" x=\"{:.1f}\" y=\"{:.1f}\">{} m</text>", 13 + px, y,
        short_number(metres));
}

}  // namespace

std::string draw_still(const Model& model, const View& view, const Still& still, int number) {
  Canvas c{.model = model, .view = view, .still = still, .number = number};
  c.put(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"still\" viewBox=\"0 0 {:.0f} {:.1f}\" "
      "role=\"img\">",
      view.width, view.height);
  c.put("<title>t = {} s</title>", short_number(still.t));
  if (view.planar)
    c.put(
        "<defs><pattern id=\"hatch{}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M0 0V7\"/></pattern></defs>",
        number);
  draw_ground(c);
  draw_bodies(c);
  for (const Joint& joint : model.joints) draw_link(c, joint, "rod");
  for (const Spring& spring : model.springs) draw_link(c, spring, "spring");
  draw_forces(c);
  draw_scale(c);
  return c.svg + "</svg>";
}

}  // namespace cairn
