#include "collide/pairs/poly_pair.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cairn::collide {
namespace {

constexpr double touching = 1e-9;  // gap of a contact that is there, of the smaller radius [-]
constexpr double hold = 1e-6;      // overlap ahead up to which a held axis is kept, likewise [-]
constexpr double axis_preference = 1e-9;  // what a later axis must be better, likewise [-]

double size_of(const PlacedPair& pair) {
  return std::min(pair.a.shape->outer_radius, pair.b.shape->outer_radius);
}

// The axes that separate the pair, or nearly so (E142).
void list_axes(const PlacedPair& now, double room, const EventOptions& options, AxisList& list) {
  const double overlap =
      options.eps_0 * std::min(now.a.shape->inner_radius, now.b.shape->inner_radius);
  list_axes(now.a, now.b, -overlap, room, list);
}

int most_aligned_face(const Placed& p, const Vec3& d_W) {
  const Vec3 d = p.R_WS.transpose() * d_W;
  int best = 0;
  double most = -2;
  for (int f = 0; f < static_cast<int>(p.shape->faces.size()); ++f) {
    const double cosine = d.dot(p.shape->faces[static_cast<std::size_t>(f)].normal);
    if (cosine <= most + 1e-12) continue;
    most = cosine;
    best = f;
  }
  return best;
}

// Collects events of one pair.
struct Collector {
  const PlacedPair &now, &ahead;
  double room, lateral, touch, parallel;
  double lowest;  // no two points of the bodies are deeper along a normal of the axis' cone [m]
  Vec3 n;
  std::vector<ShapeContact>& out;

  // (E144): close enough to meet, and inside its features when it does.
  void meet(const Event& event) {
    ShapeContact c;
    if (!evaluate(event, now.a, now.b, parallel, c)) return;
    if (c.gap > room || c.gap < lowest || c.n_W.dot(n) < same_way) return;
    double tau = 0;
    if (c.gap > touch) {
      ShapeContact later;
      if (!evaluate(event, ahead.a, ahead.b, parallel, later)) return;
      if (later.gap < c.gap) tau = std::min(1.0, c.gap / (c.gap - later.gap));
    }
    if (!(depth_inside(event, now, ahead, tau) >= -lateral)) return;
    // The crossing of nearly parallel edges runs along them: where it begins far away its row says
    // nothing of the place where it ends.
    if (event.kind == Event::Kind::edges && tau > 0 &&
        !(depth_inside(event, now, ahead, 0) >= -(lateral + room)))
      return;
    out.push_back(c);
  }

  void corners(int face_a, int face_b) {
    const int of_a = static_cast<int>(now.a.shape->vertices.size()),
              of_b = static_cast<int>(now.b.shape->vertices.size());
    if (now.a.normal(face_a).dot(n) >= same_way)
      for (int v = 0; v < of_b; ++v) meet({Event::Kind::corner_b, face_a, v});
    if (-now.b.normal(face_b).dot(n) >= same_way)
      for (int v = 0; v < of_a; ++v) meet({Event::Kind::corner_a, v, face_b});
  }

  void edges(int face_a, int face_b) {
    const auto &of_a = now.a.shape->edges, &of_b = now.b.shape->edges;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      if (of_a[i].left != face_a && of_a[i].right != face_a) continue;
      if (now.a.flush && now.a.flush[i]) continue;
      for (std::size_t j = 0; j < of_b.size(); ++j) {
        if (of_b[j].left != face_b && of_b[j].right != face_b) continue;
        if (now.b.flush && now.b.flush[j]) continue;
        meet({Event::Kind::edges, static_cast<int>(i), static_cast<int>(j)});
      }
    }
  }

  // Does an event that was found close where the motion leads?
  bool any_closes(std::size_t first) const {
    for (std::size_t i = first; i < out.size(); ++i) {
      ShapeContact later;
      if (evaluate(event_of(out[i].feature), ahead.a, ahead.b, parallel, later) && later.gap < 0)
        return true;
    }
    return false;
  }

  // The features that define the axis, wherever they lie: for pairs that would overlap without.
  void own(const SeparatingAxis& axis) {
    Event event{Event::Kind::edges, axis.a, axis.b};
    auto deepest = [](const Placed& p, const Vec3& d) {
      int best = 0;
      for (int v = 1; v < static_cast<int>(p.shape->vertices.size()); ++v)
        if (d.dot(p.vertex(v)) > d.dot(p.vertex(best))) best = v;
      return best;
    };
    const Vec3 along = direction(axis, ahead.a, ahead.b);
    if (axis.kind == SeparatingAxis::Kind::face_a)
      event = {Event::Kind::corner_b, axis.a, deepest(ahead.b, -along)};
    if (axis.kind == SeparatingAxis::Kind::face_b)
      event = {Event::Kind::corner_a, deepest(ahead.a, along), axis.b};
    ShapeContact c;
    if (evaluate(event, now.a, now.b, parallel, c) && c.gap >= lowest) out.push_back(c);
  }
};

// The axis that is most along the held direction, if it separates by at least `least` where the
// motion leads.
void keep_held(const PlacedPair& now, const PlacedPair& ahead, const Vec3& held, double least,
               const AxisList& list, PairAxis& chosen) {
  double most = same_way;
  std::size_t best = list.axes.size();
  for (std::size_t i = 0; i < list.axes.size(); ++i) {
    const double cosine = direction(list.axes[i], now.a, now.b).dot(held);
    if (!(cosine > most + 1e-12)) continue;
    most = cosine;
    best = i;
  }
  if (best == list.axes.size()) return;
  if (direction(chosen.axis, now.a, now.b).dot(held) >= same_way) {
    chosen.held = true;
    return;
  }
  const double later = separation(list.axes[best], ahead.a, ahead.b);
  if (later < least) return;
  chosen.axis = list.axes[best];
  chosen.separation = list.separation[best];
  chosen.separation_ahead = later;
  chosen.held = true;
}

}  // namespace

PairAxis choose_axis(const PlacedPair& now, const PlacedPair& ahead, double room, const Vec3& held,
                     const EventOptions& options, AxisList& list) {
  list_axes(now, room, options, list);
  PairAxis chosen;
  if (list.separation[list.best] > room) {
    chosen.axis = list.axes[list.best];
    chosen.separation = chosen.separation_ahead = list.separation[list.best];
    return chosen;
  }
  chosen.separation_ahead = -std::numeric_limits<double>::infinity();
  const double handicap = axis_preference * size_of(now);
  for (std::size_t i = 0; i < list.axes.size(); ++i) {
    const double later = separation(list.axes[i], ahead.a, ahead.b);
    if (i > 0 && !(later > chosen.separation_ahead + handicap)) continue;
    chosen.axis = list.axes[i];
    chosen.separation = list.separation[i];
    chosen.separation_ahead = later;
  }
  if (held != Vec3::Zero()) keep_held(now, ahead, held, -hold * size_of(now), list, chosen);
  const Vec3 n = direction(chosen.axis, now.a, now.b);
  for (const SeparatingAxis& axis : list.axes)
    if (direction(axis, now.a, now.b).dot(n) < same_way) chosen.ambiguous = true;
  return chosen;
}

void follow_neighbour(const PlacedPair& now, const PlacedPair& ahead, const Vec3& n,
                      const EventOptions& options, AxisList& list, PairAxis& chosen) {
  list_axes(now, std::numeric_limits<double>::infinity(), options, list);
  const double least = std::min(0.0, chosen.separation_ahead) - touching * size_of(now);
  keep_held(now, ahead, n, least, list, chosen);
}

bool other_axis(const PlacedPair& now, const PlacedPair& ahead, const PairAxis& current,
                const EventOptions& options, AxisList& list, PairAxis& other) {
  list_axes(now, std::numeric_limits<double>::infinity(), options, list);
  const Vec3 n = direction(current.axis, now.a, now.b);
  double best = (current.held ? 1 : -1) * touching * size_of(now);
  bool found = false;
  for (std::size_t i = 0; i < list.axes.size(); ++i) {
    if (direction(list.axes[i], now.a, now.b).dot(n) >= same_way) continue;
    const double later = separation(list.axes[i], ahead.a, ahead.b);
    if (!(later >= best)) continue;
    best = later;
    other = {list.axes[i], list.separation[i], later, true, false};
    found = true;
  }
  return found;
}

void collect_events(const PlacedPair& now, const PlacedPair& ahead, const PairAxis& axis,
                    double room, const EventOptions& options, std::vector<ShapeContact>& out) {
  const double size = size_of(now);
  const std::size_t before = out.size();
  Collector c{now, ahead, room + options.eps_t * size, options.eps_x * size, touching * size,
              options.delta_max,
              // (E144): n.(p_B - p_A) >= S for all points, so that m.(p_B - p_A) m.n >= S.
              std::min(0.0, axis.separation) / same_way - touching * size,
              direction(axis.axis, now.a, now.b), out};
  const int face_a =
      axis.axis.kind == SeparatingAxis::Kind::face_a ? axis.axis.a : most_aligned_face(now.a, c.n);
  const int face_b =
      axis.axis.kind == SeparatingAxis::Kind::face_b ? axis.axis.b : most_aligned_face(now.b, -c.n);
  c.corners(face_a, face_b);
  c.edges(face_a, face_b);
  if (std::min(axis.separation, axis.separation_ahead) < -touching * size && !c.any_closes(before))
    c.own(axis.axis);
  if (now.a.shape->planar) {
    // Both points lie halfway between the planes of the two.
    const Vec3 z = now.a.R_WS.col(2);
    const double middle = 0.5 * z.dot(now.a.pose.p + now.b.pose.p);
    for (std::size_t i = before; i < out.size(); ++i) {
      out[i].p_WA += (middle - z.dot(out[i].p_WA)) * z;
      out[i].p_WB += (middle - z.dot(out[i].p_WB)) * z;
    }
  }
}

}  // namespace cairn::collide
