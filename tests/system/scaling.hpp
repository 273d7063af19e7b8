// What has to stay the same to the last bit: a scene in other units that are powers of two, and one
// that goes on from a state that was kept.
#pragma once

#include "system/worlds.hpp"

namespace cairn::testing {

// `make(length, mass, time)`: the scene in these units. Bodies that touch with friction about their
// contacts have to be at it after the given number of steps.
template <class Make>
void expect_same_bits_in_other_units_and_from_a_state(const Make& make, int steps) {
  Simulator one = make(1, 1, 1), two = make(0.25, 8, 2);
  certified_steps(one, 0.015625, steps);
  certified_steps(two, 0.03125, steps);
  for (std::size_t i = 0; i < one.state().poses.size(); ++i)
    EXPECT_EQ(Vec3(one.state().poses[i].p * 0.25), two.state().poses[i].p);
  EXPECT_FALSE(of_role(one.state().impulses, Role::torsion).empty() &&
               of_role(one.state().impulses, Role::rolling).empty());
  Simulator copy = make(1, 1, 1);
  copy.set_state(one.state());
  certified_steps(one, 0.015625, 20);
  certified_steps(copy, 0.015625, 20);
  EXPECT_EQ(hash(one.state()), hash(copy.state()));
}

}  // namespace cairn::testing
