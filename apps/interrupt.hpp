// Ctrl-C and SIGTERM: the first asks the run to end after the step at hand, the second ends the
// program at once.
#pragma once

namespace cairn::app {

void watch_signals();
int received_signal();  // SIGINT, SIGTERM or 0

// What every command wants: a closed pipe is an error of write(), not a death; a failed check is
// exit code 1.
void set_up_signals();

}  // namespace cairn::app
