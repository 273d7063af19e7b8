// Basic contact units of polyhedra: names, component functions, gradients, separating axes.
#include <gtest/gtest.h>

#include "collide/pairs/poly_pair.hpp"
#include "collide/random_shapes.hpp"
#include "collide/ratio/events.hpp"

namespace cairn::test_events {
namespace {

using testing::Random;

struct Pair {
  Polyhedron a, b;
  Pose A, B;
  collide::PlacedPair placed() const { return {collide::Placed(a, A), collide::Placed(b, B)}; }
};

Pair random_boxes(Random& random, double distance) {
  auto box = [&] {
    return box_polyhedron(
        Vec3(random.uniform(0.2, 2), random.uniform(0.2, 2), random.uniform(0.2, 2)));
  };
  return {box(),
          box(),
          {Vec3::Zero(), random.rotation()},
          {distance * random.unit(), random.rotation()}};
}

Pose moved(const Pose& X, const Vec3& shift, const Vec3& turn) {
  return {X.p + shift, exp_rotation(turn) * X.R};
}

// Box shapes without the closed forms that boxes have.
Polyhedron plain(Polyhedron p) {
  p.box_half.setZero();
  return p;
}

TEST(Events, NamesAreUniqueAndCornersComeFirst) {
  using Kind = collide::Event::Kind;
  Features last;
  bool first = true;
  for (const Kind kind : {Kind::corner_b, Kind::corner_a, Kind::edges})
    for (const int a : {0, 1, 77, collide::max_features - 1})
      for (const int b : {0, 1, 77, collide::max_features - 1}) {
        const collide::Event e{kind, a, b};
        EXPECT_EQ(collide::event_of(collide::features_of(e)), e);
        EXPECT_TRUE(first || collide::features_of(e) > last);
        last = collide::features_of(e);
        first = false;
      }
}

// d gap = n.(v_B - v_A) at the contact point, for all six motions of both bodies: (E140), (E141).
// The error of a central difference of step d is the third derivative, of the size of the boxes,
// times d^2.
TEST(Events, GradientIsTheNormalAtTheCommonPoint) {
  Random random(1);
  const double d = 1e-5;
  int edges = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Pair p = random_boxes(random, 2);
    collide::Event e{static_cast<collide::Event::Kind>(trial % 3), 0, 0};
    auto pick = [&](std::size_t count) {
      return static_cast<int>(random.uniform(0, 1) * static_cast<double>(count));
    };
    const bool corner_b = e.kind == collide::Event::Kind::corner_b,
               corner_a = e.kind == collide::Event::Kind::corner_a;
    e.a = pick(corner_b ? p.a.faces.size() : corner_a ? p.a.vertices.size() : p.a.edges.size());
    e.b = pick(corner_b ? p.b.vertices.size() : corner_a ? p.b.faces.size() : p.b.edges.size());
    collide::ShapeContact c;
    ASSERT_TRUE(collide::evaluate(e, p.placed().a, p.placed().b, 0, c));
    if (e.kind == collide::Event::Kind::edges) {
      const Vec3 cross =
          (p.A.R * (p.a.vertices[std::size_t(p.a.edges[std::size_t(e.a)].head)] -
                    p.a.vertices[std::size_t(p.a.edges[std::size_t(e.a)].tail)]))
              .normalized()
              .cross((p.B.R * (p.b.vertices[std::size_t(p.b.edges[std::size_t(e.b)].head)] -
                               p.b.vertices[std::size_t(p.b.edges[std::size_t(e.b)].tail)]))
                         .normalized());
      if (cross.norm() < 0.3) continue;  // the second derivatives grow with 1/sine^2
      ++edges;
    }
    const Vec3 p_C = 0.5 * (c.p_WA + c.p_WB);
    for (int k = 0; k < 6; ++k) {
      const Vec3 shift = k < 3 ? Vec3(d * Vec3::Unit(k)) : Vec3::Zero(),
                 turn = k < 3 ? Vec3::Zero() : Vec3(d * Vec3::Unit(k - 3));
      for (const bool move_a : {true, false}) {
        double gap[2] = {};
        for (const int side : {0, 1}) {
          const double s = side ? 1 : -1;
          const Pose A = move_a ? moved(p.A, s * shift, s * turn) : p.A,
                     B = move_a ? p.B : moved(p.B, s * shift, s * turn);
          collide::ShapeContact later;
          ASSERT_TRUE(
              collide::evaluate(e, collide::Placed(p.a, A), collide::Placed(p.b, B), 0, later));
          gap[side] = later.gap;
        }
        const Vec3 velocity = shift + turn.cross(p_C - (move_a ? p.A.p : p.B.p));
        const double expected = (move_a ? -1 : 1) * c.n_W.dot(velocity) / d;
        EXPECT_NEAR((gap[1] - gap[0]) / (2 * d), expected, 1e-7) << trial << " " << k;
      }
    }
  }
  EXPECT_GT(edges, 300);
}

// The largest separation is the distance to move B until the two just touch: moved by as much along
// any direction they still overlap, moved by a little more along the axis they do not.
TEST(SeparatingAxes, LeastDepthParts) {
  Random random(2);
  collide::AxisList list;
  collide::RatioBasis cold;
  int overlapping = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Pair p = random_boxes(random, random.uniform(0, 2.2));
    const collide::PlacedPair now = p.placed();
    const Polyhedron a = plain(p.a), b = plain(p.b);
    collide::list_axes(now.a, now.b, std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity(), list);
    ASSERT_EQ(list.axes.size(), 1u);
    const double s = list.separation[0];
    collide::AxisList general;
    collide::list_axes(collide::Placed(a, p.A), collide::Placed(b, p.B),
                       std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::infinity(), general);
    // Of edges only the ratio metric's event is seen, whose depth may be larger.
    EXPECT_LE(general.separation[0], s + 2e-9);
    EXPECT_EQ(general.separation[0] > 0, s > 0);
    if (list.axes[0].kind != collide::SeparatingAxis::Kind::edges) {
      EXPECT_NEAR(general.separation[0], s, 2e-9);  // an edge must be better by 1e-9
    }
    EXPECT_NEAR(collide::separation(list.axes[0], now.a, now.b), s, 1e-14);
    if (s >= 0) continue;
    ++overlapping;
    EXPECT_NEAR(collide::overlap_or_gap(now.a, now.b, 0, cold), s, 2e-9);
    auto shifted = [&](const Vec3& d) {
      return collide::overlap_or_gap(now.a, collide::Placed(p.b, {p.B.p + d, p.B.R}), 0, cold);
    };
    EXPECT_GE(shifted((-s + 1e-12) * collide::direction(list.axes[0], now.a, now.b)), 0);
    for (int k = 0; k < 20; ++k) EXPECT_LT(shifted(-0.999 * s * random.unit()), 0);
  }
  EXPECT_GT(overlapping, 500);
}

std::vector<collide::ShapeContact> events_of(const Pair& p, const Pose& A1, const Pose& B1,
                                             double room) {
  collide::AxisList list;
  const collide::PlacedPair now = p.placed(),
                            ahead{collide::Placed(p.a, A1), collide::Placed(p.b, B1)};
  const collide::PairAxis axis = collide::choose_axis(now, ahead, room, Vec3::Zero(), {}, list);
  std::vector<collide::ShapeContact> out;
  collide::collect_events(now, ahead, axis, room, {}, out);
  return out;
}

// The patch of two faces that lie on each other is the convex hull of the events (Hart 2007's
// theorem): its corners, from Sutherland and Hodgman's clipping, are events, and no event lies
// outside.
TEST(Events, SpanThePatchOfTwoFaces) {
  Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    Pair p{box_polyhedron(Vec3(2, 2, 1)),
           box_polyhedron(Vec3(random.uniform(0.5, 3), random.uniform(0.5, 3), 1)),
           {},
           {Vec3(random.uniform(-1, 1), random.uniform(-1, 1), 1), random.turn()}};
    std::vector<Vec3> patch;
    for (const int i : {4, 5, 7, 6}) {
      Vec3 c = p.B * p.b.vertices[std::size_t(i)];
      c.z() = 0.5;
      patch.push_back(c);
    }
    for (int k = 0; k < 4; ++k) {
      const Vec3 n = k % 2 ? Vec3::UnitX() : Vec3::UnitY();
      const double side = k / 2 ? 1 : -1;
      std::vector<Vec3> cut;
      for (std::size_t i = 0; i < patch.size(); ++i) {
        const Vec3 &u = patch[i], &v = patch[(i + 1) % patch.size()];
        const double du = 1 - side * n.dot(u), dv = 1 - side * n.dot(v);
        if (du >= 0) cut.push_back(u);
        if (du * dv < 0) cut.push_back(u + du / (du - dv) * (v - u));
      }
      patch = cut;
    }
    const std::vector<collide::ShapeContact> events = events_of(p, p.A, p.B, 1e-3);
    for (const Vec3& corner : patch) {
      double nearest = 1;
      for (const collide::ShapeContact& e : events)
        nearest = std::min(nearest, (e.p_WA - corner).norm());
      EXPECT_LE(nearest, 1e-12) << trial;
    }
    for (const collide::ShapeContact& e : events) {
      EXPECT_LE(e.p_WA.cwiseAbs().head<2>().maxCoeff(), 1 + 1e-6);
      EXPECT_NEAR(e.gap, 0, 1e-14);
      EXPECT_NEAR(e.n_W.z(), 1, 1e-13);
    }
  }
}

// A corner beyond an edge of the other box, above its top and beside its side: whichever way it
// goes, the direction that separates it at the end is chosen.
TEST(Events, TheMotionDecidesNearAnEdge) {
  const Polyhedron cube = box_polyhedron(Vec3(1, 1, 1));
  const Pose A;
  const Pose B{Vec3(1.01, 0, 1.02), Quat::Identity()};
  collide::AxisList list;
  auto chosen = [&](const Vec3& motion) {
    const collide::PlacedPair now{collide::Placed(cube, A), collide::Placed(cube, B)},
        ahead{collide::Placed(cube, A), collide::Placed(cube, {B.p + motion, B.R})};
    const collide::PairAxis axis = collide::choose_axis(now, ahead, 1, Vec3::Zero(), {}, list);
    EXPECT_TRUE(axis.ambiguous);
    return collide::direction(axis.axis, now.a, now.b);
  };
  EXPECT_EQ(chosen(Vec3(0, 0, -0.5)), Vec3::UnitX());     // falls beside it
  EXPECT_EQ(chosen(Vec3(-0.5, 0, 0)), Vec3::UnitZ());     // slides over it
  EXPECT_EQ(chosen(Vec3(-0.5, 0, -0.1)), Vec3::UnitZ());  // lands on it
  EXPECT_EQ(chosen(Vec3(-0.1, 0, -0.5)), Vec3::UnitX());  // bumps into its side
}

}  // namespace
}  // namespace cairn::test_events
