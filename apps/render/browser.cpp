#include "render/browser.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "bytes/text_form.hpp"
#include "record/run/files.hpp"
#include "render/child.hpp"
#include "terminal/json.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

// A busy machine without a graphics card may need a minute.
constexpr int browser_limit_seconds = 180;

tl::unexpected<Errors> failed(ErrorCode code, const std::string& what, const std::string& fix) {
  Error error;
  error.kind = ErrorKind::io;
  error.code = code;
  error.what = what;
  error.fix = fix;
  return fail(error);
}

}  // namespace

struct Browser::Process {
  pid_t pid = -1;
  int in = -1, out = -1;  // we write, we read
  fs::path folder;        // its profile
  std::string session;    // of the page
  std::string buffer;     // read, not yet a whole message
  int calls = 0;

  ~Process() {
    if (pid > 0) {
      const std::string bye = R"({"id":0,"method":"Browser.close"})";
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(bye.c_str());
      const bool told = record::write_all(in, {bytes, bye.size() + 1}, "").has_value();
      end_child(pid, told ? 5 : 0);
    }
    if (in >= 0) ::close(in);
    if (out >= 0) ::close(out);
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
  }

  // The next message; events among them.
  Result<Json> receive() {
    while (buffer.find('\0') == std::string::npos) {
      pollfd ready = {out, POLLIN, 0};
      const int found = ::poll(&ready, 1, 1000 * browser_limit_seconds);
      if (found < 0 && errno == EINTR) continue;
      if (found == 0)
        return failed(ErrorCode::program_failed, "the browser does not answer",
                      "try again on a machine that is less busy");
      char part[65536];
      const ssize_t size = ::read(out, part, sizeof part);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0)
        return failed(ErrorCode::program_failed, "the browser has ended early",
                      "does it run with --headless=new?");
      buffer.append(part, static_cast<std::size_t>(size));
    }
    const std::size_t end = buffer.find('\0');
    Json message = Json::parse(buffer.substr(0, end), nullptr, false);
    buffer.erase(0, end + 1);
    if (message.is_discarded())
      return failed(ErrorCode::program_failed, "the browser's answer cannot be read",
                    "use another version of it");
    return message;
  }

  Result<Json> call(const char* method, const Json& parameters) {
    const int id = ++calls;
    Json message = {{"id", id}, {"method", method}, {"params", parameters}};
    if (!session.empty()) message["sessionId"] = session;
    const std::string line = message.dump();
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(line.c_str());
    if (Result<void> sent = record::write_all(in, {bytes, line.size() + 1}, "browser"); !sent)
      return tl::unexpected(sent.error());
    for (;;) {
      Result<Json> answer = receive();
      if (!answer) return answer;
      if (answer->value("id", 0) != id) continue;
      if (answer->contains("error"))
        return failed(ErrorCode::program_failed,
                      fmt::format("the browser refuses {}: {}", method,
                                  (*answer)["error"].value("message", "")),
                      "use another version of it");
      return (*answer)["result"];
    }
  }
};

Browser::Browser(std::unique_ptr<Process> process) : process_(std::move(process)) {}
Browser::~Browser() = default;
Browser::Browser(Browser&&) noexcept = default;
Browser& Browser::operator=(Browser&&) noexcept = default;

Result<Browser> Browser::start(int width, int height) {
  const char* chosen = std::getenv("CAIRN_BROWSER");
  const std::string program =
      chosen ? chosen : find_program({"chromium", "chromium-browser", "google-chrome"});
  if (program.empty() || ::access(program.c_str(), X_OK) != 0)
    return failed(ErrorCode::missing_program,
                  chosen ? fmt::format("CAIRN_BROWSER is no program: {}", chosen)
                         : "no Chromium here, which draws the pictures",
                  "install chromium (tools/dependencies viewer), or name one in CAIRN_BROWSER");
  auto process = std::make_unique<Process>();
  std::string folder = (fs::temp_directory_path() / "cairn_browser_XXXXXX").string();
  if (!::mkdtemp(folder.data())) return record::io_failure(folder, "create the folder");
  process->folder = folder;
  std::vector<std::string> words = {program,
                                    "--headless=new",
                                    "--use-angle=swiftshader",
                                    "--enable-unsafe-swiftshader",
                                    "--no-first-run",
                                    "--disable-background-networking",
                                    "--disable-component-update",
                                    "--disable-sync",
                                    "--hide-scrollbars",
                                    "--force-device-scale-factor=1",
                                    "--remote-debugging-pipe",
                                    "--user-data-dir=" + folder,
                                    fmt::format("--window-size={},{}", width, height)};
  if (::geteuid() == 0) words.push_back("--no-sandbox");  // root has none
  const Child child = start_child(words, {3}, {4});
  if (child.pid < 0) return record::io_failure(program, "start");
  process->pid = child.pid;
  process->in = child.pipes[0];
  process->out = child.pipes[1];

  const Result<Json> target = process->call("Target.createTarget", {{"url", "about:blank"}});
  if (!target) return tl::unexpected(target.error());
  const Result<Json> attached = process->call(
      "Target.attachToTarget", {{"targetId", (*target)["targetId"]}, {"flatten", true}});
  if (!attached) return tl::unexpected(attached.error());
  process->session = attached->value("sessionId", "");
  const Result<Json> sized = process->call(
      "Emulation.setDeviceMetricsOverride",
      {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  if (!sized) return tl::unexpected(sized.error());
  return Browser(std::move(process));
}

Result<void> Browser::open(const std::string& address, const std::string& ready) {
  const Result<Json> gone = process_->call("Page.navigate", {{"url", address}});
  if (!gone) return tl::unexpected(gone.error());
  for (int tries = 0; tries < 10 * browser_limit_seconds; ++tries) {
    const Result<Json> answer =
        process_->call("Runtime.evaluate", {{"expression", ready}, {"returnByValue", true}});
    if (!answer) return tl::unexpected(answer.error());
    if (answer->contains("result") && (*answer)["result"].value("value", Json()) == Json(true))
      return {};
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return failed(ErrorCode::program_failed, "the page does not start in the browser",
                "open it by hand: cairn view TRACE");
}

Result<std::string> Browser::evaluate(const std::string& expression) {
  const Result<Json> answer =
      process_->call("Runtime.evaluate",
                     {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->contains("exceptionDetails"))
    return failed(ErrorCode::program_failed,
                  "the page reports a fault: " + (*answer)["exceptionDetails"].value("text", ""),
                  "open it by hand: cairn view TRACE");
  return (*answer)["result"].value("value", Json()).dump();
}

Result<std::string> Browser::picture(const std::string& format, int quality) {
  Json wanted = {{"format", format}};
  if (format != "png") wanted["quality"] = quality;
  const Result<Json> answer = process_->call("Page.captureScreenshot", wanted);
  if (!answer) return tl::unexpected(answer.error());
  return bytes::from_base64(answer->value("data", ""));
}

}  // namespace cairn::app
