#include "scheme/euler/sub_step.hpp"

#include "base/conventions.hpp"
#include "dynamics/flight.hpp"
#include "scheme/common/report.hpp"

namespace cairn::scheme {

Vec3 drop(const Model& model, const Body& body, double tau, double length) {
  Vec3 shift = -0.5 * tau * (2 * length - tau) * model.gravity;
  for (std::size_t k = 0; k < 3; ++k)
    if (!body.translations[k]) shift[static_cast<Eigen::Index>(k)] = 0;
  return shift;
}

SubStep::SubStep(const Model& model, const Euler& options, const SolverOptions& solver,
                 StepData& data, const SubStepInputs& in, StepReport& report)
    : data_(data), step_{model, options, {}, solver, in.length, data, in.start, report} {}

Stop SubStep::solve(const SubStepInputs& in) {
  const Model& model = step_.model;
  CAIRN_DCHECK(in.length > 0, in.length);
  CAIRN_DCHECK(in.flies.size() == model.bodies.size() && in.falls.size() == model.bodies.size(),
               in.flies.size(), in.falls.size());
  CAIRN_DCHECK(base::is_strictly_sorted(in.contacts, [](const Contact& c) { return c.key; }));
  data_.forces = in.ahead.forces;
  data_.v.free = data_.v.free_plain = in.ahead.v;
  data_.free.v_explicit = data_.v.explicit_plain = in.ahead.free.v_explicit;
  data_.poses.end = in.ahead.poses;
  data_.contacts.assign(in.contacts.begin(), in.contacts.end());
  data_.contacts_start = data_.contacts;
  data_.impulses = in.start.impulses;
  clear(step_.report, in.start, in.length);
  step_.find_velocities();
  if (!data_.v.end.allFinite()) return not_finite(model, data_.v.end, "new velocity");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (in.flies[i]) {
      data_.poses.end[i] =
          dynamics::fly(body, model.gravity, in.start.poses[i],
                        in.start.v.data() + body.first_velocity, in.length, nullptr);
      data_.v.moved.segment(body.first_velocity, body.velocities) =
          data_.v.end.segment(body.first_velocity, body.velocities);
    }
    if (in.falls[i]) data_.poses.end[i].p += drop(model, body, in.length, in.length);
  }
  if (!step_.close_joints(data_.contacts_start))
    return open_joints(model, in.start.poses, data_.poses.end);
  return {};
}

bool SubStep::add_missed(std::vector<Contact>& contacts) {
  data_.contacts_start = contacts;
  if (!step_.add_missed_contacts()) return false;
  contacts = data_.contacts_start;
  return true;
}

Ledger SubStep::finish() {
  step_.account_for_projection();
  step_.report_contacts();
  return make_ledger(step_.model, step_.state, step_.h, data_, step_.last());
}

void SubStep::copy_record(SolveRecord& record) const {
  const State& start = step_.state;
  const bool again = data_.nonlinear.again;
  record = step_.last();
  keep_beginning(record.problem, start.poses, start.v, start.t, step_.h, record.origin);
  keep_rows(record.problem, data_.poses.linear, again ? start.t + step_.h : start.t,
            again ? data_.nonlinear.contacts : data_.contacts, record.origin);
  record.origin.before.clear();
  if (again) record.origin.before = data_.contacts_start;
}

}  // namespace cairn::scheme
