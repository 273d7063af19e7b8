#include "record/trace/packed/slim_frame.hpp"

#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "record/trace/packed/pack_impact.hpp"

namespace cairn::record {
namespace {

std::int64_t on_grid(double x, double grid) {
  const double n = std::round(x / grid);
  constexpr double most = 0x1p62;
  return n > -most && n < most ? static_cast<std::int64_t>(n) : 0;
}

GridPose on_grid(const Pose& X, double resolution) {
  GridPose g{};
  for (int i = 0; i < 3; ++i) g[static_cast<std::size_t>(i)] = on_grid(X.p[i], resolution);
  for (int i = 0; i < 4; ++i)
    g[static_cast<std::size_t>(i + 3)] = on_grid(X.R.coeffs()[i], orientation_grid);
  return g;
}

Pose from_grid(const GridPose& g, double resolution) {
  Pose X;
  for (int i = 0; i < 3; ++i)
    X.p[i] = static_cast<double>(g[static_cast<std::size_t>(i)]) * resolution;
  for (int i = 0; i < 4; ++i)
    X.R.coeffs()[i] = static_cast<double>(g[static_cast<std::size_t>(i + 3)]) * orientation_grid;
  if (const double norm = X.R.norm(); norm > 0)
    X.R.coeffs() /= norm;
  else
    X.R = Quat::Identity();
  return X;
}

template <class Pack, class Id>
void constraint_id(Pack& p, Id& id) {
  p.integer(id.role, 0);
  if (id.role > Role::given) p.reject();
  p.integer(id.contact.body_a, 0);
  p.integer(id.contact.body_b, 0);
  p.integer(id.contact.shape_a, 0);
  p.integer(id.contact.shape_b, 0);
  p.integer(id.contact.feature.a, 0);
  p.integer(id.contact.feature.b, 0);
  p.integer(id.element, 0);
  p.integer(id.coordinate, 0);
}

// What is left of a solve: counts, the worst residual and the name of its row.
template <class Pack, class Solution_, class Text>
void solve_figures(Pack& p, Solution_& s, int& has_row, ConstraintKey& row, Text& method) {
  p.integer(s.status, 0);
  if (s.status > SolveStatus::not_certified) p.reject();
  p.number(s.certificate.worst, 0);
  p.integer(s.certificate.finite, 1);
  p.integer(s.iterations, 0);
  p.integer(s.islands, 1);
  p.integer(s.fallbacks, 0);
  p.text(method);
  p.integer(has_row, 1);
  if (has_row != 0) constraint_id(p, row);
}

template <class Pack, class Report>
void impacts(Pack& p, Report& report) {
  p.count(report.impacts, 0);
  ImpactReport like;
  for (auto& i : report.impacts) {
    p.integer(i.contact.body_a, static_cast<std::int64_t>(like.contact.body_a));
    p.integer(i.contact.body_b, static_cast<std::int64_t>(like.contact.body_b));
    p.integer(i.contact.shape_a, static_cast<std::int64_t>(like.contact.shape_a));
    p.integer(i.contact.shape_b, static_cast<std::int64_t>(like.contact.shape_b));
    p.integer(i.contact.feature.a, like.contact.feature.a);
    p.integer(i.contact.feature.b, like.contact.feature.b);
    impact_figures(p, i, like);
    like = i;
    if (!p.ok()) return;
  }
}

// Poses as differences from where the two frames before lead.
template <class Pack>
void grid_poses(Pack& p, std::vector<GridPose>& poses, SlimMemory& memory) {
  p.count(poses, static_cast<std::int64_t>(memory.last.size()));
  const bool last = memory.last.size() == poses.size(),
             before = last && memory.before.size() == poses.size();
  for (std::size_t i = 0; i < poses.size() && p.ok(); ++i)
    for (std::size_t k = 0; k < 7; ++k) {
      std::uint64_t guess = last ? static_cast<std::uint64_t>(memory.last[i][k]) : 0;
      if (before) guess += guess - static_cast<std::uint64_t>(memory.before[i][k]);
      p.integer(poses[i][k], static_cast<std::int64_t>(guess));
    }
  memory.before = std::move(memory.last);
  memory.last = poses;
}

}  // namespace

void pack_slim(const StepReport& report, const State& state, std::uint64_t state_hash,
               const ShownForces& forces, double resolution, SlimMemory& memory, PackWriter& p) {
  p.clear();
  p.integer(static_cast<std::int64_t>(state_hash), 0);
  p.integer(report.contacts.size(), 0);
  p.count(report.solved(), 1);
  for (const SolveRecord& record : report.solved()) {
    p.integer(record.purpose, 0);
    const int worst = record.solution.certificate.worst_constraint;
    int has_row = worst >= 0 ? 1 : 0;
    ConstraintKey row;
    if (has_row != 0) row = record.problem.constraints[static_cast<std::size_t>(worst)].key;
    const std::string method = record.solution.method;
    solve_figures(p, record.solution, has_row, row, method);
  }
  impacts(p, report);
  p.integer(forces.known, 1);
  for (const ForceKind kind : {ForceKind::least_norm, ForceKind::not_minimised})
    p.integer(forces.count(kind), 0);
  p.number(resolution, 1);
  std::vector<GridPose> poses;
  for (const Pose& X : state.poses) poses.push_back(on_grid(X, resolution));
  grid_poses(p, poses, memory);
  p.integer(static_cast<std::int64_t>(state.v.size()), 0);
  p.number(state.t, report.t);
  p.integer(state.step, report.step);
}

bool unpack_slim(SlimMemory& memory, PackReader& p, TraceFrame& frame) {
  StepReport& report = frame.report;
  std::int64_t state_hash = 0, candidates = 0, velocities = 0;
  p.integer(state_hash, 0);
  frame.state_hash = static_cast<std::uint64_t>(state_hash);
  p.integer(candidates, 0);
  if (candidates < 0 || candidates > std::numeric_limits<int>::max()) p.reject();
  report.contacts.clear();
  report.candidates = static_cast<int>(candidates);
  p.count(report.solves, 1);
  frame.methods.resize(report.solved().size());
  for (std::size_t i = 0; i < frame.methods.size() && p.ok(); ++i) {
    SolveRecord& record = report.solves[i];
    record = {};
    p.integer(record.purpose, 0);
    if (record.purpose > SolveRecord::Purpose::impact) p.reject();
    int has_row = 0;
    ConstraintKey row;
    solve_figures(p, record.solution, has_row, row, frame.methods[i]);
    if (has_row == 0) continue;
    record.problem.constraints.assign(1, {});
    record.problem.constraints[0].key = row;
    record.problem.first_row = {0, 1};
    record.solution.certificate.worst_constraint = 0;
  }
  if (report.worst_solve < 0 ||
      (!report.solves.empty() && report.worst_solve >= report.solves.size()))
    p.reject();
  impacts(p, report);
  frame.forces = {};
  p.integer(frame.forces.known, 1);
  for (const ForceKind kind : {ForceKind::least_norm, ForceKind::not_minimised}) {
    int count = 0;
    p.integer(count, 0);
    if (count < 0 || count > report.candidates) p.reject();
    if (p.ok()) frame.forces.kinds.insert(frame.forces.kinds.end(), base::at(count), kind);
  }
  double resolution = 0;
  p.number(resolution, 1);
  std::vector<GridPose> poses;
  grid_poses(p, poses, memory);
  p.integer(velocities, 0);
  // No body has more than six.
  if (velocities < 0 || velocities > 6 * static_cast<std::int64_t>(poses.size())) p.reject();
  frame.state = {};
  p.number(frame.state.t, report.t);
  p.integer(frame.state.step, report.step);
  if (!p.at_end()) return false;
  for (const GridPose& g : poses) frame.state.poses.push_back(from_grid(g, resolution));
  frame.state.v.setZero(velocities);
  report.divided.clear();
  return true;
}

}  // namespace cairn::record
