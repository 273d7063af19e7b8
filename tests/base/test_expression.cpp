// Functions of time: values against the standard library, precedence, and the place of every kind
// of fault.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

#include "base/suggestion.hpp"
#include "cairn/expression.hpp"

namespace cairn::test_expression {
namespace {

constexpr double pi = std::numbers::pi;

double value(const std::string& text, double t) {
  const Result<TimeFunction> f = TimeFunction::parse(text);
  EXPECT_TRUE(f.has_value()) << text << ": " << (f ? "" : f.error()[0].text());
  return f ? (*f)(t) : std::nan("");
}

Error fault(const std::string& text) {
  const Result<TimeFunction> f = TimeFunction::parse(text);
  EXPECT_FALSE(f.has_value()) << text;
  return f ? Error{} : f.error().front();
}

// The parser adds no rounding of its own: results equal those of the same C++ expression bit for
// bit.
TEST(Expression, ValuesEqualTheStandardFunctions) {
  const std::vector<std::pair<std::string, std::function<double(double)>>> cases = {
      {"3*sin(pi*t)", [](double t) { return 3 * std::sin(pi * t); }},
      {"8*cos(t)", [](double t) { return 8 * std::cos(t); }},
      {"tan(t) + asin(t/9) - acos(t/9)",
       [](double t) { return std::tan(t) + std::asin(t / 9) - std::acos(t / 9); }},
      {"atan(t)*atan2(t, 2)", [](double t) { return std::atan(t) * std::atan2(t, 2); }},
      {"sinh(t) - cosh(t) * tanh(t)",
       [](double t) { return std::sinh(t) - std::cosh(t) * std::tanh(t); }},
      {"exp(-t^2)", [](double t) { return std::exp(-std::pow(t, 2)); }},
      {"log(abs(t) + 1) / sqrt(abs(t) + e)",
       [](double t) {
         return std::log(std::abs(t) + 1) / std::sqrt(std::abs(t) + std::numbers::e);
       }},
      {"floor(t) + ceil(t)", [](double t) { return std::floor(t) + std::ceil(t); }},
      {"min(t, 1) - max(t, -1)", [](double t) { return std::min(t, 1.0) - std::max(t, -1.0); }},
      {"1.5e-3*t", [](double t) { return 1.5e-3 * t; }},
      {"if(t < 1, t, 2 - t)", [](double t) { return t < 1 ? t : 2 - t; }},
      {"if(t >= 0.5, 1/t, 7)", [](double t) { return t >= 0.5 ? 1 / t : 7; }},
  };
  for (const auto& [text, expected] : cases)
    for (const double t : {-2.5, -1.0, 0.0, 0.25, 0.5, 1.0, 3.75})
      EXPECT_EQ(value(text, t), expected(t)) << text << " at " << t;
}

TEST(Expression, PrecedenceIsThatOfMathematics) {
  EXPECT_EQ(value("2+3*4", 0), 14);
  EXPECT_EQ(value("(2+3)*4", 0), 20);
  EXPECT_EQ(value("2^3^2", 0), 512);  // right associative
  EXPECT_EQ(value("-3^2", 0), -9);    // the power binds tighter than the sign
  EXPECT_EQ(value("2^-1", 0), 0.5);
  EXPECT_EQ(value("8/4/2", 0), 1);  // left associative
  EXPECT_EQ(value("7-4-2", 0), 1);
  EXPECT_EQ(value("--2", 0), 2);
  EXPECT_EQ(value("6/3*2", 0), 4);
}

TEST(Expression, StepAndSignAreDefinedAtZero) {
  EXPECT_EQ(value("step(t)", 0), 1);
  EXPECT_EQ(value("step(t)", -1e-300), 0);
  EXPECT_EQ(value("sign(t)", 0), 0);
  EXPECT_EQ(value("sign(t)", -5), -1);
  EXPECT_EQ(value("if(t <= 0, 1, 2)", 0), 1);
  EXPECT_EQ(value("if(t > 0, 1, 2)", 0), 2);
}

// The branch that is not taken does not spoil the value.
TEST(Expression, UntakenBranchMayDivideByZero) {
  EXPECT_EQ(value("if(t < 1, 5, 1/t)", 0), 5);
}

TEST(Expression, ConstantsKnowThatTheyAreConstant) {
  EXPECT_TRUE(TimeFunction(2.5).is_constant());
  EXPECT_TRUE(TimeFunction(2.5).text().empty());
  EXPECT_EQ(TimeFunction(2.5)(17), 2.5);
  EXPECT_EQ(TimeFunction()(1), 0);
  EXPECT_TRUE(TimeFunction::parse("2*pi")->is_constant());
  EXPECT_FALSE(TimeFunction::parse("0*t")->is_constant());
  EXPECT_EQ(TimeFunction::parse(" 2 * t ")->text(), " 2 * t ");
}

TEST(Expression, FaultsHaveAColumn) {
  struct Case {
    std::string text;
    int column;
    ErrorCode code;
  };
  const std::vector<Case> cases = {
      {"", 1, ErrorCode::syntax},
      {"3*", 3, ErrorCode::syntax},
      {"3*sin(t", 8, ErrorCode::syntax},
      {"(1+2", 5, ErrorCode::syntax},
      {"1 2", 3, ErrorCode::syntax},
      {"sin t", 5, ErrorCode::syntax},
      {"atan2(t)", 8, ErrorCode::syntax},
      {"if(t, 1, 2)", 5, ErrorCode::syntax},
      {"1+1e999", 3, ErrorCode::out_of_range},
      {"2*sine(t)", 3, ErrorCode::unknown_name},
      {"t < 1", 3, ErrorCode::syntax},
      {"3 + $", 5, ErrorCode::syntax},
      {"max(1,2,3)", 8, ErrorCode::syntax},
      {"+1", 1, ErrorCode::syntax},
  };
  for (const auto& [text, column, code] : cases) {
    const Error error = fault(text);
    EXPECT_EQ(error.column, column) << text << ": " << error.what;
    EXPECT_EQ(error.code, code) << error.what;
  }
}

TEST(Expression, UnknownNamesGetASuggestionAndTheList) {
  const Error error = fault("2*sine(t)");
  EXPECT_NE(error.fix.find("'sin'"), std::string::npos);
  EXPECT_NE(error.allowed.find("atan2"), std::string::npos);
  EXPECT_NE(fault("sqr(t)").fix.find("'sqrt'"), std::string::npos);
}

// Hostile input ends in an error, never in a deep recursion or a stack overrun.
TEST(Expression, DepthIsBounded) {
  EXPECT_EQ(fault(std::string(200, '(') + "t" + std::string(200, ')')).code, ErrorCode::too_deep);
  EXPECT_EQ(fault(std::string(4000, '-') + "t").code, ErrorCode::too_deep);
  EXPECT_EQ(fault(std::string(5000, '1')).code, ErrorCode::too_large);
  std::string towers = "1";
  for (int i = 0; i < 100; ++i) towers += "^1";
  EXPECT_EQ(fault(towers).code, ErrorCode::too_deep);
  // Each level keeps two values alive while the third argument is computed: 2 * 60 > 96.
  std::string deep = "t";
  for (int i = 0; i < 60; ++i) deep = "if(1<2,1," + deep + ")";
  EXPECT_EQ(fault(deep).code, ErrorCode::too_many);
  std::string sum = "0";
  for (int i = 0; i < 1000; ++i) sum += "+1";
  EXPECT_EQ(value(sum, 0), 1000);
}

TEST(Suggestion, NearNamesOnly) {
  constexpr std::array<std::string_view, 3> known = {"friction", "restitution", "radius"};
  EXPECT_EQ(base::nearest_name("fricton", known), "friction");
  EXPECT_EQ(base::nearest_name("raduis", known), "radius");
  EXPECT_EQ(base::nearest_name("colour", known), "");
  EXPECT_EQ(base::did_you_mean("zzz", known, "none"), "none");
}

// (E660): limits of both sides, at a time that misses the jump by rounding too.
TEST(Expression, OneSidedLimits) {
  struct Case {
    const char* text;
    double t, left, right, slope_left, slope_right;
  };
  const Case cases[] = {
      {"if(t < 1, 2*t, 5)", 1, 2, 5, 2, 0},   {"if(t >= 1, 5, 2*t)", 1, 2, 5, 2, 0},
      {"if(1 > t, 2*t, 5)", 1, 2, 5, 2, 0},   {"step(t - 0.3)", 0.3, 0, 1, 0, 0},
      {"step(0.3 - t)", 0.3, 1, 0, 0, 0},     {"floor(t/0.1)", 0.3, 2, 3, 0, 0},
      {"ceil(-t)", 2, -1, -2, 0, 0},          {"sign(sin(pi*t))", 3, 1, -1, 0, 0},
      {"t - floor(t)", 4, 1, 0, 1, 1},        {"abs(t - 2)", 2, 0, 0, -1, 1},
      {"min(t, 2 - t)", 1, 1, 1, 1, -1},      {"max(0, 3*(t - 1))", 1, 0, 0, 0, 3},
      {"atan2(1 - t, -1)", 1, pi, -pi, 1, 1}, {"sign(floor(t) - 2)", 2, -1, 0, 0, 0},
  };
  for (const Case& c : cases) {
    const TimeFunction f = TimeFunction::parse(c.text).value();
    EXPECT_TRUE(f.has_kinks());
    for (const double late : {0.0, 1e-15, -1e-15}) {
      const auto left = f.limit(c.t + late, TimeFunction::Side::left, 1e-9),
                 right = f.limit(c.t + late, TimeFunction::Side::right, 1e-9);
      EXPECT_NEAR(left.value, c.left, 1e-13) << c.text;
      EXPECT_NEAR(right.value, c.right, 1e-13) << c.text;
      EXPECT_NEAR(left.slope, c.slope_left, 1e-13) << c.text;
      EXPECT_NEAR(right.slope, c.slope_right, 1e-13) << c.text;
    }
    EXPECT_NEAR(f.first_kink(c.t - 0.0371, c.t + 0.0213), c.t, 1e-14) << c.text;
    EXPECT_EQ(f.first_kink(c.t, c.t + 0.0213), c.t + 0.0213) << c.text;
  }
}

// Slopes of smooth functions against differences; the values keep their bits.
TEST(Expression, SlopesOfSmoothFunctions) {
  for (const char* text : {"3*sin(pi*t)", "tan(t) + asin(t/9) - acos(t/9)", "atan(t)*atan2(t, 2)",
                           "sinh(t) - cosh(t) * tanh(t)", "exp(-t^2)", "log(t + 1) / sqrt(t + e)",
                           "t^3 - 2^t", "abs(t)*min(t, 5)"}) {
    const TimeFunction f = TimeFunction::parse(text).value();
    for (const double t : {0.25, 0.5, 1.3, 3.75}) {
      const auto at = f.limit(t, TimeFunction::Side::right, 1e-12);
      EXPECT_EQ(at.value, f(t)) << text;
      EXPECT_NEAR(at.slope, (f(t + 1e-5) - f(t - 1e-5)) / 2e-5, 1e-8 * (1 + std::abs(at.slope)))
          << text << " at " << t;
    }
  }
}

}  // namespace
}  // namespace cairn::test_expression
