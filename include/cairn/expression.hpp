// A scalar function of time: a constant, or an expression such as "3*sin(pi*t)".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/error.hpp"

namespace cairn {

// Grammar: + - * / ^ (right associative), unary -, parentheses, t, pi, e, numbers, and the
// functions sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs floor ceil sign min
// max step(x) (1 for x >= 0, else 0), and if(condition, a, b) with < <= > >= ; evaluation allocates
// nothing and is safe from several threads.
class TimeFunction {
 public:
  TimeFunction(double constant = 0);  // NOLINT: a number is a function of time
  static Result<TimeFunction> parse(const std::string& text);

  double operator()(double t) const;
  bool is_constant() const;  // no t in it

  // Bounds of the function and of its slope over all of [t0, t1]; infinite where there are none.
  struct Enclosure {
    double lo = 0, hi = 0;
    double slope_lo = 0, slope_hi = 0;

    // Largest distance from the chord between the two ends, `length` apart.
    double from_chord(double length) const;
  };
  Enclosure over(double t0, double t1) const;

  const std::string& text() const {
    return text_;
  }  // as the user wrote it; empty for a plain number

 private:
  enum class Op : std::uint8_t {
    // clang-format off
    number, time,
    negate, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, floor, ceil, sign, step,
    add, subtract, multiply, divide, power, atan2, min, max, less, less_equal, greater, greater_equal,
    select,
    // clang-format on
  };
  static constexpr int stack_size = 96;  // values alive at once in an evaluation
  struct Instruction {
    Op op;
    double value;
  };
  std::vector<Instruction> code_;  // reverse Polish
  std::string text_;
  friend class ExpressionParser;
};

}  // namespace cairn
