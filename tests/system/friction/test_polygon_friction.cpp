// Friction with a polygon as its section (E247, E248): limits of rest, directions of sliding and
// travel on fur against closed forms.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_polygon_friction {
namespace {

using namespace testing;
using Plane = Eigen::Vector2d;

// Forces on the block per weight, along x and y of the floor: strong against +x, weak against -x.
const FrictionPolygon fur = {{-0.8, 0}, {-0.1, -0.5}, {0.2, -0.1}, {0.15, 0.2}, {-0.3, 0.4}};

// A block on a floor with a polygon, pulled by gravity that is tilted: `pull` along the floor,
// one across it.
ModelDescription block_on(const FrictionPolygon& polygon, const Plane& pull,
                          const std::string& floor = "floor") {
  ModelDescription d = world(Vec3(pull.x(), pull.y(), -1), 1, 0);
  Material material;
  material.friction_polygon = polygon;
  d.materials.emplace_back("fur", material);
  // Not the rule for pairs, which takes a mean.
  d.materials.emplace_back("fur|default", material);
  d.bodies = {fixed_halfspace(floor, Vec3::UnitZ()),
              moving("block", Box{Vec3(1, 1, 0.1)}, 2, Vec3(0, 0, 0.05))};
  d.bodies[0].shapes[0].material = "fur";
  return d;
}

std::vector<SchemeOptions> schemes() {
  return {Euler{}, Euler{.nonlinear = true}, Euler{.facets = 8}, Relaxed{.corrections = 50},
          Trapezoidal{}};
}

// Most of d . u over the polygon.
double support(const FrictionPolygon& polygon, const Plane& u) {
  double most = 0;
  for (const Corner& c : polygon) most = std::max(most, c[0] * u.x() + c[1] * u.y());
  return most;
}

// How far the polygon reaches along u.
double reach(const FrictionPolygon& polygon, const Plane& u) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Corner &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    const double det = a[0] * b[1] - a[1] * b[0];
    const double first = (u.x() * b[1] - u.y() * b[0]) / det,
                 second = (a[0] * u.y() - a[1] * u.x()) / det;
    if (first >= 0 && second >= 0) return 1 / (first + second);
  }
  return 0;
}

// The friction of a block that starts to slide under a pull: the corner that the motion it leaves
// asks for, or the point of an edge across which it leaves the motion.
Plane friction(const FrictionPolygon& polygon, const Plane& pull) {
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Plane corner(polygon[i][0], polygon[i][1]), a = pull + corner;
    if (-corner.dot(a) >= support(polygon, -a) * (1 - 1e-12)) return corner;
  }
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Plane from(polygon[i][0], polygon[i][1]),
        to(polygon[(i + 1) % polygon.size()][0], polygon[(i + 1) % polygon.size()][1]);
    const Plane edge = (to - from).normalized();
    const double along = -(pull + from).dot(edge);
    const Plane point = from + along * edge, a = pull + point;
    if (along >= 0 && along <= (to - from).norm() && -point.dot(a) > 0) return point;
  }
  ADD_FAILURE() << "no friction";
  return Plane::Zero();
}

Plane direction(double angle) {
  return {std::cos(angle), std::sin(angle)};
}

TEST(PolygonFriction, RestsWhileThePullLiesInThePolygon) {
  for (const double angle : {0.0, 0.9, 2.0, 3.1, 4.0, 5.3}) {
    const Plane u = direction(angle);
    const double limit = reach(fur, -u);
    for (const double factor : {0.999, 1.001})
      for (const SchemeOptions& scheme : schemes()) {
        Simulator sim = simulator_of(block_on(fur, factor * limit * u), scheme);
        certified_steps(sim, 0.05, 40);
        const double speed = motion(sim, "block").velocity.norm();
        if (factor < 1)
          EXPECT_LE(speed, 1e-10) << angle << ' ' << name(scheme);
        else
          EXPECT_GT(speed, 1e-5) << angle << ' ' << name(scheme);
      }
  }
}

// All forces are constant, so both kinds of schemes are exact.
TEST(PolygonFriction, SlidesAsTheCornersSay) {
  int on_edge = 0;
  for (int i = 0; i < 24; ++i) {
    const Plane pull = 1.1 * direction(0.26 * i);
    const Plane force = friction(fur, pull), a = pull + force;
    bool corner = false;
    for (const Corner& c : fur) corner = corner || (force - Plane(c[0], c[1])).norm() < 1e-9;
    on_edge += !corner;
    for (const SchemeOptions& scheme :
         {SchemeOptions(Euler{}), SchemeOptions(Euler{.nonlinear = true}),
          SchemeOptions(Trapezoidal{})}) {
      Simulator sim = simulator_of(block_on(fur, pull), scheme);
      certified_steps(sim, 0.02, 50);
      EXPECT_LE((motion(sim, "block").velocity.head<2>() - a).norm(), 1e-8)
          << i << ' ' << name(scheme);
    }
  }
  EXPECT_GT(on_edge, 3);  // of 24: both cases are met
}

// The force that the polygon bounds acts on the other body: with the fur on the block it is the one
// on the floor, and the block feels the opposite. Whichever body comes first in a contact.
TEST(PolygonFriction, BelongsToTheBodyThatHasIt) {
  for (const char* const floor : {"a_floor", "floor"})
    for (const bool on_block : {false, true})
      for (const double angle : {0.3, 1.7, 3.3, 5.0}) {
        const Plane pull = 1.2 * direction(angle);
        ModelDescription d = block_on(fur, pull, floor);
        FrictionPolygon felt = fur;
        if (on_block) {
          std::swap(d.bodies[0].shapes[0].material, d.bodies[1].shapes[0].material);
          // From the block's bottom, seen from outside, y points the other way: (x, y) acts on the
          // floor as (x, -y), on the block as (-x, y).
          for (Corner& c : felt) c[0] = -c[0];
          std::reverse(felt.begin(), felt.end());
        }
        Simulator sim = simulator(d);
        certified_steps(sim, 0.02, 50);
        const Plane a = pull + friction(felt, pull);
        EXPECT_LE((motion(sim, "block").velocity.head<2>() - a).norm(), 1e-8)
            << floor << ' ' << on_block << ' ' << angle;
      }
}

// Turned with the body, and along a direction of its own.
TEST(PolygonFriction, DirectionIsFixedInTheBody) {
  const double turn = 0.7;
  const Plane pull = 1.3 * direction(1.1);
  ModelDescription given = block_on(fur, pull), turned = block_on(fur, pull);
  for (std::size_t i = 1; i < 3; ++i)
    given.materials[i].second.friction_direction = Vec3(std::cos(turn), std::sin(turn), 0);
  turned.bodies[0].orientation = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
  const Eigen::Rotation2Dd R(turn);
  const Plane a = pull + R * friction(fur, R.inverse() * pull);
  for (const ModelDescription& d : {given, turned}) {
    Simulator sim = simulator(d);
    certified_steps(sim, 0.02, 50);
    EXPECT_LE((motion(sim, "block").velocity.head<2>() - a).norm(), 1e-8);
  }
}

// A regular polygon is the pyramid of `facets`.
TEST(PolygonFriction, RegularOneIsThePyramid) {
  FrictionPolygon regular;
  for (int i = 0; i < 8; ++i)
    regular.push_back(
        {0.4 * std::cos(i * 0.7853981633974483), 0.4 * std::sin(i * 0.7853981633974483)});
  const Plane pull(0.7, 0.45);
  ModelDescription plain = block_on(regular, pull);
  plain.materials.clear();
  Material round;
  round.friction = 0.4;
  plain.materials = {{"default", round}, {"fur", round}};
  Simulator a = simulator(block_on(regular, pull)), b = simulator(plain, {.facets = 8});
  certified_steps(a, 0.02, 50);
  certified_steps(b, 0.02, 50);
  EXPECT_LE((motion(a, "block").velocity - motion(b, "block").velocity).norm(), 1e-10);
}

// With an isotropic material the polygon keeps its shape; its largest coefficient is the mean.
TEST(PolygonFriction, MixedWithIsotropicFriction) {
  const Plane pull = 1.2 * direction(2.2);
  ModelDescription d = block_on(fur, pull);
  d.materials.pop_back();
  for (auto& [name, material] : d.materials)
    if (name == "default") material.friction = 0.2;
  const double scale = std::sqrt(0.8 * 0.2) / 0.8;
  FrictionPolygon smaller = fur;
  for (Corner& c : smaller) c = {scale * c[0], scale * c[1]};
  Simulator sim = simulator(d);
  certified_steps(sim, 0.02, 50);
  EXPECT_LE((motion(sim, "block").velocity.head<2>() - pull - friction(smaller, pull)).norm(),
            1e-8);
}

// The particle of FacetChangesOnTime on an uneven polygon: corner (-0.8, 0) while the slip's
// direction is in its sector, then the edge to (0, -0.4) holds it on the border between the two.
TEST(PolygonFriction, TrapezoidalFindsWhereTheCornerChanges) {
  const FrictionPolygon kite = {{-0.8, 0}, {0, -0.4}, {0.2, 0}, {0, 0.4}};
  const double v0 = 3, push = 0.3, dt = 0.03;
  ModelDescription d = block_on(kite, Plane::Zero());
  d.bodies[1] = particle("block", "x y z", Vec3::Zero(), Vec3(v0, 0, 0));
  AppliedForceDescription force;
  force.body = "block";
  force.force[1] = function(std::to_string(push * *d.bodies[1].mass));
  d.forces = {force};
  // -d . v is 0.8 vx and 0.4 vy: equal where vy = 2 vx. Then vy = 2 vx stays if the edge's point
  // (-0.8 s, -0.4 (1 - s)) with 2 (-0.8 s) = push - 0.4 (1 - s) is on the edge: s = (0.4 - push)/2.
  const double even = 2 * v0 / (push + 1.6), s = (0.4 - push) / 2;
  for (const TrapezoidalForm form : {TrapezoidalForm::mean, TrapezoidalForm::next}) {
    Simulator sim = trapezoidal(d, {.form = form});
    std::vector<StepEvent> events;
    while (sim.state().t < even + 0.5) {
      ASSERT_TRUE(certified_step(sim, dt));
      for (const StepEvent& e : sim.report().events) events.push_back(e);
    }
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].kind, StepEvent::Kind::facet);
    EXPECT_NEAR(events[0].t, even, 1e-8);
    const double x = v0 - 0.8 * even - 0.8 * s * (sim.state().t - even);
    EXPECT_NEAR(motion(sim, "block").velocity.x(), x, 1e-7);
    EXPECT_NEAR(motion(sim, "block").velocity.y(), 2 * x, 1e-7);
  }
}

// Every solver that takes a pyramid takes any other one.
TEST(PolygonFriction, AllSolvers) {
  const Plane pull = 1.1 * direction(0.8);
  const Plane a = pull + friction(fur, pull);
  for (const SolverOptions& solver :
       {SolverOptions(Auto{}), SolverOptions(Nsgs{}), SolverOptions(Newton{}),
        SolverOptions(Lemke{}), SolverOptions(Admm{}), SolverOptions(Ipm{}), SolverOptions(Apgd{}),
        SolverOptions(Bb{})}) {
    Simulator sim = simulator_of(block_on(fur, pull), Euler{}, solver);
    certified_steps(sim, 0.1, 10);
    EXPECT_LE((motion(sim, "block").velocity.head<2>() - a).norm(), 1e-6) << name(solver);
  }
}

struct Refusal {
  const char* materials;
  const char* rest;  // of the scene
  ErrorCode code;
  const char* path;
};

TEST(PolygonFriction, RefusalsNameTheField) {
  const char* const good = R"("fur": {"friction_polygon": [[1, 0], [0, 1], [-1, -1]]})";
  const Refusal cases[] = {
      {R"("fur": {"friction_polygon": [[1, 0], [0, 1]]})", "", ErrorCode::invalid_polygon,
       "materials.fur.friction_polygon"},
      {R"("fur": {"friction_polygon": [[1, 0], [0, 1], [0.9, 0.9]]})", "",
       ErrorCode::invalid_polygon, "materials.fur.friction_polygon"},
      {R"("fur": {"friction_polygon": [[1, 0], [0.1, 0.1], [0, 1], [-1, -1]]})", "",
       ErrorCode::invalid_polygon, "materials.fur.friction_polygon"},
      {R"("fur": {"friction_polygon": [[1, 0], [0, 1], [-1, -1]], "friction": 0.3})", "",
       ErrorCode::conflict, "materials.fur.friction"},
      {good, R"(, "simulation": {"scheme": "hybrid"})", ErrorCode::unsupported,
       "materials.fur.friction_polygon"},
      {good, R"(, "simulation": {"scheme": {"type": "euler", "restitution_friction": "path"}})",
       ErrorCode::unsupported, "materials.fur.friction_polygon"},
  };
  const auto text = [](const char* materials, const char* dof, const char* rest) {
    return std::string(R"({"cairn": 1, "materials": {)") + materials +
           R"(, "default": {"friction": 0.5}}, "bodies": [{"name": "a", "mass": 1, "dof": ")" +
           dof + R"(", "shapes": [{"type": "point"}]}, {"name": "floor", "fixed": true, )" +
           R"("shapes": [{"type": "halfspace", "normal": [0, 0, 1], "material": "fur"}]}])" + rest +
           "}";
  };
  for (const Refusal& c : cases) {
    const Result<Scene> scene = parse_scene(text(c.materials, "x y z", c.rest), "x.json");
    ASSERT_FALSE(scene) << code_name(c.code);
    EXPECT_EQ(scene.error()[0].code, c.code) << scene.error()[0].text();
    EXPECT_EQ(scene.error()[0].path, c.path) << scene.error()[0].text();
  }
  const Result<Scene> planar = parse_scene(text(good, "x z", ""), "x.json");
  ASSERT_FALSE(planar);
  EXPECT_EQ(planar.error()[0].code, ErrorCode::wrong_dimension);
  // A good one survives a round trip through the resolved scene.
  const Result<Scene> scene = parse_scene(text(good, "x y z", ""), "x.json");
  ASSERT_TRUE(scene) << scene.error()[0].text();
  const Result<Scene> again = parse_scene(scene->resolved, "y.json");
  ASSERT_TRUE(again) << again.error()[0].text();
  EXPECT_EQ(scene->model->pairs, again->model->pairs);
}

}  // namespace
}  // namespace cairn::test_polygon_friction
