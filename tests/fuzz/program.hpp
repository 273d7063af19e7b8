// One call of the program under test, with limits.
#pragma once

#include <string>
#include <vector>

namespace cairn::fuzz {

struct Outcome {
  int code = 0;          // exit code; minus the signal that ended it
  bool asked = false;    // SIGTERM was sent, as the run took longer than a case should
  bool hung = false;     // did not end within 12 s of CPU time, or two minutes, in spite of that
  std::string out, err;  // what it printed
};

// Runs the program with its output in files in `folder`. After two seconds it is asked to end.
Outcome call(const std::string& program, const std::vector<std::string>& arguments,
             const std::string& folder);

}  // namespace cairn::fuzz
