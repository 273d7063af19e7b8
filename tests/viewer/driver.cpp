// Messages are JSON, each ended by a zero byte: to the browser's descriptor 3, from its
// descriptor 4.
#include "viewer/driver.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "viewer/browser.hpp"

namespace cairn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int answer_seconds = 120;  // a busy machine without a graphics card is slow

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned value = 0;
  int bits = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) break;
    value = (value << 6) | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>((value >> bits) & 0xff);
  }
  return bytes;
}

}  // namespace

Driver::Driver(const std::string& browser, int width, int height) {
  static int count = 0;
  folder_ = (fs::temp_directory_path() /
             ("cairn_driver_" + std::to_string(::getpid()) + "_" + std::to_string(count++)))
                .string();
  fs::create_directories(folder_);
  int commands[2], answers[2];
  if (::pipe2(commands, O_CLOEXEC) != 0 || ::pipe2(answers, O_CLOEXEC) != 0) return;
  std::vector<std::string> words = browser_words(browser, folder_, width, height);
  words.push_back("--remote-debugging-pipe");
  words.push_back("about:blank");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  child_ = ::fork();
  if (child_ == 0) {
    ::setpgid(0, 0);
    // Out of the way first: a pipe may have the number 3 or 4 itself.
    const int in = ::fcntl(commands[0], F_DUPFD, 10), out = ::fcntl(answers[1], F_DUPFD, 10);
    ::dup2(in, 3);
    ::dup2(out, 4);
    const int quiet = ::open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) ::dup2(quiet, descriptor);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  const Json target =
      send({{"method", "Target.createTarget"},
            {"params",
             {{"url", "about:blank"}, {"newWindow", true}, {"width", width}, {"height", height}}}});
  const Json attached =
      send({{"method", "Target.attachToTarget"},
            {"params", {{"targetId", target.value("targetId", "")}, {"flatten", true}}}});
  session_ = attached.value("sessionId", "");
  for (const char* domain : {"Runtime.enable", "Log.enable", "Page.enable"})
    call(domain, Json::object());
}

Driver::~Driver() {
  if (child_ > 0) {
    ::kill(-child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
  }
  ::close(to_);
  ::close(from_);
  std::error_code ignored;
  for (int i = 0; i < 20 && fs::exists(folder_, ignored); ++i) {  // helpers may still write
    fs::remove_all(folder_, ignored);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool Driver::receive(Json& message) {
  const auto end = Clock::now() + std::chrono::seconds(answer_seconds);
  for (;;) {
    const std::size_t zero = buffer_.find('\0');
    if (zero != std::string::npos) {
      message = Json::parse(buffer_.substr(0, zero), nullptr, false);
      buffer_.erase(0, zero + 1);
      return true;
    }
    pollfd pipe{.fd = from_, .events = POLLIN, .revents = 0};
    if (Clock::now() > end || ::poll(&pipe, 1, 1000) < 0) return false;
    if (pipe.revents == 0) continue;
    char bytes[65536];
    const ssize_t n = ::read(from_, bytes, sizeof bytes);
    if (n <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

void Driver::note(const Json& event) {
  const std::string method = event.value("method", "");
  if (method == "Runtime.exceptionThrown") complaints_.push_back(event["params"].dump());
  if (method == "Log.entryAdded" && event["params"]["entry"].value("level", "") == "error")
    complaints_.push_back(event["params"]["entry"].value("text", ""));
  const std::string type =
      method == "Runtime.consoleAPICalled" ? event["params"].value("type", "") : std::string();
  if (type == "error" || type == "warning") complaints_.push_back(event["params"]["args"].dump());
}

Driver::Json Driver::send(Json message) {
  const int id = ++number_;
  message["id"] = id;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(to_, text.data() + sent, text.size() - sent);
    if (n < 0 && errno != EINTR) return Json::object();
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  for (Json answer; receive(answer);) {
    if (answer.value("id", 0) == id) return answer.value("result", Json::object());
    note(answer);
  }
  return Json::object();
}

Driver::Json Driver::call(const std::string& method, Json parameters) {
  return send({{"method", method}, {"params", std::move(parameters)}, {"sessionId", session_}});
}

void Driver::open(const std::string& address) {
  call("Page.navigate", {{"url", address}});
}

Driver::Json Driver::ask(const std::string& expression) {
  const Json answer =
      call("Runtime.evaluate",
           {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  return answer.contains("result") ? answer["result"].value("value", Json()) : Json();
}

bool Driver::becomes(const std::string& expression) {
  const auto end = Clock::now() + std::chrono::seconds(answer_seconds);
  while (Clock::now() < end) {
    if (ask("Boolean(" + expression + ")") == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void Driver::mouse(const char* type, double x, double y, bool pressed) {
  call("Input.dispatchMouseEvent", {{"type", type},
                                    {"x", x},
                                    {"y", y},
                                    {"button", pressed ? "left" : "none"},
                                    {"buttons", pressed ? 1 : 0},
                                    {"clickCount", 1}});
}

void Driver::press(const std::string& key) {
  Json event = {{"type", "keyDown"}, {"key", key}};
  if (key.size() == 1) event["text"] = key;
  call("Input.dispatchKeyEvent", event);
  call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}});
}

void Driver::save_picture(const std::string& file) {
  const Json answer = call("Page.captureScreenshot", {{"format", "png"}});
  std::ofstream(file, std::ios::binary) << from_base64(answer.value("data", ""));
}

}  // namespace cairn
