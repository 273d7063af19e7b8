#include "render/child.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace cairn::app {
namespace {

struct Pipe {
  int ours = -1, theirs = -1, target = -1;
};

// In the child between fork and exec: the pipes become the descriptors that were asked for.
[[noreturn]] void become(std::vector<char*>& argv, const std::vector<Pipe>& pipes) {
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDWR);
  std::vector<int> far;  // out of the way of the targets
  for (const Pipe& pipe : pipes) far.push_back(::fcntl(pipe.theirs, F_DUPFD, 64));
  for (int standard = 0; standard < 3; ++standard) ::dup2(nothing, standard);
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    ::dup2(far[i], pipes[i].target);
    ::close(far[i]);
  }
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const std::string& name : names) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  return "";
}

Child start_child(const std::vector<std::string>& words, const std::vector<int>& inputs,
                  const std::vector<int>& outputs) {
  std::vector<Pipe> pipes;
  const auto close_all = [&](bool ours) {
    for (const Pipe& pipe : pipes) {
      ::close(pipe.theirs);
      if (ours) ::close(pipe.ours);
    }
  };
  for (std::size_t i = 0; i < inputs.size() + outputs.size(); ++i) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      close_all(true);
      return {};
    }
    if (i < inputs.size())
      pipes.push_back({ends[1], ends[0], inputs[i]});
    else
      pipes.push_back({ends[0], ends[1], outputs[i - inputs.size()]});
  }
  std::vector<std::string> copies = words;
  std::vector<char*> argv;
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  Child child;
  child.pid = ::fork();
  if (child.pid == 0) become(argv, pipes);
  close_all(child.pid < 0);
  if (child.pid < 0) return {};
  for (const Pipe& pipe : pipes) child.pipes.push_back(pipe.ours);
  return child;
}

int end_child(pid_t pid, int seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ::kill(-pid, SIGKILL);
      ::waitpid(pid, &status, 0);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ::kill(-pid, SIGKILL);  // helpers that outlive it
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace cairn::app
