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
  bool is_constant() const;                  // no t in it
  bool has_kinks() const { return kinks_; }  // may jump or bend: if, step, sign, floor, abs, ...

  // One-sided limits of the function and of its slope at t (E660). A jump or bend at most `within`
  // away counts as one at t, so that times which are sums of steps meet it.
  enum class Side : std::uint8_t { left, right };
  struct Limit {
    double value = 0, slope = 0;
  };
  Limit limit(double t, Side side, double within) const;

  // The first time in (t0, t1) at which the function passes from one of its pieces to another, t1
  // if there is none. Pieces that are entered and left again between both are not seen.
  double first_kink(double t0, double t1) const;

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
  // Which piece of every instruction that bends applies, as one number.
  Limit evaluate_beside(double t, Side side, double within, std::uint64_t& pieces) const;

  std::string text_;
  bool kinks_ = false;
  friend class ExpressionParser;
};

}  // namespace cairn
