// `cairn view --serve` as a process of its own, with the address that it prints.
#pragma once

#include <csignal>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace cairn {

class LiveProgram {
 public:
  explicit LiveProgram(const std::string& scene) {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::execl(CAIRN_PROGRAM, CAIRN_PROGRAM, "view", "--serve", scene.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(pipe[1]);
    std::string line;
    for (char c = 0; ::read(pipe[0], &c, 1) == 1 && c != '\n';) line += c;
    const std::size_t at = line.find("http://");
    if (at != std::string::npos) address_ = line.substr(at);
    ::close(pipe[0]);
  }
  ~LiveProgram() {
    if (child_ > 0) end(SIGKILL);
  }
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

  const std::string& address() const { return address_; }  // empty: it did not start

  // Sends a signal and gives back the exit code; -1 if it was killed by a signal.
  int end(int signal) {
    ::kill(child_, signal);
    int status = 0;
    ::waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t child_ = -1;
  std::string address_;
};

}  // namespace cairn
