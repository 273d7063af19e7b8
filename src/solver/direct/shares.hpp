// Shares of joints that say the same thing twice: the least impulses that move the bodies alike
// (E100). Reads an island and its impulses, writes the impulses of bilateral groups.
#pragma once

#include "base/union_find.hpp"
#include "linear/block_lu.hpp"
#include "solver/sweep/nsgs.hpp"

namespace cairn::solver {

struct ShareBuffers {
  linear::BlockLU lu;
  base::UnionFind joined;   // bodies and the ground, by joints
  std::vector<int> groups;  // the bilateral ones, nodes of the matrix
  std::vector<int> sizes, offsets;
  std::vector<char> late;
  struct Touch {
    int node;
    int side;
  };
  std::vector<std::vector<Touch>> on_body;
  std::vector<double> x, pivot;  // per unknown
  std::vector<double> kept;      // impulses as they came
};

// Impulses of an island of joints alone, from zero: one factorisation of W_e and refinement until
// nothing is gained.
IterationResult solve_joints(const Island& island, ShareBuffers& buffers, std::vector<double>& r,
                             std::vector<double>& v);

// Whether bilateral groups may be redundant, from who is joined to whom alone: a closed loop, two
// joints between the same bodies, or a joint with more rows than can be independent.
bool may_share(const Island& island, ShareBuffers& buffers);

enum class Sharing : char {
  taken,
  refused,  // rounding would raise the residual: r is as it was
  near,     // likewise, but r was self-stress for the most part: r is without it, b.kept as it was
};

// Takes from r what J_e^T does not see. Every other impulse and every velocity stays, up to a
// residual of `allowed` or what the certificate hides of r (E682). v follows r.
Sharing share_least(const Island& island, double allowed, ShareBuffers& buffers,
                    std::vector<double>& r, std::vector<double>& v);

}  // namespace cairn::solver
