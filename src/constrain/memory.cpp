#include "constrain/memory.hpp"

#include <algorithm>

#include "base/conventions.hpp"
#include "problem/conventions.hpp"

namespace cairn::constrain {
namespace {

// Calls visit(constraint, contact, spin) for each constraint, with pointers to what its rows are
// made of: both null for joints.
template <class Visit>
void each_constraint(const Problem& problem, std::span<const Contact> contacts,
                     std::span<const SpinRows> spins, const Visit& visit) {
  problem::dcheck_keys(problem);
  std::size_t contact = 0, spin = 0;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    const Contact* of_contact = nullptr;
    const SpinRows* of_spin = nullptr;
    if (pushes(c.key.role)) {
      CAIRN_DCHECK(contact < contacts.size(), contact, contacts.size());
      of_contact = &contacts[contact++];
      CAIRN_DCHECK(c.rows == of_contact->rows, i, c.rows, of_contact->rows);
    } else if (is_of_contact(c.key.role)) {
      CAIRN_DCHECK(spin < spins.size(), spin, spins.size());
      of_spin = &spins[spin++];
      CAIRN_DCHECK(c.rows == of_spin->rows, i, c.rows, of_spin->rows);
      CAIRN_DCHECK(of_spin->contact < contacts.size(), i, of_spin->contact);
      of_contact = &contacts[of_spin->contact];
    }
    CAIRN_DCHECK(!of_contact || c.key.contact == of_contact->key, i);
    visit(i, of_contact, of_spin);
  }
  CAIRN_DCHECK(contact == contacts.size() && spin == spins.size(), contact, spin);
}

// Impulses of the rows of a constraint, in its units.
void to_rows(const Problem& problem, const Contact* contact, const SpinRows* spin, int rows,
             const Vec3& impulse, double* lambda) {
  const double unit = problem.units.impulse();
  if (spin) {
    for (int r = 0; r < rows; ++r)
      lambda[r] =
          spin->axis_W[static_cast<std::size_t>(r)].dot(impulse) / (unit * problem.units.length);
    return;
  }
  Vec3 along = impulse;
  if (contact) {
    along = Vec3(contact->n_W.dot(impulse), contact->t1_W.dot(impulse), contact->t2_W.dot(impulse));
    if (contact->stretch != 1) along[2] /= contact->stretch;
  }
  for (int r = 0; r < rows; ++r) lambda[r] = along[r] / unit;
}

Vec3 from_rows(const Problem& problem, const Contact* contact, const SpinRows* spin, int rows,
               const double* lambda) {
  const double unit = problem.units.impulse();
  Vec3 impulse = Vec3::Zero();
  if (spin) {
    for (int r = 0; r < rows; ++r)
      impulse +=
          lambda[r] * (unit * problem.units.length) * spin->axis_W[static_cast<std::size_t>(r)];
    return impulse;
  }
  if (contact) {
    impulse = lambda[0] * unit * contact->n_W;
    if (rows > 1) impulse += lambda[1] * unit * contact->t1_W;
    if (rows > 2) impulse += lambda[2] * contact->stretch * unit * contact->t2_W;
    return impulse;
  }
  for (int r = 0; r < rows; ++r) impulse[r] = lambda[r] * unit;
  return impulse;
}

}  // namespace

void recall(const Problem& problem, std::span<const Contact> contacts,
            std::span<const SpinRows> spins, std::span<const ImpulseMemory> memory, VecX& lambda) {
  CAIRN_DCHECK(base::is_strictly_sorted(memory, [](const ImpulseMemory& m) { return m.key; }));
  CAIRN_DCHECK(problem.units.impulse() > 0);
  lambda.setZero(problem.rows());
  auto last = memory.begin();
  each_constraint(
      problem, contacts, spins, [&](std::size_t i, const Contact* contact, const SpinRows* spin) {
        const Constraint& c = problem.constraints[i];
        last = std::lower_bound(
            last, memory.end(), c.key,
            [](const ImpulseMemory& m, const ConstraintKey& key) { return m.key < key; });
        if (last == memory.end() || last->key != c.key) return;
        to_rows(problem, contact, spin, c.rows, last->impulse,
                lambda.data() + problem.first_row[i]);
      });
}

void remember(const Problem& problem, std::span<const Contact> contacts,
              std::span<const SpinRows> spins, const VecX& lambda,
              std::vector<ImpulseMemory>& memory) {
  CAIRN_DCHECK(lambda.size() == problem.rows(), lambda.size(), problem.rows());
  memory.clear();
  each_constraint(problem, contacts, spins,
                  [&](std::size_t i, const Contact* contact, const SpinRows* spin) {
                    const Constraint& c = problem.constraints[i];
                    const double* rows = lambda.data() + problem.first_row[i];
                    if (contact && !spin && rows[0] == 0) return;
                    const Vec3 impulse = from_rows(problem, contact, spin, c.rows, rows);
                    if (spin && impulse.isZero(0)) return;
                    memory.push_back({c.key, impulse});
                  });
  CAIRN_DCHECK(base::is_strictly_sorted(memory, [](const ImpulseMemory& m) { return m.key; }));
}

}  // namespace cairn::constrain
