#include "cairn/problem.hpp"

namespace cairn {

const char* name(Law law) {
  switch (law) {
    case Law::equality:
      return "equality";
    case Law::nonnegative:
      return "nonnegative";
    case Law::box:
      return "box";
    case Law::coulomb:
      return "coulomb";
    case Law::coulomb_relaxed:
      return "coulomb_relaxed";
  }
  return "";
}

}  // namespace cairn
