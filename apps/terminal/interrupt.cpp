// Signal handlers; they touch nothing but one flag and _exit.
#include "terminal/interrupt.hpp"

#include <csignal>
#include <unistd.h>

#include "commands/commands.hpp"

namespace cairn::app {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void on_interrupt(int signal) {
  if (received != 0) ::_exit(exit_signal + signal);
  received = signal;
}

extern "C" void on_abort(int) {
  ::_exit(exit_bug);
}

}  // namespace

void watch_signals() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

int received_signal() {
  return received;
}

Interrupt on_signal() {
  return {.asked = [](void*) { return received != 0; }};
}

void set_up_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGABRT, on_abort);
}

}  // namespace cairn::app
