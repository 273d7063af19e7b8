// Computations that hold no lock of the interpreter: Ctrl-C is looked for every 50 ms, and the end
// of the interpreter waits for them, since a thread that comes back to an interpreter that is gone
// would be killed in the middle of C++.
#pragma once

#include <atomic>
#include <chrono>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace cairn::python {

// One call that computes. Needs the lock.
class Computation {
 public:
  Computation() {
    if (ending) throw std::runtime_error("the interpreter is ending");
    ++running;
  }
  ~Computation() { --running; }
  Computation(const Computation&) = delete;

  static inline std::atomic<bool> ending{false};
  static inline std::atomic<int> running{0};
};

class Signals {
 public:
  // Whether a signal handler of Python raised, or the interpreter ends. Its exception stays set in
  // this thread. Needs no lock.
  bool raised() {
    if (raised_ || Computation::ending) return true;
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
    if (raised_) {
      raised_ = false;
      throw pybind11::error_already_set();
    }
    if (Computation::ending) throw std::runtime_error("the interpreter is ending");
  }

 private:
  std::chrono::steady_clock::time_point asked_{};
  bool raised_ = false;
};

}  // namespace cairn::python
