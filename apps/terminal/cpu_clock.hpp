// CPU time of the calling thread, for Simulator::set_clock().
#pragma once

#include <ctime>

namespace cairn::app {

inline double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace cairn::app
