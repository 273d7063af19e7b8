// Checks of what the code relies on. A check that fails is a fault of the program, never of its
// input: it throws InternalError. The functions of the public interface catch it and report a
// status or an Error of kind `internal`; their headers name the few that let it pass.
//
//   CAIRN_CHECK(i < n);                                  always on
//   CAIRN_CHECK(i < n, i, n);                            the message has i=7, n=5
//   CAIRN_CHECK(i < n, "{} of {} bodies", i, n);         the message has 7 of 5 bodies
//   CAIRN_DCHECK(...)                                    likewise, with CAIRN_DCHECKS alone
//
// Values are evaluated only where the check fails, and taken by value, so that a check costs a
// comparison and a branch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#ifdef CAIRN_DCHECKS
#include <atomic>
#endif

namespace cairn {

class InternalError : public std::logic_error {
 public:
  InternalError(std::string place, std::string condition, std::string values);

  const std::string& place() const { return place_; }          // src/solve/island.cpp:141
  const std::string& condition() const { return condition_; }  // that does not hold, as in the code
  const std::string& values() const { return values_; }        // may be empty

 private:
  std::string place_, condition_, values_;
};

// A number or a text in the message of a check.
class CheckValue {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) CheckValue(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      text_ = value ? "true" : "false";
      kind_ = Kind::text;
    } else if constexpr (std::is_floating_point_v<T>) {
      real_ = static_cast<double>(value);
      kind_ = Kind::real;
    } else {
      whole_ = static_cast<std::int64_t>(value);
      kind_ = Kind::whole;
    }
  }
  CheckValue(std::string_view value) : text_(value), kind_(Kind::text) {}
  CheckValue(const std::string& value) : text_(value), kind_(Kind::text) {}
  CheckValue(const char* value) : text_(value), kind_(Kind::text) {}

  std::string text() const;

 private:
  enum class Kind : std::uint8_t { whole, real, text };
  std::int64_t whole_ = 0;
  double real_ = 0;
  std::string_view text_;
  Kind kind_ = Kind::whole;
};

// Throws InternalError. `arguments` is the text of the values in the code.
[[noreturn, gnu::cold, gnu::noinline]] void check_failed(
    const char* condition, const char* file, int line, const char* arguments = "",
    std::initializer_list<CheckValue> values = {});

#ifdef CAIRN_DCHECKS
// Of tests that ask what happens when a check fails: the check that is reached when `countdown`
// is 1 fails though its condition holds; 0: none does. Negative values count the checks.
namespace check_fault {
inline std::atomic<std::int64_t> countdown{0};

inline bool due() {
  const std::int64_t left = countdown.load(std::memory_order_relaxed);
  if (left == 0) [[likely]]
    return false;
  countdown.store(left - 1, std::memory_order_relaxed);
  return left == 1;
}
}  // namespace check_fault
#endif

}  // namespace cairn

#ifdef CAIRN_DCHECKS
#define CAIRN_CHECK_HOLDS(condition) ((condition) && !::cairn::check_fault::due())
#else
#define CAIRN_CHECK_HOLDS(condition) static_cast<bool>(condition)
#endif

#define CAIRN_CHECK(condition, ...)                  \
  (__builtin_expect(CAIRN_CHECK_HOLDS(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::cairn::check_failed(#condition, __FILE__, \
                               __LINE__ __VA_OPT__(, #__VA_ARGS__, {__VA_ARGS__})))
#ifdef CAIRN_DCHECKS
#define CAIRN_DCHECK(...) CAIRN_CHECK(__VA_ARGS__)
#else
#define CAIRN_DCHECK(...) \
  while (false) CAIRN_CHECK(__VA_ARGS__)
#endif
