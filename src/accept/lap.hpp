// CPU time of the parts of a function. Reads a clock, if there is one; adds to figures.
#pragma once

namespace cairn::accept {

// Time from one end() to the next.
class Lap {
 public:
  explicit Lap(double (*clock)()) : clock_(clock), last_(clock ? clock() : 0) {}

  void end(double& seconds) {
    if (!clock_) return;
    const double now = clock_();
    seconds += now - last_;
    last_ = now;
  }

 private:
  double (*clock_)();
  double last_;
};

}  // namespace cairn::accept
