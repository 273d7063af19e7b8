// The builder: canonical order, resolved mass and motion, invariance under permutation and scaling
// by powers of two.
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::test_build {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

BodyDescription ball(const std::string& name, double radius, double mass, const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.position = position;
  body.shapes = {{Sphere{radius}, {}, "default"}};
  return body;
}

BodyDescription disc(const std::string& name, double radius, double mass) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.dof = "x y rz";
  body.shapes = {{Disc{radius}, {}, "default"}};
  return body;
}

BodyDescription floor_body() {
  BodyDescription body;
  body.name = "floor";
  body.fixed = true;
  body.shapes = {{Halfspace{Vec3::UnitZ()}, {}, "default"}};
  return body;
}

// Two balls on a rod above a floor, with a spring and a force.
ModelDescription sample() {
  ModelDescription d;
  d.name = "sample";
  d.materials = {{"steel", {0.3, 0.5}}, {"ice", {0.03, 0.25}}};
  d.bodies = {ball("b", 0.5, 2, {1, 0, 3}), floor_body(), ball("a", 0.25, 1, {0, 0, 3})};
  d.bodies[0].shapes[0].material = "steel";
  d.bodies[2].shapes[0].material = "ice";
  d.bodies[2].angular_velocity = Vec3(0, 1, 2);
  JointDescription rod;
  rod.bodies = {"a", "b"};
  d.joints = {rod};
  SpringDescription spring;
  spring.bodies = {"world", "b"};
  spring.stiffness = 10;
  AppliedForceDescription push;
  push.body = "a";
  push.force = {1, *TimeFunction::parse("sin(t)"), 0};
  d.forces = {spring, push};
  d.no_contact = {{"floor", "a"}};
  return d;
}

BuiltModel built(const ModelDescription& d) {
  Result<BuiltModel> result = build(d);
  if (!result) {
    for (const Error& e : result.error()) ADD_FAILURE() << e.text();
    return {std::make_shared<Model>(), std::make_shared<State>(), {}};
  }
  return *result;
}

bool same(const Body& a, const Body& b) {
  return a.name == b.name && a.kind == b.kind && a.translations == b.translations &&
         a.rotation == b.rotation && a.axis_W == b.axis_W && a.first_velocity == b.first_velocity &&
         a.velocities == b.velocities && a.mass == b.mass && a.inertia_B == b.inertia_B &&
         a.p_Bcm == b.p_Bcm && a.radius == b.radius && a.first_shape == b.first_shape &&
         a.shapes == b.shapes && a.motion.has_value() == b.motion.has_value() &&
         a.R_WB0.coeffs() == b.R_WB0.coeffs();
}

bool same(const Shape& a, const Shape& b) {
  return a.geometry.index() == b.geometry.index() && a.body == b.body && a.X_CS == b.X_CS &&
         a.material == b.material &&
         model::bounding_radius(a.geometry) == model::bounding_radius(b.geometry);
}

bool same(const Joint& a, const Joint& b) {
  return a.name == b.name && a.bodies == b.bodies && a.anchors == b.anchors &&
         std::get<DistanceJoint>(a.type).length == std::get<DistanceJoint>(b.type).length;
}

template <class Item>
bool same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return same(x, y); });
}

TEST(Build, BodiesAndJointsAreSortedByName) {
  const Model m = *built(sample()).model;
  ASSERT_EQ(m.bodies.size(), 3u);
  EXPECT_EQ(m.bodies[0].name, "a");
  EXPECT_EQ(m.bodies[1].name, "b");
  EXPECT_EQ(m.bodies[2].name, "floor");
  EXPECT_EQ(m.find_body("b"), BodyId{1});
  EXPECT_EQ(m.find_body("c"), std::nullopt);
  EXPECT_EQ(m.find_joint("joint0"), JointId{0});
  EXPECT_EQ(m.velocities, 12);
  EXPECT_EQ(m.bodies[1].first_velocity, 6);
  EXPECT_EQ(m.shapes[1].body, BodyId{1});
  EXPECT_EQ(std::get<DistanceJoint>(m.joints[0].type).length, 1.0);  // the initial distance
  // The listed pair and the jointed one.
  const std::vector<std::array<BodyId, 2>> expected = {{BodyId{0}, BodyId{1}},
                                                       {BodyId{0}, BodyId{2}}};
  EXPECT_EQ(m.no_contact, expected);
  EXPECT_EQ(m.springs[0].bodies[0], BodyId::world);
  EXPECT_EQ(m.applied_forces[0].force[1](1), std::sin(1));
}

// The order in which bodies are listed is not part of the system.
TEST(Build, PermutationOfBodiesGivesTheSameModel) {
  ModelDescription d = sample();
  const BuiltModel reference = built(d);
  std::sort(d.bodies.begin(), d.bodies.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  int permutations = 0;
  do {
    const BuiltModel other = built(d);
    EXPECT_TRUE(same(reference.model->bodies, other.model->bodies));
    EXPECT_TRUE(same(reference.model->shapes, other.model->shapes));
    EXPECT_TRUE(same(reference.model->joints, other.model->joints));
    EXPECT_EQ(reference.model->no_contact, other.model->no_contact);
    EXPECT_EQ(reference.model->length_unit, other.model->length_unit);
    EXPECT_EQ(reference.initial->poses, other.initial->poses);
    EXPECT_EQ(reference.initial->v, other.initial->v);
    ++permutations;
  } while (std::next_permutation(d.bodies.begin(), d.bodies.end(),
                                 [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_EQ(permutations, 6);
}

// Lengths times 2^k and masses times 2^j: every resolved number scales exactly.
TEST(Build, ScalingByPowersOfTwoIsExact) {
  const double length = 8, mass = 0.25;
  ModelDescription d = sample();
  const BuiltModel small = built(d);
  for (BodyDescription& b : d.bodies) {
    b.position *= length;
    if (b.mass) *b.mass *= mass;
    for (ShapeDescription& s : b.shapes)
      if (Sphere* sphere = std::get_if<Sphere>(&s.geometry)) sphere->radius *= length;
  }
  const BuiltModel large = built(d);
  EXPECT_EQ(large.model->length_unit, length * small.model->length_unit);
  EXPECT_EQ(large.model->mass_unit, mass * small.model->mass_unit);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(large.model->bodies[i].inertia_B,
              mass * length * length * small.model->bodies[i].inertia_B);
    EXPECT_EQ(large.model->bodies[i].radius, length * small.model->bodies[i].radius);
    EXPECT_EQ(large.initial->poses[i].p, length * small.initial->poses[i].p);
  }
}

TEST(Build, UnitsAreNearTheLargestMassAndSize) {
  const Model m = *built(sample()).model;
  EXPECT_EQ(m.mass_unit, 2);    // 2 kg
  EXPECT_EQ(m.length_unit, 1);  // a ball of diameter 1 m
}

// A point mass on a rod has no size: the rod gives the length.
TEST(Build, LengthUnitFallsBackToLinks) {
  ModelDescription d;
  BodyDescription bob = ball("bob", 1, 1, {0, 0, -5});
  bob.dof = "x y z";
  bob.shapes = {{Point{}, {}, "default"}};
  d.bodies = {bob};
  JointDescription rod;
  rod.bodies = {"world", "bob"};
  d.joints = {rod};
  EXPECT_EQ(built(d).model->length_unit, 4);
}

// I = 2/5 m r^2 for a ball, m r^2 / 2 for a disc; a few roundings.
TEST(Build, MassAloneTakesTheInertiaFromTheShapes) {
  ModelDescription d;
  d.bodies = {ball("ball", 0.3, 7, Vec3::Zero()), disc("disc", 3, 5)};
  const Model m = *built(d).model;
  EXPECT_EQ(m.bodies[0].mass, 7);
  EXPECT_NEAR(m.bodies[0].inertia_B(0, 0), 0.4 * 7 * 0.09, 8 * eps);
  EXPECT_NEAR(m.bodies[1].inertia_B(2, 2), 0.5 * 5 * 9, 8 * eps * 22.5);
  EXPECT_EQ(m.bodies[1].velocities, 3);
  EXPECT_EQ(m.bodies[1].axis_W, Vec3::UnitZ());
}

TEST(Build, DensityTimesVolumeIsTheMass) {
  ModelDescription d;
  BodyDescription box = ball("box", 1, 1, Vec3::Zero());
  box.mass.reset();
  box.density = 1000;
  box.shapes = {{Box{Vec3(1, 2, 3)}, {}, "default"}};
  d.bodies = {box};
  const Body body = built(d).model->bodies[0];
  EXPECT_EQ(body.mass, 6000);
  EXPECT_NEAR(body.inertia_B(0, 0), 6000.0 / 12 * (4 + 9), 8 * eps * 6500);
  EXPECT_NEAR(body.radius, std::sqrt(14.0) / 2, 4 * eps * 2);
}

// Two equal balls at x = 0 and x = 2: the centre of mass is at x = 1, and the shapes are seen from
// there.
TEST(Build, CenterOfMassComesFromTheShapes) {
  ModelDescription d;
  BodyDescription body = ball("dumbbell", 0.5, 4, {10, 0, 0});
  body.shapes.push_back({Sphere{0.5}, {Vec3(2, 0, 0), Quat::Identity()}, "default"});
  body.angular_velocity = Vec3(0, 0, 3);
  body.velocity = Vec3(1, 0, 0);
  d.bodies = {body};
  const BuiltModel b = built(d);
  EXPECT_EQ(b.model->bodies[0].p_Bcm, Vec3(1, 0, 0));
  EXPECT_EQ(b.model->shapes[0].X_CS.p, Vec3(-1, 0, 0));
  EXPECT_EQ(b.model->shapes[1].X_CS.p, Vec3(1, 0, 0));
  EXPECT_EQ(b.model->bodies[0].radius, 1.5);
  EXPECT_EQ(b.initial->poses[0].p, Vec3(11, 0, 0));
  // v_cm = v + w x r = (1, 0, 0) + (0, 0, 3) x (1, 0, 0) = (1, 3, 0)
  EXPECT_EQ(b.initial->v, (VecX(6) << 1, 3, 0, 0, 0, 3).finished());
}

// Angular velocity is given in the world and stored in the body: R_WB^T w.
TEST(Build, AngularVelocityIsStoredInTheBody) {
  ModelDescription d;
  BodyDescription body = ball("ball", 1, 1, Vec3::Zero());
  body.orientation =
      Quat(Eigen::AngleAxisd(std::acos(0.0), Vec3::UnitZ()));  // x of the body is y of the world
  body.angular_velocity = Vec3(0, 2, 0);
  d.bodies = {body};
  const VecX v = built(d).initial->v;
  EXPECT_NEAR((v.tail<3>() - Vec3(2, 0, 0)).norm(), 0, 8 * eps);
}

TEST(Build, PlanarBodiesHaveThreeVelocities) {
  ModelDescription d;
  BodyDescription body = disc("disc", 1, 1);
  body.velocity = Vec3(1, 2, 0);
  body.angular_velocity = Vec3(0, 0, 3);
  d.bodies = {body};
  EXPECT_EQ(built(d).initial->v, Vec3(1, 2, 3));
}

// A planar shape's reach is measured in its plane: the offset along z does not count.
TEST(Build, RadiusOfPlanarShapesIsInTheirPlane) {
  ModelDescription d;
  BodyDescription body = disc("disc", 1, 1);
  body.inertia = Mat3(Mat3::Identity());
  body.center_of_mass = Vec3::Zero();
  body.shapes[0].X_BS.p = Vec3(3, 4, 100);
  d.bodies = {body};
  EXPECT_EQ(built(d).model->bodies[0].radius, 6);
}

TEST(Build, PrescribedBodiesStartWhereTheirMotionStarts) {
  ModelDescription d;
  BodyDescription body;
  body.name = "shaker";
  body.motion = Motion{
      {1, *TimeFunction::parse("2 + sin(t)"), 0}, Vec3(0, 0, 2), *TimeFunction::parse("pi/2 + t")};
  body.orientation = Quat(Eigen::AngleAxisd(0.25, Vec3::UnitX()));
  d.bodies = {body};
  const BuiltModel b = built(d);
  EXPECT_EQ(b.model->bodies[0].kind, BodyKind::prescribed);
  EXPECT_EQ(b.model->velocities, 0);
  EXPECT_EQ(b.model->bodies[0].motion->axis, Vec3::UnitZ());  // normalised
  EXPECT_EQ(b.initial->poses[0].p, Vec3(1, 2, 0));
  const Quat expected = exp_rotation(Vec3(0, 0, std::acos(0.0))) * body.orientation;
  EXPECT_NEAR(b.initial->poses[0].R.angularDistance(expected), 0, 8 * eps);
}

TEST(Build, AnchorsAreMeasuredFromTheCenterOfMass) {
  ModelDescription d;
  BodyDescription body = ball("body", 1, 1, {0, 0, 5});
  body.shapes[0].X_BS.p = Vec3(0, 0, 1);
  d.bodies = {body};
  JointDescription rod;
  rod.bodies = {"world", "body"};
  rod.anchors = {Vec3(0, 0, 10), Vec3(0, 0, 2)};
  d.joints = {rod};
  AppliedForceDescription push;
  push.body = "body";
  push.at_center_of_mass = false;
  push.point = Vec3(1, 0, 1);
  d.forces = {push};
  const Model m = *built(d).model;
  EXPECT_EQ(m.joints[0].anchors[0], Vec3(0, 0, 10));
  EXPECT_EQ(m.joints[0].anchors[1], Vec3(0, 0, 1));
  EXPECT_EQ(std::get<DistanceJoint>(m.joints[0].type).length, 3);
  EXPECT_EQ(m.applied_forces[0].point, Vec3(1, 0, 0));
}

TEST(Build, MaterialPairsMixOrAreTakenFromTheList) {
  ModelDescription d = sample();
  d.materials = {{"steel", {0.25, 0.5}},
                 {"ice", {0.04, 0.25}},
                 {"rubber", {1, 0.8}},
                 {"rubber|ice", {0.1, 0}}};
  const Model m = *built(d).model;
  ASSERT_EQ(m.material_names, (std::vector<std::string>{"default", "ice", "rubber", "steel"}));
  const MaterialId ice{1}, rubber{2}, steel{3};
  EXPECT_NEAR(m.pair(steel, ice).friction, 0.1, eps);  // sqrt(0.25 * 0.04)
  EXPECT_EQ(m.pair(steel, ice).restitution, 0.5);
  EXPECT_EQ(m.pair(ice, rubber).friction, 0.1);
  EXPECT_EQ(m.pair(rubber, ice).restitution, 0);
  EXPECT_EQ(m.pair(steel, steel).friction, 0.25);
  EXPECT_EQ(m.pair(MaterialId{0}, steel).friction,
            0);  // "default" has no friction unless it is given
}

// Only what is listed is stored, in both orders; the rest follows from the materials when asked
// for.
TEST(Build, PairsOfManyMaterialsTakeNoSpace) {
  ModelDescription d = sample();
  for (int i = 0; i < 3000; ++i)
    d.materials.push_back({"m" + std::to_string(i), {0.1 + 1e-4 * i, 1e-4 * i}});
  d.materials.push_back({"m7|m2999", {0.25, 0.125}});
  const Model m = *built(d).model;
  ASSERT_EQ(m.materials.size(), 3003u);
  ASSERT_EQ(m.pairs.size(), 2u);
  const auto id = [&](const std::string& name) {
    const auto& names = m.material_names;
    return MaterialId(std::lower_bound(names.begin(), names.end(), name) - names.begin());
  };
  EXPECT_EQ(m.pair(id("m7"), id("m2999")).friction, 0.25);
  EXPECT_EQ(m.pair(id("m2999"), id("m7")).restitution, 0.125);
  const Material &a = m.materials[index(id("m17"))], &b = m.materials[index(id("m2345"))];
  EXPECT_EQ(m.pair(id("m17"), id("m2345")).friction, std::sqrt(a.friction * b.friction));
  EXPECT_EQ(m.pair(id("m17"), id("m2345")).restitution, b.restitution);
  EXPECT_EQ(m.pair(id("m17"), id("m17")).friction, a.friction);
}

// Pairs with a polygon have a section each; a pair seen from its other side has it turned over.
TEST(Build, PolygonPairsAreStoredAndBounded) {
  ModelDescription d = sample();
  Material fur;
  fur.friction_polygon = {{1, 0}, {0, 0.5}, {-0.25, -0.25}};
  d.materials = {{"fur", fur}, {"ice", {0.25, 0}}, {"steel", {0.5, 0}}};
  const Model m = *built(d).model;
  const MaterialId plain{0}, coat{1}, ice{2};
  EXPECT_EQ(m.pairs.size(), 7u);  // fur with itself, and with three others in both orders
  const ContactLaw there = m.pair(coat, ice), back = m.pair(ice, coat);
  EXPECT_EQ(there.friction, std::sqrt(1 * 0.25));
  ASSERT_TRUE(there.section && back.section);
  EXPECT_EQ(there.direction_of, 0);
  EXPECT_EQ(back.direction_of, 1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*there.section)[i][0], -(*back.section)[2 - i][0]);
    EXPECT_EQ((*there.section)[i][1], (*back.section)[2 - i][1]);
  }
  EXPECT_EQ(m.pair(coat, coat).direction_of, -1);
  EXPECT_FALSE(m.pair(plain, ice).section);
  for (int i = 0; i < 400; ++i) d.materials.push_back({"fur" + std::to_string(i), fur});
  const Result<BuiltModel> many = build(d);
  ASSERT_FALSE(many.has_value());
  EXPECT_EQ(many.error()[0].code, ErrorCode::too_many);
  EXPECT_EQ(many.error()[0].kind, ErrorKind::limit);
}

TEST(Build, AlmostUnitQuaternionsAreNormalisedWithAWarning) {
  ModelDescription d;
  d.bodies = {ball("ball", 1, 1, Vec3::Zero())};
  d.bodies[0].orientation = Quat(1.0005, 0, 0, 0);
  const BuiltModel b = built(d);
  EXPECT_EQ(b.initial->poses[0].R.norm(), 1);
  ASSERT_EQ(b.warnings.size(), 1u);
  EXPECT_NE(b.warnings[0].find("bodies[0].orientation"), std::string::npos);
  d.bodies[0].orientation = Quat(1 + 1e-12, 0, 0, 0);
  EXPECT_TRUE(built(d).warnings.empty());
}

TEST(Build, NamedAndGivenLengthsAreKept) {
  ModelDescription d = sample();
  d.joints[0].name = "rod";
  d.joints[0].type = DistanceJoint{1.0005};
  d.joints[0].collide = true;
  const BuiltModel b = built(d);
  EXPECT_EQ(b.model->joints[0].name, "rod");
  EXPECT_EQ(std::get<DistanceJoint>(b.model->joints[0].type).length, 1.0005);
  // It starts 1 m apart: the balls of 1 and 2 kg move by 2/3 and 1/3 of the 0.5 mm that are
  // missing, to the rounding of positions near 3 m.
  ASSERT_EQ(b.warnings.size(), 2u);
  EXPECT_NE(b.warnings[1].find("'a' was moved by 0.000333 m, 0 rad; 'b' was moved by 0.000167 m"),
            std::string::npos)
      << b.warnings[1];
  EXPECT_LE((b.initial->poses[0].p - Vec3(-0.001 / 3, 0, 3)).norm(), 1e-14);
  EXPECT_LE((b.initial->poses[1].p - Vec3(1 + 0.0005 / 3, 0, 3)).norm(), 1e-14);
  EXPECT_EQ(b.model->no_contact.size(), 1u);
}

// Two rods from one point of the world to one ball, of different lengths: no state closes both.
TEST(Build, JointsThatCannotBeClosedAtTheStartAreNamedWithTheirBodies) {
  ModelDescription d = sample();
  d.joints[0].name = "rod";
  d.joints[0].type = DistanceJoint{1.0005};
  d.joints.push_back(d.joints[0]);
  d.joints[1].name = "other";
  d.joints[1].type = DistanceJoint{0.9995};
  const BuiltModel b = built(d);
  ASSERT_FALSE(b.warnings.empty());
  const std::string& text = b.warnings.back();
  for (const char* word : {"cannot be closed", "'rod'", "'other'", "'a'", "'b'"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in " << text;
  EXPECT_EQ(b.initial->poses[0].p, Vec3(0, 0, 3));
  EXPECT_EQ(b.initial->poses[1].p, Vec3(1, 0, 3));
}

// ---- Faults
// -------------------------------------------------------------------------------------------------------

struct Fault {
  std::string path;
  ErrorCode code;
  std::string datum;  // a name or a value that the message shows
  std::function<void(ModelDescription&)> spoil;
};

const double nan_value = std::numeric_limits<double>::quiet_NaN();

const std::vector<Fault>& faults() {
  using D = ModelDescription;
  static const std::vector<Fault> list = {
      {"gravity", ErrorCode::not_finite, "", [](D& d) { d.gravity.z() = nan_value; }},
      {"bodies[0].name", ErrorCode::invalid_name, "", [](D& d) { d.bodies[0].name = ""; }},
      {"bodies[0].name", ErrorCode::invalid_name, "257",
       [](D& d) { d.bodies[0].name = std::string(257, 'x'); }},
      {"bodies[0].name", ErrorCode::invalid_name, "", [](D& d) { d.bodies[0].name = "world"; }},
      {"bodies[2].name", ErrorCode::duplicate_name, "", [](D& d) { d.bodies[2].name = "b"; }},
      {"bodies[0].mass", ErrorCode::out_of_range, "", [](D& d) { d.bodies[0].mass = -1; }},
      {"bodies[0].mass", ErrorCode::not_finite, "", [](D& d) { d.bodies[0].mass = nan_value; }},
      {"bodies[0].mass", ErrorCode::out_of_range, "1e-30", [](D& d) { d.bodies[0].mass = 1e-31; }},
      {"bodies[0]", ErrorCode::incomplete, "", [](D& d) { d.bodies[0].mass.reset(); }},
      {"bodies[0].density", ErrorCode::conflict, "", [](D& d) { d.bodies[0].density = 1; }},
      {"bodies[0].inertia", ErrorCode::incomplete, "", [](D& d) { d.bodies[0].shapes.clear(); }},
      {"bodies[0].inertia", ErrorCode::invalid_inertia, "",
       [](D& d) { d.bodies[0].inertia = (Mat3() << 1, 0.5, 0, 0, 1, 0, 0, 0, 1).finished(); }},
      {"bodies[0].inertia", ErrorCode::invalid_inertia, "[-1, 3, 5]",
       [](D& d) { d.bodies[0].inertia = Mat3(Vec3(3, -1, 5).asDiagonal()); }},
      {"bodies[0].inertia", ErrorCode::invalid_inertia, "",
       [](D& d) { d.bodies[0].inertia = Mat3(Vec3(1, 1, 3).asDiagonal()); }},
      {"bodies[0].center_of_mass", ErrorCode::incomplete, "",
       [](D& d) { d.bodies[0].center_of_mass = Vec3(0, 0, 0.1); }},
      {"bodies[0].shapes[0].radius", ErrorCode::out_of_range, "",
       [](D& d) { d.bodies[0].shapes[0].geometry = Sphere{0}; }},
      {"bodies[0].shapes[0].size[1]", ErrorCode::out_of_range, "",
       [](D& d) { d.bodies[0].shapes[0].geometry = Box{Vec3(1, -1, 1)}; }},
      {"bodies[0].shapes[0].radii[2]", ErrorCode::out_of_range, "",
       [](D& d) { d.bodies[0].shapes[0].geometry = Ellipsoid{Vec3(1, 1, 0)}; }},
      {"bodies[0].shapes[0].length", ErrorCode::out_of_range, "",
       [](D& d) {
         d.bodies[0].shapes[0].geometry = Capsule{1, 0};
       }},
      {"bodies[0].shapes[0].radius", ErrorCode::out_of_range, "",
       [](D& d) {
         d.bodies[0].shapes[0].geometry = Frustum{0, 0, 1};
       }},
      {"bodies[0].shapes[0].top_radius", ErrorCode::out_of_range, "",
       [](D& d) {
         d.bodies[0].shapes[0].geometry = Frustum{1, -1, 1};
       }},
      {"bodies[0].shapes[0].length", ErrorCode::out_of_range, "",
       [](D& d) {
         d.bodies[0].shapes[0].geometry = Frustum{1, 1, 0};
       }},
      {"bodies[0].shapes[0]", ErrorCode::conflict, "",
       [](D& d) { d.bodies[0].shapes[0].geometry = Halfspace{}; }},
      {"bodies[0].shapes[0]", ErrorCode::wrong_dimension, "",
       [](D& d) { d.bodies[0].shapes[0].geometry = Disc{1}; }},
      {"bodies[1].shapes[0].normal", ErrorCode::zero_vector, "",
       [](D& d) { d.bodies[1].shapes[0].geometry = Halfspace{Vec3::Zero()}; }},
      {"bodies[0].shapes[0].material", ErrorCode::unknown_name, "'steel'",
       [](D& d) { d.bodies[0].shapes[0].material = "stele"; }},
      {"bodies[0].orientation", ErrorCode::not_normalised, "",
       [](D& d) { d.bodies[0].orientation = Quat(0, 0, 0, 0); }},
      {"bodies[0].orientation", ErrorCode::not_normalised, "",
       [](D& d) { d.bodies[0].orientation = Quat(2, 0, 0, 0); }},
      {"bodies[0].dof", ErrorCode::unknown_choice, "\"w\"",
       [](D& d) { d.bodies[0].dof = "x y w"; }},
      {"bodies[0].dof", ErrorCode::duplicate_name, "", [](D& d) { d.bodies[0].dof = "x x"; }},
      {"bodies[0].dof", ErrorCode::unsupported, "", [](D& d) { d.bodies[0].dof = "x rx ry"; }},
      {"bodies[0].dof", ErrorCode::empty, "", [](D& d) { d.bodies[0].dof = " "; }},
      {"bodies[0].velocity", ErrorCode::locked_direction, "",
       [](D& d) { d.bodies[0].dof = "x y", d.bodies[0].velocity = Vec3(0, 0, 1); }},
      {"bodies[2].angular_velocity", ErrorCode::locked_direction, "",
       [](D& d) { d.bodies[2].dof = "x y z"; }},
      {"bodies[2].angular_velocity", ErrorCode::locked_direction, "",
       [](D& d) { d.bodies[2].dof = "x y rz"; }},
      {"bodies[1].mass", ErrorCode::conflict, "", [](D& d) { d.bodies[1].mass = 1; }},
      {"bodies[1].dof", ErrorCode::conflict, "", [](D& d) { d.bodies[1].dof = "x"; }},
      {"bodies[1].motion", ErrorCode::conflict, "", [](D& d) { d.bodies[1].motion = Motion{}; }},
      {"materials.steel.friction", ErrorCode::out_of_range, "",
       [](D& d) { d.materials[0].second.friction = -0.1; }},
      {"materials.ice.restitution", ErrorCode::out_of_range, "1.5",
       [](D& d) { d.materials[1].second.restitution = 1.5; }},
      {"materials.steel|icy", ErrorCode::unknown_name, "'ice'",
       [](D& d) {
         d.materials.push_back({"steel|icy", {}});
       }},
      {"materials.ice|steel", ErrorCode::duplicate_name, "",
       [](D& d) {
         d.materials.push_back({"steel|ice", {}}), d.materials.push_back({"ice|steel", {}});
       }},
      {"materials.a|b|c", ErrorCode::invalid_name, "",
       [](D& d) {
         d.materials.push_back({"a|b|c", {}});
       }},
      {"joints[0].bodies[1]", ErrorCode::unknown_name, "",
       [](D& d) { d.joints[0].bodies[1] = "bb"; }},
      {"joints[0].bodies", ErrorCode::conflict, "", [](D& d) { d.joints[0].bodies[1] = "a"; }},
      {"joints[0].bodies", ErrorCode::conflict, "",
       [](D& d) {
         d.joints[0].bodies = {"world", "floor"};
       }},
      {"joints[0].length", ErrorCode::out_of_range, "",
       [](D& d) { d.joints[0].type = DistanceJoint{0}; }},
      {"joints[0].length", ErrorCode::open_joint, "",
       [](D& d) { d.joints[0].type = DistanceJoint{1.5}; }},
      {"joints[0].anchors", ErrorCode::degenerate, "",
       [](D& d) { d.joints[0].anchors[0] = Vec3(1, 0, 0); }},
      {"joints[1].name", ErrorCode::duplicate_name, "",
       [](D& d) { d.joints.push_back(d.joints[0]), d.joints[1].name = "joint0"; }},
      {"forces[0].stiffness", ErrorCode::out_of_range, "",
       [](D& d) { std::get<SpringDescription>(d.forces[0]).stiffness = -1; }},
      {"forces[0].bodies[0]", ErrorCode::unknown_name, "'world'",
       [](D& d) { std::get<SpringDescription>(d.forces[0]).bodies[0] = "wrld"; }},
      {"forces[1].body", ErrorCode::unknown_name, "",
       [](D& d) { std::get<AppliedForceDescription>(d.forces[1]).body = "zebra"; }},
      {"forces[1].body", ErrorCode::conflict, "",
       [](D& d) { std::get<AppliedForceDescription>(d.forces[1]).body = "floor"; }},
      {"forces[1].force[2]", ErrorCode::not_finite, "",
       [](D& d) {
         std::get<AppliedForceDescription>(d.forces[1]).force[2] = *TimeFunction::parse("1/t");
       }},
      {"no_contact[0][1]", ErrorCode::unknown_name, "", [](D& d) { d.no_contact[0][1] = "world"; }},
      {"no_contact[0]", ErrorCode::conflict, "", [](D& d) { d.no_contact[0][1] = "floor"; }},
  };
  return list;
}

TEST(Build, FaultsAreFoundInTheirPlace) {
  for (const Fault& fault : faults()) {
    ModelDescription d = sample();
    fault.spoil(d);
    const Result<BuiltModel> result = build(d);
    ASSERT_FALSE(result.has_value()) << fault.path << " " << code_name(fault.code);
    const bool found =
        std::any_of(result.error().begin(), result.error().end(), [&](const Error& e) {
          return e.path == fault.path && e.code == fault.code &&
                 e.text().find(fault.datum) != std::string::npos;
        });
    std::string all;
    for (const Error& e : result.error()) all += e.text() + "\n";
    EXPECT_TRUE(found) << fault.path << " / " << code_name(fault.code) << " not in\n" << all;
    for (const Error& e : result.error()) EXPECT_FALSE(e.fix.empty()) << e.text();
  }
}

TEST(Build, AllFaultsAreToldAtOnceButNotMoreThanTwenty) {
  ModelDescription d = sample();
  d.bodies[0].mass = -1;
  d.joints[0].bodies[1] = "nobody";
  EXPECT_EQ(build(d).error().size(), 2u);
  for (int i = 0; i < 50; ++i)
    d.bodies.push_back(ball("x" + std::to_string(i), -1, 1, Vec3::Zero()));
  EXPECT_EQ(build(d).error().size(), 20u);
}

TEST(Build, TiltedPlanarShapesAreRefused) {
  ModelDescription d;
  d.bodies = {disc("disc", 1, 1)};
  d.bodies[0].shapes[0].X_BS.R = Quat(Eigen::AngleAxisd(0.01, Vec3::UnitX()));
  EXPECT_FALSE(build(d).has_value());
  d.bodies[0].shapes[0].X_BS.R = Quat(Eigen::AngleAxisd(0.01, Vec3::UnitZ()));  // in the plane
  EXPECT_TRUE(build(d).has_value());
  d.bodies[0].dof = "x y z rz";
  EXPECT_FALSE(build(d).has_value());
}

}  // namespace
}  // namespace cairn::test_build
