#include "record/trace/packed_frame.hpp"

#include <algorithm>
#include <array>

#include "record/trace/frame_guess.hpp"
#include "record/trace/frame_origin.hpp"
#include "record/trace/frame_problem.hpp"

namespace cairn::record {
namespace {

constexpr double at(const VecX& x, Eigen::Index i) {
  return i >= 0 && i < x.size() ? x[i] : 0;
}

// The index of a contact, or -1.
std::int64_t find(const std::vector<ContactReport>& contacts, const ContactKey& key) {
  const auto found =
      std::lower_bound(contacts.begin(), contacts.end(), key,
                       [](const ContactReport& c, const ContactKey& k) { return c.contact.key < k; });
  const bool there = found != contacts.end() && found->contact.key == key;
  return there ? found - contacts.begin() : -1;
}

// Packs or unpacks one frame: Pack is a PackWriter and all else constant, or a PackReader. What is
// read later is guessed from what was read before, so that the order of the functions matters.
template <class Pack, class Report, class StateOf, class ForcesOf>
class FramePacker {
 public:
  FramePacker(Pack& pack, const PackMemory& memory, Report& report, StateOf& state,
              ForcesOf& forces)
      : p(pack),
        memory_(memory),
        before_(memory.state),
        report_(report),
        state_(state),
        forces_(forces) {}

  template <class Methods>
  void all(Methods& used_methods) {
    geometry();
    solves(used_methods);
    outcomes();
    parts();
    state();
    impacts();
    forces();
    origins();
  }

 private:
  static constexpr bool reading = Pack::reading;

  // ---- Small things

  template <class Vector>
  void vec3(Vector& x, const Vec3& guess) {
    for (int i = 0; i < 3; ++i) p.number(x[i], guess[i]);
  }
  template <class Numbers>
  void numbers(Numbers& x, const VecX& guess) {
    p.count(x, guess.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) p.number(x[i], at(guess, i));
  }
  template <class Numbers>
  void integers(Numbers& x) {
    p.count(x, 0);
    std::int64_t guess = 0;
    for (auto& n : x) {
      p.integer(n, guess);
      guess = n + 1;
    }
  }
  template <class PoseOf>
  void pose(PoseOf& X, const Pose& guess) {
    vec3(X.p, guess.p);
    for (int i = 0; i < 4; ++i) p.number(X.R.coeffs()[i], guess.R.coeffs()[i]);
  }
  const Pose& pose_before(std::int64_t body) const {
    static const Pose none;
    return body >= 0 && static_cast<std::size_t>(body) < before_.poses.size()
               ? before_.poses[static_cast<std::size_t>(body)]
               : none;
  }
  // The nearest of several guesses, whose number is packed.
  template <class Vector, std::size_t n>
  void nearest(Vector& x, const std::array<Vec3, n>& guesses) {
    int choice = 0;
    if constexpr (!reading)
      for (int k = 1; k < static_cast<int>(n); ++k)
        if ((x - guesses[static_cast<std::size_t>(k)]).squaredNorm() <
            (x - guesses[static_cast<std::size_t>(choice)]).squaredNorm())
          choice = k;
    p.integer(choice, 0);
    if (choice < 0 || choice >= static_cast<int>(n)) {
      p.reject();
      choice = 0;
    }
    vec3(x, guesses[static_cast<std::size_t>(choice)]);
  }

  template <class Key>
  void plain_key(Key& key, const ContactKey& guess) {
    p.integer(key.body_a, static_cast<std::int64_t>(guess.body_a));
    p.integer(key.body_b, static_cast<std::int64_t>(guess.body_b));
    p.integer(key.shape_a, static_cast<std::int64_t>(guess.shape_a));
    p.integer(key.shape_b, static_cast<std::int64_t>(guess.shape_b));
    p.integer(key.feature, guess.feature);
  }
  // A key as the index of one of `contacts` that has it, most often the one after the last.
  // Returns the index; -1: none has.
  template <class Key>
  std::int64_t key_among(Key& key, const std::vector<ContactReport>& contacts,
                         std::int64_t& last) {
    std::int64_t index = -1;
    if constexpr (!reading) {
      const auto next = static_cast<std::size_t>(last + 1);
      index = next < contacts.size() && contacts[next].contact.key == key ? last + 1
                                                                          : find(contacts, key);
    }
    p.integer(index, last + 1);
    if (index < -1 || index >= static_cast<std::int64_t>(contacts.size())) {
      p.reject();
      index = -1;
    }
    if (index < 0) {
      plain_key(key, last < 0 ? ContactKey{}
                              : contacts[static_cast<std::size_t>(last)].contact.key);
      return -1;
    }
    if constexpr (reading) key = contacts[static_cast<std::size_t>(index)].contact.key;
    last = index;
    return index;
  }
  const Contact* contact_of_frame(std::int64_t index) const {
    return index < 0 ? nullptr : &report_.contacts[static_cast<std::size_t>(index)].contact;
  }

  // ---- Contacts

  // `like`: the same contact elsewhere, at `poses`; null: none.
  template <class ContactOf>
  void contact_geometry(ContactOf& c, const Contact* like, const std::vector<Pose>* poses,
                        const Contact& constants) {
    const Contact& k = like ? *like : constants;
    p.integer(c.rows, k.rows);
    if (c.rows < 1 || c.rows > max_rows) p.reject();
    p.number(c.friction, k.friction);
    p.number(c.stretch, k.stretch);
    p.number(c.torsion, k.torsion);
    p.number(c.rolling, k.rolling);
    p.number(c.restitution, k.restitution);
    p.integer(c.restitution_law, static_cast<std::int64_t>(k.restitution_law));
    if (like && poses)
      moved_contact(c, *like, *poses);
    else
      new_contact(c, like);
  }

  // The contact of the frame before, carried along by its bodies: vertices by their own, normals of
  // faces by the other one.
  template <class ContactOf>
  void moved_contact(ContactOf& c, const Contact& old, const std::vector<Pose>& poses) {
    const auto a = static_cast<std::size_t>(c.key.body_a), b = static_cast<std::size_t>(c.key.body_b);
    const bool there = std::max(a, b) < std::min(poses.size(), before_.poses.size());
    if (!there) return new_contact(c, &old);
    const Pose &A = poses[a], &B = poses[b], &A_now = before_.poses[a], &B_now = before_.poses[b];
    nearest(c.n_W, std::array{guess::carried_direction(A, A_now, old.n_W),
                              guess::carried_direction(B, B_now, old.n_W), old.n_W});
    Vec3 on_a, on_b;
    for (int i = 0; i < 3; ++i) {
      on_a[i] = old.p_WC[i] - old.n_W[i] * (old.gap / 2);
      on_b[i] = old.p_WC[i] + old.n_W[i] * (old.gap / 2);
    }
    on_a = guess::carried_point(A, A_now, on_a);
    on_b = guess::carried_point(B, B_now, on_b);
    p.number(c.gap, guess::dot(c.n_W, Vec3(on_b - on_a)));
    for (int i = 0; i < 3; ++i) {
      on_a[i] += c.n_W[i] * (c.gap / 2);
      on_b[i] -= c.n_W[i] * (c.gap / 2);
    }
    nearest(c.p_WC, std::array{on_a, on_b});
    nearest(c.t1_W, std::array{guess::tangent(c.n_W), guess::carried_direction(A, A_now, old.t1_W),
                               guess::carried_direction(B, B_now, old.t1_W)});
    vec3(c.t2_W, guess::cross(c.n_W, c.t1_W));
  }

  template <class ContactOf>
  void new_contact(ContactOf& c, const Contact* like) {
    vec3(c.n_W, like ? like->n_W : Vec3(0, 0, 1));
    p.number(c.gap, like ? like->gap : 0);
    vec3(c.p_WC, like ? like->p_WC : pose_before(static_cast<std::int64_t>(c.key.body_b)).p);
    nearest(c.t1_W, std::array{guess::tangent(c.n_W), like ? like->t1_W : Vec3(1, 0, 0)});
    vec3(c.t2_W, guess::cross(c.n_W, c.t1_W));
  }

  void geometry() {
    p.count(report_.contacts, static_cast<std::int64_t>(memory_.contacts.size()));
    std::int64_t last = -1;
    Contact constants;
    old_.clear();
    for (auto& c : report_.contacts) {
      const std::int64_t old = key_among(c.contact.key, memory_.contacts, last);
      old_.push_back(old);
      const Contact* like =
          old < 0 ? nullptr : &memory_.contacts[static_cast<std::size_t>(old)].contact;
      contact_geometry(c.contact, like, &memory_.poses, constants);
      constants = c.contact;
      if (!p.ok()) return;
    }
  }

  // Impulses, velocities and modes, which follow from the last solve.
  void outcomes() {
    const SolveRecord* solve =
        report_.solve_count > 0 ? &report_.solves[base_at(report_.solve_count - 1)] : nullptr;
    of_contact_.assign(report_.contacts.size(), -1);
    if (solve) {
      std::int64_t last = -1;
      for (std::size_t i = 0; i < solve->problem.constraints.size(); ++i) {
        const ConstraintId& id = solve->problem.constraints[i].id;
        if (id.kind != ConstraintId::Kind::contact || id.part != 0) continue;
        const auto next = static_cast<std::size_t>(last + 1);
        const std::int64_t index =
            next < report_.contacts.size() && report_.contacts[next].contact.key == id.contact
                ? last + 1
                : find(report_.contacts, id.contact);
        if (index < 0) continue;
        of_contact_[static_cast<std::size_t>(index)] = static_cast<int>(i);
        last = index;
      }
    }
    for (std::size_t i = 0; i < report_.contacts.size() && p.ok(); ++i) outcome(i, solve);
  }

  void outcome(std::size_t i, const SolveRecord* solve) {
    auto& c = report_.contacts[i];
    Vec3 impulse = Vec3::Zero(), velocity = Vec3::Zero();
    if (solve && of_contact_[i] >= 0) {
      const Problem& problem = solve->problem;
      const Constraint& row = problem.constraints[base_at(of_contact_[i])];
      const int first = problem.first_row[base_at(of_contact_[i])];
      double w[max_rows] = {};
      guess::constraint_velocity(problem, row, solve->solution.v, w);
      for (int k = 0; k < row.rows; ++k) {
        impulse[k] = solve->solution.lambda[first + k] * problem.units.impulse();
        velocity[k] = w[k] * problem.units.speed();
      }
      impulse[2] *= c.contact.stretch;
      velocity[2] /= c.contact.stretch;
    }
    vec3(c.impulse, impulse);
    vec3(c.velocity, velocity);
    vec3(c.torque, Vec3::Zero());
    const std::int64_t old = old_[i];
    p.integer(c.mode, old < 0 ? 0
                              : static_cast<std::int64_t>(
                                    memory_.contacts[static_cast<std::size_t>(old)].mode));
    p.integer(c.colliding, 0);
  }

  // ---- Problems and their answers

  static std::size_t base_at(int i) { return static_cast<std::size_t>(i); }

  template <class Methods>
  void solves(Methods& used_methods) {
    p.integer(report_.solve_count, memory_.solve.problem.bodies.empty() ? 0 : 1);
    const int count = report_.solve_count;
    // A solve has more than this many numbers.
    constexpr int most = 1 << 20;
    if (count < 0 || count > most) return p.reject();
    if constexpr (reading) {
      used_methods.resize(base_at(count));
      if (report_.solves.size() < base_at(count)) report_.solves.resize(base_at(count));
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
    of_body_.assign(before_.poses.size(), -1);
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
      if (body.model_body >= 0 && model < of_body_.size()) of_body_[model] = static_cast<int>(i);
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
    first = first && problem.k.size() == before_.v.size();
    if (!first) {
      for (Eigen::Index i = 0; i < problem.k.size(); ++i) p.number(problem.k[i], at(like.k, i));
      return;
    }
    begin_.resize(problem.k.size());
    begin_.setZero();
    for (const ProblemBody& b : problem.bodies)
      for (int i = 0; i < b.size; ++i)
        begin_[b.first + i] = in_units(problem, b, i, before_.v[b.first + i]);
    for (const ProblemBody& b : problem.bodies)
      for (int r = 0; r < b.size; ++r) {
        double guess = at(memory_.push, b.first + r);
        for (int c = 0; c < b.size; ++c) guess += b.A[r][c] * begin_[b.first + c];
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
    contact_of_.clear();
    for (std::size_t i = 0; i < problem.constraints.size() && p.ok(); ++i) {
      auto& c = problem.constraints[i];
      const Constraint& same = i < like.constraints.size() ? like.constraints[i] : none;
      if constexpr (reading) c = {};
      const std::int64_t contact = identity(c, same, last);
      contact_of_.push_back(contact);
      const Contact* at_contact = c.id.part == 0 ? contact_of_frame(contact) : nullptr;
      law(problem, c, same, *previous, at_contact);
      if (!p.ok()) return;
      rows(problem, c, same, at_contact, first);
      if constexpr (reading)
        problem.first_row.push_back(problem.first_row.back() + c.rows);
      previous = &c;
    }
  }

  template <class ConstraintOf>
  std::int64_t identity(ConstraintOf& c, const Constraint& same, std::int64_t& last) {
    p.integer(c.id.kind, static_cast<std::int64_t>(same.id.kind));
    if (c.id.kind > ConstraintId::Kind::file) p.reject();
    p.integer(c.id.number, same.id.number);
    p.integer(c.id.part, same.id.part);
    if (c.id.kind == ConstraintId::Kind::contact) {
      std::int64_t from = c.id.part == 0 ? last : last - 1;
      const std::int64_t index = key_among(c.id.contact, report_.contacts, from);
      last = std::max(last, from);
      return index;
    }
    plain_key(c.id.contact, {});
    return -1;
  }

  template <class ProblemOf, class ConstraintOf>
  void law(ProblemOf& problem, ConstraintOf& c, const Constraint& same, const Constraint& previous,
           const Contact* contact) {
    const Constraint& like = contact && previous.id.kind == c.id.kind ? previous : same;
    p.integer(c.law, static_cast<std::int64_t>(like.law));
    p.integer(c.rows, contact ? contact->rows : same.rows);
    if (c.law > Law::disc || c.rows < 1 || c.rows > max_rows) return p.reject();
    const std::array<BodyId, 2> ids = {c.id.contact.body_a, c.id.contact.body_b};
    for (std::size_t side = 0; side < 2; ++side) {
      std::int64_t guess = same.body[side];
      const auto model = static_cast<std::size_t>(ids[side]);
      if (contact) guess = model < of_body_.size() ? of_body_[model] : -1;
      p.integer(c.body[side], guess);
      if (c.body[side] < -1 || c.body[side] >= static_cast<int>(problem.bodies.size()))
        return p.reject();
    }
    p.number(c.mu, contact ? (contact->rows > 1 ? contact->friction : 0) : same.mu);
    p.integer(c.facets, like.facets);
    p.integer(c.tie, same.tie);
    p.number(c.lo, same.lo);
    p.number(c.hi, same.hi);
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
    for (std::size_t side = 0; side < 2; ++side) {
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
    velocities(record, like, first);
    impulses(record, like, first);
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

  // Those of the beginning, or those without impulses, body by body; of later solves those of the
  // solve before.
  template <class Record>
  void velocities(Record& record, const SolveRecord& like, bool first) {
    auto& v = record.solution.v;
    p.count(v, record.problem.k.size());
    if (v.size() != record.problem.k.size()) return p.reject();
    if (!first || begin_.size() != v.size() || v.size() != before_.v.size()) {
      for (Eigen::Index i = 0; i < v.size(); ++i) p.number(v[i], at(like.solution.v, i));
      return;
    }
    for (const ProblemBody& b : record.problem.bodies) {
      double free[max_velocities];
      for (int i = 0; i < b.size; ++i) free[i] = record.problem.k[b.first + i] / b.A[i][i];
      int choice = 0;
      if constexpr (!reading) {
        double begin = 0, other = 0;
        for (int i = 0; i < b.size; ++i) {
          const double x = v[b.first + i];
          begin += std::abs(x - begin_[b.first + i]);
          other += std::abs(x - free[i]);
        }
        choice = other < begin ? 1 : 0;
      }
      p.integer(choice, 0);
      for (int i = 0; i < b.size; ++i)
        p.number(v[b.first + i], choice == 0 ? begin_[b.first + i] : free[i]);
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
      const std::int64_t contact = c.id.part == 0 ? contact_of_[i] : -1;
      const std::int64_t old = contact < 0 ? -1 : old_[static_cast<std::size_t>(contact)];
      for (int r = 0; r < c.rows; ++r) {
        double guess = at(like.solution.lambda, row + r);
        if (first && contact >= 0) {
          guess = 0;
          if (old >= 0) {
            const ContactReport& o = memory_.contacts[static_cast<std::size_t>(old)];
            guess = o.impulse[r] / unit / (r == 2 ? o.contact.stretch : 1);
          }
        }
        p.number(lambda[row + r], guess);
      }
    }
  }

  // ---- Where bodies are

  // A body of the model in a solve, or null.
  const ProblemBody* body_in(const SolveRecord& solve, std::int64_t model) const {
    for (const ProblemBody& b : solve.problem.bodies)
      if (b.model_body == model) return &b;
    return nullptr;
  }

  void parts() {
    p.count(report_.divided, 0);
    for (auto& part : report_.divided) {
      p.number(part.t, before_.t);
      p.number(part.length, report_.h);
      p.integer(part.first_solve, 0);
      p.integer(part.solves, 1);
      p.integer(part.first_order, 0);
      if (part.first_solve < 0 || part.solves < 0 ||
          part.first_solve > report_.solve_count - part.solves)
        return p.reject();
      p.count(part.bodies, 1);
      if constexpr (reading) part.poses.resize(part.bodies.size());
      std::int64_t next = 0;
      const SolveRecord* solve =
          part.solves > 0 ? &report_.solves[base_at(part.first_solve + part.solves - 1)] : nullptr;
      std::vector<double> v;
      for (std::size_t i = 0; i < part.bodies.size() && p.ok(); ++i) {
        p.integer(part.bodies[i], next);
        next = static_cast<std::int64_t>(part.bodies[i]) + 1;
        const ProblemBody* body = solve ? body_in(*solve, next - 1) : nullptr;
        Pose guess = pose_before(next - 1);
        if (body) {
          const std::size_t from = v.size();
          for (int k = 0; k < body->size; ++k)
            v.push_back(in_si(solve->problem, *body, k,
                              at(solve->solution.v, body->first + k)));
          guess = guess::moved(guess, v.data() + from, body->size, part.t + part.length - before_.t);
        }
        pose(part.poses[i], guess);
      }
      p.count(part.v, static_cast<std::int64_t>(v.size()));
      v.resize(static_cast<std::size_t>(part.v.size()));
      for (std::size_t i = 0; i < v.size() && p.ok(); ++i)
        p.number(part.v[static_cast<Eigen::Index>(i)], v[i]);
    }
  }

  void state() {
    p.number(state_.t, before_.t + report_.h);
    p.integer(state_.step, before_.step + 1);
    state_velocities();
    poses();
    memories(state_.contacts, [](const ContactReport& c) {
      Vec3 out;
      for (int i = 0; i < 3; ++i)
        out[i] = c.impulse[0] * c.contact.n_W[i] + c.impulse[1] * c.contact.t1_W[i] +
                 c.impulse[2] * c.contact.t2_W[i];
      return out;
    });
    memories(state_.contact_torques, [](const ContactReport& c) {
      Vec3 out;
      for (int i = 0; i < 3; ++i)
        out[i] = c.torque[0] * c.contact.n_W[i] + c.torque[1] * c.contact.t1_W[i] +
                 c.torque[2] * c.contact.t2_W[i];
      return out;
    });
    joints();
    numbers(state_.v_before, before_.v_before.size() > 0 ? before_.v : before_.v_before);
    keys(state_.pending);
    anchors();
  }

  const SolveRecord* last_solve() const {
    return report_.solve_count > 0 ? &report_.solves[base_at(report_.solve_count - 1)] : nullptr;
  }

  // Those of the last solve if it was of all bodies.
  void state_velocities() {
    VecX guess = before_.v;
    const SolveRecord* solve = last_solve();
    if (solve && solve->problem.k.size() == before_.v.size())
      for (const ProblemBody& b : solve->problem.bodies)
        for (int i = 0; i < b.size; ++i)
          guess[b.first + i] = in_si(solve->problem, b, i, solve->solution.v[b.first + i]);
    for (const auto& part : report_.divided) {
      Eigen::Index from = 0;
      for (const BodyId id : part.bodies) {
        const ProblemBody* b = body_in(memory_.solve, static_cast<std::int64_t>(id));
        if (!b || b->first + b->size > guess.size() || from + b->size > part.v.size()) break;
        for (int i = 0; i < b->size; ++i) guess[b->first + i] = part.v[from + i];
        from += b->size;
      }
    }
    numbers(state_.v, guess);
  }

  void poses() {
    p.count(state_.poses, static_cast<std::int64_t>(before_.poses.size()));
    std::vector<Pose> guess(state_.poses.size());
    for (std::size_t i = 0; i < guess.size(); ++i)
      guess[i] = pose_before(static_cast<std::int64_t>(i));
    const SolveRecord* solve = last_solve();
    if (solve && report_.divided.empty() && solve->problem.k.size() == state_.v.size())
      for (const ProblemBody& b : solve->problem.bodies) {
        const auto body = static_cast<std::size_t>(b.model_body);
        if (b.model_body >= 0 && body < guess.size())
          guess[body] = guess::moved(guess[body], state_.v.data() + b.first, b.size, report_.h);
      }
    for (const auto& part : report_.divided)
      for (std::size_t i = 0; i < part.bodies.size(); ++i)
        if (static_cast<std::size_t>(part.bodies[i]) < guess.size())
          guess[static_cast<std::size_t>(part.bodies[i])] = part.poses[i];
    for (std::size_t i = 0; i < guess.size() && p.ok(); ++i) pose(state_.poses[i], guess[i]);
  }

  template <class Memories, class Impulse>
  void memories(Memories& memories, Impulse impulse) {
    p.count(memories, 0);
    std::int64_t last = -1;
    for (auto& memory : memories) {
      const std::int64_t contact = key_among(memory.key, report_.contacts, last);
      vec3(memory.impulse_W, contact < 0
                                 ? Vec3(Vec3::Zero())
                                 : impulse(report_.contacts[static_cast<std::size_t>(contact)]));
      if (!p.ok()) return;
    }
  }

  void joints() {
    p.count(state_.joint_impulses, static_cast<std::int64_t>(before_.joint_impulses.size()));
    const SolveRecord* solve = last_solve();
    for (std::size_t i = 0; i < state_.joint_impulses.size() && p.ok(); ++i)
      p.number(state_.joint_impulses[i],
               solve ? at(solve->solution.lambda, static_cast<Eigen::Index>(i)) *
                           solve->problem.units.impulse()
                     : 0);
  }

  template <class Keys>
  void keys(Keys& keys) {
    p.count(keys, 0);
    std::int64_t last = -1;
    for (auto& key : keys) {
      key_among(key, report_.contacts, last);
      if (!p.ok()) return;
    }
  }

  void anchors() {
    p.count(state_.contact_anchors, static_cast<std::int64_t>(before_.contact_anchors.size()));
    std::int64_t last = -1;
    for (auto& anchor : state_.contact_anchors) {
      key_among(anchor.key, report_.contacts, last);
      const auto old = std::lower_bound(
          before_.contact_anchors.begin(), before_.contact_anchors.end(), anchor.key,
          [](const ContactAnchor& a, const ContactKey& key) { return a.key < key; });
      const bool there = old != before_.contact_anchors.end() && old->key == anchor.key;
      vec3(anchor.p_A, there ? old->p_A : Vec3(Vec3::Zero()));
      vec3(anchor.p_B, there ? old->p_B : Vec3(Vec3::Zero()));
      if (!p.ok()) return;
    }
  }

  // ---- The rest

  void impacts() {
    p.count(report_.impacts, 0);
    ImpactReport like;
    std::int64_t last = -1;
    for (auto& i : report_.impacts) {
      key_among(i.contact, report_.contacts, last);
      p.integer(i.law, static_cast<std::int64_t>(like.law));
      if (i.law > RestitutionLaw::stronge) p.reject();
      p.integer(i.group, like.group);
      p.number(i.t, like.t);
      p.number(i.approach, like.approach);
      p.number(i.restitution, like.restitution);
      p.number(i.rebound, -i.restitution * i.approach);
      p.number(i.lost_restitution, like.lost_restitution);
      p.number(i.lost_friction, 0);
      p.number(i.put_in, 0);
      p.number(i.kinetic_before, like.kinetic_before);
      p.number(i.kinetic_after, like.kinetic_after);
      p.number(i.other, like.other);
      p.number(i.guard, like.guard);
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
      p.integer(island.solve, report_.solve_count - 1);
      if (island.solve < 0 || island.solve >= report_.solve_count) return p.reject();
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
    std::vector<double> guess;
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
    for (int i = 0; i < report_.solve_count && p.ok(); ++i) {
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
      pose(poses[i], i < problem.bodies.size() ? pose_before(problem.bodies[i].model_body) : Pose{});
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

  Pack& p;
  const PackMemory& memory_;
  const State& before_;
  Report& report_;
  StateOf& state_;
  ForcesOf& forces_;
  std::vector<std::int64_t> old_;         // of contacts: index in the memory, or -1
  std::vector<std::int64_t> contact_of_;  // of constraints of the solve: index among contacts
  std::vector<int> of_contact_;           // of contacts: constraint of the last solve
  std::vector<int> of_body_;              // of the model's bodies: index in the problem
  VecX begin_;  // velocities of the beginning in the units of the problem
};

}  // namespace

void PackMemory::clear() {
  *this = {};
}

void PackMemory::remember(const StepReport& report, const State& after) {
  poses = state.poses;
  contacts = report.contacts;
  if (report.solve_count > 0) {
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
                const ShownForces& forces, const PackMemory& memory, PackWriter& pack) {
  pack.clear();
  FramePacker<PackWriter, const StepReport, const State, const ShownForces> packer(
      pack, memory, report, state, forces);
  int none = 0;
  packer.all(none);
  pack.integer(static_cast<std::int64_t>(state_hash), 0);
}

bool unpack_frame(const PackMemory& memory, PackReader& pack, TraceFrame& frame) {
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
