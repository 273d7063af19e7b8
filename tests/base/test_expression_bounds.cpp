// Enclosures of functions of time: no value and no slope of a random expression lies outside.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "cairn/expression.hpp"

namespace cairn::test_expression_bounds {
namespace {

// A random expression of depth at most `depth`.
std::string random_text(std::mt19937_64& random, int depth) {
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0) {
    static const char* leaves[] = {"t", "t", "2", "0.3", "pi", "-1.5"};
    return leaves[pick(6)];
  }
  const std::string a = random_text(random, depth - 1), b = random_text(random, depth - 1);
  static const char* unary[] = {"sin",  "cos",   "tan",  "asin", "acos", "atan",
                                "sinh", "cosh",  "tanh", "exp",  "log",  "sqrt",
                                "abs",  "floor", "ceil", "sign", "step"};
  static const char* binary[] = {"+", "-", "*", "/", "^"};
  switch (pick(4)) {
    case 0:
      return std::string(unary[pick(17)]) + "(" + a + ")";
    case 1:
      return "(" + a + ")" + binary[pick(5)] + "(" + b + ")";
    case 2:
      return std::string(pick(2) ? "min" : "max") + "(" + a + "," + b + ")";
    default:
      return "if(" + a + (pick(2) ? "<" : ">=") + b + "," + a + "," + b + ")";
  }
}

TEST(ExpressionBounds, EncloseEveryValueOfRandomExpressions) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  int bounded = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = random_text(random, 1 + i % 4);
    const TimeFunction f = TimeFunction::parse(text).value();
    const double t0 = 6 * unit(random) - 3, length = unit(random) * unit(random);
    const TimeFunction::Enclosure all = f.over(t0, t0 + length);
    const double dt = length / 64, a = f(t0), b = f(t0 + length);
    bounded += std::isfinite(all.hi - all.lo) ? 1 : 0;
    double last = a;
    for (int k = 0; k <= 64; ++k) {
      const double value = f(t0 + k * dt);
      if (!std::isfinite(value)) continue;
      EXPECT_GE(value, all.lo) << text;
      EXPECT_LE(value, all.hi) << text;
      // The mean slope of a stretch is a value of the derivative; rounding of the values counts.
      const double noise = 1e-15 * (1 + std::abs(value) + std::abs(last)) / dt;
      if (k > 0 && std::isfinite(last) && std::isfinite(all.slope_lo)) {
        EXPECT_GE((value - last) / dt, all.slope_lo - noise) << text << " at " << t0 + k * dt;
        EXPECT_LE((value - last) / dt, all.slope_hi + noise) << text << " at " << t0 + k * dt;
      }
      const double chord = a + (b - a) * k / 64;
      if (std::isfinite(chord) && std::isfinite(all.from_chord(length))) {
        EXPECT_LE(std::abs(value - chord), all.from_chord(length) * (1 + 1e-12) + noise * dt)
            << text;
      }
      last = value;
    }
  }
  EXPECT_GT(bounded, 2000);
}

//   sin over one period: a blade that is where it was, and was everywhere in between
TEST(ExpressionBounds, SeeMotionThatIsPeriodicInTheStep) {
  const TimeFunction f = TimeFunction::parse("0.2*sin(2*pi*t/0.01)").value();
  const TimeFunction::Enclosure all = f.over(0, 0.01);
  EXPECT_GE(all.hi, 0.2);
  EXPECT_LE(all.lo, -0.2);
  EXPECT_GE(all.from_chord(0.01), 0.2);
  // A hundredth of the period is a curve of second order: h^2 max|f''| / 8 is its sagitta.
  const double h = 1e-4, second = 0.2 * std::pow(2 * std::numbers::pi / 0.01, 2);
  EXPECT_LE(f.over(0.0025, 0.0025 + h).from_chord(h), 2.1 * h * h * second / 8);
}

}  // namespace
}  // namespace cairn::test_expression_bounds
