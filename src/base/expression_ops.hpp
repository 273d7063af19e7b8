// The instructions of functions of time, shared by the parser, the evaluator and the bounds.
#pragma once

#include "cairn/expression.hpp"

namespace cairn {

enum class TimeFunction::Op : std::uint8_t {
  // clang-format off
  number, time,
  negate, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, floor, ceil, sign, step,
  add, subtract, multiply, divide, power, atan2, min, max, less, less_equal, greater, greater_equal,
  select,
  // clang-format on
};

}  // namespace cairn
