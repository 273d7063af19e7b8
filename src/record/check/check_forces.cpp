// Verifies recorded shortest impulses by their optimality condition (E622), and marks by the rank
// of the rows. Shares neither faces nor projections nor the factor with what computed them.
#include "record/check/check_forces.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/index.hpp"
#include "record/check/force_faces.hpp"

namespace cairn::record {
namespace {

// Of the largest impulse of the island: what may be missing of the motion, and of optimality.
// Contacts count as unique to 1e-8 of the largest impulse, the tolerance of a solve (E982): the
// shortest forces are known no better.
constexpr double motion_share = 4e-11, shortest_share = 1e-8;
constexpr std::array thresholds = {1.0, 0.5, 2.0};  // a velocity between them may count either way
// Of a velocity, and of a lever arm over the largest one: what may count as zero.
constexpr std::array<std::pair<double, double>, 6> readings = {
    {{1, 0}, {0.5, 0}, {2, 0}, {1, 1e-7}, {0.5, 1e-7}, {2, 1e-7}}};
constexpr int most_ranked_rows = 100;
constexpr double surely_zero = 1e-8, surely_not = 1e-4;  // of a unit vector of the null space

class IslandCheck {
 public:
  IslandCheck(const Model& model, const ForceBench& bench, const ShortestIsland& island,
              const Complain& complain)
      : model_(model),
        bench_(bench),
        problem_(bench.problem()),
        island_(island),
        complain_(complain),
        y_(VecX::Zero(problem_.velocities())) {
    Eigen::Index at = 0;
    for (const int body : island.bodies) {
      const ProblemBody& b = problem_.bodies[base::at(body)];
      y_.segment(b.first, b.size) = island.y.segment(at, b.size);
      at += b.size;
    }
    at = 0;
    for (const int i : island.constraints) {
      const int rows = problem_.constraints[base::at(i)].rows;
      shown_[base::at(i)] = island.lambda.segment(at, rows);
      at += rows;
      if (is_shown(problem_.constraints[base::at(i)]))
        largest_ = std::max({largest_, shown_[base::at(i)].cwiseAbs().maxCoeff(),
                             bench.impulse(base::at(i)).cwiseAbs().maxCoeff()});
    }
  }

  void run() {
    if (!island_.lambda.allFinite() || !island_.y.allFinite())
      return complain_(FindingCode::forces, "a shown force is not finite");
    if (!whole()) return;
    same_motion();
    for (const auto& [i, lambda] : shown_) shortest(i, lambda);
  }

 private:
  void wrong(std::size_t i, const std::string& what) const {
    complain_(FindingCode::forces,
              fmt::format("shown force of {} {}",
                          constraint_name(model_, problem_, static_cast<int>(i)), what));
  }

  // All bodies that constraints connect, and all constraints on them.
  bool whole() const {
    std::vector<int> bodies, constraints;
    const int label =
        island_.bodies.empty() ? -1 : bench_.labels()[base::at(island_.bodies.front())];
    for (std::size_t j = 0; j < problem_.bodies.size(); ++j)
      if (bench_.labels()[j] == label) bodies.push_back(static_cast<int>(j));
    for (std::size_t i = 0; i < problem_.constraints.size(); ++i)
      if (label >= 0 && bench_.label(i) == label) constraints.push_back(static_cast<int>(i));
    if (label >= 0 && bodies == island_.bodies && constraints == island_.constraints) return true;
    complain_(FindingCode::forces, "shown forces are not of a whole island");
    return false;
  }

  // J^T (lambda' - lambda) = 0, body by body.
  void same_motion() const {
    VecX change = VecX::Zero(problem_.velocities()), squares = change;
    for (const auto& [i, lambda] : shown_) {
      const Constraint& c = problem_.constraints[i];
      for (int side = 0; side < max_sides; ++side) {
        if (c.body[base::at(side)] < 0) continue;
        const ProblemBody& b = problem_.bodies[base::at(c.body[base::at(side)])];
        const Rows J = jacobian(c, side, b.size);
        change.segment(b.first, b.size) += J.transpose() * (lambda - bench_.impulse(i));
        squares.segment(b.first, b.size) += J.cwiseAbs2().colwise().sum().transpose();
      }
    }
    for (const int body : island_.bodies) {
      const ProblemBody& b = problem_.bodies[base::at(body)];
      for (int k = b.first; k < b.first + b.size; ++k)
        if (!(std::abs(change[k]) <= motion_share * std::sqrt(squares[k]) * largest_))
          return complain_(
              FindingCode::forces,
              fmt::format("shown forces change the motion of body {}: {:.3g} N s too much",
                          model_.bodies[base::at(b.model_body)].name,
                          change[k] * problem_.units.impulse()));
    }
  }

  // p_i = P_i(J_i y), p_i the impulse without what the solver has outside its face (E620, E622).
  void shortest(std::size_t i, const Few& lambda) const {
    const Constraint& c = problem_.constraints[i];
    const Few z = bench_.velocity(i, y_), own = bench_.impulse(i);
    if (c.law == Law::equality && !c.compliant()) {
      double arm = 0;
      for (int side = 0; side < max_sides; ++side)
        if (const int body = c.body[base::at(side)]; body >= 0)
          arm = std::max(arm, jacobian(c, side, problem_.bodies[base::at(body)].size).norm());
      if (!(z.norm() <= shortest_share * largest_ * arm))
        wrong(i, "leaves room for shorter forces: the joint has a multiplier of its own");
      return;
    }
    double best = std::numeric_limits<double>::infinity(), outside = best;
    for (const double factor : thresholds) {
      const ForceFace face = is_shown(c) ? force_face(bench_, i, factor) : ForceFace{};
      if (!is_shown(c) || face.kind == ForceFace::Kind::open) {
        best = std::min(best, (lambda - own).norm());
        outside = std::min(outside, (lambda - own).norm());
        continue;
      }
      const Few p = lambda - (own - face.nearest(own));
      best = std::min(best, (p - face.nearest(z)).norm());
      outside = std::min(outside, (p - face.nearest(p)).norm());
    }
    const double allowed = shortest_share * largest_;
    if (!(outside <= allowed))
      wrong(i, fmt::format("violates the contact's law by {:.3g} N s",
                           outside * problem_.units.impulse()));
    else if (!(best <= allowed))
      wrong(i, fmt::format("is not the shortest, by {:.3g} N s", best * problem_.units.impulse()));
  }

  const Model& model_;
  const ForceBench& bench_;
  const Problem& problem_;
  const ShortestIsland& island_;
  const Complain& complain_;
  VecX y_;
  std::map<std::size_t, Few> shown_;
  double largest_ = 0;
};

// What each contact of an island is by the rank of its rows: 1 unique, -1 not unique, 0 in between.
// Lever arms below `least` of the largest may be rounding and are left small.
std::map<std::size_t, int> ranked(const ForceBench& bench, int label, double factor, double least) {
  const Problem& p = bench.problem();
  std::vector<std::size_t> owner;
  std::vector<VecX> columns;
  const auto add = [&](std::size_t i, const Vec3& direction) {
    VecX column = VecX::Zero(p.velocities());
    const Constraint& c = p.constraints[i];
    for (int side = 0; side < max_sides; ++side) {
      if (c.body[base::at(side)] < 0) continue;
      const ProblemBody& b = p.bodies[base::at(c.body[base::at(side)])];
      column.segment(b.first, b.size) +=
          jacobian(c, side, b.size).transpose() * direction.head(c.rows);
    }
    owner.push_back(i);
    columns.push_back(std::move(column));
  };
  std::map<std::size_t, int> kinds;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    if (bench.label(i) != label) continue;
    const Constraint& c = p.constraints[i];
    if (c.law == Law::equality && !c.compliant())
      for (int k = 0; k < c.rows; ++k) add(i, Vec3::Unit(k));
    if (!is_shown(c)) continue;
    kinds[i] = 1;
    for (const Vec3& direction : force_face(bench, i, factor).span()) add(i, direction);
  }
  const auto count = static_cast<Eigen::Index>(columns.size());
  if (count == 0) return kinds;  // contacts without force, and nothing else
  Eigen::MatrixXd M(p.velocities(), count);
  for (Eigen::Index k = 0; k < count; ++k) M.col(k) = columns[static_cast<std::size_t>(k)];
  // Lengths of lever arms out of the way, then columns of unit length.
  const double largest = M.rowwise().norm().maxCoeff();
  for (Eigen::Index r = 0; r < M.rows(); ++r)
    if (const double size = std::max(M.row(r).norm(), least * largest); size > 0) M.row(r) /= size;
  for (Eigen::Index k = 0; k < count; ++k)
    if (const double size = M.col(k).norm(); size > 0) M.col(k) /= size;
  if (!M.allFinite())
    return {};  // squares of recorded numbers exceed all numbers: nothing is proven
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors(M.rows(), count);
  factors.setThreshold(1e-8);
  factors.compute(M);
  const Eigen::Index rank = factors.rank();
  if (rank == count) return kinds;
  // A basis of the null space, orthonormal so that sizes mean something.
  Eigen::MatrixXd null = Eigen::MatrixXd::Zero(count, count - rank);
  null.topRows(rank) = -factors.matrixR()
                            .topLeftCorner(rank, rank)
                            .triangularView<Eigen::Upper>()
                            .solve(factors.matrixR().topRightCorner(rank, count - rank));
  null.bottomRows(count - rank).setIdentity();
  const Eigen::HouseholderQR<Eigen::MatrixXd> orthogonal(factors.colsPermutation() * null);
  const Eigen::MatrixXd Q =
      orthogonal.householderQ() * Eigen::MatrixXd::Identity(count, count - rank);
  std::map<std::size_t, double> sizes;
  for (Eigen::Index k = 0; k < count; ++k) {
    double& size = sizes[owner[static_cast<std::size_t>(k)]];
    size = std::max(size, Q.row(k).norm());
  }
  for (auto& [i, kind] : kinds)
    if (const auto at = sizes.find(i); at != sizes.end())
      kind = at->second <= surely_zero ? 1 : at->second >= surely_not ? -1 : 0;
  return kinds;
}

int find_contact(const StepReport& report, const ContactKey& key) {
  for (std::size_t i = 0; i < report.contacts.size(); ++i)
    if (report.contacts[i].contact.key == key) return static_cast<int>(i);
  return -1;
}

// Marks of the contacts of the last solve, of islands that are small enough.
void check_marks(const Model& model, const ForceBench& bench, const StepReport& report,
                 const ShownForces& forces, const Complain& complain, Unverified& unverified) {
  const Problem& p = bench.problem();
  std::map<int, int> rows;
  std::map<int, bool> tied;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    if (is_shown(p.constraints[i]) || p.constraints[i].law == Law::equality)
      rows[bench.label(i)] += p.constraints[i].rows;
    tied[bench.label(i)] = tied[bench.label(i)] || p.constraints[i].law == Law::disc;
  }
  for (const auto& [label, count] : rows) {
    if (label < 0 || tied[label]) continue;
    bool known = true, presses = false;
    std::vector<std::pair<std::size_t, ForceKind>> marks;
    for (std::size_t i = 0; i < p.constraints.size(); ++i) {
      if (bench.label(i) != label || !is_shown(p.constraints[i])) continue;
      const int at = find_contact(report, p.constraints[i].key.contact);
      if (at < 0) return;  // reported contacts are compared elsewhere
      marks.emplace_back(i, forces.kinds[base::at(at)]);
      known = known && marks.back().second != ForceKind::not_minimised;
      presses = presses || bench.impulse(i)[0] > 0;
      // Impulses of several problems together are of no island.
      const double own = bench.impulse(i)[0] * p.units.impulse();
      if (std::abs(own - report.contacts[base::at(at)].impulse[0]) > 1e-9 * std::abs(own))
        presses = known = false;
    }
    if (!known && presses && count <= max_shown_rows)
      unverified.insert("contact forces that were not minimised");
    if (!known || !presses) continue;
    if (count > most_ranked_rows) {
      unverified.insert("which contact forces of large islands are unique");
      continue;
    }
    bool agrees = false;
    std::size_t wrong = marks.front().first;
    for (const auto& [factor, least] : readings) {
      const std::map<std::size_t, int> kinds = ranked(bench, label, factor, least);
      const auto differs = std::find_if(marks.begin(), marks.end(), [&](const auto& mark) {
        const int kind = kinds.at(mark.first);
        return kind != 0 && (kind > 0) != (mark.second == ForceKind::unique);
      });
      agrees = agrees || differs == marks.end();
      if (agrees) break;
      if (factor == 1 && least == 0) wrong = differs->first;
    }
    if (!agrees)
      complain(FindingCode::forces,
               fmt::format("{} is marked as {}, the rows say otherwise",
                           constraint_name(model, p, static_cast<int>(wrong)),
                           name(std::find_if(marks.begin(), marks.end(), [&](const auto& m) {
                                  return m.first == wrong;
                                })->second)));
  }
}

}  // namespace

void check_forces(const Model& model, const StepReport& report, const ShownForces& forces,
                  const Complain& complain, Unverified& unverified) {
  if (!forces.known || report.solves.empty()) return;
  std::vector<bool> proven(report.contacts.size(), false);
  std::map<int, ForceBench> benches;
  const auto bench = [&](int solve) -> const ForceBench& {
    return benches.try_emplace(solve, report.solves[base::at(solve)]).first->second;
  };
  for (const ShortestIsland& island : forces.islands) {
    const ForceBench& of_island = bench(island.solve);
    IslandCheck(model, of_island, island, complain).run();
    for (const int i : island.constraints) {
      const Constraint& c = of_island.problem().constraints[base::at(i)];
      if (!is_shown(c)) continue;
      if (const int at = find_contact(report, c.key.contact); at >= 0) proven[base::at(at)] = true;
    }
  }
  for (std::size_t i = 0; i < proven.size(); ++i)
    if (forces.kinds[i] == ForceKind::least_norm && !proven[i])
      return complain(FindingCode::forces, "a contact is marked as least norm without a proof");
  // Earlier solves and the parts of a divided step have other problems for the same contacts.
  if (report.divided.empty())
    check_marks(model, bench(report.solves.size() - 1), report, forces, complain, unverified);
}

}  // namespace cairn::record
