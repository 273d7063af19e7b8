#include "constrain/memory.hpp"

#include <algorithm>

#include "base/conventions.hpp"

namespace cairn::constrain {

// In every problem of a scheme the joints come first, then the contacts in the order of their keys,
// then friction about them in the same order.
void recall(const Problem& problem, std::span<const Contact> contacts,
            std::span<const ContactMemory> memory, std::span<const double> joint_impulses,
            VecX& lambda, std::span<const SpinRows> spins, std::span<const ContactMemory> torques) {
  CAIRN_DCHECK(problem.constraints.size() >= contacts.size() + spins.size(),
               problem.constraints.size(), contacts.size(), spins.size());
  CAIRN_DCHECK(base::is_strictly_sorted(contacts, [](const Contact& c) { return c.key; }));
  CAIRN_DCHECK(base::is_strictly_sorted(memory, [](const ContactMemory& m) { return m.key; }));
  CAIRN_DCHECK(base::is_strictly_sorted(torques, [](const ContactMemory& m) { return m.key; }));
  CAIRN_DCHECK(problem.units.impulse() > 0);
  lambda.setZero(problem.rows());
  const double unit = problem.units.impulse();
  const std::size_t joints = problem.constraints.size() - contacts.size() - spins.size();
  if (joints > 0) {
    const auto rows = static_cast<std::size_t>(problem.first_row[joints]);
    for (std::size_t i = 0; i < std::min(rows, joint_impulses.size()); ++i)
      lambda[static_cast<Eigen::Index>(i)] = joint_impulses[i] / unit;
  }
  auto last = memory.begin();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    CAIRN_DCHECK(problem.constraints[joints + i].id.contact == c.key, i);
    CAIRN_DCHECK(problem.constraints[joints + i].rows == c.rows, i, c.rows);
    last =
        std::lower_bound(last, memory.end(), c.key,
                         [](const ContactMemory& m, const ContactKey& key) { return m.key < key; });
    if (last == memory.end()) break;
    if (last->key != c.key) continue;
    Vec3 along(c.n_W.dot(last->impulse_W), c.t1_W.dot(last->impulse_W),
               c.t2_W.dot(last->impulse_W));
    if (c.stretch != 1) along[2] /= c.stretch;
    for (int r = 0; r < c.rows; ++r) lambda[problem.first_row[joints + i] + r] = along[r] / unit;
  }
  last = torques.begin();
  for (std::size_t i = 0; i < spins.size(); ++i) {
    CAIRN_DCHECK(spins[i].contact < contacts.size(), i, spins[i].contact);
    CAIRN_DCHECK(spins[i].rows >= 1 && spins[i].rows <= 2, i, spins[i].rows);
    const ContactKey& key = contacts[spins[i].contact].key;
    CAIRN_DCHECK(problem.constraints[joints + contacts.size() + i].id.contact == key, i);
    CAIRN_DCHECK(problem.constraints[joints + contacts.size() + i].law == Law::disc, i);
    last = std::lower_bound(
        last, torques.end(), key,
        [](const ContactMemory& m, const ContactKey& other) { return m.key < other; });
    if (last == torques.end()) break;
    if (last->key != key) continue;
    for (int r = 0; r < spins[i].rows; ++r)
      lambda[problem.first_row[joints + contacts.size() + i] + r] =
          spins[i].axis_W[static_cast<std::size_t>(r)].dot(last->impulse_W) /
          (unit * problem.units.length);
  }
}

void remember(const Problem& problem, std::span<const Contact> contacts, const VecX& lambda,
              std::vector<ContactMemory>& memory, std::vector<double>& joint_impulses,
              std::size_t spins) {
  CAIRN_DCHECK(lambda.size() == problem.rows(), lambda.size(), problem.rows());
  CAIRN_DCHECK(problem.constraints.size() >= contacts.size() + spins, problem.constraints.size(),
               contacts.size(), spins);
  const double unit = problem.units.impulse();
  const std::size_t joints = problem.constraints.size() - contacts.size() - spins;
  joint_impulses.clear();
  for (int i = 0; i < problem.first_row[joints]; ++i) joint_impulses.push_back(lambda[i] * unit);
  memory.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& c = contacts[i];
    CAIRN_DCHECK(problem.constraints[joints + i].id.contact == c.key, i);
    const double* r = lambda.data() + problem.first_row[joints + i];
    Vec3 impulse = r[0] * unit * c.n_W;
    if (c.rows > 1) impulse += r[1] * unit * c.t1_W;
    if (c.rows > 2) impulse += r[2] * c.stretch * unit * c.t2_W;
    if (r[0] != 0) memory.push_back({c.key, impulse});
  }
  CAIRN_DCHECK(base::is_strictly_sorted(memory, [](const ContactMemory& m) { return m.key; }));
}

void remember_torques(const Problem& problem, std::span<const Contact> contacts,
                      std::span<const SpinRows> spins, const VecX& lambda,
                      std::vector<ContactMemory>& torques) {
  CAIRN_DCHECK(lambda.size() == problem.rows(), lambda.size(), problem.rows());
  CAIRN_DCHECK(problem.constraints.size() >= contacts.size() + spins.size(),
               problem.constraints.size());
  const double unit = problem.units.impulse() * problem.units.length;
  const std::size_t first = problem.constraints.size() - spins.size();
  torques.clear();
  for (std::size_t i = 0; i < spins.size(); ++i) {
    Vec3 torque = Vec3::Zero();
    for (int r = 0; r < spins[i].rows; ++r)
      torque += lambda[problem.first_row[first + i] + r] * unit *
                spins[i].axis_W[static_cast<std::size_t>(r)];
    if (torque.isZero(0)) continue;
    const ContactKey& key = contacts[spins[i].contact].key;
    if (torques.empty() || torques.back().key != key)
      torques.push_back({key, torque});
    else
      torques.back().impulse_W += torque;
  }
  CAIRN_DCHECK(base::is_strictly_sorted(torques, [](const ContactMemory& m) { return m.key; }));
}

}  // namespace cairn::constrain
