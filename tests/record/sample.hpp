// Hand-made values that the recorder's tests share: a disc on a plank, its state, a step with one
// solve.
#pragma once

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "cairn/trace.hpp"

namespace cairn::sample {

// A folder of its own for each test, removed at the end.
class Folder {
 public:
  Folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("cairn_" + std::string(test->test_suite_name()) + "_" + test->name() + "_" +
             std::to_string(::getpid()));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A unit disc of mass 2 that moves in the plane, and a fixed plank; names that need escaping.
inline Scene scene() {
  ModelDescription description;
  description.name = "disc & <plank>";
  description.gravity = Vec3(0, -9.81, 0);
  description.materials = {{"default", Material{.friction = 0.5, .restitution = 0.2}}};
  BodyDescription plank;
  plank.name = "plank";
  plank.fixed = true;
  plank.shapes = {{.geometry = Halfspace{.normal = Vec3::UnitY()}, .X_BS = {}}};
  BodyDescription disc;
  disc.name = "disc.1 <b>";
  disc.dof = "x y rz";
  disc.mass = 2;
  disc.position = Vec3(0, 1.5, 0);
  disc.shapes = {{.geometry = Disc{.radius = 1}, .X_BS = {}}};
  description.bodies = {plank, disc};
  const auto built = build(description);
  EXPECT_TRUE(built) << (built ? "" : built.error().front().text());

  Scene scene;
  scene.file = "disc.json";
  scene.name = description.name;
  scene.description = description;
  scene.model = built->model;
  scene.initial = built->initial;
  scene.resolved = R"({"cairn": 1, "name": "<script>alert(1)</script>"})";
  return scene;
}

// One planar contact that sticks: the disc stops dead. A = diag(2, 2, 1), v_free = (0, -1, 0),
// lambda = (2, 0), v = 0.
inline SolveRecord solve() {
  SolveRecord record;
  Problem& problem = record.problem;
  problem.units = {.mass = 2, .length = 1, .time = 0.5};
  problem.bodies.resize(1);
  ProblemBody& body = problem.bodies[0];
  body.size = 3;
  body.model_body = 0;
  body.A[0][0] = body.A[1][1] = 2;
  body.A[2][2] = 1;
  problem.k = Vec3(0, -2, 0);
  Constraint contact;
  contact.law = Law::coulomb;
  contact.rows = 2;
  contact.body = {0, -1};
  contact.mu = 0.5;
  contact.J[0][0][1] = 1;
  contact.J[0][1][0] = 1;
  contact.J[0][1][2] = 1;
  contact.key.role = Role::contact;
  contact.key.contact = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, 0};
  problem.constraints = {contact};
  problem.first_row = {0, 2};
  record.solution.v = Vec3::Zero();
  record.solution.lambda = Eigen::Vector2d(2, 0);
  record.solution.status = SolveStatus::solved;
  record.solution.iterations = 3;
  record.solution.islands = 1;
  record.solution.method = "by hand";
  return record;
}

// Step number n with values that are all different, so that a mix-up of fields shows.
inline StepReport step(std::int64_t n) {
  StepReport r;
  const double x = static_cast<double>(n);
  r.step = n;
  r.t = 0.01 * x;
  r.h = 0.01;
  r.certificate = 1e-12 * x;
  r.ledger = {.kinetic_start = 1 + x,
              .potential_start = 2,
              .kinetic_end = 3,
              .potential_end = 4 + x,
              .work_applied = 5,
              .work_motion = 6,
              .friction = 7,
              .impact = 8,
              .stabilisation = 9,
              .integrator = 10,
              .solver = 11};
  r.penetration = 1e-9 * x;
  r.joint_error = 1e-10;
  r.active_contacts = 1;
  r.added_pairs = 2;
  r.collisions = 3;
  r.guard_corrections = 1;
  r.guard_factor = 0.75;
  r.nonlinear_iterations = 6;
  r.nonlinear_residual = 3e-15;
  r.nonlinear_fallback = 1;
  r.contact_projections = 7;
  r.uncertified_projections = 5;
  r.contact_projection_certificate = 2e-7;
  r.seconds = {.detect = 0.001, .solve = 0.002, .total = 0.004 + 0.001 * x, .checks = {}};
  ContactReport contact;
  contact.contact.key = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, 4};
  contact.contact.p_WC = Vec3(0.1, 0.2, 0.3);
  contact.contact.n_W = Vec3(0, -1, 0);
  contact.contact.t1_W = Vec3(1, 0, 0);
  contact.contact.t2_W = Vec3(0, 0, 1);
  contact.contact.rows = 2;
  contact.contact.gap = -1e-9;
  contact.contact.friction = 0.5;
  contact.contact.restitution = 0.2;
  contact.impulse = Vec3(2, 0.25, 0);
  contact.velocity = Vec3(0, 0.5, 0);
  contact.mode = ContactMode::slip;
  contact.colliding = true;
  r.contacts = {contact};
  r.events = {{StepEvent::Kind::take_off, 0.125, contact.contact.key, -0.5}};
  r.impacts = {{.contact = contact.contact.key,
                .t = 0.25,
                .approach = -4,
                .rebound = 2,
                .law = RestitutionLaw::stronge,
                .restitution = 0.5,
                .lost_restitution = 12,
                .lost_friction = 13,
                .put_in = 14,
                .group = 3,
                .kinetic_before = 16,
                .kinetic_after = 17,
                .other = 12,
                .guard = 18}};
  r.parts = 4;
  r.error_estimate = 1e-6;
  r.solves = {solve(), solve()};
  r.solves[1].purpose = SolveRecord::Purpose::restitution;
  r.solves.roll_back(1);  // the second one is spare memory
  return r;
}

inline State state(const Scene& scene, std::int64_t n) {
  State s = *scene.initial;
  s.step = n;
  s.t = 0.01 * static_cast<double>(n);
  s.v = Vec3(0.5, -0.25, 2.0);
  const ContactKey key{BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, {0, 4}};
  s.impulses = {{contact_key(key), Vec3(1, 2, -0.0)},
                {contact_key(key, Role::rolling), Vec3(0, 0, -0.25)}};
  s.v_before = Vec3(1, 2, 3);
  s.pending = {{BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, {0, 7}}};
  return s;
}

}  // namespace cairn::sample
