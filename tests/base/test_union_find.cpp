#include <gtest/gtest.h>

#include "base/union_find.hpp"

namespace cairn::test_union_find {
namespace {

TEST(UnionFind, RootIsTheSmallestNumberOfTheSet) {
  base::UnionFind sets;
  sets.reset(6);
  EXPECT_TRUE(sets.join(5, 3));
  EXPECT_TRUE(sets.join(4, 5));
  EXPECT_TRUE(sets.join(3, 1));
  EXPECT_FALSE(sets.join(1, 4));
  const int expected[] = {0, 1, 2, 1, 1, 1};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(sets.root(i), expected[i]) << i;
}

TEST(UnionFind, ResetForgetsAllSets) {
  base::UnionFind sets;
  sets.reset(3);
  sets.join(0, 2);
  sets.reset(4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(sets.root(i), i);
}

}  // namespace
}  // namespace cairn::test_union_find
