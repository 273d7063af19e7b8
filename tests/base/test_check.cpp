// Checks: what a failed one says, that its values cost nothing while it holds, and what becomes of
// it at the boundary of the interface.
#include <gtest/gtest.h>
#include <new>

#include "base/boundary.hpp"
#include "base/conventions.hpp"

namespace cairn::test_check {
namespace {

template <class Work>
InternalError thrown_by(Work work) {
  try {
    work();
  } catch (const InternalError& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return InternalError("", "", "");
}

TEST(Check, SaysPlaceAndCondition) {
  const int line = __LINE__ + 1;
  const InternalError error = thrown_by([] { CAIRN_CHECK(1 + 1 == 3); });
  EXPECT_EQ(error.condition(), "1 + 1 == 3");
  EXPECT_EQ(error.place(), "tests/base/test_check.cpp:" + std::to_string(line));
  EXPECT_EQ(error.values(), "");
}

TEST(Check, SaysValuesByName) {
  const int i = 7;
  const std::size_t n = 5;
  const std::string name = "rod";
  const auto sum = [](int a, int b) { return a + b; };
  EXPECT_EQ(thrown_by([&] { CAIRN_CHECK(i < 0, i, n); }).values(), "i=7, n=5");
  EXPECT_EQ(thrown_by([&] { CAIRN_CHECK(i < 0, sum(i, 1), name); }).values(),
            "sum(i, 1)=8, name=rod");
  EXPECT_EQ(thrown_by([&] { CAIRN_CHECK(i < 0, 0.1, i == 7); }).values(), "0.1=0.1, i == 7=true");
}

TEST(Check, FillsValuesIntoAText) {
  const int i = 7;
  EXPECT_EQ(thrown_by([&] { CAIRN_CHECK(i < 0, "{} of {} bodies", i, 5); }).values(),
            "7 of 5 bodies");
}

TEST(Check, EvaluatesValuesOnlyWhereItFails) {
  int evaluated = 0;
  const auto value = [&] { return ++evaluated; };
  CAIRN_CHECK(evaluated == 0, value());
  EXPECT_EQ(evaluated, 0);
  EXPECT_THROW(CAIRN_CHECK(evaluated == 1, value()), InternalError);
  EXPECT_EQ(evaluated, 1);
}

#ifdef CAIRN_DCHECKS
TEST(Check, TheCheckThatIsAskedForFails) {
  const auto reach = [] {
    int passed = 0;
    try {
      for (; passed < 5; ++passed) CAIRN_CHECK(passed < 5);
    } catch (const InternalError&) {
    }
    return passed;
  };
  EXPECT_EQ(reach(), 5);
  check_fault::countdown = 3;
  EXPECT_EQ(reach(), 2);
  EXPECT_EQ(reach(), 5);  // once
}
#endif

TEST(Boundary, TurnsExceptionsIntoErrors) {
  const auto kind = [](auto work) {
    return base::guarded([&]() -> Result<int> {
             work();
             return 0;
           })
        .error()
        .front()
        .kind;
  };
  EXPECT_EQ(kind([] { CAIRN_CHECK(false); }), ErrorKind::internal);
  EXPECT_EQ(kind([] { throw std::out_of_range("x"); }), ErrorKind::internal);
  EXPECT_EQ(kind([] { throw std::bad_alloc(); }), ErrorKind::limit);
  EXPECT_EQ(kind([] { throw std::length_error("x"); }), ErrorKind::limit);
  EXPECT_THROW(kind([] { throw 1; }), int);
}

TEST(Conventions, TellRightFromWrong) {
  EXPECT_TRUE(base::is_direction(Vec3(0.6, 0, 0.8)));
  EXPECT_FALSE(base::is_direction(Vec3(0.6, 0, 0.9)));
  EXPECT_TRUE(base::is_rotation(Quat::Identity()));
  EXPECT_FALSE(base::is_rotation(Quat(1, 1, 0, 0)));
  EXPECT_TRUE(base::is_power_of_two(0.125));
  EXPECT_FALSE(base::is_power_of_two(3));
  EXPECT_FALSE(base::is_power_of_two(0));
  EXPECT_TRUE(base::is_index(0, 1));
  EXPECT_FALSE(base::is_index(1, 1));
  EXPECT_TRUE(base::is_index_or_none(-1, 1));
  EXPECT_FALSE(base::is_index_or_none(-2, 1));
  EXPECT_TRUE(base::is_strictly_sorted(std::vector{1, 2, 5}));
  EXPECT_FALSE(base::is_strictly_sorted(std::vector{1, 2, 2}));
  EXPECT_TRUE(base::is_permutation(std::vector{2, 0, 1}));
  EXPECT_FALSE(base::is_permutation(std::vector{2, 0, 2}));
  EXPECT_FALSE(base::is_permutation(std::vector{1, 2, 3}));
}

}  // namespace
}  // namespace cairn::test_check
