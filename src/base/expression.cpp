// Parser (recursive descent to reverse Polish) and evaluator of functions of time; reads a text,
// writes instructions.
#include "cairn/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/boundary.hpp"
#include "base/suggestion.hpp"
#include "cairn/error.hpp"

namespace cairn {

namespace {

constexpr int nesting_limit = 64;  // parentheses, functions, signs and powers inside each other
constexpr std::size_t length_limit = 4096;

constexpr auto names = std::to_array<std::string_view>(
    {"t",    "pi",  "e",   "sin",  "cos", "tan",   "asin", "acos", "atan", "atan2", "sinh", "cosh",
     "tanh", "exp", "log", "sqrt", "abs", "floor", "ceil", "sign", "min",  "max",   "step", "if"});

std::string name_list() {
  std::string list = "t, pi, e and the functions";
  for (std::size_t i = 3; i < names.size(); ++i) list += " " + std::string(names[i]);
  return list;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// expression = term {(+|-) term}    term = sign {(*|/) sign}    sign = - sign | power
// power = primary [^ sign]          primary = number | name | name(arguments) | (expression)
// condition = expression (<|<=|>|>=) expression, only as the first argument of if.
// A rule returns false once an error is recorded; the callers then unwind.
class ExpressionParser {
 public:
  explicit ExpressionParser(const std::string& text) : text_(text) {}

  Result<TimeFunction> run() {
    if (text_.size() > length_limit) {
      fail_at(0, ErrorCode::too_large, "expression is too long",
              std::to_string(length_limit) + " characters", "shorten it");
    } else if (expression()) {
      skip_blanks();
      if (pos_ < text_.size()) expected("an operator or the end");
    }
    if (!error_.what.empty()) return fail(error_);
    function_.text_ = text_;
    return function_;
  }

 private:
  using Op = TimeFunction::Op;

  // Counts the nesting of rules, which bounds the recursion.
  struct Nested {
    explicit Nested(ExpressionParser& parser) : depth(parser.nesting_) { ++depth; }
    ~Nested() { --depth; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    int& depth;
  };

  bool expression() {
    if (!term()) return false;
    while (true) {
      const char c = peek();
      if (c != '+' && c != '-') return true;
      ++pos_;
      if (!term()) return false;
      if (!emit(c == '+' ? Op::add : Op::subtract, 2)) return false;
    }
  }

  bool term() {
    if (!sign()) return false;
    while (true) {
      const char c = peek();
      if (c != '*' && c != '/') return true;
      ++pos_;
      if (!sign()) return false;
      if (!emit(c == '*' ? Op::multiply : Op::divide, 2)) return false;
    }
  }

  bool sign() {
    const Nested nested(*this);
    if (nesting_ > nesting_limit)
      return fail_at(pos_, ErrorCode::too_deep, "expression is nested too deeply",
                     std::to_string(nesting_limit) + " levels", "split it or drop parentheses");
    if (peek() != '-') return power();
    ++pos_;
    return sign() && emit(Op::negate, 1);
  }

  bool power() {
    if (!primary()) return false;
    if (peek() != '^') return true;
    ++pos_;
    return sign() && emit(Op::power, 2);
  }

  bool primary() {
    const char c = peek();
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    if (c != '(') return expected("a number, t, a function, '-' or '('");
    ++pos_;
    return expression() && close();
  }

  bool number() {
    double value = 0;
    const char* first = text_.data() + pos_;
    const auto [end, status] = std::from_chars(first, text_.data() + text_.size(), value);
    if (status == std::errc::result_out_of_range)
      return fail_at(pos_, ErrorCode::out_of_range, "number is too large or too small",
                     "finite numbers", "write a smaller one");
    if (status != std::errc()) return expected("a number");
    pos_ += static_cast<std::size_t>(end - first);
    return push(Op::number, value);
  }

  bool name() {
    const std::size_t start = pos_;
    while (pos_ < text_.size() && (is_letter(text_[pos_]) || is_digit(text_[pos_]))) ++pos_;
    const std::string_view word(text_.data() + start, pos_ - start);
    if (word == "t") return push(Op::time, 0);
    if (word == "pi") return push(Op::number, std::numbers::pi);
    if (word == "e") return push(Op::number, std::numbers::e);
    if (word == "if")
      return open(word) && condition() && comma() && expression() && comma() && expression() &&
             close() && emit(Op::select, 3);
    for (const auto& [known, op, arguments] : functions) {
      if (known != word) continue;
      if (!open(word) || !expression()) return false;
      if (arguments == 2 && (!comma() || !expression())) return false;
      return close() && emit(op, arguments);
    }
    return fail_at(start, ErrorCode::unknown_name, "unknown name '" + std::string(word) + "'",
                   name_list(), base::did_you_mean(word, names, "use one of the known names"));
  }

  bool condition() {
    if (!expression()) return false;
    const char c = peek();
    if (c != '<' && c != '>') return expected("one of < <= > >=");
    ++pos_;
    const bool or_equal = pos_ < text_.size() && text_[pos_] == '=';
    if (or_equal) ++pos_;
    if (!expression()) return false;
    if (c == '<') return emit(or_equal ? Op::less_equal : Op::less, 2);
    return emit(or_equal ? Op::greater_equal : Op::greater, 2);
  }

  bool open(std::string_view function) {
    if (peek() != '(') return expected("'(' after " + std::string(function));
    ++pos_;
    return true;
  }
  bool comma() {
    if (peek() != ',') return expected("',' and a further argument");
    ++pos_;
    return true;
  }
  bool close() {
    if (peek() != ')') return expected("')'");
    ++pos_;
    return true;
  }

  void skip_blanks() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n'))
      ++pos_;
  }
  char peek() {
    skip_blanks();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }

  bool push(Op op, double value) {
    function_.code_.push_back({op, value});
    if (++depth_ <= TimeFunction::stack_size) return true;
    return fail_at(pos_, ErrorCode::too_many, "expression needs too many intermediate values",
                   std::to_string(TimeFunction::stack_size),
                   "reorder it so that the deep part comes first");
  }
  bool emit(Op op, int operands) {
    function_.code_.push_back({op, 0});
    function_.kinks_ = function_.kinks_ || bends(op);
    depth_ -= operands - 1;
    return true;
  }

  // Not smooth within its domain.
  static bool bends(Op op) {
    return (op >= Op::abs && op <= Op::step) || op == Op::min || op == Op::max || op == Op::atan2 ||
           op == Op::select;
  }

  bool expected(const std::string& what) {
    const bool at_end = pos_ >= text_.size();
    const std::string found = at_end ? "the end" : "'" + std::string(1, text_[pos_]) + "'";
    return fail_at(pos_, ErrorCode::syntax, "expected " + what + " but found " + found, {}, {});
  }
  bool fail_at(std::size_t position, ErrorCode code, const std::string& what, std::string allowed,
               std::string fix) {
    error_.code = code;
    error_.column = static_cast<int>(position) + 1;
    error_.what = what + " at column " + std::to_string(error_.column) + " of the expression";
    error_.got = "\"" + text_.substr(0, 80) + (text_.size() > 80 ? "..." : "") + "\"";
    error_.allowed = std::move(allowed);
    error_.fix = std::move(fix);
    return false;
  }

  struct Function {
    std::string_view name;
    Op op;
    int arguments;
  };
  static constexpr std::array<Function, 20> functions = {{
      {"sin", Op::sin, 1},   {"cos", Op::cos, 1},     {"tan", Op::tan, 1},   {"asin", Op::asin, 1},
      {"acos", Op::acos, 1}, {"atan", Op::atan, 1},   {"sinh", Op::sinh, 1}, {"cosh", Op::cosh, 1},
      {"tanh", Op::tanh, 1}, {"exp", Op::exp, 1},     {"log", Op::log, 1},   {"sqrt", Op::sqrt, 1},
      {"abs", Op::abs, 1},   {"floor", Op::floor, 1}, {"ceil", Op::ceil, 1}, {"sign", Op::sign, 1},
      {"step", Op::step, 1}, {"atan2", Op::atan2, 2}, {"min", Op::min, 2},   {"max", Op::max, 2},
  }};

  const std::string& text_;
  std::size_t pos_ = 0;
  int nesting_ = 0;
  int depth_ = 0;  // of the evaluation stack after the instructions so far
  TimeFunction function_ = [] {
    TimeFunction empty;
    empty.code_.clear();
    return empty;
  }();
  Error error_;
};

TimeFunction::TimeFunction(double constant) : code_{{Op::number, constant}} {}

Result<TimeFunction> TimeFunction::parse(const std::string& text) try {
  return ExpressionParser(text).run();
} catch (...) {
  return fail(base::caught_error());
}

bool TimeFunction::is_constant() const {
  return std::none_of(code_.begin(), code_.end(),
                      [](const Instruction& i) { return i.op == Op::time; });
}

// `if` evaluates both branches and keeps one: a branch that is not taken may divide by zero without
// harm.
double TimeFunction::operator()(double t) const {
  std::array<double, stack_size> stack;
  std::size_t top = 0;  // number of values on the stack
  for (const Instruction& i : code_) {
    if (i.op <= Op::time) {
      stack[top++] = i.op == Op::number ? i.value : t;
      continue;
    }
    if (i.op == Op::select) {
      top -= 2;
      stack[top - 1] = stack[top - 1] != 0 ? stack[top] : stack[top + 1];
      continue;
    }
    const double b = stack[top - 1];  // the only or the second operand
    if (i.op >= Op::add) --top;
    double& a = stack[top - 1];
    switch (i.op) {
      case Op::negate:
        a = -a;
        break;
      case Op::sin:
        a = std::sin(a);
        break;
      case Op::cos:
        a = std::cos(a);
        break;
      case Op::tan:
        a = std::tan(a);
        break;
      case Op::asin:
        a = std::asin(a);
        break;
      case Op::acos:
        a = std::acos(a);
        break;
      case Op::atan:
        a = std::atan(a);
        break;
      case Op::sinh:
        a = std::sinh(a);
        break;
      case Op::cosh:
        a = std::cosh(a);
        break;
      case Op::tanh:
        a = std::tanh(a);
        break;
      case Op::exp:
        a = std::exp(a);
        break;
      case Op::log:
        a = std::log(a);
        break;
      case Op::sqrt:
        a = std::sqrt(a);
        break;
      case Op::abs:
        a = std::abs(a);
        break;
      case Op::floor:
        a = std::floor(a);
        break;
      case Op::ceil:
        a = std::ceil(a);
        break;
      case Op::sign:
        a = a > 0 ? 1 : (a < 0 ? -1 : 0);
        break;
      case Op::step:
        a = a >= 0 ? 1 : 0;
        break;
      case Op::add:
        a += b;
        break;
      case Op::subtract:
        a -= b;
        break;
      case Op::multiply:
        a *= b;
        break;
      case Op::divide:
        a /= b;
        break;
      case Op::power:
        a = std::pow(a, b);
        break;
      case Op::atan2:
        a = std::atan2(a, b);
        break;
      case Op::min:
        a = std::min(a, b);
        break;
      case Op::max:
        a = std::max(a, b);
        break;
      case Op::less:
        a = a < b ? 1 : 0;
        break;
      case Op::less_equal:
        a = a <= b ? 1 : 0;
        break;
      case Op::greater:
        a = a > b ? 1 : 0;
        break;
      case Op::greater_equal:
        a = a >= b ? 1 : 0;
        break;
      case Op::number:
      case Op::time:
      case Op::select:
        break;  // done above
    }
  }
  return stack[0];
}

}  // namespace cairn
