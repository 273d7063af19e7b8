// The server under rude clients: they are refused or survived, and the simulation goes on. Steps
// are counted; time decides nothing but that a test may fail.
#include <atomic>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "serve/client.hpp"
#include "serve/scenes.hpp"

namespace cairn::test_server {
namespace {

class LiveServer : public testing::Test {
 protected:
  void start(const serve::ServerLimits& limits = {}, Scene scene = stack()) {
    Result<std::unique_ptr<serve::Server>> made = serve::Server::start(std::move(scene), 0, limits);
    ASSERT_TRUE(made) << made.error().front().text();
    server_ = std::move(*made);
    thread_ = std::thread([this] { server_->serve([this] { return ended_.load(); }); });
  }
  void TearDown() override {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }

  const serve::Gate& gate() const { return server_->gate(); }
  std::string get(const std::string& target, const std::string& more = "") const {
    return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", target, gate().port,
                       more);
  }
  int status_of(const std::string& request) const { return Client(gate().port).status_of(request); }
  bool answers() const { return status_of(get("/" + gate().token + "/")) == 200; }

  // A viewer that has said start, as fast as it goes.
  Client viewer() const {
    Client client(gate().port);
    EXPECT_TRUE(client.upgrade(gate()));
    return client;
  }
  void run_fast(Client& client) const {
    client.say(R"({"do":"speed","value":0})");
    client.say(R"({"do":"start"})");
  }

  // Whether so many more steps are taken before a minute is over.
  bool goes_on(std::int64_t steps) const {
    const std::int64_t from = server_->run().steps();
    for (int i = 0; i < 6000; ++i) {
      if (server_->run().steps() >= from + steps) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  std::unique_ptr<serve::Server> server_;
  std::thread thread_;
  std::atomic<bool> ended_ = false;
};

TEST_F(LiveServer, ServesThePageWithItsPolicy) {
  start();
  Client client(gate().port);
  client.send(get("/" + gate().token + "/"));
  const std::string page = client.rest();
  EXPECT_TRUE(page.starts_with("HTTP/1.1 200 OK\r\n"));
  for (const char* line :
       {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer", "Cache-Control: no-store", "frame-ancestors 'none'"})
    EXPECT_NE(page.find(line), std::string::npos) << line;
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  for (const char* name : {"player.js", "player.css", "icon.svg"})
    EXPECT_EQ(status_of(get("/" + gate().token + "/" + name)), 200) << name;
  Client head(gate().port);
  head.send(
      fmt::format("HEAD /{}/ HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", gate().token, gate().port));
  EXPECT_TRUE(head.rest().ends_with("\r\n\r\n"));
}

TEST_F(LiveServer, ListensOnTheLoopbackAddressOnly) {
  start();
  EXPECT_TRUE(Client(gate().port).connected());
  EXPECT_FALSE(Client(gate().port, "127.0.0.2").connected());
}

TEST_F(LiveServer, RefusesStrangers) {
  start();
  const std::string page = "/" + gate().token + "/";
  EXPECT_EQ(status_of("GET " + page + " HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 403);
  EXPECT_EQ(status_of(get(page, "Origin: http://evil.example\r\n")), 403);
  EXPECT_EQ(status_of("GET " + page + " HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status_of(get("/")), 403);
  EXPECT_EQ(status_of(get("/" + std::string(32, 'f') + "/")), 403);
  for (const char* path : {"../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%5c..%5cboot.ini",
                           "player.js%00", "//etc/passwd", "live/../player.js"})
    EXPECT_EQ(status_of(get(page + path)), 404) << path;
  EXPECT_EQ(status_of(fmt::format("POST {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: "
                                  "2\r\n\r\n{{}}",
                                  page, gate().port)),
            405);
  for (const char* origin : {"", "Origin: http://evil.example\r\n", "Origin: null\r\n"})
    EXPECT_EQ(status_of(get(page + "live", std::string(origin) +
                                               "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                               "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                                               "dGhlIHNhbXBsZSBub25jZQ==\r\n")),
              403);
}

TEST_F(LiveServer, SurvivesGarbageAndGiants) {
  start();
  Client watcher = viewer();
  run_fast(watcher);
  EXPECT_EQ(status_of("GET /" + std::string(2 * serve::most_head_bytes, 'x')), 431);
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::string noise(5000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    const int status = status_of(noise + "\r\n\r\n");
    EXPECT_TRUE(status == 400 || status == 431 || status == 0) << status;
  }
  // Through the handshake, then noise or a message of 2^63 bytes.
  for (int i = 0; i < 20; ++i) {
    Client client = viewer();
    std::string noise(5000, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    noise[0] = static_cast<char>(0x82);
    client.send(i % 2 ? noise : std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10));
    while (client.hear()) {
    }
  }
  EXPECT_TRUE(answers());
  EXPECT_TRUE(goes_on(50));
}

TEST_F(LiveServer, HangsUpOnWhoNeverFinishes) {
  start({.request = std::chrono::milliseconds(300), .silence = std::chrono::milliseconds(600)});
  Client slow(gate().port);
  slow.send("GET / HT");
  EXPECT_EQ(slow.rest(), "");  // ends, or the test runs into its patience and the next line fails
  Client silent = viewer();
  while (silent.hear()) {
  }
  EXPECT_TRUE(answers());
}

TEST_F(LiveServer, StreamsTheSimulationToTheBit) {
  const Scene scene = stack();
  start();
  Client client = viewer();
  EXPECT_NE(client.hear_of("\"hello\"").find("stack <b>&\\\""), std::string::npos);
  run_fast(client);
  std::optional<Client::Frame> frame;
  do frame = client.see();
  while (frame && frame->steps < 100);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->rejected, 0);
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme,
                      scene.simulation.solver);
  while (simulator.state().step < static_cast<std::int64_t>(frame->steps)) simulator.step(0.01);
  EXPECT_EQ(frame->t, simulator.state().t);
  ASSERT_EQ(frame->bodies, 2u);
  for (std::size_t body = 0; body < 2; ++body) {
    const Vec3 p = body_motion(*scene.model, simulator.state(), BodyId(body + 1)).position;
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(frame->place(body, k), static_cast<float>(p[static_cast<Eigen::Index>(k)]));
  }
}

TEST_F(LiveServer, PausesStepsChangesAndResets) {
  start();
  Client client = viewer();
  client.see();
  client.say(R"({"do":"step"})");
  EXPECT_EQ(client.see()->steps, 1);
  client.say(R"({"do":"step"})");
  EXPECT_EQ(client.see()->steps, 2);
  client.say(R"({"do":"friction","material":0,"value":0.125})");
  EXPECT_NE(client.hear_of("\"friction\":0.125"), "");
  // A single step pauses what runs, and everybody is told.
  for (const char* end : {R"({"do":"step"})", R"({"do":"pause"})"}) {
    client.say(R"({"do":"start"})");
    EXPECT_NE(client.hear_of("\"running\":true"), "");
    client.say(end);
    EXPECT_NE(client.hear_of("\"running\":false"), "");
  }
  client.say(R"({"do":"speed","value":-1})");
  EXPECT_NE(client.hear_of("\"error\""), "");
  const std::int64_t steps = server_->run().steps();
  client.say(R"({"do":"reset"})");
  std::optional<Client::Frame> frame;
  do frame = client.see();
  while (frame && frame->run == 0);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->steps, 0);
  EXPECT_EQ(server_->run().steps(), steps);
  client.say(R"({"do":"save"})");
  EXPECT_NE(client.hear_of("\"scene\":{\"file\"").find("0.125"), std::string::npos);
}

TEST_F(LiveServer, AnswersBadWishesAndListensOn) {
  start();
  Client client = viewer();
  for (const std::string& bad :
       {std::string("{\"do\":\"fly\"}"), std::string("\xff\xfe"),
        std::string("{\"do\":\"friction\",\"material\":0,\"value\":-1}")}) {
    client.say(bad);
    const std::string answer = client.hear_of("\"error\"");
    EXPECT_NE(answer, "");
    // A browser closes a socket that sends it text which is no UTF-8.
    EXPECT_TRUE(std::all_of(answer.begin(), answer.end(), [](char c) { return c > 0; })) << answer;
  }
  client.say(R"({"do":"step"})");
  EXPECT_TRUE(client.see());
}

// It is sent two frames and then nothing; the others go on, and so does the simulation.
TEST_F(LiveServer, AClientThatDoesNotReadHoldsNothingUp) {
  start();
  Client deaf(gate().port, "127.0.0.1", 2048);
  ASSERT_TRUE(deaf.upgrade(gate()));
  Client client = viewer();
  run_fast(client);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.see());
  EXPECT_TRUE(goes_on(200));
  // It asks and asks and does not read the answers: it is shut out, the rest stays.
  for (int i = 0; i < 20000; ++i)
    if (!deaf.say(R"({"do":"save"})")) break;
  EXPECT_TRUE(goes_on(50));
  EXPECT_TRUE(client.see());
}

TEST_F(LiveServer, FiftyClientsComeAndVanish) {
  start();
  std::vector<Client> clients;
  for (int i = 0; i < 50; ++i) clients.push_back(viewer());
  run_fast(clients[0]);
  for (int round = 0; round < 5; ++round)
    for (Client& client : clients) ASSERT_TRUE(client.see());
  EXPECT_TRUE(goes_on(100));
  for (Client& client : clients) client.vanish();
  EXPECT_TRUE(goes_on(100));
  Client late = viewer();
  EXPECT_TRUE(late.see());
  // A storm of reloads.
  for (int i = 0; i < 200; ++i) {
    Client client = viewer();
    client.vanish();
  }
  EXPECT_TRUE(goes_on(100));
  EXPECT_TRUE(late.see());
}

TEST_F(LiveServer, HasRoomForSoManyAndNoMore) {
  start({.viewers = 4, .strangers = 4});
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(viewer());
  Client fifth(gate().port);
  EXPECT_FALSE(fifth.upgrade(gate()));
  // Connections that say nothing cannot keep the page from others.
  std::vector<Client> silent;
  for (int i = 0; i < 50; ++i) silent.emplace_back(gate().port);
  EXPECT_TRUE(answers());
  clients.pop_back();
  for (int i = 0; i < 1000; ++i) {
    Client next(gate().port);
    if (next.upgrade(gate())) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << "the place of a viewer that left stays taken";
}

TEST_F(LiveServer, AHandThatVanishesLetsGo) {
  start();
  Client client = viewer(), rude = viewer();
  run_fast(client);
  rude.say(R"({"do":"grab","body":2,"point":[0,0,0],"target":[0,0,4]})");
  std::optional<Client::Frame> frame;
  do frame = client.see();
  while (frame && frame->place(1, 2) < 3);
  ASSERT_TRUE(frame);  // it is up
  rude.vanish();
  do frame = client.see();
  while (frame && frame->place(1, 2) > 1.6);
  EXPECT_TRUE(frame);  // and down again
}

TEST_F(LiveServer, AFloodOfWishesIsBounded) {
  start();
  Client client = viewer(), flood = viewer();
  run_fast(client);
  for (int i = 0; i < 50000; ++i)
    if (!flood.say(R"({"do":"gravity","value":[0,0,-9.81]})")) break;
  EXPECT_TRUE(goes_on(20));
  EXPECT_TRUE(client.see());
}

TEST_F(LiveServer, APortThatIsTakenIsNamed) {
  start();
  const auto second = serve::Server::start(stack(), gate().port);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().front().kind, ErrorKind::io);
  EXPECT_NE(second.error().front().text().find(std::to_string(gate().port)), std::string::npos);
}

TEST_F(LiveServer, EndsWithClientsAndAStepAtHand) {
  start();
  Client client = viewer();
  run_fast(client);
  EXPECT_TRUE(client.see());
  TearDown();
  while (client.hear()) {
  }
}

}  // namespace
}  // namespace cairn::test_server
