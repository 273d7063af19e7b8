// Other programs as children: found in PATH, started with pipes, ended.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace cairn::app {

// The first of the names that is a program in a folder of PATH, or "".
std::string find_program(const std::vector<std::string>& names);

// Starts a program in a process group of its own. `inputs` and `outputs` are descriptors of the
// child that become the ends of pipes; our ends are returned in that order. Standard streams that
// are not named go to the null device. pid is -1 if it fails, errno says why.
struct Child {
  pid_t pid = -1;
  std::vector<int> pipes;  // ours: first to write, then to read
};
Child start_child(const std::vector<std::string>& words, const std::vector<int>& inputs,
                  const std::vector<int>& outputs);

// Waits up to `seconds`, then ends it and all its children; its exit code, or -1.
int end_child(pid_t pid, int seconds);

}  // namespace cairn::app
