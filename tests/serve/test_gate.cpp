// Who may come in: heads of requests, forged hosts and origins, tokens, paths that lead elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "serve/gate.hpp"
#include "serve/pages.hpp"

namespace cairn::test_gate {
namespace {

const serve::Gate gate{.port = 4711, .token = "0123456789abcdef0123456789abcdef"};

serve::Request request(const std::string& target, const std::string& host = "127.0.0.1:4711",
                       const std::string& more = "") {
  const serve::RequestHead head =
      serve::read_head(fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", target, host, more));
  EXPECT_EQ(head.status, 200) << target << " " << host;
  return head.request;
}

std::string inside(const std::string& name) {
  return "/" + gate.token + "/" + name;
}

constexpr const char* upgrade =
    "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

TEST(Http, ReadsAHeadWhenItIsWhole) {
  const std::string whole = "GET /a HTTP/1.1\r\nHost:  here \r\nX-Y: 1\r\n\r\n";
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(serve::read_head(whole.substr(0, n)).status, 0);
  const serve::RequestHead head = serve::read_head(whole);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.request.method, "GET");
  EXPECT_EQ(head.request.target, "/a");
  EXPECT_EQ(head.request.header("host"), "here");
  EXPECT_EQ(head.request.header("x-y"), "1");
}

TEST(Http, RefusesBrokenHeads) {
  const std::string host = "Host: x\r\n\r\n";
  for (const char* line :
       {"GET", "GET /", "GET  HTTP/1.1", "GET / /b HTTP/1.1", " / HTTP/1.1", "G\x01T / HTTP/1.1",
        "GET http://evil/ HTTP/1.1", "GET * HTTP/1.1", "GET /\x01 HTTP/1.1", "\r\nGET / HTTP/1.1"})
    EXPECT_EQ(serve::read_head(std::string(line) + "\r\n" + host).status, 400) << line;
  EXPECT_EQ(serve::read_head("GET / HTTP/2.0\r\n" + host).status, 505);
  for (const char* header : {"Host", ": x", "A B: x", " folded: x", "A: \x01", "A\n: x"})
    EXPECT_EQ(serve::read_head(std::string("GET / HTTP/1.1\r\n") + header + "\r\n\r\n").status, 400)
        << header;
  EXPECT_EQ(serve::read_head(std::string("GET / HTTP/1.1\r\nA: \0x\r\n\r\n", 26)).status, 400);
}

TEST(Http, RefusesLargeHeads) {
  EXPECT_EQ(serve::read_head(std::string(serve::most_head_bytes + 1, 'x')).status, 431);
  EXPECT_EQ(serve::read_head("GET / HTTP/1.1\r\nA: " + std::string(serve::most_head_bytes, 'x') +
                             "\r\n\r\n")
                .status,
            431);
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i <= serve::most_headers; ++i) many += "A: x\r\n";
  EXPECT_EQ(serve::read_head(many + "\r\n").status, 431);
}

TEST(Gate, LetsTheBrowserOnThisMachineIn) {
  for (const char* host : {"127.0.0.1:4711", "localhost:4711"}) {
    EXPECT_EQ(gate.judge(request(inside(""), host)).way, serve::Gate::Way::page);
    const std::string origin = fmt::format("Origin: http://{}\r\n", host);
    EXPECT_EQ(gate.judge(request(inside("live"), host, origin + upgrade)).way,
              serve::Gate::Way::socket);
  }
}

TEST(Gate, RefusesForgedHosts) {
  for (const char* host : {"evil.example",
                           "evil.example:4711",
                           "127.0.0.1",
                           "127.0.0.1:80",
                           "127.0.0.1:47110",
                           "localhost",
                           "localhost.evil.example:4711",
                           "127.0.0.1.evil.example:4711",
                           "0.0.0.0:4711",
                           "127.0.0.2:4711",
                           "[::1]:4711",
                           "LOCALHOST.:4711",
                           "user@127.0.0.1:4711",
                           "127.0.0.1:4711@evil.example",
                           "127.0.0.1:4711, evil.example",
                           "127.1:4711",
                           "2130706433:4711",
                           "0x7f000001:4711",
                           "127.0.0.1 :4711",
                           "127.0.0.1:04711"})
    EXPECT_EQ(gate.judge(request(inside(""), host)).status, 403) << host;
  EXPECT_NE(gate.judge(request(inside(""), "")).way, serve::Gate::Way::page);
  EXPECT_NE(gate.judge(request(inside(""), "127.0.0.1:4711", "Host: evil\r\n")).way,
            serve::Gate::Way::page);
  EXPECT_NE(gate.judge(request(inside(""), "127.0.0.1:4711", "Host: 127.0.0.1:4711\r\n")).way,
            serve::Gate::Way::page);
}

TEST(Gate, RefusesForgedOrigins) {
  for (const char* origin :
       {"http://evil.example", "https://127.0.0.1:4711", "http://127.0.0.1", "http://127.0.0.1:80",
        "http://127.0.0.1:4711.evil.example", "http://evil.example/http://127.0.0.1:4711", "null",
        "file://", "http://127.0.0.1:4711/", "http://127.0.0.1:4711 http://evil.example",
        "HTTP://127.0.0.1:4711", "//127.0.0.1:4711", "127.0.0.1:4711", "ws://127.0.0.1:4711",
        "chrome-extension://abc", "http://[::1]:4711", "http://localhost:4711@evil.example"}) {
    const std::string line = fmt::format("Origin: {}\r\n", origin);
    EXPECT_EQ(gate.judge(request(inside("live"), "127.0.0.1:4711", line + upgrade)).status, 403)
        << origin;
    EXPECT_EQ(gate.judge(request(inside(""), "127.0.0.1:4711", line)).status, 403) << origin;
  }
  // A socket without one is no browser's; two are nobody's.
  EXPECT_EQ(gate.judge(request(inside("live"), "127.0.0.1:4711", upgrade)).status, 403);
  const std::string ours = "Origin: http://127.0.0.1:4711\r\n";
  EXPECT_EQ(gate.judge(request(inside("live"), "127.0.0.1:4711", ours + ours + upgrade)).status,
            403);
}

TEST(Gate, WantsTheToken) {
  for (const std::string& target :
       {std::string("/"), std::string("/live"), std::string("/player.js"), "/" + gate.token,
        "/" + gate.token.substr(1) + "/", "/" + gate.token + "0/", "/" + std::string(32, '0') + "/",
        "//" + gate.token + "/", "/?" + gate.token + "/", "/%30" + gate.token.substr(1) + "/",
        "/./" + gate.token + "/", "/x/../" + gate.token + "/"})
    EXPECT_EQ(gate.judge(request(target)).status, 403) << target;
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(serve::random_token());
  EXPECT_EQ(tokens.size(), 100u);
  EXPECT_EQ(tokens.begin()->size(), 32u);
}

TEST(Gate, ChangesNothingByOtherMethodsAndTakesNoBodies) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get"}) {
    const serve::RequestHead head = serve::read_head(
        fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:4711\r\n\r\n", method, inside("live")));
    EXPECT_EQ(gate.judge(head.request).status, 405) << method;
  }
  for (const char* body : {"Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n",
                           "Content-Length: 0\r\nContent-Length: 0\r\nTransfer-Encoding: x\r\n"})
    EXPECT_EQ(gate.judge(request(inside(""), "127.0.0.1:4711", body)).status, 413) << body;
}

// The table has four names; nothing else leads anywhere, however it is written.
TEST(Pages, AreATableWithoutAWayOut) {
  for (const char* name : {"", "player.js", "player.css", "icon.svg"}) {
    const serve::Answer answer = serve::page_named(name, 4711);
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.extra.find("default-src 'none'; script-src 'self';"), std::string::npos);
    EXPECT_EQ(answer.extra.find("unsafe"), std::string::npos);
  }
  const std::vector<std::string> starts = {"",
                                           "/",
                                           "//",
                                           "./",
                                           "../",
                                           "..\\",
                                           "\\..\\",
                                           "%2e%2e/",
                                           "..%2f",
                                           "%2e%2e%5c",
                                           "....//",
                                           "%252e%252e%252f",
                                           "..%00/",
                                           "file:///",
                                           "\\\\host\\share\\",
                                           "C:\\",
                                           "player.js/../",
                                           "static/"};
  const std::vector<std::string> ends = {
      "etc/passwd", "etc/passwd%00", "proc/self/environ", "CMakeLists.txt", "player.js%00.html",
      "player.js/", "player.js?x",   "PLAYER.JS",         "index.html",     "live/"};
  for (const std::string& start : starts)
    for (const std::string& end : ends) EXPECT_EQ(serve::page_named(start + end, 4711).status, 404);
  EXPECT_EQ(serve::page_named("../player.js", 4711).status, 404);
  EXPECT_EQ(serve::page_named(std::string_view("player.js\0", 10), 4711).status, 404);
}

TEST(Gate, RefusesSocketsThatAreNone) {
  const std::string ours = "Origin: http://127.0.0.1:4711\r\n";
  for (const char* wrong :
       {"", "Upgrade: websocket\r\n",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        "Upgrade: h2c\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"})
    EXPECT_EQ(gate.judge(request(inside("live"), "127.0.0.1:4711", ours + wrong)).status, 426);
  EXPECT_EQ(gate.judge(request(inside("live"), "127.0.0.1:4711",
                               ours + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short\r\n"))
                .status,
            400);
}

}  // namespace
}  // namespace cairn::test_gate
