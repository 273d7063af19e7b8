// Ctrl-C during a computation that holds no lock of the interpreter: looked for every 50 ms.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

namespace cairn::python {

class Signals {
 public:
  // Whether a signal handler of Python raised; its exception stays set in this thread. Needs no lock.
  bool raised() {
    if (raised_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(50)) return false;
    asked_ = now;
    const pybind11::gil_scoped_acquire acquired;
    raised_ = PyErr_CheckSignals() != 0;
    return raised_;
  }
  // As cairn::Interrupt asks; the context is a Signals.
  static bool asked(void* context) { return static_cast<Signals*>(context)->raised(); }

  // Passes the exception on. Needs the lock.
  void rethrow() {
    if (!raised_) return;
    raised_ = false;
    throw pybind11::error_already_set();
  }

 private:
  std::chrono::steady_clock::time_point asked_{};
  bool raised_ = false;
};

}  // namespace cairn::python
