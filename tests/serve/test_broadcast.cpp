// Pages that look on while a script drives the simulation.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>

#include "serve/broadcast.hpp"
#include "serve/client.hpp"
#include "serve/scenes.hpp"

namespace cairn::test_broadcast {
namespace {

class Follows : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<serve::Server>> made = serve::Server::start(
        [this](std::function<void()> wake) {
          broadcast_ = std::make_shared<serve::Broadcast>(scene_, sim_, std::move(wake));
          return broadcast_;
        },
        0);
    ASSERT_TRUE(made) << made.error().front().text();
    server_ = std::move(*made);
    thread_ = std::thread([this] { server_->serve([this] { return broadcast_->is_ending(); }); });
  }
  void TearDown() override {
    broadcast_->end();
    thread_.join();
    server_.reset();
    step();  // a script that goes on talks to nobody
    broadcast_->show(sim_, true);
  }

  void step() { broadcast_->took_step(sim_.step(scene_.simulation.step), sim_.state()); }
  Client viewer() const {
    Client client(server_->gate().port);
    EXPECT_TRUE(client.upgrade(server_->gate()));
    return client;
  }
  // The first frame of a time; nothing if the connection ends.
  std::optional<Client::Frame> frame_at(Client& client, double t) const {
    while (std::optional<Client::Frame> frame = client.see())
      if (frame->t == t) return frame;
    return std::nullopt;
  }

  Scene scene_ = stack();
  Simulator sim_{scene_.model, *scene_.initial};
  std::shared_ptr<serve::Broadcast> broadcast_;
  std::unique_ptr<serve::Server> server_;
  std::thread thread_;
};

TEST_F(Follows, APageSeesTheLastStepAndWhatWasSet) {
  Client client = viewer();
  EXPECT_NE(client.hear_of("\"hello\"").find("\"passive\":true"), std::string::npos);
  ASSERT_TRUE(frame_at(client, 0));
  for (int i = 0; i < 5; ++i) step();
  broadcast_->show(sim_, true);
  EXPECT_FALSE(broadcast_->is_stale());
  const std::optional<Client::Frame> frame = frame_at(client, sim_.state().t);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->steps, 5);
  EXPECT_EQ(frame->rejected, 0);
  EXPECT_EQ(frame->run, 0u);
  EXPECT_NEAR(frame->place(1, 2), 1.5, 1e-6);  // the upper cube rests
  EXPECT_TRUE(broadcast_->is_watched());

  // A state of an earlier time begins another run.
  State moved = *scene_.initial;
  moved.poses[index(scene_.model->find_body("upper").value())].p.z() = 3;
  sim_.set_state(moved);
  broadcast_->touch();
  EXPECT_TRUE(broadcast_->is_stale());
  broadcast_->show(sim_, false);
  const std::optional<Client::Frame> again = frame_at(client, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->run, 1u);
  EXPECT_NEAR(again->place(1, 2), 3, 1e-6);
}

TEST_F(Follows, APageCannotSteer) {
  Client client = viewer();
  client.hear_of("\"hello\"");
  const std::uint64_t before = hash(sim_.state());
  for (const char* wish : {R"({"do":"start"})", R"({"do":"step"})", R"({"do":"reset"})",
                           R"({"do":"gravity","value":[0,0,1]})",
                           R"({"do":"grab","body":1,"point":[0,0,0],"target":[0,0,9]})"}) {
    ASSERT_TRUE(client.say(wish));
    EXPECT_NE(client.hear_of("\"error\"").find("script"), std::string::npos) << wish;
  }
  ASSERT_TRUE(client.say(R"({"do":"save"})"));
  EXPECT_NE(client.hear_of("\"scene\":{\"file\"").find("upper"), std::string::npos);
  EXPECT_EQ(hash(sim_.state()), before);
}

// A notebook of this machine may have the page in a frame; a page that steers may not be framed.
TEST_F(Follows, ANotebookMayFrameThePage) {
  const serve::Gate& gate = server_->gate();
  Client client(gate.port);
  client.send(
      fmt::format("GET /{}/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", gate.token, gate.port));
  EXPECT_NE(client.rest().find("frame-ancestors http://127.0.0.1:* http://localhost:*\r\n"),
            std::string::npos);
}

// Steps keep to the clock where a speed is set; without one none waits.
TEST_F(Follows, StepsAreDueAtTheirTime) {
  using Clock = serve::Pacer::Clock;
  step();
  EXPECT_LE(broadcast_->due(sim_.state().t), Clock::now());
  broadcast_->set_speed(0.5, sim_.state().t);
  const Clock::time_point from = Clock::now();
  const Clock::time_point due = broadcast_->due(sim_.state().t + 0.05);
  EXPECT_LE(due - from, std::chrono::milliseconds(100));
  EXPECT_GE(due - from, std::chrono::milliseconds(50));  // 100 less what a busy machine takes
}

}  // namespace
}  // namespace cairn::test_broadcast
