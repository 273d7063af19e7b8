// A scene that is played with: without a touch it is `cairn run` bit for bit; each wish does what
// it says and a bad one nothing.
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

#include "serve/live_bytes.hpp"
#include "serve/scenes.hpp"
#include "serve/session.hpp"

namespace cairn::test_session {
namespace {

using Kind = serve::Command::Kind;

void run(serve::Session& session, int steps) {
  for (int i = 0; i < steps; ++i) session.step();
}

double x_of(const serve::Session& session, const char* name) {
  const Model& model = *session.scene().model;
  return body_motion(model, session.state(), *model.find_body(name)).position.x();
}

serve::Command wish(const std::string& text) {
  const Result<serve::Command> command = serve::read_command(text);
  EXPECT_TRUE(command) << text << (command ? "" : command.error().front().text());
  return command ? *command : serve::Command{};
}

bool accepted(serve::Session& session, const std::string& text) {
  return session.carry_out(wish(text)).has_value();
}

TEST(Session, WithoutATouchIsTheSimulatorBitForBit) {
  for (const char* file : {"cannonball21", "tower10", "slider_crank"}) {
    const Result<Scene> scene =
        load_scene(std::string(CAIRN_SOURCE_DIR "/scenes/") + file + ".json");
    ASSERT_TRUE(scene);
    serve::Session session(*scene);
    Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                        scene->simulation.solver);
    for (int i = 0; i < 60; ++i) {
      session.step();
      if (i % 7 == 0) session.frame();  // looking on changes nothing
      simulator.step(scene->simulation.step);
      ASSERT_EQ(hash(session.state()), hash(simulator.state())) << file << " step " << i;
    }
  }
}

TEST(Session, ASettingThatStaysTheSameLeavesTheBits) {
  serve::Session touched(stack()), untouched(stack());
  run(touched, 20);
  run(untouched, 20);
  EXPECT_TRUE(accepted(touched, R"({"do":"friction","material":0,"value":0.5})"));
  EXPECT_TRUE(accepted(touched, R"({"do":"gravity","value":[0,0,-9.81]})"));
  run(touched, 20);
  run(untouched, 20);
  EXPECT_EQ(hash(touched.state()), hash(untouched.state()));
}

TEST(Session, StartsPausesStepsAndResets) {
  serve::Session session(stack());
  EXPECT_FALSE(session.wants_step());
  EXPECT_TRUE(accepted(session, R"({"do":"step"})"));
  EXPECT_TRUE(session.wants_step());
  session.step();
  EXPECT_FALSE(session.wants_step());
  EXPECT_EQ(session.state().step, 1);
  EXPECT_TRUE(accepted(session, R"({"do":"start"})"));
  EXPECT_TRUE(session.running());
  run(session, 10);
  EXPECT_TRUE(accepted(session, R"({"do":"pause"})"));
  EXPECT_FALSE(session.wants_step());
  EXPECT_EQ(session.totals().steps, 11);
  EXPECT_EQ(session.totals().rejected, 0);
  EXPECT_TRUE(accepted(session, R"({"do":"reset"})"));
  EXPECT_EQ(hash(session.state()), hash(*stack().initial));
  EXPECT_EQ(session.totals().steps, 0);
  EXPECT_EQ(session.run(), 1u);
}

// Who cannot wait for a step gets the session as it was before; the step is still due, also after a
// reset, whose new simulator asks as well.
TEST(Session, AnInterruptedStepIsStillDue) {
  serve::Session session(stack());
  bool urgent = true;
  session.set_interrupt(
      {.asked = [](void* context) { return *static_cast<bool*>(context); }, .context = &urgent});
  for (int round = 0; round < 2; ++round) {
    urgent = true;
    EXPECT_TRUE(accepted(session, R"({"do":"step"})"));
    EXPECT_EQ(session.step().status, StepStatus::interrupted);
    EXPECT_EQ(hash(session.state()), hash(*stack().initial));
    EXPECT_EQ(session.totals().steps, 0);
    EXPECT_TRUE(session.wants_step());
    urgent = false;
    EXPECT_EQ(session.step().status, StepStatus::certified);
    EXPECT_EQ(session.totals().steps, 1);
    EXPECT_FALSE(session.wants_step());
    EXPECT_TRUE(accepted(session, R"({"do":"reset"})"));
  }
}

// Gravity that leans by an angle is a slope: the cubes stay where tan angle < mu and slide where it
// is above.
TEST(Session, FrictionAndGravityChangeWhatHappens) {
  for (const double mu : {0.5, 2.0}) {
    serve::Session session(stack());
    EXPECT_TRUE(
        accepted(session, fmt::format(R"({{"do":"friction","material":-1,"value":{}}})", mu)));
    // tan 0.35 = 0.37 < 2, and two cubes do not tip over at it; tan 0.7 = 0.84 > 0.5.
    const double angle = mu > 1 ? 0.35 : 0.7, g = 9.81;
    EXPECT_TRUE(accepted(session, fmt::format(R"({{"do":"gravity","value":[{},0,{}]}})",
                                              g * std::sin(angle), -g * std::cos(angle))));
    const double x = x_of(session, "lower");
    run(session, 50);
    // After t = 0.5 s with a = g (sin - mu cos) the way is a t^2 / 2 = 0.32 m.
    if (mu > 1)
      EXPECT_NEAR(x_of(session, "lower"), x, 1e-6);
    else
      EXPECT_GT(x_of(session, "lower"), x + 0.1);
  }
}

TEST(Session, RestitutionAndStepChange) {
  serve::Session session(ball(-9.81));
  EXPECT_TRUE(accepted(session, R"({"do":"restitution","material":0,"value":0.75})"));
  EXPECT_EQ(session.scene().model->pair(MaterialId{0}, MaterialId{0}).restitution, 0.75);
  EXPECT_TRUE(accepted(session, R"({"do":"h","value":0.02})"));
  session.step();
  EXPECT_DOUBLE_EQ(session.state().t, 0.02);
}

TEST(Session, AHandMovesABoxOfTheStackAndLetsGo) {
  serve::Session session(stack());
  const int upper = static_cast<int>(*session.scene().model->find_body("upper"));
  EXPECT_TRUE(accepted(session, fmt::format(R"({{"do":"grab","body":{},"point":[0.5,0,0],
                                                "target":[0.5,0,1.5]}})",
                                            upper)));
  EXPECT_TRUE(accepted(session, R"({"do":"drag","target":[3,0,1.5]})"));
  run(session, 60);
  EXPECT_GT(x_of(session, "upper"), 0.5);
  EXPECT_EQ(session.totals().rejected, 0);
  EXPECT_TRUE(accepted(session, R"({"do":"drop"})"));
  Simulator free(session.scene().model, session.state(), session.scene().simulation.scheme,
                 session.scene().simulation.solver);
  session.step();
  free.step(0.01);
  EXPECT_EQ(hash(session.state()), hash(free.state()));
}

// Clients 1 and 2 have a hand each; who never grabbed pulls nothing.
TEST(Session, EveryClientHasItsOwnHand) {
  serve::Session session(stack());
  serve::Command grab = wish(R"({"do":"grab","body":1,"point":[0,0,0],"target":[0,0,5]})");
  grab.client = 1;
  EXPECT_TRUE(session.carry_out(grab));
  serve::Command drag = wish(R"({"do":"drag","target":[9,9,9]})");
  drag.client = 2;
  EXPECT_TRUE(session.carry_out(drag));
  serve::Command drop{.kind = Kind::drop, .client = 2};
  EXPECT_TRUE(session.carry_out(drop));
  run(session, 30);
  const BodyMotion held = body_motion(*session.scene().model, session.state(), BodyId{1});
  EXPECT_GT(held.position.z(), 0.6);  // 1 still holds
}

TEST(Session, RefusesWhatIsOutOfRangeAndStaysAsItWas) {
  serve::Session session(stack());
  run(session, 5);
  const auto before = hash(session.state());
  const std::string settings = session.settings_json();
  for (const char* text :
       {R"({"do":"friction","material":0,"value":-1})",
        R"({"do":"friction","material":7,"value":0.5})",
        R"({"do":"friction","material":-2,"value":0.5})",
        R"({"do":"restitution","material":0,"value":1.01})", R"({"do":"h","value":0})",
        R"({"do":"h","value":-0.01})", R"({"do":"h","value":1})", R"({"do":"h","value":1e-9})",
        R"({"do":"gravity","value":[0,0,1e5]})",
        R"({"do":"grab","body":3,"point":[0,0,0],"target":[0,0,0]})",
        R"({"do":"grab","body":-1,"point":[0,0,0],"target":[0,0,0]})"})
    EXPECT_FALSE(accepted(session, text)) << text;
  EXPECT_EQ(hash(session.state()), before);
  EXPECT_EQ(session.settings_json(), settings);
}

TEST(Command, RefusesWhatItDoesNotUnderstand) {
  for (const char* text :
       {"", "x", "[]", "3", "{}", R"({"do":3})", R"({"do":"fly"})", R"({"do":"friction"})",
        R"({"do":"friction","material":0.5,"value":1})",
        R"({"do":"friction","material":0,"value":"1"})",
        R"({"do":"friction","material":1e300,"value":1})", R"({"do":"h","value":1e999})",
        R"({"do":"gravity","value":[0,0]})", R"({"do":"gravity","value":[0,0,null]})",
        R"({"do":"drag","target":[[],0,0]})", R"({"do":"start","do":"pause"})",
        R"({"do":"grab","body":1,"point":{"x":1},"target":[0,0,0]})", "{\"do\":\"st\xff\"}"})
    EXPECT_FALSE(serve::read_command(text)) << text;
  EXPECT_FALSE(serve::read_command(std::string(100000, '[')));
  EXPECT_FALSE(serve::read_command("{\"do\":\"" + std::string(1000, 'x') + "\"}"));
}

// A step that cannot be taken ends the run with its message; a reset helps.
TEST(Session, AStoppedStepPausesWithItsMessage) {
  serve::Session session(scene_from(
      R"json({"cairn": 1, "gravity": [0, 0, 0], "bodies": [{"name": "ball", "mass": 1,
          "shapes": [{"type": "sphere", "radius": 1}]}],
          "forces": [{"type": "force", "body": "ball", "value": ["1 + sqrt(0.015 - t)", 0, 0]}],
          "simulation": {"step": 0.01, "duration": 1}})json"));
  EXPECT_TRUE(accepted(session, R"({"do":"start"})"));
  for (int i = 0; i < 10 && session.wants_step(); ++i) session.step();
  EXPECT_FALSE(session.running());
  EXPECT_NE(session.message(), "");
  EXPECT_EQ(session.totals().rejected, 1);
  EXPECT_NE(serve::status_text(session, {}).find(session.message().substr(0, 6)),
            std::string::npos);
  EXPECT_TRUE(accepted(session, R"({"do":"reset"})"));
  EXPECT_EQ(session.message(), "");
}

// What is saved is a scene: the settings of now, the bodies of the beginning.
TEST(Session, SavesASceneThatReadsBack) {
  serve::Session session(stack());
  run(session, 10);
  EXPECT_TRUE(accepted(session, R"({"do":"friction","material":0,"value":0.25})"));
  EXPECT_TRUE(accepted(session, R"({"do":"gravity","value":[1,0,-5]})"));
  EXPECT_TRUE(accepted(session, R"({"do":"h","value":0.005})"));
  const Result<Scene> saved = parse_scene(session.scene().resolved, "saved.json");
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->description.materials[0].second.friction, 0.25);
  EXPECT_EQ(saved->description.gravity, Vec3(1, 0, -5));
  EXPECT_EQ(saved->simulation.step, 0.005);
  EXPECT_EQ(hash(*saved->initial), hash(*stack().initial));
  EXPECT_EQ(saved->name, "stack <b>&\"");
  // The name of the file is plain whatever the scene is called.
  EXPECT_NE(serve::scene_text(session.scene()).find("\"file\":\"stack__b____live.json\""),
            std::string::npos);
}

// The lengths in the table of docs/viewer.md: of the head, of the figures, of a body, of a contact.
struct DocumentedFrame {
  std::size_t fixed = 0, body = 0, contact = 0, figures = 0;
};

DocumentedFrame documented_frame() {
  std::ifstream in(CAIRN_SOURCE_DIR "/docs/viewer.md");
  std::string line;
  while (std::getline(in, line) && line != "### What goes over the wire") {
  }
  DocumentedFrame frame;
  while (std::getline(in, line) && !line.starts_with('#')) {
    std::size_t length = 0;
    char unit = 0;
    if (std::sscanf(line.c_str(), "| %zu %c", &length, &unit) != 2) continue;
    (unit == 'n' ? frame.body : unit == 'm' ? frame.contact : frame.fixed) += length;
    if (line.find("figures") != std::string::npos) frame.figures = length;
  }
  return frame;
}

TEST(Frame, IsAsLongAsDocumented) {
  const DocumentedFrame documented = documented_frame();
  EXPECT_EQ(documented.figures, 8 * play::ClipFigures::count);
  serve::Session session(stack());
  run(session, 3);
  const play::ClipFrame& frame = session.frame();
  ASSERT_FALSE(frame.contacts.empty());
  EXPECT_EQ(serve::frame_bytes(frame, session, {}).size(),
            documented.fixed + documented.body * frame.bodies.size() +
                documented.contact * frame.contacts.size());
}

TEST(Frame, HoldsWhatItSays) {
  serve::Session session(stack());
  run(session, 3);
  const play::ClipFrame& frame = session.frame();
  EXPECT_EQ(frame.bodies.size(), 2u);
  EXPECT_GE(frame.contacts.size(), 8u);  // four corners of each cube
  EXPECT_LE(frame.figures.certificate, 1e-8);
  // Figures are those since the last frame: none now.
  EXPECT_EQ(session.frame().bodies.size(), 2u);
}

}  // namespace
}  // namespace cairn::test_session
