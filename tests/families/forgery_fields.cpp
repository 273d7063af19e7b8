#include <algorithm>
#include <cmath>
#include <tuple>

#include "families/forgeries.hpp"

namespace cairn::families {
namespace {

using Report = StepReport;

constexpr double differences_beyond =
    4e-13;  // four roundings of differences of energies (E983) [-]

// A number becomes another one by a thousandth of its own size, or by `scale` where it is smaller.
double moved(double x, double scale) {
  return x + 1e-3 * std::max(std::abs(x), scale);
}

class List {
 public:
  List(const Report& report, const State& state, const Model& model, Random& random)
      : report_(report), state_(state), model_(model), random_(random) {}

  std::vector<Forgery> all;

  void add(const std::string& field, std::function<void(Report&, State&)> change) {
    all.push_back({field, std::move(change)});
  }

  // `place`: from report and state to the number.
  template <class Place>
  void number(const std::string& field, double scale, Place place) {
    add(field, [=](Report& r, State& s) {
      double& x = place(r, s);
      x = moved(x, scale);
    });
  }
  template <class Place>
  void count(const std::string& field, Place place) {
    add(field, [=](Report& r, State& s) { ++place(r, s); });
  }

  std::size_t any(std::size_t n) {
    return static_cast<std::size_t>(random_.whole(0, static_cast<int>(n) - 1));
  }

  // (E983): sums of m |g| |x| and of the elements, whose differences are terms of the ledger [J].
  double potential() const {
    double sum = std::abs(report_.ledger.potential_start) + std::abs(report_.ledger.potential_end);
    for (std::size_t i = 0; i < state_.poses.size(); ++i)
      if (model_.bodies[i].kind == BodyKind::dynamic)
        sum += model_.bodies[i].mass * model_.gravity.cwiseAbs().dot(state_.poses[i].p.cwiseAbs());
    return sum;
  }

  void measures() {
    const Ledger& l = report_.ledger;
    using L = double Ledger::*;
    double largest = std::abs(l.kinetic_start) + std::abs(l.kinetic_end);
    for (const L flow :
         {&Ledger::work_applied, &Ledger::work_motion, &Ledger::friction, &Ledger::impact,
          &Ledger::stabilisation, &Ledger::integrator, &Ledger::solver, &Ledger::passive})
      largest = std::max(largest, 1e-5 * std::abs(l.*flow));
    const double energy = largest + 1e-6;
    // A thousandth of this is four times the rounding of a difference of potentials.
    const double of_potential = std::max(energy, 1e3 * differences_beyond * potential());
    for (const auto& [name, field, scale] :
         std::initializer_list<std::tuple<const char*, L, double>>{
             {"kinetic start", &Ledger::kinetic_start, energy},
             {"potential start", &Ledger::potential_start, of_potential},
             {"kinetic end", &Ledger::kinetic_end, energy},
             {"potential end", &Ledger::potential_end, of_potential},
             {"work applied", &Ledger::work_applied, energy},
             {"work motion", &Ledger::work_motion, energy},
             {"friction", &Ledger::friction, energy},
             {"impact", &Ledger::impact, energy},
             {"stabilisation", &Ledger::stabilisation, of_potential},
             {"integrator", &Ledger::integrator, of_potential},
             {"solver", &Ledger::solver, energy},
             {"passive", &Ledger::passive, energy}})
      number(std::string("ledger ") + name, scale,
             [f = field](Report& r, State&) -> double& { return r.ledger.*f; });
    using M = double Report::*;
    for (const auto& [name, field] : std::initializer_list<std::pair<const char*, M>>{
             {"certificate", &Report::certificate},
             {"penetration", &Report::penetration},
             {"joint error", &Report::joint_error},
             {"joint error angle", &Report::joint_error_angle},
             {"time", &Report::t},
             {"length", &Report::h}})
      number(name, 1e-3, [f = field](Report& r, State&) -> double& { return r.*f; });
    using C = int Report::*;
    for (const auto& [name, field] : std::initializer_list<std::pair<const char*, C>>{
             {"worst solve", &Report::worst_solve},
             {"active contacts", &Report::active_contacts},
             {"corrections", &Report::corrections},
             {"parts", &Report::parts}})
      count(name, [f = field](Report& r, State&) -> int& { return r.*f; });
    add("number of the step", [](Report& r, State&) { ++r.step; });
    add("status", [](Report& r, State&) {
      r.status =
          r.status == StepStatus::certified ? StepStatus::uncertified : StepStatus::certified;
    });
  }

  void verdict() {
    using V = double Verdict::*;
    for (const auto& [name, field] :
         std::initializer_list<std::pair<const char*, V>>{{"overlap", &Verdict::overlap},
                                                          {"joint", &Verdict::joint},
                                                          {"joint angle", &Verdict::joint_angle},
                                                          {"momentum", &Verdict::momentum},
                                                          {"energy error", &Verdict::energy_error},
                                                          {"integrator", &Verdict::integrator}})
      number(std::string("verdict ") + name, 1e-3,
             [f = field](Report& r, State&) -> double& { return r.verdict.*f; });
    using P = VerdictPart Verdict::*;
    for (const auto& [name, field] :
         std::initializer_list<std::pair<const char*, P>>{{"solve", &Verdict::solve},
                                                          {"motion", &Verdict::motion},
                                                          {"energy", &Verdict::energy}}) {
      add(std::string("verdict ok of ") + name, [f = field](Report& r, State&) {
        VerdictPart& part = r.verdict.*f;
        part.ok = !part.ok;
        r.status = r.verdict.accepted() ? StepStatus::certified : StepStatus::uncertified;
      });
      number(std::string("verdict worst of ") + name, 1,
             [f = field](Report& r, State&) -> double& { return (r.verdict.*f).worst; });
    }
    count("verdict parts", [](Report& r, State&) -> int& { return r.verdict.parts; });
  }

  void state() {
    number("state time", 1e-3, [](Report&, State& s) -> double& { return s.t; });
    std::vector<std::size_t> bodies;
    for (std::size_t i = 0; i < state_.poses.size(); ++i) bodies.push_back(i);
    const std::size_t body = bodies[any(bodies.size())];
    const int axis = random_.whole(0, 2);
    number("state position", 1e-3,
           [=](Report&, State& s) -> double& { return s.poses[body].p[axis]; });
    add("state rotation", [=](Report&, State& s) {
      s.poses[body].R = (s.poses[body].R * exp_rotation(1e-3 * Vec3::Unit(axis))).normalized();
    });
    if (state_.v.size() > 0) {
      const auto i = static_cast<Eigen::Index>(any(static_cast<std::size_t>(state_.v.size())));
      number("state velocity", 1e-3, [=](Report&, State& s) -> double& { return s.v[i]; });
    }
    const std::size_t joints = of_role(state_.impulses, Role::joint).size();
    if (const auto contacts = of_role(state_.impulses, Role::contact); !contacts.empty()) {
      const std::size_t i = joints + any(contacts.size());
      if (!state_.impulses[i].impulse.isZero(0))
        add("state impulse of a contact",
            [=](Report&, State& s) { s.impulses[i].impulse *= 1.001; });
      add("state contact left out", [=](Report&, State& s) {
        s.impulses.erase(s.impulses.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    if (joints > 0) {
      const std::size_t i = any(joints);
      Eigen::Index row = 0;
      state_.impulses[i].impulse.cwiseAbs().maxCoeff(&row);
      if (state_.impulses[i].impulse[row] != 0)
        number("state impulse of a joint", 0,
               [=](Report&, State& s) -> double& { return s.impulses[i].impulse[row]; });
    }
    if (!state_.pending.empty()) {
      const std::size_t i = any(state_.pending.size());
      add("state pending contact left out", [=](Report&, State& s) {
        s.pending.erase(s.pending.begin() + static_cast<std::ptrdiff_t>(i));
      });
    }
    if (!state_.contact_anchors.empty()) {
      const std::size_t i = any(state_.contact_anchors.size());
      number("state anchor", 1e-3,
             [=](Report&, State& s) -> double& { return s.contact_anchors[i].p_B[axis]; });
    }
  }

  void contacts() {
    if (report_.contacts.empty()) return;
    const std::size_t i = any(report_.contacts.size());
    const int axis = random_.whole(0, report_.contacts[i].contact.rows - 1);
    if (report_.contacts[i].impulse[0] > 0)
      number("contact impulse", 0,
             [=](Report& r, State&) -> double& { return r.contacts[i].impulse[0]; });
    number("contact velocity", 1e-3,
           [=](Report& r, State&) -> double& { return r.contacts[i].velocity[axis]; });
    number("contact gap", 1e-3,
           [=](Report& r, State&) -> double& { return r.contacts[i].contact.gap; });
    number("contact point", 1e-3,
           [=](Report& r, State&) -> double& { return r.contacts[i].contact.p_WC[axis]; });
    number("contact friction", 1e-3,
           [=](Report& r, State&) -> double& { return r.contacts[i].contact.friction; });
    number("contact restitution", 1e-3,
           [=](Report& r, State&) -> double& { return r.contacts[i].contact.restitution; });
    add("contact normal", [=](Report& r, State&) {
      Contact& c = r.contacts[i].contact;
      const Quat turn = exp_rotation(1e-3 * c.t1_W);
      c.n_W = turn * c.n_W, c.t1_W = turn * c.t1_W, c.t2_W = turn * c.t2_W;
    });
    add("contact mode", [=](Report& r, State&) {
      ContactMode& mode = r.contacts[i].mode;
      mode = mode == ContactMode::open ? ContactMode::stick : ContactMode::open;
    });
    add("contact colliding",
        [=](Report& r, State&) { r.contacts[i].colliding = !r.contacts[i].colliding; });
    add("contact left out", [=](Report& r, State&) {
      r.contacts.erase(r.contacts.begin() + static_cast<std::ptrdiff_t>(i));
    });
  }

  void solve() {
    if (report_.solves.empty()) return;
    const std::size_t i = any(static_cast<std::size_t>(report_.solves.size()));
    const Problem& p = report_.solves[i].problem;
    const auto solved = [i](Report& r) -> SolveRecord& { return r.solves[i]; };
    if (p.velocities() > 0) {
      const auto k = static_cast<Eigen::Index>(any(static_cast<std::size_t>(p.velocities())));
      number("solve k", 1e-3, [=](Report& r, State&) -> double& { return solved(r).problem.k[k]; });
      number("solve v", 1e-3,
             [=](Report& r, State&) -> double& { return solved(r).solution.v[k]; });
      const std::size_t body = any(p.bodies.size());
      number("solve mass", 0,
             [=](Report& r, State&) -> double& { return solved(r).problem.bodies[body].A[0][0]; });
    }
    if (p.rows() > 0) {
      const std::size_t c = any(p.constraints.size());
      const Constraint& row = p.constraints[c];
      const Eigen::Index first = p.first_row[c];
      number("solve lambda", 1e-3,
             [=](Report& r, State&) -> double& { return solved(r).solution.lambda[first]; });
      number("solve b", 1e-3,
             [=](Report& r, State&) -> double& { return solved(r).problem.constraints[c].b[0]; });
      const int side = row.body[0] >= 0 ? 0 : 1;
      number("solve J", 1e-3, [=](Report& r, State&) -> double& {
        return solved(r).problem.constraints[c].J[side][0][0];
      });
      if (has_cone(row.law))
        number("solve friction", 1e-3,
               [=](Report& r, State&) -> double& { return solved(r).problem.constraints[c].mu; });
    }
    using F = double Certificate::*;
    for (const auto& [name, field] : std::initializer_list<std::pair<const char*, F>>{
             {"momentum", &Certificate::momentum},
             {"natural map", &Certificate::natural_map},
             {"worst", &Certificate::worst}})
      number(std::string("solve certificate ") + name, 1e-6,
             [=, f = field](Report& r, State&) -> double& {
               return solved(r).solution.certificate.*f;
             });
  }

  void events() {
    if (!report_.events.empty()) {
      const std::size_t i = any(report_.events.size());
      if (report_.events[i].kind == StepEvent::Kind::collision) {
        number("event time", report_.h,
               [=](Report& r, State&) -> double& { return r.events[i].t; });
        number("event speed", 1e-3,
               [=](Report& r, State&) -> double& { return r.events[i].speed; });
      }
    }
    if (!report_.impacts.empty()) {
      const std::size_t i = any(report_.impacts.size());
      using I = double ImpactReport::*;
      for (const auto& [name, field] : std::initializer_list<std::pair<const char*, I>>{
               {"time", &ImpactReport::t},
               {"approach", &ImpactReport::approach},
               {"rebound", &ImpactReport::rebound},
               {"restitution", &ImpactReport::restitution},
               {"lost to restitution", &ImpactReport::lost_restitution},
               {"lost to friction", &ImpactReport::lost_friction},
               {"kinetic before", &ImpactReport::kinetic_before},
               {"kinetic after", &ImpactReport::kinetic_after}})
        number(std::string("impact ") + name, 1e-3,
               [=, f = field](Report& r, State&) -> double& { return r.impacts[i].*f; });
    }
    if (!report_.divided.empty()) {
      const std::size_t i = any(report_.divided.size());
      number("part length", 0, [=](Report& r, State&) -> double& { return r.divided[i].length; });
      if (!report_.divided[i].poses.empty())
        number("part position", 1e-3,
               [=](Report& r, State&) -> double& { return r.divided[i].poses[0].p[0]; });
      if (report_.divided[i].v.size() > 0)
        number("part velocity", 1e-3,
               [=](Report& r, State&) -> double& { return r.divided[i].v[0]; });
    }
  }

 private:
  const Report& report_;
  const State& state_;
  const Model& model_;
  Random& random_;
};

}  // namespace

std::vector<Forgery> forgeries_of(const StepReport& report, const State& state, const Model& model,
                                  Random& random) {
  List list(report, state, model, random);
  list.measures();
  list.verdict();
  list.state();
  list.contacts();
  list.solve();
  list.events();
  return std::move(list.all);
}

}  // namespace cairn::families
