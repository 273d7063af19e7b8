#include "record/trace/frame_forces.hpp"

#include <algorithm>

namespace cairn::record {
namespace {

constexpr std::size_t least_island_bytes = 4 + 4 * 8;

void write_numbers(const std::vector<int>& numbers, bytes::ByteWriter& out) {
  out.u64(numbers.size());
  for (const int n : numbers) out.i32(n);
}

// Ascending numbers below `count`.
void read_numbers(bytes::ByteReader& in, std::size_t count, std::vector<int>& numbers) {
  numbers.resize(in.count(4));
  int least = 0;
  for (int& n : numbers) {
    n = in.i32();
    if (n < least || static_cast<std::size_t>(n) >= count) in.reject();
    least = std::max(n, least) + 1;
  }
}

void read_island(bytes::ByteReader& in, const StepReport& report, ShortestIsland& island) {
  island.solve = in.i32();
  if (island.solve < 0 || island.solve >= report.solves.size()) return in.reject();
  const Problem& problem = report.solves[static_cast<std::size_t>(island.solve)].problem;
  read_numbers(in, problem.constraints.size(), island.constraints);
  in.vector(island.lambda);
  read_numbers(in, problem.bodies.size(), island.bodies);
  in.vector(island.y);
  if (!in.ok()) return;
  Eigen::Index rows = 0, velocities = 0;
  for (const int i : island.constraints)
    rows += problem.constraints[static_cast<std::size_t>(i)].rows;
  for (const int i : island.bodies) velocities += problem.bodies[static_cast<std::size_t>(i)].size;
  if (rows != island.lambda.size() || velocities != island.y.size()) in.reject();
}

}  // namespace

void write_forces(const ShownForces& forces, bytes::ByteWriter& out) {
  out.u64(forces.kinds.size());
  for (const ForceKind kind : forces.kinds) out.u8(static_cast<std::uint8_t>(kind));
  out.u64(forces.islands.size());
  for (const ShortestIsland& island : forces.islands) {
    out.i32(island.solve);
    write_numbers(island.constraints, out);
    out.vector(island.lambda);
    write_numbers(island.bodies, out);
    out.vector(island.y);
  }
}

void read_forces(bytes::ByteReader& in, const StepReport& report, ShownForces& forces) {
  forces.known = true;
  forces.kinds.resize(in.count(1));
  for (ForceKind& kind : forces.kinds) kind = in.choice(ForceKind::not_minimised);
  forces.islands.resize(in.count(least_island_bytes));
  for (ShortestIsland& island : forces.islands) {
    if (!in.ok()) return;
    read_island(in, report, island);
  }
  if (in.ok() && !spread_islands(report, forces)) in.reject();
}

}  // namespace cairn::record
