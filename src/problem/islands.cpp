#include "problem/islands.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "problem/conventions.hpp"

namespace cairn::problem {
namespace {

// Lists the entries of each island: a counting sort, which keeps their order.
void list_members(const std::vector<int>& island_of, int count, std::vector<int>& first,
                  std::vector<int>& members) {
  first.assign(base::at(count + 1), 0);
  for (const int island : island_of)
    if (island >= 0) ++first[base::at(island + 1)];
  std::partial_sum(first.begin(), first.end(), first.begin());
  members.resize(base::at(first[base::at(count)]));
  for (std::size_t i = 0; i < island_of.size(); ++i)
    if (island_of[i] >= 0) members[base::at(first[base::at(island_of[i])]++)] = static_cast<int>(i);
  // Each beginning has moved to its end, which is the next one's beginning.
  for (int i = count; i > 0; --i) first[base::at(i)] = first[base::at(i - 1)];
  first[0] = 0;
}

}  // namespace

void number_islands(const Problem& problem, Islands& islands) {
  const std::size_t n = problem.bodies.size();
  islands.sets.reset(n);
  const auto join = [&](const auto& bodies) {
    int first = -1;
    for (const int body : bodies) {
      CAIRN_DCHECK(base::is_index_or_none(body, n), body);
      if (body < 0) continue;
      if (first >= 0)
        islands.sets.join(first, body);
      else
        first = body;
    }
  };
  for (const Constraint& c : problem.constraints) join(c.body);
  for (const BodyCoupling& c : problem.couplings) join(c.body);
  islands.of_body.assign(n, -1);
  islands.count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const int r = islands.sets.root(static_cast<int>(i));
    islands.of_body[i] = base::at(r) == i ? islands.count++ : islands.of_body[base::at(r)];
  }
  islands.of_constraint.resize(problem.constraints.size());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    int any = -1;
    for (const int body : problem.constraints[i].body) any = std::max(any, body);
    islands.of_constraint[i] = any >= 0 ? islands.of_body[base::at(any)] : -1;
  }
}

void find_islands(const Problem& problem, Islands& islands) {
  number_islands(problem, islands);
  list_members(islands.of_body, islands.count, islands.first_body, islands.bodies);
  list_members(islands.of_constraint, islands.count, islands.first_constraint, islands.constraints);
  dcheck_islands(problem, islands);
}

}  // namespace cairn::problem
