#include "cairn/solution.hpp"

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
    case Law::disc:
      return "disc";
  }
  return "";
}

const char* name(SolveStatus status) {
  switch (status) {
    case SolveStatus::solved:
      return "certified";
    case SolveStatus::not_certified:
      return "uncertified";
    case SolveStatus::interrupted:
      return "interrupted";
    case SolveStatus::ray:
      return "ray";
    case SolveStatus::internal_error:
      return "internal_error";
  }
  return "";
}

}  // namespace cairn
