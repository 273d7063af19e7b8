// fork, exec, wait.
#include "fuzz/program.hpp"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cairn::fuzz {
namespace {

constexpr std::chrono::seconds short_enough{2}, patience{120};
constexpr rlim_t cpu_seconds =
    12;  // a busy machine is no fault of the program: its own time counts

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr rlim_t memory = RLIM_INFINITY;  // their shadow memory needs terabytes of addresses
#else
constexpr rlim_t memory = rlim_t{2} << 30;  // [bytes]
#endif

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

[[noreturn]] void become(std::vector<std::string> words, const std::string& out,
                         const std::string& err) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(::open(out.c_str(), flags, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), flags, 0600), STDERR_FILENO);
  const rlimit limit{memory, memory}, time{cpu_seconds, cpu_seconds + 1}, no_core{0, 0};
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_AS, &limit);
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

Outcome call(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& folder) {
  const std::string out = folder + "/stdout", err = folder + "/stderr";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t child = ::fork();
  if (child == 0) become(words, out, err);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Outcome outcome;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    const auto elapsed = Clock::now() - start;
    if (!outcome.asked && elapsed > short_enough) {
      outcome.asked = true;
      ::kill(child, SIGTERM);
    }
    if (!outcome.hung && elapsed > short_enough + patience) {
      outcome.hung = true;
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  outcome.hung = outcome.hung || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.out = text_of(out);
  outcome.err = text_of(err);
  return outcome;
}

}  // namespace cairn::fuzz
