// A state is all that a step needs: a new simulator for every step gives the bits of one simulator
// that takes all steps, for every scene under every scheme.
#include <cstring>
#include <filesystem>
#include <unistd.h>

#include "cairn/trace.hpp"
#include "system/worlds.hpp"

namespace cairn::test_fresh_simulator {
namespace {

using namespace testing;
namespace fs = std::filesystem;

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "scenes"))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

SchemeOptions scheme_named(const std::string& scheme) {
  for (const SchemeOptions& options :
       std::initializer_list<SchemeOptions>{Euler{}, Relaxed{}, Trapezoidal{}, Hybrid{}, Penalty{}})
    if (scheme == name(options)) return options;
  ADD_FAILURE() << scheme;
  return {};
}

// Two for scenes that take a second or more a step.
int steps_of(const Scene& scene) {
  return scene.model->bodies.size() > 150 ? 2 : 20;
}

// Numbers of a report, in the order in which they are found.
class Numbers {
 public:
  void add(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    bits_.push_back(bits);
  }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& x) {
    for (Eigen::Index i = 0; i < x.size(); ++i) add(x(i));
  }
  bool operator==(const Numbers&) const = default;

 private:
  std::vector<std::uint64_t> bits_;
};

void add(const Certificate& c, Numbers& out) {
  for (const double x : {c.momentum, c.equality, c.gap_velocity, c.normal_impulse,
                         c.complementarity, c.cone, c.natural_map, c.worst})
    out.add(x);
  out.add(c.worst_constraint);
}

void add(const ContactReport& c, Numbers& out) {
  for (const int x :
       {static_cast<int>(c.contact.key.body_a), static_cast<int>(c.contact.key.body_b),
        static_cast<int>(c.contact.key.shape_a), static_cast<int>(c.contact.key.shape_b),
        static_cast<int>(c.contact.key.feature.a), static_cast<int>(c.contact.key.feature.b),
        c.contact.rows, static_cast<int>(c.mode), static_cast<int>(c.colliding)})
    out.add(x);
  out.add(c.contact.gap);
  for (const Vec3& x : {c.contact.p_WC, c.contact.n_W, c.contact.t1_W, c.contact.t2_W, c.impulse,
                        c.velocity, c.torque})
    out.add(x);
}

Numbers numbers(const StepReport& report) {
  Numbers out;
  for (const SolveRecord& record : report.solved()) {
    add(record.solution.certificate, out);
    out.add(record.solution.iterations);
    out.add(record.solution.lambda);
    out.add(record.solution.v);
  }
  for (const ContactReport& contact : report.contacts) add(contact, out);
  for (const StepEvent& event : report.events) {
    out.add(static_cast<int>(event.kind));
    out.add(event.t);
    out.add(event.speed);
  }
  const Ledger& l = report.ledger;
  for (const double x :
       {l.kinetic_start, l.potential_start, l.kinetic_end, l.potential_end, l.work_applied,
        l.work_motion, l.friction, l.impact, l.stabilisation, l.integrator, l.solver,
        report.certificate, report.penetration, report.joint_error})
    out.add(x);
  out.add(static_cast<int>(report.status));
  out.add(report.solves.size());
  return out;
}

// The state after a way through a file.
State through_a_file(const Scene& scene, const State& state, const std::string& path) {
  EXPECT_TRUE(save_checkpoint(path, scene.resolved, state, state.step));
  Result<Checkpoint> loaded = load_checkpoint(path);
  EXPECT_TRUE(loaded) << loaded.error().front().text();
  return loaded ? loaded->state : State{};
}

struct Case {
  const char* scheme;
  int pairs;     // scenes of the repository that it takes, at least
  int touching;  // steps of them in which something touches, at least
};

class FreshSimulator : public ::testing::TestWithParam<Case> {};

TEST_P(FreshSimulator, ForEveryStepGivesTheSameBits) {
  const std::string path =
      fs::temp_directory_path() /
      ("cairn_fresh_" + std::string(GetParam().scheme) + std::to_string(::getpid()));
  int pairs = 0, steps = 0, touching = 0;
  for (const std::string& scene_name : scene_names()) {
    const Scene s = scene(scene_name);
    SchemeOptions scheme = scheme_named(GetParam().scheme);
    if (scheme.index() == s.simulation.scheme.index()) scheme = s.simulation.scheme;
    if (!accepts(scheme, *s.model)) continue;
    ++pairs;
    SCOPED_TRACE(scene_name);
    Simulator whole(s.model, *s.initial, scheme, s.simulation.solver);
    State state = *s.initial;
    const int count = steps_of(s);
    for (int n = 1; n <= count; ++n) {
      if (n == (count + 1) / 2) state = through_a_file(s, state, path);
      Simulator fresh(s.model, state, scheme, s.simulation.solver);
      const StepReport& expected = whole.step(s.simulation.step);
      const StepReport& report = fresh.step(s.simulation.step);
      state = fresh.state();
      ASSERT_EQ(hash(state), hash(whole.state())) << "step " << n;
      ASSERT_TRUE(numbers(report) == numbers(expected)) << "step " << n;
      ASSERT_EQ(report.message, expected.message) << "step " << n;
      if (report.status == StepStatus::stopped) break;
      ++steps;
      touching += report.active_contacts > 0 ? 1 : 0;
    }
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  EXPECT_GE(pairs, GetParam().pairs);
  EXPECT_GE(touching, GetParam().touching);
  EXPECT_GE(steps, 15 * pairs);  // few of them are stopped or expensive
}

INSTANTIATE_TEST_SUITE_P(Schemes, FreshSimulator,
                         ::testing::Values(Case{"euler", 57, 500}, Case{"relaxed", 52, 440},
                                           Case{"trapezoidal", 53, 430}, Case{"hybrid", 56, 480},
                                           Case{"penalty", 11, 25}),
                         [](const auto& tested) { return std::string(tested.param.scheme); });

}  // namespace
}  // namespace cairn::test_fresh_simulator
