#include "bench/distance.hpp"

#include <cmath>

#include "bench/numbers.hpp"
#include "collide/ratio/ratio.hpp"
#include "model/shape/sample_polyhedra.hpp"

namespace cairn::bench {
namespace {

struct Path {
  Polyhedron a, b;
  std::vector<Pose> A, B;
};

Polyhedron stretched(const Polyhedron& p, Numbers& numbers) {
  const Vec3 radii(numbers.between(0.6, 1), numbers.between(0.6, 1), numbers.between(0.6, 1));
  return model::image(p, radii.asDiagonal(), Vec3::Zero());
}

// Both bodies turn by a hundredth of a radian a step and B goes round A; the distance is chosen for
// the r that is wanted, which is proportional to it.
Path make_path(const Polyhedron& shape, Numbers& numbers) {
  Path path{stretched(shape, numbers), stretched(shape, numbers), {}, {}};
  Pose A{Vec3::Zero(), exp_rotation(3 * numbers.direction())},
      B{Vec3::Zero(), exp_rotation(3 * numbers.direction())};
  Vec3 towards = numbers.direction();
  const Vec3 spin_a = 0.01 * numbers.direction(), spin_b = 0.01 * numbers.direction();
  const Quat around = exp_rotation(0.005 * numbers.direction());
  for (int step = 0; step < 200; ++step) {
    B.p = A.p + towards;
    const double wanted = 0.975 + 0.024 * std::sin(0.1 * step);
    B.p = A.p + towards * (wanted / collide::ratio_metric(path.a, A, path.b, B).r);
    path.A.push_back(A), path.B.push_back(B);
    A.R = (exp_rotation(spin_a) * A.R).normalized();
    B.R = (exp_rotation(spin_b) * B.R).normalized();
    towards = (around * towards).normalized();
  }
  return path;
}

// CPU microseconds of one call of query(path, step), the best of some rounds.
template <class Query>
double time_queries(const std::vector<Path>& paths, double (*seconds)(), const Query& query) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 7; ++round) {
    std::size_t calls = 0;
    const double start = seconds();
    double elapsed = 0;
    for (; elapsed < 0.02; elapsed = seconds() - start)
      for (std::size_t p = 0; p < paths.size(); ++p)
        for (std::size_t i = 0; i < paths[p].A.size(); ++i, ++calls) query(p, i);
    best = std::min(best, 1e6 * elapsed / static_cast<double>(calls));
  }
  return best;
}

DistanceCost measure(const std::string& name, const Polyhedron& shape,
                     const std::vector<DistanceRival>& rivals, double (*seconds)()) {
  Numbers numbers;
  std::vector<Path> paths;
  for (int i = 0; i < 8; ++i) paths.push_back(make_path(shape, numbers));
  DistanceCost cost;
  cost.shape = name;
  cost.facets = static_cast<int>(shape.faces.size());

  double queries = 0;
  for (const Path& path : paths) {
    collide::RatioBasis basis;
    for (std::size_t i = 0; i < path.A.size(); ++i, ++queries) {
      const collide::Ratio warm =
          collide::ratio_metric(path.a, path.A[i], path.b, path.B[i], &basis);
      basis = warm.basis;
      cost.pivots_warm += warm.pivots, cost.evaluations_warm += warm.evaluations;
      cost.pivots_cold += collide::ratio_metric(path.a, path.A[i], path.b, path.B[i]).pivots;
    }
  }
  cost.pivots_warm /= queries, cost.pivots_cold /= queries, cost.evaluations_warm /= queries;

  volatile double sink = 0;  // keeps the queries alive
  const auto query = [&](bool warm, collide::RatioSearch search) {
    collide::RatioBasis basis;
    return time_queries(paths, seconds, [&, warm, search](std::size_t p, std::size_t i) {
      const Path& path = paths[p];
      const collide::Ratio ratio = collide::ratio_metric(path.a, path.A[i], path.b, path.B[i],
                                                         warm && i > 0 ? &basis : nullptr, search);
      if (warm) basis = ratio.basis;
      sink = ratio.separation;
    });
  };
  cost.us.emplace_back("warm", query(true, collide::RatioSearch::automatic));
  cost.us.emplace_back("cold", query(false, collide::RatioSearch::automatic));
  cost.us.emplace_back("warm, scan", query(true, collide::RatioSearch::scan));
  for (const DistanceRival& rival : rivals) {
    std::vector<DistanceRival::Query> ready;
    for (const Path& path : paths) ready.push_back(rival.prepare(path.a, path.b));
    cost.us.emplace_back(rival.name,
                         time_queries(paths, seconds, [&](std::size_t p, std::size_t i) {
                           sink = ready[p](paths[p].A[i], paths[p].B[i]);
                         }));
  }
  return cost;
}

}  // namespace

std::vector<DistanceCost> distance_costs(const std::vector<DistanceRival>& rivals,
                                         double (*seconds)()) {
  std::vector<DistanceCost> costs{measure("box", box_polyhedron(Vec3(2, 2, 2)), rivals, seconds),
                                  measure("octahedron", model::bipyramid(4), rivals, seconds)};
  for (const int n : {1, 2, 3, 4, 5, 7})
    costs.push_back(measure("geodesic", model::geodesic(n), rivals, seconds));
  return costs;
}

}  // namespace cairn::bench
