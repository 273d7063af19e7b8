// Ctrl-C and SIGTERM: the first asks the work to end soon, inside a long solve as well, the second
// ends the program at once.
#pragma once

#include "cairn/solver.hpp"

namespace cairn::app {

void watch_signals();
int received_signal();  // SIGINT, SIGTERM or 0
Interrupt on_signal();  // a solve ends when one is received

// What every command wants: a closed pipe or a file beyond the limit of the process is an error of
// write(), not a death; a failed check is exit code 1.
void set_up_signals();

}  // namespace cairn::app
