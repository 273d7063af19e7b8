// The caller's wish to end a solve (Interrupt), as islands and what is made of them pass it on to
// the loops of the methods.
#pragma once

#include "cairn/solver.hpp"

namespace cairn::solver {

// Remembers a yes: from then on nothing more is tried.
class StopSignal {
 public:
  void begin(const Interrupt& interrupt) {
    interrupt_ = interrupt;
    stopped_ = false;
  }
  bool ask() {
    if (!stopped_ && interrupt_.asked) stopped_ = interrupt_.asked(interrupt_.context);
    return stopped_;
  }
  bool stopped() const { return stopped_; }

 private:
  Interrupt interrupt_;
  bool stopped_ = false;
};

struct Interruptible {
  StopSignal* stop = nullptr;
  bool interrupted() const { return stop && stop->ask(); }
};

}  // namespace cairn::solver
