// Which impulses of a step are shown (E620, E625): finds the solves that the reported impulses are
// of, asks for the shortest ones island by island, and spreads them over the reported contacts.
// Reads a report.
#include <algorithm>
#include <cmath>
#include <optional>

#include "analyse/shortest.hpp"
#include "base/conventions.hpp"
#include "base/index.hpp"
#include "cairn/solution_set.hpp"
#include "problem/islands.hpp"

namespace cairn {
namespace {

constexpr double same_impulse = 1e-12;  // of a contact, over the largest of the step [-]

bool is_contact(const Constraint& c) {
  return c.key.role == Role::contact && is_unilateral(c.law);
}

// The reported contact of a constraint; -1: none.
int find_contact(const StepReport& report, const ContactKey& key) {
  const auto at = std::lower_bound(
      report.contacts.begin(), report.contacts.end(), key,
      [](const ContactReport& r, const ContactKey& k) { return r.contact.key < k; });
  if (at == report.contacts.end() || at->contact.key != key) return -1;
  return static_cast<int>(at - report.contacts.begin());
}

// Impulse of a contact from its rows; the one along t2 is stretched (E245).
Vec3 physical(const Problem& problem, const Constraint& c, const Contact& contact,
              const double* lambda) {
  Vec3 impulse = Vec3::Zero();
  for (int k = 0; k < c.rows; ++k) impulse[k] = lambda[k] * problem.units.impulse();
  impulse[2] *= contact.stretch;
  return impulse;
}

double largest_impulse(const StepReport& report) {
  double largest = 0;
  for (const ContactReport& c : report.contacts) largest = std::max(largest, c.impulse.norm());
  return largest;
}

void put(const double* from, std::ptrdiff_t count, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), from, from + count);
}

// What an answer depends on: first the numbers that are other ones in nearly every step.
void ask(const SolveRecord& solve, std::vector<double>& question) {
  put(solve.solution.v.data(), solve.solution.v.size(), question);
  put(solve.solution.lambda.data(), solve.solution.lambda.size(), question);
  put(solve.problem.k.data(), solve.problem.k.size(), question);
}

void ask_in_detail(const SolveRecord& solve, std::vector<double>& question) {
  const Problem& problem = solve.problem;
  for (const ProblemBody& b : problem.bodies)
    put(&b.A[0][0], max_velocities * max_velocities, question);
  for (const Constraint& c : problem.constraints) {
    for (const double x : {static_cast<double>(c.law), static_cast<double>(c.rows),
                           static_cast<double>(c.sides), static_cast<double>(c.facets), c.mu, c.lo,
                           c.hi, c.section ? static_cast<double>(c.section->size()) : 0.0})
      question.push_back(x);
    for (const int body : c.body) question.push_back(body);
    if (c.section)
      for (const Corner& d : *c.section) put(d.data(), d.size(), question);
    put(&c.J[0][0][0], c.sides * max_rows * max_velocities, question);
    put(c.b, max_rows, question);
    put(c.compliance, max_rows, question);
  }
}

void ask_in_detail(const StepReport& report, std::vector<double>& question) {
  for (const SolveRecord& solve : report.solved()) ask_in_detail(solve, question);
  for (const ContactReport& c : report.contacts) {
    const ContactKey& k = c.contact.key;
    for (const double x : {static_cast<double>(k.body_a), static_cast<double>(k.body_b),
                           static_cast<double>(k.shape_a), static_cast<double>(k.shape_b),
                           static_cast<double>(k.feature.a), static_cast<double>(k.feature.b)})
      question.push_back(x);
    put(c.impulse.data(), 3, question);
    question.push_back(c.contact.stretch);
  }
}

// One solve of a report.
class SolveForces {
 public:
  SolveForces(const StepReport& report, int number, analyse::ShortestImpulses& method,
              std::vector<bool>& assigned, ShownForces& out)
      : report_(report),
        number_(number),
        problem_(report.solves[base::at(number)].problem),
        solution_(report.solves[base::at(number)].solution),
        limit_(same_impulse * largest_impulse(report)),
        method_(method),
        assigned_(assigned),
        out_(out) {
    problem::find_islands(problem_, islands_);
  }

  void run() {
    for (int i = 0; i < islands_.count; ++i) {
      const std::span<const int> all(
          islands_.constraints.data() + islands_.first_constraint[base::at(i)],
          islands_.constraints.data() + islands_.first_constraint[base::at(i) + 1]);
      const std::span<const int> bodies(
          islands_.bodies.data() + islands_.first_body[base::at(i)],
          islands_.bodies.data() + islands_.first_body[base::at(i) + 1]);
      if (!reported(all)) continue;
      if (too_large(all))
        give_up(all);
      else
        examine(all, bodies);
    }
  }

 private:
  // Whether the reported impulses are those of this island, and no later solve had them.
  bool reported(std::span<const int> constraints) const {
    bool any = false;
    for (const int i : constraints) {
      const Constraint& c = problem_.constraints[base::at(i)];
      if (!is_contact(c)) continue;
      const int at = find_contact(report_, c.key.contact);
      if (at < 0 || assigned_[base::at(at)]) return false;
      const ContactReport& r = report_.contacts[base::at(at)];
      const Vec3 own = physical(problem_, c, r.contact, rows_of(i));
      if (!((own - r.impulse).norm() <= limit_)) return false;
      any = true;
    }
    return any;
  }

  // By contacts that carry an impulse, before faces are looked for (E625).
  bool too_large(std::span<const int> constraints) const {
    int rows = 0;
    for (const int i : constraints) {
      const Constraint& c = problem_.constraints[base::at(i)];
      if (c.law == Law::equality ? !c.compliant() : is_contact(c) && rows_of(i)[0] > 0)
        rows += c.rows;
    }
    return rows > max_shown_rows;
  }

  void give_up(std::span<const int> constraints) {
    for (const int i : constraints)
      if (const Constraint& c = problem_.constraints[base::at(i)]; is_contact(c))
        mark(c, rows_of(i)[0] > 0 ? ForceKind::not_minimised : ForceKind::unique);
  }

  const double* rows_of(int constraint) const {
    return solution_.lambda.data() + problem_.first_row[base::at(constraint)];
  }

  void mark(const Constraint& c, ForceKind kind) {
    const std::size_t at = base::at(find_contact(report_, c.key.contact));
    assigned_[at] = true;
    out_.kinds[at] = kind;
  }

  void examine(std::span<const int> constraints, std::span<const int> bodies) {
    if (!view_) view_ = analyse::impulse_view(problem_, solution_.v, solution_.lambda);
    std::vector<analyse::Face> faces;
    std::vector<int> equalities;
    int rows = 0;
    bool tied = false;
    for (const int i : constraints) {
      const Constraint& c = problem_.constraints[base::at(i)];
      tied = tied || c.law == Law::disc;
      // The impulse of a compliant row is that of its motion (E870).
      if (c.law == Law::equality && !c.compliant()) {
        equalities.push_back(i);
        rows += c.rows;
      }
      if (!is_contact(c)) continue;
      mark(c, ForceKind::unique);
      Activity activity{};
      analyse::Face face = analyse::unilateral_face(*view_, base::at(i), activity);
      if (activity == Activity::open) continue;
      rows += c.rows;
      faces.push_back(std::move(face));
    }
    if (faces.empty()) return;
    if (tied || rows > max_shown_rows) {
      for (const analyse::Face& face : faces)
        mark(problem_.constraints[base::at(face.constraint)], ForceKind::not_minimised);
      return;
    }
    std::vector<int> contacts;
    for (const analyse::Face& face : faces) contacts.push_back(face.constraint);
    method_.load(problem_, bodies, std::move(faces), equalities, solution_.lambda);
    if (method_.find_unique()) return;
    const bool found = method_.minimise();
    for (std::size_t k = 0; k < contacts.size(); ++k)
      if (!method_.unique()[k])
        mark(problem_.constraints[base::at(contacts[k])],
             found ? ForceKind::least_norm : ForceKind::not_minimised);
    if (found) keep(constraints, bodies, contacts, equalities);
  }

  void keep(std::span<const int> constraints, std::span<const int> bodies,
            std::span<const int> contacts, std::span<const int> equalities) {
    ShortestIsland island;
    island.solve = number_;
    island.constraints.assign(constraints.begin(), constraints.end());
    island.bodies.assign(bodies.begin(), bodies.end());
    island.y = method_.velocities();
    VecX lambda = solution_.lambda;
    const VecX shortest = method_.contact_impulses(), changes = method_.equality_changes();
    Eigen::Index row = 0;
    for (const int i : contacts) {
      const Constraint& c = problem_.constraints[base::at(i)];
      lambda.segment(problem_.first_row[base::at(i)], c.rows) = shortest.segment(row, c.rows);
      row += c.rows;
    }
    row = 0;
    for (const int i : equalities) {
      const Constraint& c = problem_.constraints[base::at(i)];
      lambda.segment(problem_.first_row[base::at(i)], c.rows) += changes.segment(row, c.rows);
      row += c.rows;
    }
    for (const int i : constraints) {
      const int rows = problem_.constraints[base::at(i)].rows;
      const Eigen::Index end = island.lambda.size();
      island.lambda.conservativeResize(end + rows);
      island.lambda.tail(rows) = lambda.segment(problem_.first_row[base::at(i)], rows);
    }
    out_.islands.push_back(std::move(island));
  }

  const StepReport& report_;
  int number_;
  const Problem& problem_;
  const Solution& solution_;
  std::optional<analyse::ImpulseView> view_;  // of the first island that is examined
  double limit_;
  analyse::ShortestImpulses& method_;
  std::vector<bool>& assigned_;
  ShownForces& out_;
  problem::Islands islands_;
};

}  // namespace

const char* name(ForceKind kind) {
  static constexpr const char* names[] = {"unique", "least norm", "not minimised"};
  return names[static_cast<std::size_t>(kind)];
}

int ShownForces::count(ForceKind kind) const {
  return static_cast<int>(std::count(kinds.begin(), kinds.end(), kind));
}

bool spread_islands(const StepReport& report, ShownForces& forces) {
  if (forces.kinds.size() != report.contacts.size()) return false;
  forces.impulses.clear();
  for (const ContactReport& c : report.contacts) forces.impulses.push_back(c.impulse);
  for (const ShortestIsland& island : forces.islands) {
    if (island.solve < 0 || island.solve >= report.solves.size()) return false;
    const Problem& problem = report.solves[base::at(island.solve)].problem;
    Eigen::Index row = 0;
    for (const int i : island.constraints) {
      if (i < 0 || base::at(i) >= problem.constraints.size()) return false;
      const Constraint& c = problem.constraints[base::at(i)];
      if (row + c.rows > island.lambda.size()) return false;
      row += c.rows;
      if (!is_contact(c)) continue;
      const int at = find_contact(report, c.key.contact);
      if (at < 0) return false;
      // Unique ones keep the bits of the solver.
      if (forces.kinds[base::at(at)] != ForceKind::least_norm) continue;
      forces.impulses[base::at(at)] = physical(problem, c, report.contacts[base::at(at)].contact,
                                               island.lambda.data() + row - c.rows);
    }
    if (row != island.lambda.size()) return false;
  }
  return true;
}

struct ForceDisplay::Memory {
  ForceOptions options;
  analyse::ShortestImpulses method;
  std::vector<double> question, before;
  std::vector<double> details, details_before;  // empty: not asked
  std::vector<bool> assigned;
  ShownForces forces;
};

ForceDisplay::ForceDisplay(const ForceOptions& options) : memory_(std::make_unique<Memory>()) {
  memory_->options = options;
}
ForceDisplay::~ForceDisplay() = default;
ForceDisplay::ForceDisplay(ForceDisplay&&) noexcept = default;
ForceDisplay& ForceDisplay::operator=(ForceDisplay&&) noexcept = default;

const ShownForces& ForceDisplay::of(const StepReport& report) {
  Memory& m = *memory_;
  const bool nothing = !m.options.least_norm || report.failed() || report.contacts.empty();
  // A step that is the one before has its forces. Details are kept from the second such step on.
  m.question.clear();
  m.details.clear();
  if (!nothing)
    for (const SolveRecord& solve : report.solved()) ask(solve, m.question);
  const bool alike = !nothing && m.forces.known && m.question == m.before;
  if (alike) ask_in_detail(report, m.details);
  if (alike && m.details == m.details_before) return m.forces;
  std::swap(m.question, m.before);
  std::swap(m.details, m.details_before);
  m.forces = {};
  if (nothing) return m.forces;

  m.forces.known = true;
  m.assigned.assign(report.contacts.size(), false);
  m.forces.kinds.assign(report.contacts.size(), ForceKind::unique);
  for (int i = report.solves.size() - 1; i >= 0; --i) {
    const bool done = std::find(m.assigned.begin(), m.assigned.end(), false) == m.assigned.end();
    if (done || !report.solves[base::at(i)].solution.certificate.finite) break;
    SolveForces(report, i, m.method, m.assigned, m.forces).run();
  }
  for (std::size_t i = 0; i < report.contacts.size(); ++i)
    if (!m.assigned[i] && !report.contacts[i].impulse.isZero(0))
      m.forces.kinds[i] = ForceKind::not_minimised;
  const bool spread = spread_islands(report, m.forces);
  CAIRN_CHECK(spread);
  return m.forces;
}

}  // namespace cairn
