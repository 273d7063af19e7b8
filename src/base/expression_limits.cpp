// One-sided limits of a function of time and of its slope (E660): values with derivatives,
// instruction by instruction; where an instruction jumps or bends, the derivative of its operand
// tells on which side of the place the limit is taken.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "cairn/expression.hpp"

namespace cairn {
namespace {

using Side = TimeFunction::Side;
using Limit = TimeFunction::Limit;

// How t is approached, and the pieces that were taken on the way.
struct Approach {
  Side side;
  double within;  // [s]
  std::uint64_t pieces = 0;

  // Of Fowler, Noll and Vo.
  void note(std::int64_t piece) {
    pieces = (pieces ^ static_cast<std::uint64_t>(piece)) * 0x100000001b3U;
  }

  // x passes zero at t, up to the rounding of what it is the difference of.
  bool passes_zero(const Limit& x, double size) const {
    constexpr double rounding = 0x1p-50;
    return x.slope != 0 && std::abs(x.value) <= std::abs(x.slope) * within + rounding * size;
  }
  bool above(const Limit& x) const { return (x.slope > 0) == (side == Side::right); }

  // On which side of zero x lies just beside t: -1, 0 or 1.
  int sign(const Limit& x, double size = 0) {
    const int here = x.value > 0 ? 1 : x.value < 0 ? -1 : 0;
    const int beside = passes_zero(x, size) ? (above(x) ? 1 : -1) : here;
    note(beside);
    return beside;
  }
  // The same of a - b.
  int compare(const Limit& a, const Limit& b) {
    return sign({a.value - b.value, a.slope - b.slope}, std::abs(a.value) + std::abs(b.value));
  }
};

double rounded(Approach& to, const Limit& a, bool up) {
  const double n = std::round(a.value);
  double whole = up ? std::ceil(a.value) : std::floor(a.value);
  if (to.passes_zero({a.value - n, a.slope}, std::abs(n)))
    whole = up ? (to.above(a) ? n + 1 : n) : (to.above(a) ? n : n - 1);
  to.note(static_cast<std::int64_t>(std::clamp(whole, -0x1p62, 0x1p62)));
  return whole;
}

Limit arc_tangent(Approach& to, const Limit& y, const Limit& x) {
  const double square = x.value * x.value + y.value * y.value;
  const double slope = (y.slope * x.value - x.slope * y.value) / square;
  double value = std::atan2(y.value, x.value);
  // Across the cut along the negative axis the value jumps by a whole turn.
  if (x.value < 0) {
    const int above = to.sign(y);
    if (above > 0 && value < 0) value += 2 * std::numbers::pi;
    if (above < 0 && value > 0) value -= 2 * std::numbers::pi;
  }
  return {value, slope};
}

Limit power(const Limit& a, const Limit& b) {
  const double value = std::pow(a.value, b.value);
  double slope = 0;
  if (a.slope != 0) slope += b.value * std::pow(a.value, b.value - 1) * a.slope;
  if (b.slope != 0) slope += value * std::log(a.value) * b.slope;
  return {value, slope};
}

}  // namespace

TimeFunction::Limit TimeFunction::limit(double t, Side side, double within) const {
  std::uint64_t pieces = 0;
  return evaluate_beside(t, side, within, pieces);
}

double TimeFunction::first_kink(double t0, double t1) const {
  if (!kinks_) return t1;
  std::uint64_t first = 0, last = 0;
  const double within = 0x1p-20 * (t1 - t0);
  evaluate_beside(t0, Side::right, within, first);
  evaluate_beside(t1, Side::left, within, last);
  if (first == last) return t1;
  double lo = t0, hi = t1;
  while (true) {
    const double middle = lo + (hi - lo) / 2;
    if (!(middle > lo && middle < hi)) return hi;
    evaluate_beside(middle, Side::right, 0, last);
    (first == last ? lo : hi) = middle;
  }
}

TimeFunction::Limit TimeFunction::evaluate_beside(double t, Side side, double within,
                                                  std::uint64_t& pieces) const {
  Approach to{side, within};
  std::array<Limit, stack_size> stack;
  std::size_t top = 0;
  for (const Instruction& i : code_) {
    if (i.op <= Op::time) {
      stack[top++] = i.op == Op::number ? Limit{i.value, 0} : Limit{t, 1};
      continue;
    }
    if (i.op == Op::select) {
      top -= 2;
      stack[top - 1] = stack[top - 1].value != 0 ? stack[top] : stack[top + 1];
      continue;
    }
    const Limit b = stack[top - 1];
    if (i.op >= Op::add) --top;
    Limit& a = stack[top - 1];
    const double x = a.value, d = a.slope;
    switch (i.op) {
      case Op::negate:
        a = {-x, -d};
        break;
      case Op::sin:
        a = {std::sin(x), std::cos(x) * d};
        break;
      case Op::cos:
        a = {std::cos(x), -std::sin(x) * d};
        break;
      case Op::tan:
        a = {std::tan(x), d / (std::cos(x) * std::cos(x))};
        break;
      case Op::asin:
        a = {std::asin(x), d / std::sqrt(1 - x * x)};
        break;
      case Op::acos:
        a = {std::acos(x), -d / std::sqrt(1 - x * x)};
        break;
      case Op::atan:
        a = {std::atan(x), d / (1 + x * x)};
        break;
      case Op::sinh:
        a = {std::sinh(x), std::cosh(x) * d};
        break;
      case Op::cosh:
        a = {std::cosh(x), std::sinh(x) * d};
        break;
      case Op::tanh:
        a = {std::tanh(x), d / (std::cosh(x) * std::cosh(x))};
        break;
      case Op::exp:
        a = {std::exp(x), std::exp(x) * d};
        break;
      case Op::log:
        a = {std::log(x), d / x};
        break;
      case Op::sqrt:
        a = {std::sqrt(x), d == 0 ? 0 : d / (2 * std::sqrt(x))};
        break;
      case Op::abs:
        a = {std::abs(x), to.sign(a) * d};
        break;
      case Op::floor:
        a = {rounded(to, a, false), 0};
        break;
      case Op::ceil:
        a = {rounded(to, a, true), 0};
        break;
      case Op::sign:
        a = {static_cast<double>(to.sign(a)), 0};
        break;
      case Op::step:
        a = {to.sign(a) >= 0 ? 1.0 : 0.0, 0};
        break;
      case Op::add:
        a = {x + b.value, d + b.slope};
        break;
      case Op::subtract:
        a = {x - b.value, d - b.slope};
        break;
      case Op::multiply:
        a = {x * b.value, d * b.value + x * b.slope};
        break;
      case Op::divide:
        a = {x / b.value, (d - x / b.value * b.slope) / b.value};
        break;
      case Op::power:
        a = power(a, b);
        break;
      case Op::atan2:
        a = arc_tangent(to, a, b);
        break;
      case Op::min:
        a = to.compare(a, b) <= 0 ? a : b;
        break;
      case Op::max:
        a = to.compare(a, b) >= 0 ? a : b;
        break;
      case Op::less:
        a = {to.compare(a, b) < 0 ? 1.0 : 0.0, 0};
        break;
      case Op::less_equal:
        a = {to.compare(a, b) <= 0 ? 1.0 : 0.0, 0};
        break;
      case Op::greater:
        a = {to.compare(a, b) > 0 ? 1.0 : 0.0, 0};
        break;
      case Op::greater_equal:
        a = {to.compare(a, b) >= 0 ? 1.0 : 0.0, 0};
        break;
      case Op::number:
      case Op::time:
      case Op::select:
        break;  // done above
    }
  }
  pieces = to.pieces;
  return stack[0];
}

}  // namespace cairn
