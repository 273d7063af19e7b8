// Starts Chromium with software rendering in a profile of its own.
#include "viewer/browser.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cairn {
namespace {

namespace fs = std::filesystem;

constexpr int limit_seconds = 240;  // a busy machine without a graphics card may need a minute

// Waits for the process; ends it and its children when the time is over.
bool wait_for(pid_t child) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(limit_seconds);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ::kill(-child, SIGKILL);  // helpers that outlive it
  return true;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

}  // namespace

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> browser_words(const std::string& browser, const std::string& folder,
                                       int width, int height) {
  return {browser,
          "--headless=new",
          "--no-sandbox",
          "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--user-data-dir=" + folder + "/profile",
          "--window-size=" + std::to_string(width) + "," + std::to_string(height)};
}

std::string find_browser() {
  if (const char* chosen = std::getenv("CAIRN_BROWSER")) return chosen;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  return "";
}

Visit open_page(const std::string& browser, const std::string& address, int width) {
  static int number = 0;
  const fs::path folder =
      fs::temp_directory_path() /
      ("cairn_browser_" + std::to_string(::getpid()) + "_" + std::to_string(number++));
  fs::create_directories(folder);
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  std::vector<std::string> words = browser_words(browser, folder.string(), width, 600);
  for (const std::string& word :
       {std::string("--enable-logging=stderr"), std::string("--virtual-time-budget=5000"),
        std::string("--dump-dom"), address})
    words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
    ::dup2(::open(out.c_str(), flags, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), flags, 0600), STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  Visit visit;
  visit.ended = child > 0 && wait_for(child);
  visit.dom = read(out);
  std::istringstream lines(read(err));
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) visit.console += line + "\n";
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return visit;
}

std::string text_of(const std::string& dom, const std::string& id) {
  const std::size_t at = dom.find("id=\"" + id + "\"");
  if (at == std::string::npos) return "";
  const std::size_t begin = dom.find('>', at) + 1, end = dom.find('<', begin);
  std::string text = dom.substr(begin, end - begin);
  replace(text, "&lt;", "<");
  replace(text, "&gt;", ">");
  replace(text, "&quot;", "\"");
  replace(text, "&nbsp;", "\xC2\xA0");
  replace(text, "&amp;", "&");
  return text;
}

}  // namespace cairn
