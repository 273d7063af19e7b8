#include "problem/islands.hpp"

#include <numeric>

namespace cairn {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

int root(std::vector<int>& parent, int i) {
  while (parent[at(i)] != i) {
    parent[at(i)] = parent[at(parent[at(i)])];
    i = parent[at(i)];
  }
  return i;
}

}  // namespace

void find_islands(const Problem& problem, Islands& islands) {
  const std::size_t n = problem.bodies.size();
  islands.parent.resize(n);
  std::iota(islands.parent.begin(), islands.parent.end(), 0);
  for (const Constraint& c : problem.constraints) {
    if (c.body[0] < 0 || c.body[1] < 0) continue;
    const int a = root(islands.parent, c.body[0]), b = root(islands.parent, c.body[1]);
    islands.parent[at(std::max(a, b))] = std::min(a, b);
  }
  islands.of_body.assign(n, -1);
  islands.count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int r = root(islands.parent, static_cast<int>(i));
    islands.of_body[i] = at(r) == i ? islands.count++ : islands.of_body[at(r)];
  }
  islands.of_constraint.resize(problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const auto& body = problem.constraints[i].body;
    const int any = body[0] >= 0 ? body[0] : body[1];
    islands.of_constraint[i] = any >= 0 ? islands.of_body[at(any)] : -1;
  }
}

}  // namespace cairn
