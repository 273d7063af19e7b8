#include "record/trace/packed/packed_frame.hpp"

#include "record/trace/frame_origin.hpp"
#include "record/trace/packed/pack_impact.hpp"
#include "record/trace/packed/state_packer.hpp"

namespace cairn::record {
namespace {

// The order of the functions matters: what is read later is guessed from what was read before.
template <class Pack, class Report, class StateOf, class ForcesOf>
class FramePacker : protected StatePacker<Pack, Report, StateOf> {
  using States = StatePacker<Pack, Report, StateOf>;

 public:
  FramePacker(Pack& pack, PackMemory& memory, Report& report, StateOf& state, ForcesOf& forces)
      : States(pack, memory, report, state), forces_(forces) {}

  template <class Methods>
  void all(Methods& used_methods) {
    this->geometry();
    this->solves(used_methods);
    this->outcomes();
    this->parts();
    this->state();
    impacts();
    forces();
    origins();
  }

 private:
  using States::base_at;
  using States::before_;
  using States::contact_geometry;
  using States::contact_of_frame;
  using States::integers;
  using States::key_among;
  using States::numbers;
  using States::p;
  using States::pose;
  using States::pose_before;
  using States::report_;
  using States::scratch_;
  static constexpr bool reading = Pack::reading;

  void impacts() {
    p.count(report_.impacts, 0);
    ImpactReport like;
    std::int64_t last = -1;
    for (auto& i : report_.impacts) {
      const std::int64_t contact = key_among(i.contact, report_.contacts, last);
      ImpactReport solved;
      impact_figures(p, i, like, this->impact(contact, solved) ? &solved : nullptr);
      like = i;
      if (!p.ok()) return;
    }
  }

  void forces() {
    p.integer(forces_.known, 1);
    if (!forces_.known) return;
    p.count(forces_.kinds, static_cast<std::int64_t>(report_.contacts.size()));
    for (auto& kind : forces_.kinds) {
      p.integer(kind, 0);
      if (kind > ForceKind::not_minimised) return p.reject();
    }
    p.count(forces_.islands, 0);
    for (auto& island : forces_.islands) {
      p.integer(island.solve, report_.solves.size() - 1);
      if (island.solve < 0 || island.solve >= report_.solves.size()) return p.reject();
      force_island(island, report_.solves[base_at(island.solve)]);
      if (!p.ok()) return;
    }
    if constexpr (reading)
      if (forces_.kinds.size() != report_.contacts.size() || !spread_islands(report_, forces_))
        p.reject();
  }

  template <class Island>
  void force_island(Island& island, const SolveRecord& solve) {
    const Problem& problem = solve.problem;
    integers(island.constraints);
    integers(island.bodies);
    if (!ascending(island.constraints, problem.constraints.size()) ||
        !ascending(island.bodies, problem.bodies.size()))
      return p.reject();
    Eigen::Index rows = 0, velocities = 0;
    std::vector<double>& guess = scratch_.numbers;
    guess.clear();
    for (const int i : island.constraints)
      for (int r = 0; r < problem.constraints[base_at(i)].rows; ++r, ++rows)
        guess.push_back(solve.solution.lambda[problem.first_row[base_at(i)] + r]);
    for (const int i : island.bodies) velocities += problem.bodies[base_at(i)].size;
    p.count(island.lambda, rows);
    p.count(island.y, velocities);
    if (island.lambda.size() != rows || island.y.size() != velocities) return p.reject();
    for (Eigen::Index i = 0; i < rows; ++i)
      p.number(island.lambda[i], guess[static_cast<std::size_t>(i)]);
    for (Eigen::Index i = 0; i < velocities; ++i) p.number(island.y[i], 0);
  }
  static bool ascending(const std::vector<int>& numbers, std::size_t count) {
    int least = 0;
    for (const int n : numbers) {
      if (n < least || static_cast<std::size_t>(n) >= count) return false;
      least = n + 1;
    }
    return true;
  }

  void origins() {
    for (int i = 0; i < report_.solves.size() && p.ok(); ++i) {
      auto& record = report_.solves[base_at(i)];
      auto& origin = record.origin;
      int there = reading ? 0 : origin.empty() ? 0 : 1;
      p.integer(there, 0);
      if constexpr (reading) origin.clear();
      if (there == 0) continue;
      p.number(origin.t, before_.t);
      p.number(origin.length, report_.h);
      p.number(origin.t_rows, before_.t + report_.h);
      origin_poses(origin.start, record.problem);
      numbers(origin.v, {});
      origin_poses(origin.rows, record.problem);
      origin_contacts(origin.contacts);
      origin_contacts(origin.before);
      if (reading && p.ok() && !origin_fits(origin, record.problem)) p.reject();
    }
  }

  template <class Poses>
  void origin_poses(Poses& poses, const Problem& problem) {
    p.count(poses, 0);
    for (std::size_t i = 0; i < poses.size() && p.ok(); ++i)
      pose(poses[i],
           i < problem.bodies.size() ? pose_before(problem.bodies[i].model_body) : Pose{});
  }

  template <class Contacts>
  void origin_contacts(Contacts& contacts) {
    p.count(contacts, 0);
    std::int64_t last = -1;
    Contact constants;
    for (auto& c : contacts) {
      const std::int64_t index = key_among(c.key, report_.contacts, last);
      contact_geometry(c, contact_of_frame(index), nullptr, constants);
      constants = c;
      if (!p.ok()) return;
    }
  }

  ForcesOf& forces_;
};

}  // namespace

void PackMemory::clear() {
  *this = {};
}

void PackMemory::remember(const StepReport& report, const State& after) {
  poses = state.poses;
  contacts = report.contacts;
  if (!report.solves.empty()) {
    solve = report.solves.front();
    const Problem& problem = solve.problem;
    push = problem.k;
    if (problem.k.size() == state.v.size())
      for (const ProblemBody& b : problem.bodies)
        for (int r = 0; r < b.size; ++r)
          for (int c = 0; c < b.size; ++c) {
            const bool turn = (b.size == 6 && c > 2) || (b.size == 3 && c > 1);
            const double v = state.v[b.first + c];
            push[b.first + r] -=
                b.A[r][c] * (turn ? v * problem.units.time : v / problem.units.speed());
          }
  }
  state = after;
}

void pack_frame(const StepReport& report, const State& state, std::uint64_t state_hash,
                const ShownForces& forces, PackMemory& memory, PackWriter& pack) {
  pack.clear();
  FramePacker<PackWriter, const StepReport, const State, const ShownForces> packer(
      pack, memory, report, state, forces);
  int none = 0;
  packer.all(none);
  pack.integer(static_cast<std::int64_t>(state_hash), 0);
}

bool unpack_frame(PackMemory& memory, PackReader& pack, TraceFrame& frame) {
  frame.forces = {};
  FramePacker<PackReader, StepReport, State, ShownForces> packer(pack, memory, frame.report,
                                                                 frame.state, frame.forces);
  packer.all(frame.methods);
  std::int64_t state_hash = 0;
  pack.integer(state_hash, 0);
  frame.state_hash = static_cast<std::uint64_t>(state_hash);
  return pack.at_end();
}

}  // namespace cairn::record
