// SolveLog: which records count, and which memory they use.
#include <gtest/gtest.h>

#include "cairn/step/solve_log.hpp"

namespace cairn {
namespace {

using Purpose = SolveRecord::Purpose;

void fill(SolveLog& log, int count) {
  for (int i = 0; i < count; ++i) log.push(Purpose::step).taken = i;
}

TEST(SolveLog, CountsIteratesAndCopiesTheRecordsOfTheStepOnly) {
  SolveLog log;
  fill(log, 5);
  log.roll_back(3);
  EXPECT_EQ(log.size(), 3);
  EXPECT_EQ(log.end() - log.begin(), 3);
  const std::span<const SolveRecord> seen = log;
  EXPECT_EQ(seen.size(), 3u);
  SolveLog copy = log;
  copy.resize(5);  // what a copy adds is new
  EXPECT_EQ(copy[2].taken, 2);
  EXPECT_EQ(copy[3].taken, 0);
  EXPECT_EQ(copy[4].taken, 0);
}

TEST(SolveLog, KeepsTheLastRecordInPlaceOfOthers) {
  SolveLog log;
  fill(log, 5);
  log.keep_last(1);
  ASSERT_EQ(log.size(), 2);
  EXPECT_EQ(log[0].taken, 0);
  EXPECT_EQ(log[1].taken, 4);
  log.make_last(0);
  EXPECT_EQ(log[0].taken, 4);
  EXPECT_EQ(log.back().taken, 0);
}

TEST(SolveLog, PushedRecordsHaveNoOriginAndReuseMemory) {
  SolveLog log;
  SolveRecord& first = log.push(Purpose::guard);
  first.length = first.taken = 1;
  first.origin.t = 2;
  first.problem.constraints.resize(7);
  const Constraint* memory = first.problem.constraints.data();
  log.clear();
  const SolveRecord& again = log.push(Purpose::step);
  EXPECT_EQ(again.purpose, Purpose::step);
  EXPECT_EQ(again.length + again.taken + again.origin.t, 0);
  EXPECT_EQ(again.problem.constraints.data(), memory);
}

TEST(SolveLog, TakesTheRecordsOfAnother) {
  SolveLog whole, part;
  fill(whole, 2);
  fill(part, 3);
  whole.take(part);
  ASSERT_EQ(whole.size(), 5);
  EXPECT_TRUE(part.empty());
  EXPECT_EQ(whole[2].taken, 0);
  EXPECT_EQ(whole[4].taken, 2);
}

}  // namespace
}  // namespace cairn
