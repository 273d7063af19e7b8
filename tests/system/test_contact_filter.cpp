// Two plates whose faces are cut into 50 coplanar triangles each, as CAD programs leave them: the
// contact filter keeps the corners of the patch, and nothing else changes.
#include <cmath>

#include "bench/plates.hpp"
#include "system/worlds.hpp"

namespace cairn::test_contact_filter {
namespace {

using namespace testing;

struct Course {
  std::vector<std::size_t> contacts;
  std::vector<Vec3> force, torque;  // on the upper plate by the lower one, of every step
  BodyMotion end;
};

//    __/____\__        the upper plate, turned by a little, on the lower one, which is fixed
//   |__________|
Course run(const Vec3& center, const Vec3& velocity, double friction, bool filter, int steps,
           double h, double tolerance, bool relaxed = false, double turn = 0,
           const std::string& middle = "default") {
  ModelDescription d = bench::two_plates(center, velocity, friction);
  BodyDescription& upper = d.bodies[1];
  upper.orientation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
  upper.shapes = bench::cut_plate(Vec3(0.9, 0.8, 0.1), 5);
  upper.shapes[24].material = middle;
  d.materials.push_back({"slippery", {0, 0}});
  Euler scheme;
  scheme.events.filter = filter;
  auto built = build(d);
  EXPECT_TRUE(built) << (built ? "" : built.error()[0].what);
  SchemeOptions options = scheme;
  if (relaxed) options = Relaxed{.step = scheme};
  Simulator sim(built->model, *built->initial, options, Auto{.tolerance = tolerance});
  Course course;
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, h)) break;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (const ContactReport& c : sim.report().contacts) {
      const double side = sim.model().body(c.contact.key.body_b).name == "upper" ? 1 : -1;
      const Vec3 f = side / h *
                     (c.impulse[0] * c.contact.n_W + c.impulse[1] * c.contact.t1_W +
                      c.impulse[2] * c.contact.t2_W);
      force += f;
      torque += c.contact.p_WC.cross(f);
    }
    course.force.push_back(force);
    course.torque.push_back(torque);
    course.contacts.push_back(sim.report().contacts.size());
  }
  course.end = motion(sim, "upper");
  return course;
}

// The tolerances of the solves are at or below a tenth of what resultants are held to.
void expect_same(const Course& plain, const Course& filtered) {
  ASSERT_EQ(plain.force.size(), filtered.force.size());
  for (std::size_t i = 0; i < plain.force.size(); ++i) {
    EXPECT_LE((plain.force[i] - filtered.force[i]).norm(), 1e-9 * 2 * g) << i;
    EXPECT_LE((plain.torque[i] - filtered.torque[i]).norm(), 1e-9 * 2 * g) << i;
    EXPECT_GE(plain.contacts[i], 10 * filtered.contacts[i]) << i;
    EXPECT_LE(filtered.contacts[i], 8u) << i;
  }
  EXPECT_LE((plain.end.position - filtered.end.position).norm(), 1e-9);
  EXPECT_LE((plain.end.velocity - filtered.end.velocity).norm(), 1e-9);
  EXPECT_LE((plain.end.angular_velocity - filtered.end.angular_velocity).norm(), 1e-9);
}

TEST(ContactFilter, PlatesAtRest) {
  const Vec3 center(0.03, 0.02, 0);
  expect_same(run(center, Vec3::Zero(), 0.5, false, 5, 0.01, 1e-10),
              run(center, Vec3::Zero(), 0.5, true, 5, 0.01, 1e-10));
}

// Turned, the patch has up to eight corners, which are crossings of edges.
TEST(ContactFilter, TurnedPlatesAtRest) {
  const Vec3 center(0.03, 0.02, 0);
  for (const double turn : {0.2, 0.7, 1.3})
    expect_same(run(center, Vec3::Zero(), 0.5, false, 3, 0.01, 1e-10, false, turn),
                run(center, Vec3::Zero(), 0.5, true, 3, 0.01, 1e-10, false, turn));
}

TEST(ContactFilter, PlatesThatSlide) {
  const Vec3 center(-0.13, 0.02, 0);
  expect_same(run(center, Vec3(2, 1, 0), 0.1, false, 5, 0.01, 1e-12, true),
              run(center, Vec3(2, 1, 0), 0.1, true, 5, 0.01, 1e-12, true));
}

// The centre is beyond the edge: the plate turns about it and sticks there.
TEST(ContactFilter, PlatesThatTip) {
  const Vec3 center(0.55, 0.02, 0);
  const Course plain = run(center, Vec3::Zero(), 1.0, false, 6, 0.01, 1e-8),
               filtered = run(center, Vec3::Zero(), 1.0, true, 6, 0.01, 1e-8);
  EXPECT_GT(filtered.end.angular_velocity.y(), 0.05);
  // Each of the six solves may be off by 1e-8 of speeds up to 0.3 m/s.
  EXPECT_LE((plain.end.position - filtered.end.position).norm(), 1e-9);
  EXPECT_LE((plain.end.angular_velocity - filtered.end.angular_velocity).norm(), 2e-8);
  EXPECT_GE(plain.contacts[0], 10 * filtered.contacts[0]);
}

// Until it has left the lower plate's edge far behind: no step is hard, since the edges between the
// triangles, whose cross products are normals of nothing, take no part.
TEST(ContactFilter, PlatesThatTipAreCertifiedInEveryStep) {
  const Course tipped = run(Vec3(0.55, 0.02, 0), Vec3::Zero(), 1.0, true, 60, 0.01, 1e-8);
  EXPECT_EQ(tipped.force.size(), 60u);
  for (const std::size_t contacts : tipped.contacts) EXPECT_LE(contacts, 10u);
  EXPECT_GT(tipped.end.angular_velocity.y(), 1);
}

// A row of squares on a row of squares, in the plane, where a patch is a line.
TEST(ContactFilter, RowsOfPolygons) {
  ModelDescription d = world(Vec3(0, -g, 0), 0.5, 0);
  auto row = [](int parts) {
    std::vector<ShapeDescription> shapes;
    for (int i = 0; i < parts; ++i) {
      const double x = 0.1 * i - 0.05 * parts;
      Polygon square;
      square.vertices = {{x, -0.05}, {x + 0.1, -0.05}, {x + 0.1, 0.05}, {x, 0.05}};
      shapes.emplace_back().geometry = square;
    }
    return shapes;
  };
  BodyDescription lower, upper;
  lower.name = "lower";
  lower.fixed = true;
  lower.shapes = row(30);
  upper.name = "upper";
  upper.dof = "x y rz";
  upper.mass = 1;
  upper.position = Vec3(0.03, 0.1, 0);
  upper.shapes = row(20);
  d.bodies = {lower, upper};
  Simulator sim = simulator(d, Euler{});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(certified_step(sim, 0.01));
  EXPECT_LE((motion(sim, "upper").position - upper.position).norm(), 1e-12);
  EXPECT_EQ(sim.report().contacts.size(), 2u);
}

// One triangle of the upper plate has no friction: contacts of the others cannot stand for its own.
TEST(ContactFilter, PartsOfAnotherMaterialKeepTheirContacts) {
  const Course plain = run(Vec3(0.03, 0.02, 0), Vec3::Zero(), 0.5, true, 3, 0.01, 1e-10),
               mixed = run(Vec3(0.03, 0.02, 0), Vec3::Zero(), 0.5, true, 3, 0.01, 1e-10, false, 0,
                           "slippery");
  EXPECT_EQ(plain.contacts.back(), 4u);
  EXPECT_GT(mixed.contacts.back(), 6u);  // corners of the patches of both materials
  EXPECT_LE((plain.force.back() - mixed.force.back()).norm(), 1e-9 * 2 * g);
}

}  // namespace
}  // namespace cairn::test_contact_filter
