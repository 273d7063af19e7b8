// Hart 2007: the ratio metric is what it says it is, equivalent to Minkowski's depth with the
// bounds of the theorem, and found in time linear in the number of facets. Boxes along common axes
// have all of it in closed form (E156).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "bench/numbers.hpp"
#include "collide/distance/closest_points.hpp"
#include "collide/ratio/ratio.hpp"
#include "model/shape/sample_polyhedra.hpp"
#include "reproduce/experiment.hpp"

namespace cairn::reproduce {
namespace {

Quat rotation(bench::Numbers& numbers) {
  return exp_rotation(numbers.between(0, 3) * numbers.direction());
}

// Two boxes whose edges are parallel, turned and placed together at random (E156).
struct BoxPair {
  double r = 0, rho = 0;  // of ratio_metric()
  double exact = 0;       // r in closed form
  double s = 0;           // distance apart, or Minkowski's depth [m]
  double D = 0, h = 0;    // distance of the centres, least height of both bodies [m]
  bool apart = false;
};

BoxPair box_pair(bench::Numbers& numbers) {
  const auto size = [&] {
    return Vec3(numbers.between(0.2, 2), numbers.between(0.2, 2), numbers.between(0.2, 2));
  };
  const Vec3 a = size(), b = size(), H = 0.5 * (a + b);
  const Vec3 d = numbers.between(0.05, 2) * H.norm() * numbers.direction();
  const Quat R = rotation(numbers);
  const Pose A{5 * numbers.direction(), R}, B{A.p + R * d, R};
  const collide::Ratio ratio = collide::ratio_metric(box_polyhedron(a), A, box_polyhedron(b), B);
  BoxPair pair{.r = ratio.r, .rho = ratio.rho, .D = d.norm(), .h = H.minCoeff()};
  pair.exact = d.cwiseAbs().cwiseQuotient(H).maxCoeff();
  pair.apart = pair.exact > 1;
  const Vec3 gap = d.cwiseAbs() - H;
  pair.s = pair.apart ? gap.cwiseMax(0).norm() : -gap.maxCoeff();
  return pair;
}

void judge_equivalence(const ReproduceSetting& setting, Reproduction& r) {
  const int pairs = setting.fast ? 20000 : 1000000;
  constexpr double slack = 1e-12;  // rounding of centres about 5 m from the origin
  bench::Numbers numbers;
  double error = 0;
  int apart = 0, overlapping = 0, low4 = 0, high4 = 0, low5 = 0, high5 = 0, printed = 0;
  for (int i = 0; i < pairs && !setting.stopped(); ++i) {
    const BoxPair p = box_pair(numbers);
    error = std::max(error, std::abs(p.r - p.exact));
    if (p.apart) {
      ++apart;
      low4 += p.rho < p.s / p.D - slack;
      high4 += p.rho > p.s / (p.h + p.s) + slack;
    } else {
      ++overlapping;
      low5 += p.rho < -p.s / (p.h - p.s) * (1 + slack) - slack;
      high5 += p.rho > -p.s / p.D + slack;
      printed += p.rho < -p.s / (p.h / 2);
    }
  }
  r.closed_form("E156", fmt::format("r of {} pairs of boxes, largest error [-]", pairs), 0, error,
                1e-13, 1e-12);
  r.closed_form("theorem of 004", fmt::format("(4): pairs of {} apart below s/D", apart), 0, low4,
                0, 0);
  r.closed_form("theorem of 004", "(4): pairs above s/(h + s), the sharp form of s/eps", 0, high4,
                0, 0);
  r.closed_form("theorem of 004",
                fmt::format("(5): pairs of {} overlapping above -s/D", overlapping), 0, high5, 0,
                0);
  r.closed_form("theorem of 004", "(5): pairs below -s/(h - s), the sharp form of -s/eps", 0, low5,
                0, 0);
  r.notes.push_back(fmt::format(
      "(5) as printed, -s/eps with eps half the least height of both bodies, fails for {:.1f} % of "
      "the overlapping pairs: those deeper than eps, which the theorem does not allow",
      100.0 * printed / std::max(overlapping, 1)));
}

// "If the MPD is O(h^2) then so is the RPD": rho is proportional to small depths s.
void judge_order(Reproduction& r) {
  bench::Numbers numbers;
  const Polyhedron a = model::geodesic(2),
                   b = model::image(model::tetrahedron(), 0.5 * Mat3::Identity(), Vec3::Zero());
  const Pose A{Vec3::Zero(), rotation(numbers)};
  Pose B{Vec3::Zero(), rotation(numbers)};
  const Vec3 towards = numbers.direction();
  std::vector<double> depths, rhos;
  for (int k = 4; k <= 16; k += 2) {
    const double wanted = 1 - std::ldexp(1, -k);
    B.p = towards;
    B.p = towards * (wanted / collide::ratio_metric(a, A, b, B).r);
    const collide::Ratio ratio = collide::ratio_metric(a, A, b, B);
    depths.push_back(collide::depth(ratio));
    rhos.push_back(-ratio.rho);
  }
  r.closed_form("theorem of 004", "order of rho in the depth as it goes to zero [-]", 1,
                fitted_slope(depths, rhos), 0.01, 0.05);
}

// Facets looked at by the dual simplex method, mean over pairs in slight overlap.
void judge_cost(const ReproduceSetting& setting, Reproduction& r) {
  const int pairs = setting.fast ? 50 : 400;
  std::vector<double> facets, scanned, minkowski;
  page::Curve scan{"every facet looked at", {}}, climb{"climbing", {}}, sums{"Minkowski", {}};
  for (int n = 1; n <= (setting.fast ? 5 : 10); ++n) {
    bench::Numbers numbers;
    const Polyhedron a = model::geodesic(n),
                     b = model::image(a, 0.8 * Mat3::Identity(), Vec3::Zero());
    double all = 0, climbed = 0;
    for (int i = 0; i < pairs && !setting.stopped(); ++i) {
      const Pose A{Vec3::Zero(), rotation(numbers)};
      Pose B{numbers.direction(), rotation(numbers)};
      B.p *= 0.98 / collide::ratio_metric(a, A, b, B).r;
      all += collide::ratio_metric(a, A, b, B, nullptr, collide::RatioSearch::scan).evaluations;
      climbed +=
          collide::ratio_metric(a, A, b, B, nullptr, collide::RatioSearch::climb).evaluations;
    }
    // The depth by the faces of the Minkowski difference: those of both bodies and the pairs of
    // edges that make one (E501). The number looked at is the same for all poses.
    minkowski.push_back(static_cast<double>(
        collide::least_depth_axis({a, Pose{}}, {b, Pose{Vec3::UnitX(), Quat::Identity()}})
            .looked_at));
    const double m = static_cast<double>(a.faces.size() + b.faces.size());
    sums.points.emplace_back(m, minkowski.back());
    facets.push_back(m);
    scanned.push_back(all / pairs);
    scan.points.emplace_back(m, all / pairs);
    climb.points.emplace_back(m, climbed / pairs);
  }
  r.printed_about("004, significance of the theorem: O(m1 + m2)",
                  "order of the facets looked at in m1 + m2, no start known [-]", 1,
                  fitted_slope(facets, scanned));
  r.printed_about("004, significance of the theorem: O(m1^2 + m2^2)",
                  "order of the pairs looked at in m1 + m2, Minkowski sums [-]", 2,
                  fitted_slope(facets, minkowski));
  r.at_least(
      fmt::format("Minkowski sums over ratio metric, looked at, {} facets [-]", facets.back()), 10,
      minkowski.back() / scanned.back(), 5, "\"RPD is faster than MPD\", 004, future research");
  std::vector<double> cheap;
  for (const auto& point : climb.points) cheap.push_back(point.second);
  r.notes.push_back(fmt::format(
      "the paper: O(m1 + m2) against O(m1^2 + m2^2) of Minkowski sums; the number of pivots grows "
      "slowly with the facets; climbing from face to face: order {:.2f}",
      fitted_slope(facets, cheap)));
  r.draw("hart-ratio-metric.svg",
         {.title = "Ratio metric: facets looked at in a query",
          .x = "m1 + m2",
          .y = "facets",
          .log_x = true,
          .log_y = true,
          .dots = true},
         {scan, climb, sums});
}

}  // namespace

Reproduction hart_ratio_metric(const ReproduceSetting& setting) {
  Reproduction r;
  judge_equivalence(setting, r);
  judge_order(r);
  judge_cost(setting, r);
  return r;
}

}  // namespace cairn::reproduce
