// Two numbers side by side: every processor multiplies and adds them at once, and in the same order
// on each machine.
#pragma once

#include <cstring>

namespace cairn::linear {

using NumberPair = double __attribute__((vector_size(16)));

inline NumberPair load_pair(const double* from) {
  NumberPair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

inline void store_pair(const NumberPair& pair, double* to) {
  std::memcpy(to, &pair, sizeof pair);
}

inline NumberPair both(double x) {
  return NumberPair{x, x};
}

}  // namespace cairn::linear
