#include "scheme/common/joint_projection.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "dynamics/kinematics.hpp"
#include "model/shape/inner_radius.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_bound_rounds = 8;       // each adds a pair that the ones before missed
constexpr int max_projection_steps = 40;  // of (E320)
constexpr double little_squeeze = 1e-10;  // of the inner radius, beyond which nothing is gained [-]
constexpr double gap_rounding = 1e-14;    // of gaps, of the size of positions [-]
constexpr double work_of_search = 100;    // a body, in products of 6 x 6 blocks (E314)
constexpr double least_share = 1.0 / 64;  // of the work of a step, for each projection [-]
constexpr double joints_closed = 1e-9;    // joints, likewise, as in (E38) [-]

bool same_pair(const ContactKey& a, const ContactKey& b) {
  return a.shape_a == b.shape_a && a.shape_b == b.shape_b;
}

// The joints and contacts of a step, with all that is needed to move its bodies.
struct Projector {
  const Model& model;
  std::span<const Pose> start, moved;
  std::span<const ImpulseMemory> memory;
  constrain::ProjectionBuffers& projection;
  JointProjectionBuffers& b;
  double noise;       // rounding of gaps [m]
  double begun_with;  // work of the step before [products of 6 x 6 blocks]

  // Whatever was spent before, a projection may take a share of the work of a step (E314).
  bool spent() const {
    const WorkMeter* meter = projection.meter;
    return meter && meter->exhausted() && meter->spent - begun_with > least_share * meter->limit;
  }

  static double depth_in(const std::vector<Contact>& overlaps, const ContactKey& key) {
    double depth = 0;
    for (const Contact& c : overlaps)
      if (same_pair(c.key, key)) depth = std::max(depth, -c.gap);
    return depth;
  }

  // How deep a pair may be: as at the beginning of the step, or less if the step opened it.
  double allowed_depth(const ContactKey& key) const {
    return std::min(depth_in(b.at_start, key), depth_in(b.before, key));
  }

  // The pair that was pushed together most, over its inner radius. b.after: overlaps.
  Squeeze worst_squeeze() {
    Squeeze worst;
    double share = 0;
    find_jointed();
    for (const Contact& c : b.after) {
      if (!is_jointed(c.key.body_a) && !is_jointed(c.key.body_b)) continue;
      const double depth = -c.gap - allowed_depth(c.key);
      if (!(depth > noise)) continue;
      const double radius = inner_radius(c.key);
      if (worst.depth > 0 && !(depth / radius > share)) continue;
      share = depth / radius;
      worst.key = c.key;
      worst.depth = depth;
    }
    return worst;
  }

  // Depth over the inner radius.
  double share(const Squeeze& squeeze) const {
    return squeeze.depth > 0 ? squeeze.depth / inner_radius(squeeze.key) : 0;
  }

  double inner_radius(const ContactKey& key) const {
    return model::contact_inner_radius(model, key);
  }

  Squeeze squeeze_at(std::span<const Pose> poses) {
    b.finder->find_overlaps(model, poses, b.after);
    return worst_squeeze();
  }

  bool free(BodyId id) const { return id != BodyId::world && model.body(id).velocities > 0; }

  // Bodies that joints, anchors and overlaps connect with a joint or an anchor.
  void find_jointed() {
    b.links.reset(model.bodies.size());
    auto join = [&](BodyId a, BodyId c) {
      if (free(a) && free(c)) b.links.join(static_cast<int>(a), static_cast<int>(c));
    };
    for (const Contact& c : b.after) join(c.key.body_a, c.key.body_b);
    for (const Joint& joint : model.joints) join(joint.bodies[0], joint.bodies[1]);
    for (const constrain::AnchorRows& a : projection.anchors)
      join(a.contact.key.body_a, a.contact.key.body_b);
    b.jointed.assign(model.bodies.size(), 0);
    const auto mark = [&](BodyId id) {
      if (free(id)) b.jointed[base::at(b.links.root(static_cast<int>(id)))] = 1;
    };
    for (const Joint& joint : model.joints)
      for (const BodyId id : joint.bodies) mark(id);
    for (const constrain::AnchorRows& a : projection.anchors) {
      mark(a.contact.key.body_a);
      mark(a.contact.key.body_b);
    }
  }

  bool is_jointed(BodyId id) {
    return free(id) && b.jointed[base::at(b.links.root(static_cast<int>(id)))] != 0;
  }

  // Bodies that joints and the contacts in b.found connect with a pair that is pushed together.
  void find_groups() {
    b.groups.reset(model.bodies.size());
    auto join = [&](BodyId a, BodyId c) {
      if (free(a) && free(c)) b.groups.join(static_cast<int>(a), static_cast<int>(c));
    };
    for (const Joint& joint : model.joints) join(joint.bodies[0], joint.bodies[1]);
    for (const constrain::AnchorRows& a : projection.anchors)
      join(a.contact.key.body_a, a.contact.key.body_b);
    for (const Contact& c : b.found) join(c.key.body_a, c.key.body_b);
    for (const Contact& c : b.after) join(c.key.body_a, c.key.body_b);
    b.touched.assign(model.bodies.size(), 0);
    for (const Contact& c : b.after)
      if (-c.gap > allowed_depth(c.key) + noise)
        for (const BodyId id : {c.key.body_a, c.key.body_b})
          if (is_jointed(id)) b.touched[base::at(b.groups.root(static_cast<int>(id)))] = 1;
  }

  bool takes_part(const ContactKey& key) {
    return (free(key.body_a) && b.takes_part(index(key.body_a))) ||
           (free(key.body_b) && b.takes_part(index(key.body_b)));
  }

  // Contacts that a push by `reach` may close, at `poses`.
  void find_near(std::span<const Pose> poses, double reach) {
    projection.book(work_of_search * static_cast<double>(1 + model.bodies.size()));
    b.reach.assign(model.bodies.size(), collide::Reach{reach, 0});
    b.finder->find(model, poses, poses, b.reach, memory, b.found);
    std::erase_if(b.found, [](const Contact& c) { return is_limit(c.key); });
  }

  // The least gap of a contact: that of the beginning or of `moved`, or zero where it was open.
  double least_gap(const Contact& c) {
    Contact before;
    if (!(c.gap < 0) || !b.finder->find_one(model, start, c.key, before))
      return std::min(0.0, c.gap);
    return std::min(0.0, std::max(c.gap, before.gap));
  }

  void add_bound(Contact c, std::span<const Pose> poses, double least) {
    c.friction = 0;
    constrain::orient(model, poses, c);
    if (c.rows == 0) return;
    b.bounds.push_back({c, least});
    b.pushed.push_back(0);
  }

  // Contacts of pairs that are pushed together at `poses` although no bound says so.
  bool add_missed(std::span<const Pose> poses) {
    const std::size_t known = b.bounds.size();
    double deepest = 0;
    for (const Contact& c : b.after) deepest = std::max(deepest, -c.gap);
    find_near(poses, deepest);
    for (const Contact& c : b.found) {
      const double allowed = allowed_depth(c.key);
      const auto pushed = [&](const Contact& o) {
        return same_pair(o.key, c.key) && -o.gap > allowed + noise;
      };
      const auto is_known = [&](const constrain::GapBound& bound) {
        return bound.contact.key == c.key;
      };
      if (std::none_of(b.after.begin(), b.after.end(), pushed)) continue;
      if (std::any_of(b.bounds.begin(), b.bounds.end(), is_known)) continue;
      add_bound(c, poses, -allowed);
    }
    return b.bounds.size() > known;
  }

  // The contacts as they are at `poses`. A feature that is gone there stays as it was.
  void refresh(std::span<const Pose> poses) {
    for (constrain::GapBound& bound : b.bounds) {
      Contact c;
      if (!b.finder->find_one(model, poses, bound.contact.key, c)) continue;
      c.friction = 0;
      constrain::orient(model, poses, c);
      if (c.rows > 0) bound.contact = c;
    }
  }

  // Holds the points that touch, or will, in their bodies (E321).
  void hold_points(std::span<const Pose> poses) {
    b.points.clear();
    for (const constrain::GapBound& bound : b.bounds) {
      const Contact& c = bound.contact;
      const Vec3 half = 0.5 * c.gap * c.n_W;
      b.points.push_back({poses[index(c.key.body_a)].inverse() * (c.p_WC - half),
                          poses[index(c.key.body_b)].inverse() * (c.p_WC + half)});
    }
  }

  // The gaps between these points at `poses`. Returns the largest error of joints and bounds.
  double measure(std::span<const Pose> poses) {
    double worst = std::max(constrain::open_error(model, poses),
                            constrain::anchor_error(projection.anchors, poses));
    for (std::size_t i = 0; i < b.bounds.size(); ++i) {
      Contact& c = b.bounds[i].contact;
      const Vec3 p_a = poses[index(c.key.body_a)] * b.points[i].a,
                 p_b = poses[index(c.key.body_b)] * b.points[i].b;
      c.p_WC = 0.5 * (p_a + p_b);
      c.gap = c.n_W.dot(p_b - p_a);
      worst = std::max(worst, b.bounds[i].least - c.gap);
    }
    return worst;
  }

  // (E320) by Newton steps from b.poses, with the contacts as they are there.
  void meet_bounds() {
    hold_points(b.poses);
    projection.trial = b.poses;
    double error = measure(b.poses);
    for (int i = 0; error > noise && i < max_projection_steps && !spent(); ++i) {
      measure(b.poses);
      if (!constrain::find_shift(model, projection, b.poses, b.bounds)) break;
      double next = error;
      for (double t = 1; t > 0.01; t *= 0.5) {
        constrain::try_shift(model, b.poses, t, projection);
        next = measure(projection.trial);
        if (next < error) break;
      }
      if (!(next < error)) break;
      for (std::size_t k = 0; k < b.bounds.size(); ++k)
        b.pushed[k] = b.pushed[k] || projection.contacts.x[k] > 0;
      b.poses.swap(projection.trial);
      error = next;
    }
  }
};

// How far the farthest point of a body moved, at most.
double largest_motion(const Model& model, std::span<const Pose> from, std::span<const Pose> to) {
  double largest = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].velocities > 0)
      largest = std::max(largest, (to[i].p - from[i].p).norm() +
                                      to[i].R.angularDistance(from[i].R) * model.bodies[i].radius);
  return largest;
}

}  // namespace

Squeeze spare_contacts(const Model& model, std::span<const Pose> start, std::span<const Pose> moved,
                       double allowed_overlap, const EventOptions& events,
                       std::span<const ImpulseMemory> memory,
                       constrain::ProjectionBuffers& projection, JointProjectionBuffers& b,
                       std::vector<Pose>& poses) {
  if (!b.finder) b.finder.emplace(model);
  b.finder->events = events;
  const double size = constrain::extent(model, poses);
  Projector p{model,
              start,
              moved,
              memory,
              projection,
              b,
              gap_rounding * size,
              projection.meter ? projection.meter->spent : 0};
  b.finder->find_overlaps(model, start, b.at_start);
  b.finder->find_overlaps(model, moved, b.before);
  Squeeze alone = p.squeeze_at(poses);
  if (!(alone.depth > 0)) return {};

  double deepest = 0;
  for (const Contact& c : b.after) deepest = std::max(deepest, -c.gap);
  p.find_near(moved, 2 * (largest_motion(model, moved, poses) + deepest));
  p.find_groups();
  b.bounds.clear();
  b.pushed.clear();
  for (const Contact& c : b.found)
    if (p.takes_part(c.key)) p.add_bound(c, moved, p.least_gap(c));
  Squeeze left = alone;
  b.poses.assign(moved.begin(), moved.end());
  for (int round = 0; round < max_bound_rounds && !p.spent(); ++round) {
    p.meet_bounds();
    const Squeeze now = p.squeeze_at(b.poses);
    if (!(constrain::open_error(model, b.poses) <= joints_closed * size)) break;
    const bool better = p.share(now) < p.share(left);
    if (better) {
      left = now;
      poses = b.poses;
    }
    if (p.share(now) <= little_squeeze) break;
    const bool more = p.add_missed(b.poses);
    if (!more && !better) break;
    p.refresh(b.poses);
  }
  left.moved = true;
  if (!(left.depth > allowed_overlap * p.inner_radius(left.key))) left.depth = 0;
  return left;
}

}  // namespace cairn::scheme
