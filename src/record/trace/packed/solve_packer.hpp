// Packing of problems and their answers.
#pragma once

#include "record/trace/frame_problem.hpp"
#include "record/trace/packed/contact_packer.hpp"

namespace cairn::record {

template <class Pack, class Report>
class SolvePacker : protected ContactPacker<Pack, Report> {
  using Contacts = ContactPacker<Pack, Report>;

 protected:
  using Contacts::base_at;
  using Contacts::before_;
  using Contacts::contact_of_frame;
  using Contacts::Contacts;
  using Contacts::key_among;
  using Contacts::memory_;
  using Contacts::numbers;
  using Contacts::p;
  using Contacts::plain_key;
  using Contacts::pose_before;
  using Contacts::report_;
  using Contacts::scratch_;
  static constexpr bool reading = Pack::reading;

  template <class Methods>
  void solves(Methods& used_methods) {
    int count = report_.solves.size();
    p.integer(count, memory_.solve.problem.bodies.empty() ? 0 : 1);
    // A solve has more than this many numbers.
    constexpr int most = 1 << 20;
    if (count < 0 || count > most) return p.reject();
    if constexpr (reading) {
      used_methods.resize(base_at(count));
      report_.solves.resize(base_at(count));
    }
    for (int i = 0; i < count && p.ok(); ++i) {
      auto& record = report_.solves[base_at(i)];
      const SolveRecord& like = i > 0 ? report_.solves[base_at(i - 1)] : memory_.solve;
      p.integer(record.purpose, static_cast<std::int64_t>(like.purpose));
      if (record.purpose > SolveRecord::Purpose::impact) p.reject();
      p.number(record.length, like.length);
      p.number(record.taken, like.taken);
      problem(record.problem, like.problem, i == 0);
      if (!p.ok()) return;
      answer(record, like, i == 0);
      if constexpr (reading) {
        p.text(used_methods[base_at(i)]);
        record.solution.method = "";
      } else {
        p.text(record.solution.method);
      }
    }
    if (report_.worst_solve < 0 || (count > 0 && report_.worst_solve >= count)) p.reject();
  }

  template <class ProblemOf>
  void problem(ProblemOf& problem, const Problem& like, bool first) {
    p.number(problem.units.mass, like.units.mass);
    p.number(problem.units.length, like.units.length);
    p.number(problem.units.time, like.units.time);
    bodies(problem, like);
    if (!p.ok()) return;
    couplings(problem, like);
    momentum(problem, like, first);
    constraints(problem, like, first);
    p.count(problem.names, 0);
    for (auto& name : problem.names) p.text(name);
    if (reading && p.ok() && !well_formed(problem)) p.reject();
  }

  template <class ProblemOf>
  void bodies(ProblemOf& problem, const Problem& like) {
    p.count(problem.bodies, static_cast<std::int64_t>(like.bodies.size()));
    const ProblemBody none;
    std::int64_t first = 0;
    scratch_.of_body.assign(before_.poses.size(), -1);
    for (std::size_t i = 0; i < problem.bodies.size() && p.ok(); ++i) {
      auto& body = problem.bodies[i];
      const ProblemBody* same = i < like.bodies.size() ? &like.bodies[i] : &none;
      if constexpr (reading) body = {};
      p.integer(body.model_body, same->model_body);
      p.integer(body.first, first);
      p.integer(body.size, same->size);
      if (body.size < 1 || body.size > max_velocities || body.first < 0) return p.reject();
      first = body.first + body.size;
      for (int r = 0; r < body.size; ++r)
        for (int c = 0; c < body.size; ++c) p.number(body.A[r][c], same->A[r][c]);
      const auto model = static_cast<std::size_t>(body.model_body);
      if (body.model_body >= 0 && model < scratch_.of_body.size())
        scratch_.of_body[model] = static_cast<int>(i);
    }
  }

  template <class ProblemOf>
  void couplings(ProblemOf& problem, const Problem& like) {
    p.count(problem.couplings, static_cast<std::int64_t>(like.couplings.size()));
    const BodyCoupling none;
    for (std::size_t i = 0; i < problem.couplings.size() && p.ok(); ++i) {
      auto& c = problem.couplings[i];
      const BodyCoupling& same = i < like.couplings.size() ? like.couplings[i] : none;
      if constexpr (reading) c = {};
      int size[2] = {};
      for (std::size_t side = 0; side < 2; ++side) {
        p.integer(c.body[side], same.body[side]);
        if (c.body[side] < 0 || base_at(c.body[side]) >= problem.bodies.size()) return p.reject();
        size[side] = problem.bodies[base_at(c.body[side])].size;
      }
      if (c.body[0] == c.body[1]) return p.reject();
      for (std::size_t side = 0; side < 2; ++side)
        for (int r = 0; r < size[side]; ++r)
          for (int k = 0; k < size[1 - side]; ++k) p.number(c.A[side][r][k], same.A[side][r][k]);
    }
  }

  // k of the first solve: A v and the push of the step before.
  template <class ProblemOf>
  void momentum(ProblemOf& problem, const Problem& like, bool first) {
    p.count(problem.k, like.k.size());
    for (const ProblemBody& b : problem.bodies)
      if (b.first > problem.k.size() - b.size) return p.reject();
    const bool from_before = first && problem.k.size() == before_.v.size();
    if (first) scratch_.begin.resize(from_before ? problem.k.size() : 0);
    if (!from_before) {
      for (Eigen::Index i = 0; i < problem.k.size(); ++i) p.number(problem.k[i], at(like.k, i));
      return;
    }
    scratch_.begin.setZero();
    for (const ProblemBody& b : problem.bodies)
      for (int i = 0; i < b.size; ++i)
        scratch_.begin[b.first + i] = in_units(problem, b, i, before_.v[b.first + i]);
    for (const ProblemBody& b : problem.bodies)
      for (int r = 0; r < b.size; ++r) {
        double guess = at(memory_.push, b.first + r);
        for (int c = 0; c < b.size; ++c) guess += b.A[r][c] * scratch_.begin[b.first + c];
        p.number(problem.k[b.first + r], guess);
      }
  }
  static double in_units(const Problem& problem, const ProblemBody& b, int i, double v) {
    const bool turn = (b.size == 6 && i > 2) || (b.size == 3 && i > 1);
    return turn ? v * problem.units.time : v / problem.units.speed();
  }
  static double in_si(const Problem& problem, const ProblemBody& b, int i, double v) {
    const bool turn = (b.size == 6 && i > 2) || (b.size == 3 && i > 1);
    return turn ? v / problem.units.time : v * problem.units.speed();
  }

  template <class ProblemOf>
  void constraints(ProblemOf& problem, const Problem& like, bool first) {
    p.count(problem.constraints, static_cast<std::int64_t>(like.constraints.size()));
    if constexpr (reading) problem.first_row.assign(1, 0);
    const Constraint none;
    const Constraint* previous = &none;
    std::int64_t last = -1;
    Role role = Role::joint;
    scratch_.contact_of.clear();
    for (std::size_t i = 0; i < problem.constraints.size() && p.ok(); ++i) {
      auto& c = problem.constraints[i];
      const Constraint& same = i < like.constraints.size() ? like.constraints[i] : none;
      if constexpr (reading) c = {};
      const std::int64_t contact = identity(c, same, role, last);
      scratch_.contact_of.push_back(contact);
      const Contact* at_contact = pushes(c.key.role) ? contact_of_frame(contact) : nullptr;
      law(problem, c, same, *previous, at_contact);
      if (!p.ok()) return;
      rows(problem, c, same, at_contact, first);
      if constexpr (reading) problem.first_row.push_back(problem.first_row.back() + c.rows);
      previous = &c;
    }
  }

  template <class ConstraintOf>
  std::int64_t identity(ConstraintOf& c, const Constraint& same, Role& role, std::int64_t& last) {
    p.integer(c.key.role, static_cast<std::int64_t>(same.key.role));
    if (c.key.role > Role::given) p.reject();
    p.integer(c.key.element, same.key.element);
    p.integer(c.key.coordinate, same.key.coordinate);
    if (c.key.role != role) last = -1;
    role = c.key.role;
    if (is_of_contact(role)) {
      // Rows with a given impulse are several of one contact.
      std::int64_t from = c.key.coordinate == 0 ? last : last - 1;
      const std::int64_t index = key_among(c.key.contact, report_.contacts, from);
      last = std::max(last, from);
      return index;
    }
    plain_key(c.key.contact, {});
    return -1;
  }

  template <class ProblemOf, class ConstraintOf>
  void law(ProblemOf& problem, ConstraintOf& c, const Constraint& same, const Constraint& previous,
           const Contact* contact) {
    const Constraint& like = contact && previous.key.role == c.key.role ? previous : same;
    p.integer(c.law, static_cast<std::int64_t>(like.law));
    p.integer(c.rows, contact ? contact->rows : same.rows);
    if (c.law > Law::disc || c.rows < 1 || c.rows > max_rows) return p.reject();
    const std::array<BodyId, 2> ids = {c.key.contact.body_a, c.key.contact.body_b};
    // Contacts have two bodies and are rigid.
    if (!contact) p.integer(c.sides, same.sides);
    if (c.sides < 2 || c.sides > max_sides) return p.reject();
    for (std::size_t side = 0; side < base_at(c.sides); ++side) {
      std::int64_t guess = same.body[side];
      const auto model = static_cast<std::size_t>(ids[side]);
      if (contact) guess = model < scratch_.of_body.size() ? scratch_.of_body[model] : -1;
      p.integer(c.body[side], guess);
      if (c.body[side] < -1 || c.body[side] >= static_cast<int>(problem.bodies.size()))
        return p.reject();
    }
    p.number(c.mu, contact ? (contact->rows > 1 ? contact->friction : 0) : same.mu);
    p.integer(c.facets, like.facets);
    p.integer(c.tie, same.tie);
    p.number(c.lo, same.lo);
    p.number(c.hi, same.hi);
    for (int row = 0; row < c.rows && !contact; ++row) {
      p.number(c.compliance[row], same.compliance[row]);
      if (!(c.compliance[row] >= 0)) return p.reject();
    }
    section(c);
  }

  template <class ConstraintOf>
  void section(ConstraintOf& c) {
    std::int64_t corners = c.section ? static_cast<std::int64_t>(c.section->size()) : 0;
    p.integer(corners, 0);
    if (corners == 0) return;
    if constexpr (reading) {
      if (corners < 0 || corners > max_corners) return p.reject();
      FrictionPolygon polygon(static_cast<std::size_t>(corners));
      for (Corner& corner : polygon)
        for (double& x : corner) p.number(x, 0);
      if (!p.ok() || !make_convex(polygon).empty()) return p.reject();
      c.section = std::make_shared<const FrictionPolygon>(std::move(polygon));
    } else {
      for (const Corner& corner : *c.section)
        for (const double x : corner) p.number(x, 0);
    }
  }

  template <class ProblemOf, class ConstraintOf>
  void rows(ProblemOf& problem, ConstraintOf& c, const Constraint& same, const Contact* contact,
            bool first) {
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = problem.bodies[base_at(c.body[side])];
      for (int row = 0; row < c.rows; ++row) {
        double guess[max_velocities];
        std::copy_n(same.J[side][row], max_velocities, guess);
        if (contact) contact_row(problem, *contact, body, side, row, guess);
        for (int i = 0; i < body.size; ++i) p.number(c.J[side][row][i], guess[i]);
      }
    }
    for (int row = 0; row < c.rows; ++row) {
      double guess = first ? 0 : same.b[row];
      if (contact && first && row == 0 && report_.h > 0)
        guess = contact->gap / report_.h / problem.units.speed();
      p.number(c.b[row], guess);
    }
  }
  void contact_row(const Problem& problem, const Contact& c, const ProblemBody& body,
                   std::size_t side, int row, double* guess) const {
    const std::array<const Vec3*, 3> along = {&c.n_W, &c.t1_W, &c.t2_W};
    guess::contact_row(pose_before(body.model_body), c.p_WC, *along[base_at(row)],
                       side == 0 ? -1 : 1, problem.units.length, body.size, guess);
    if (row == 2 && c.stretch != 1)
      for (int i = 0; i < body.size; ++i) guess[i] *= c.stretch;
  }

  template <class Record>
  void answer(Record& record, const SolveRecord& like, bool first) {
    auto& s = record.solution;
    impulses(record, like, first);
    velocities(record, like, first);
    p.integer(s.status, static_cast<std::int64_t>(like.solution.status));
    if (s.status > SolveStatus::not_certified) p.reject();
    const Certificate& guess = like.solution.certificate;
    auto& c = s.certificate;
    p.number(c.momentum, guess.momentum);
    p.number(c.equality, guess.equality);
    p.number(c.gap_velocity, guess.gap_velocity);
    p.number(c.normal_impulse, guess.normal_impulse);
    p.number(c.complementarity, guess.complementarity);
    p.number(c.cone, guess.cone);
    p.number(c.natural_map, guess.natural_map);
    p.number(c.worst, std::max({c.momentum, c.equality, c.gap_velocity, c.normal_impulse,
                                c.complementarity, c.cone, c.natural_map}));
    p.number(c.momentum_impulse, guess.momentum_impulse);
    p.number(c.equality_velocity, guess.equality_velocity);
    p.number(c.least_gap_velocity, guess.least_gap_velocity);
    p.number(c.least_normal_impulse, guess.least_normal_impulse);
    p.number(c.complementarity_energy, guess.complementarity_energy);
    p.integer(c.worst_constraint, guess.worst_constraint);
    p.integer(c.finite, 1);
    p.integer(s.iterations, like.solution.iterations);
    p.integer(s.islands, like.solution.islands);
    p.integer(s.fallbacks, 0);
    const int constraints = static_cast<int>(record.problem.constraints.size());
    if (c.worst_constraint < -1 || c.worst_constraint >= constraints) p.reject();
  }

  // Body by body those that balance the momentum, or those of the beginning; of later solves those
  // of the solve before.
  template <class Record>
  void velocities(Record& record, const SolveRecord& like, bool first) {
    auto& v = record.solution.v;
    const Problem& problem = record.problem;
    p.count(v, problem.k.size());
    if (v.size() != problem.k.size()) return p.reject();
    guess::balanced_velocities(problem, record.solution.lambda, scratch_.velocities);
    const bool begin = first && scratch_.begin.size() == v.size() && v.size() == before_.v.size();
    const VecX& other = begin ? scratch_.begin : like.solution.v;
    for (const ProblemBody& b : problem.bodies) {
      int choice = 0;
      if constexpr (!reading) {
        double balanced = 0, same = 0;
        for (int i = b.first; i < b.first + b.size; ++i) {
          balanced += std::abs(v[i] - scratch_.velocities[i]);
          same += std::abs(v[i] - at(other, i));
        }
        choice = same < balanced ? 1 : 0;
      }
      p.integer(choice, 0);
      for (int i = b.first; i < b.first + b.size; ++i)
        p.number(v[i], choice == 0 ? scratch_.velocities[i] : at(other, i));
    }
  }

  template <class Record>
  void impulses(Record& record, const SolveRecord& like, bool first) {
    auto& lambda = record.solution.lambda;
    const Problem& problem = record.problem;
    p.count(lambda, problem.rows());
    if (lambda.size() != problem.rows()) return p.reject();
    const double unit = problem.units.impulse();
    for (std::size_t i = 0; i < problem.constraints.size() && p.ok(); ++i) {
      const Constraint& c = problem.constraints[i];
      const int row = problem.first_row[i];
      const std::int64_t contact = pushes(c.key.role) ? scratch_.contact_of[i] : -1;
      const std::int64_t old = contact < 0 ? -1 : scratch_.old[static_cast<std::size_t>(contact)];
      for (int r = 0; r < c.rows; ++r) {
        double guess = at(like.solution.lambda, row + r);
        if (first && contact >= 0) {
          guess = 0;
          if (old >= 0) {
            const ContactReport& o = memory_.contacts[static_cast<std::size_t>(old)];
            guess = o.impulse[r] / unit / (r == 2 ? o.contact.stretch : 1);
          }
        }
        if (r == 2) guess = guess::on_cone(c.mu, &lambda[row], guess);
        p.number(lambda[row + r], guess);
      }
    }
  }
};

}  // namespace cairn::record
