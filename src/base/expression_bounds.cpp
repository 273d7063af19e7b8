// Enclosures of a function of time and of its slope over an interval (E304): interval arithmetic
// with derivatives, instruction by instruction.
#include <array>

#include "base/interval.hpp"
#include "cairn/expression.hpp"

namespace cairn {
namespace {

using base::everything;
using base::Interval;

// A value and its derivative by time.
struct Bound {
  Interval value, slope;
};

constexpr Interval zero{0, 0};

// Where a function jumps, no slope bounds its change.
Bound jumps(const Interval& value) {
  return {value, value.is_point() ? zero : everything};
}

Bound power(const Bound& a, const Bound& b) {
  const bool whole =
      b.value.is_point() && b.value.lo == std::floor(b.value.lo) && std::abs(b.value.lo) <= 64;
  if (!whole) {
    if (!(a.value.lo > 0)) return {everything, everything};
    // a^b = exp(b log a)
    const Interval log_a = base::rising(a.value, [](double x) { return std::log(x); });
    const Interval exponent = b.value * log_a;
    const Interval value = base::rising(exponent, [](double x) { return std::exp(x); });
    return {value, value * (b.slope * log_a + b.value * a.slope * base::inverse(a.value))};
  }
  const int n = static_cast<int>(b.value.lo);
  auto raised = [&](int k) {
    Interval p{1, 1};
    // Even powers are not negative, which a product of intervals does not know.
    for (int i = 0; i < std::abs(k) / 2; ++i) {
      const Interval square = base::absolute(a.value) * base::absolute(a.value);
      p = p * square;
    }
    if (std::abs(k) % 2 == 1) p = p * a.value;
    return k < 0 ? base::inverse(p) : p;
  };
  const double factor = n;
  return {raised(n), n == 0 ? zero : Interval{factor, factor} * raised(n - 1) * a.slope};
}

// An operand without bounds may be no number at all, and what is chosen then is either.
bool unbounded(const Bound& a) {
  return !std::isfinite(a.value.lo) || !std::isfinite(a.value.hi);
}

Bound chosen(const Bound& a, const Bound& b, bool larger) {
  if (unbounded(a) || unbounded(b)) return {hull(a.value, b.value), everything};
  const bool a_above = a.value.lo >= b.value.hi, b_above = b.value.lo >= a.value.hi;
  if (a_above) return larger ? a : b;
  if (b_above) return larger ? b : a;
  const Interval value =
      larger ? Interval{std::max(a.value.lo, b.value.lo), std::max(a.value.hi, b.value.hi)}
             : Interval{std::min(a.value.lo, b.value.lo), std::min(a.value.hi, b.value.hi)};
  return {value, hull(a.slope, b.slope)};
}

// 1 where certainly true, 0 where certainly false, else both.
Bound compared(const Bound& a, const Bound& b, bool always, bool never) {
  if (unbounded(a) || unbounded(b)) return {{0, 1}, zero};
  return {always ? Interval{1, 1} : never ? zero : Interval{0, 1}, zero};
}

Bound square_root(const Bound& a) {
  if (!(a.value.lo >= 0)) return {everything, everything};
  const Interval value = base::rising(a.value, [](double x) { return std::sqrt(x); });
  const Interval root{std::max(0.0, value.lo), value.hi};
  return {root, a.slope * base::inverse(Interval{2 * root.lo, 2 * root.hi})};
}

// asin and acos; their slope is unbounded at the ends of their domain.
Bound arc(const Bound& a, bool cosine) {
  if (!(a.value.lo >= -1 && a.value.hi <= 1)) return {everything, everything};
  Interval value = base::rising(a.value, [](double x) { return std::asin(x); });
  if (cosine) value = Interval{std::numbers::pi / 2, std::numbers::pi / 2} - value;
  const Interval one{1, 1};
  const Interval rest = one - base::absolute(a.value) * base::absolute(a.value);
  if (!(rest.lo > 0)) return {value, everything};
  const Interval slope =
      a.slope * base::inverse(base::rising(rest, [](double x) { return std::sqrt(x); }));
  return {value, cosine ? -slope : slope};
}

}  // namespace

TimeFunction::Enclosure TimeFunction::over(double t0, double t1) const {
  std::array<Bound, stack_size> stack;
  int top = -1;
  const Interval one{1, 1};
  for (const Instruction& i : code_) {
    if (i.op == Op::number) {
      stack[static_cast<std::size_t>(++top)] = {{i.value, i.value}, zero};
      continue;
    }
    if (i.op == Op::time) {
      stack[static_cast<std::size_t>(++top)] = {{t0, t1}, one};
      continue;
    }
    if (i.op == Op::select) {
      const Bound no = stack[static_cast<std::size_t>(top)],
                  yes = stack[static_cast<std::size_t>(top - 1)];
      top -= 2;
      Bound& condition = stack[static_cast<std::size_t>(top)];
      if (condition.value.is_point())
        condition = condition.value.lo != 0 ? yes : no;
      else
        condition = {hull(yes.value, no.value), everything};
      continue;
    }
    if (i.op >= Op::add) --top;
    Bound& a = stack[static_cast<std::size_t>(top)];
    const Bound& b = stack[static_cast<std::size_t>(top + 1)];  // of operators with two operands
    if (i.op < Op::add && unbounded(a)) {
      a = {everything, everything};
      continue;
    }
    switch (i.op) {
      case Op::negate:
        a = {-a.value, -a.slope};
        break;
      case Op::sin:
        a = {sine(a.value), cosine(a.value) * a.slope};
        break;
      case Op::cos:
        a = {cosine(a.value), -(sine(a.value) * a.slope)};
        break;
      case Op::tan: {
        const Interval c = cosine(a.value);
        if (c.contains(0))
          a = {everything, everything};
        else
          a = {base::rising(a.value, [](double x) { return std::tan(x); }),
               a.slope * base::inverse(base::absolute(c) * base::absolute(c))};
        break;
      }
      case Op::asin:
      case Op::acos:
        a = arc(a, i.op == Op::acos);
        break;
      case Op::atan:
        a = {base::rising(a.value, [](double x) { return std::atan(x); }),
             a.slope * base::inverse(one + base::absolute(a.value) * base::absolute(a.value))};
        break;
      case Op::sinh: {
        const Interval size = base::absolute(a.value);
        a = {base::rising(a.value, [](double x) { return std::sinh(x); }),
             a.slope * base::rising(size, [](double x) { return std::cosh(x); })};
        break;
      }
      case Op::cosh: {
        const Interval size = base::absolute(a.value);
        a = {base::rising(size, [](double x) { return std::cosh(x); }),
             a.slope * base::rising(a.value, [](double x) { return std::sinh(x); })};
        break;
      }
      case Op::tanh: {
        const Interval value = base::rising(a.value, [](double x) { return std::tanh(x); });
        a = {value, a.slope * (one - base::absolute(value) * base::absolute(value))};
        break;
      }
      case Op::exp: {
        const Interval value = base::rising(a.value, [](double x) { return std::exp(x); });
        a = {value, a.slope * value};
        break;
      }
      case Op::log:
        if (a.value.lo > 0)
          a = {base::rising(a.value, [](double x) { return std::log(x); }),
               a.slope * base::inverse(a.value)};
        else
          a = {everything, everything};
        break;
      case Op::sqrt:
        a = square_root(a);
        break;
      case Op::abs:
        a = {base::absolute(a.value), a.value.lo >= 0   ? a.slope
                                      : a.value.hi <= 0 ? -a.slope
                                                        : hull(a.slope, -a.slope)};
        break;
      case Op::floor:
        a = jumps({std::floor(a.value.lo), std::floor(a.value.hi)});
        break;
      case Op::ceil:
        a = jumps({std::ceil(a.value.lo), std::ceil(a.value.hi)});
        break;
      case Op::sign: {
        auto sign = [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); };
        a = jumps({sign(a.value.lo), sign(a.value.hi)});
        break;
      }
      case Op::step:
        a = jumps({a.value.lo >= 0 ? 1.0 : 0.0, a.value.hi >= 0 ? 1.0 : 0.0});
        break;
      case Op::add:
        a = {a.value + b.value, a.slope + b.slope};
        break;
      case Op::subtract:
        a = {a.value - b.value, a.slope - b.slope};
        break;
      case Op::multiply:
        a = {a.value * b.value, a.slope * b.value + a.value * b.slope};
        break;
      case Op::divide: {
        const Interval inverse = base::inverse(b.value);
        a = {a.value * inverse, (a.slope - a.value * inverse * b.slope) * inverse};
        break;
      }
      case Op::power:
        a = power(a, b);
        break;
      case Op::atan2:
        // Bounded, with a jump where b < 0 and a changes its sign.
        a = {{-std::numbers::pi - 1e-15, std::numbers::pi + 1e-15}, everything};
        break;
      case Op::min:
        a = chosen(a, b, false);
        break;
      case Op::max:
        a = chosen(a, b, true);
        break;
      case Op::less:
        a = compared(a, b, a.value.hi < b.value.lo, a.value.lo >= b.value.hi);
        break;
      case Op::less_equal:
        a = compared(a, b, a.value.hi <= b.value.lo, a.value.lo > b.value.hi);
        break;
      case Op::greater:
        a = compared(a, b, a.value.lo > b.value.hi, a.value.hi <= b.value.lo);
        break;
      case Op::greater_equal:
        a = compared(a, b, a.value.lo >= b.value.hi, a.value.hi < b.value.lo);
        break;
      case Op::number:
      case Op::time:
      case Op::select:
        break;  // done above
    }
  }
  const Bound& f = stack[0];
  return {f.value.lo, f.value.hi, f.slope.lo, f.slope.hi};
}

// A function whose slope lies in [a, b] leaves its chord by (b - a) length / 4 at most, and never
// by more than it varies.
double TimeFunction::Enclosure::from_chord(double length) const {
  const double by_slope = slope_lo == slope_hi ? 0 : (slope_hi - slope_lo) * length / 4;
  const double by_value = lo == hi ? 0 : hi - lo;
  return std::isnan(by_slope) ? by_value : std::min(by_slope, by_value);
}

}  // namespace cairn
