// Talking to the user: results on stdout, errors and progress on stderr.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "cairn/error.hpp"

namespace cairn::app {

void print(const std::string& text);  // a result, on stdout
void warn(const std::string& text);   // a line on stderr

// Prints every error; returns the exit code of the first one's kind.
int report(const Errors& errors);

// Hands stdout to the operating system. A reader that went away (a closed pipe) is no failure; any
// other fault is reported and gives exit_io, else `code` is returned.
int finish_output(int code);

// A word that a shell reads as one word.
std::string shell_word(const std::string& word);

// A name of a file or a body as one line: control characters and marks of the writing direction
// would let it paint the terminal.
std::string printable(const std::string& name);

// One line on a terminal, redrawn at most ten times a second; silent where stderr is no terminal.
class Progress {
 public:
  Progress(std::int64_t steps, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::int64_t step, double t, int contacts, double worst);

 private:
  using Clock = std::chrono::steady_clock;
  std::int64_t steps_;
  bool active_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace cairn::app
