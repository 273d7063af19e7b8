// A clip keeps the ends of a run, all events and the largest errors, however many steps it drops.
#include <cmath>
#include <gtest/gtest.h>

#include "play/clip.hpp"

namespace cairn::test_clip {
namespace {

constexpr const char* two_discs = R"({
  "cairn": 1, "name": "two discs", "gravity": [0, -9.81, 0],
  "bodies": [
    {"name": "a floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "b disc", "dof": "x y rz", "mass": 1, "shapes": [{"type": "disc", "radius": 1}]},
    {"name": "c disc", "dof": "x y rz", "mass": 1, "position": [3, 0, 0],
     "shapes": [{"type": "disc", "radius": 1}]}],
  "simulation": {"step": 0.01, "duration": 1}
})";

Scene two_disc_scene() {
  Result<Scene> scene = parse_scene(two_discs, "two.json");
  EXPECT_TRUE(scene);
  return *scene;
}

State state(const Scene& scene, std::int64_t step) {
  State s = *scene.initial;
  s.step = step;
  s.t = 0.01 * static_cast<double>(step);
  s.poses[1].p.x() = static_cast<double>(step);
  return s;
}

// Errors that rise and fall, an event now and then.
StepReport report(std::int64_t step) {
  StepReport r;
  r.step = step;
  r.h = 0.01;
  r.t = 0.01 * static_cast<double>(step);
  r.certificate = std::fmod(static_cast<double>(step) * 0.618, 1.0);
  r.penetration = std::fmod(static_cast<double>(step) * 0.414, 1.0);
  r.collisions = step % 7 == 0 ? 2 : 0;
  r.guard_corrections = step % 11 == 0 ? 1 : 0;
  r.status = step % 13 == 0 ? StepStatus::uncertified : StepStatus::certified;
  r.verdict.solve.ok = step % 13 != 0;
  r.verdict.motion.ok = step % 17 != 0;
  r.verdict.parts = step % 5 == 0 ? 3 : 1;
  r.ledger.kinetic_end = static_cast<double>(step);
  return r;
}

TEST(Clip, DecimationLosesNoEventAndNoError) {
  const Scene scene = two_disc_scene();
  for (const std::int64_t steps : {0, 1, 7, 8, 9, 16, 17, 100, 1000}) {
    play::Clip clip(scene, {.frames = 8});
    clip.add_initial(state(scene, 0));
    double certificate = 0, penetration = 0, collisions = 0, guard = 0, rejected = 0, divided = 0;
    for (std::int64_t n = 1; n <= steps; ++n) {
      const StepReport r = report(n);
      clip.add(r, state(scene, n));
      certificate = std::max(certificate, r.certificate);
      penetration = std::max(penetration, r.penetration);
      collisions += r.collisions;
      guard += r.guard_corrections;
      rejected += r.accepted() ? 0 : 1;
      divided += r.verdict.parts > 1 ? 1 : 0;
    }
    const auto frames = clip.frames();
    ASSERT_GE(frames.size(), 1u);
    EXPECT_LE(frames.size(), 9u);  // and the last state
    EXPECT_EQ(frames.front()->step, 0);
    EXPECT_EQ(frames.back()->step, steps);
    EXPECT_EQ(clip.steps(), steps);
    play::ClipFigures all;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const play::ClipFrame& f = *frames[i];
      if (i + 1 < frames.size()) {
        EXPECT_EQ(f.step % clip.stride(), 0);
      }
      if (i > 0) {
        EXPECT_GT(f.step, frames[i - 1]->step);
      }
      // The state belongs to the step: the disc is at x = step.
      EXPECT_EQ(f.bodies[0].position[0], static_cast<double>(f.step));
      EXPECT_EQ(f.figures.kinetic, static_cast<double>(f.step));
      all.certificate = std::max(all.certificate, f.figures.certificate);
      all.penetration = std::max(all.penetration, f.figures.penetration);
      all.collisions += f.figures.collisions;
      all.guard += f.figures.guard;
      all.rejected += f.figures.rejected;
      all.failed_solve += f.figures.failed_solve;
      all.failed_motion += f.figures.failed_motion;
      all.divided += f.figures.divided;
    }
    EXPECT_EQ(all.certificate, certificate);
    EXPECT_EQ(all.penetration, penetration);
    EXPECT_EQ(all.collisions, collisions);
    EXPECT_EQ(all.guard, guard);
    EXPECT_EQ(all.rejected, rejected);
    EXPECT_EQ(all.failed_solve, static_cast<double>(steps / 13));
    EXPECT_EQ(all.failed_motion, static_cast<double>(steps / 17));
    EXPECT_EQ(all.divided, divided);
    EXPECT_EQ(clip.rejected().size(),
              std::min<std::size_t>(64, static_cast<std::size_t>(rejected)));
  }
}

TEST(Clip, KeepsEveryStepOfAShortRun) {
  const Scene scene = two_disc_scene();
  play::Clip clip(scene);
  clip.add_initial(state(scene, 0));
  for (std::int64_t n = 1; n <= 1000; ++n) clip.add(report(n), state(scene, n));
  EXPECT_EQ(clip.frames().size(), 1001u);
  EXPECT_EQ(clip.stride(), 1);
}

ContactReport contact(std::uint32_t feature, double impulse) {
  ContactReport c;
  c.contact.key = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, {0, feature}};
  c.contact.n_W = Vec3::UnitY();
  c.contact.t1_W = Vec3::UnitX();
  c.contact.t2_W = -Vec3::UnitZ();
  c.impulse = Vec3(impulse, 0.25 * impulse, 0);
  c.mode = ContactMode::slip;
  return c;
}

// The strongest contacts stay, in the order of their keys, and the number of the others is told.
TEST(Clip, KeepsTheStrongestContacts) {
  Scene scene = two_disc_scene();
  scene.simulation.duration = 1000;  // 100001 frames expected: 8 in the clip
  play::Clip clip(scene, {.frames = 8, .contact_bytes = 0});
  ASSERT_EQ(clip.contact_limit(), 100u);
  clip.add_initial(state(scene, 0));
  StepReport r = report(1);
  for (int i = 0; i < 150; ++i) r.contacts.push_back(contact(i, (i * 67) % 150));  // one is zero
  clip.add(r, state(scene, 1));
  const auto& kept = clip.frames().back()->contacts;
  ASSERT_EQ(kept.size(), 100u);
  EXPECT_EQ(clip.contacts_left_out(), 49);
  std::vector<double> expected;
  for (const ContactReport& c : r.contacts)
    if (c.impulse[0] >= 50) expected.push_back(c.impulse[0]);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(kept[i].force[1], expected[i] / r.h, 1e-3);         // along the normal
    EXPECT_NEAR(kept[i].force[0], 0.25 * expected[i] / r.h, 1e-3);  // friction
  }
}

TEST(Clip, AStoppedStepIsCountedAndShowsTheStateBefore) {
  const Scene scene = two_disc_scene();
  play::Clip clip(scene);
  clip.add_initial(state(scene, 0));
  clip.add(report(1), state(scene, 1));
  StepReport stopped = report(2);
  stopped.status = StepStatus::stopped;
  stopped.ledger.kinetic_end = std::nan("");
  clip.add(stopped, state(scene, 1));
  const auto frames = clip.frames();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames.back()->figures.stopped, 1);
  EXPECT_EQ(frames.back()->figures.kinetic, 1);
  EXPECT_TRUE(frames.back()->contacts.empty());
}

// The box is moved by hand along x = 0.1 sin(3 t) and turns at 2 rad/s: a frame has the mean
// velocity of its step, (x(t) - x(t - h)) / h.
TEST(Clip, PrescribedBodiesMoveAsTheyAreMoved) {
  const Result<Scene> scene = parse_scene(R"json({
    "cairn": 1, "name": "moved", "gravity": [0, -9.81, 0],
    "bodies": [{"name": "box", "motion": {"position": ["0.1*sin(3*t)", 0, 0], "axis": [0, 0, 1], "angle": "2*t"},
                "shapes": [{"type": "box", "size": [1, 1, 1]}]
},
               {"name": "ball", "mass": 1, "position": [0, 5, 0], "shapes": [{"type": "sphere", "radius": 1}]}],
    "simulation": {
  "step" : 0.01, "duration" : 1
}
  })json",
                                          "moved.json");
  ASSERT_TRUE(scene);
  Simulator sim(scene->model, *scene->initial);
  play::Clip clip(*scene);
  clip.add_initial(sim.state());
  const double h = 0.01;
  for (int i = 0; i < 50; ++i) {
    sim.step(h);
    clip.add(sim.report(), sim.state());
  }
  const auto frames = clip.frames();
  ASSERT_EQ(frames.size(), 51u);
  const std::size_t box = clip.moving()[0] == scene->model->find_body("box") ? 0 : 1;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const double t = frames[i]->t, mean = 0.1 * (std::sin(3 * t) - std::sin(3 * (t - h))) / h;
    const play::ClipBody& body = frames[i]->bodies[box];
    EXPECT_NEAR(body.velocity[0], mean, 1e-6);  // a float
    EXPECT_NEAR(body.angular_velocity[2], 2, 1e-6);
  }
}

}  // namespace
}  // namespace cairn::test_clip
