// The report of a step: verdict, certificate, energies, and contacts, events and impacts as
// structured arrays.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/problems/problem.hpp"
#include "module/rows.hpp"
#include "module/simulator.hpp"

namespace cairn::python {
namespace {

const char* name_of(StepStatus status) {
  static constexpr const char* names[] = {"certified", "uncertified", "stopped", "interrupted",
                                          "internal_error"};
  return names[static_cast<std::size_t>(status)];
}

py::array events_of(const StepReport& report) {
  std::vector<EventRow> rows;
  for (const StepEvent& e : report.events)
    rows.push_back({e.t, e.speed, static_cast<std::int32_t>(e.contact.body_a),
                    static_cast<std::int32_t>(e.contact.body_b),
                    static_cast<std::uint8_t>(e.kind)});
  return moved(std::move(rows));
}

py::array impacts_of(const StepReport& report) {
  std::vector<ImpactRow> rows;
  for (const ImpactReport& i : report.impacts)
    rows.push_back({i.t, i.approach, i.rebound, i.restitution, i.lost_restitution, i.lost_friction,
                    i.put_in, i.kinetic_before, i.kinetic_after,
                    static_cast<std::int32_t>(i.contact.body_a),
                    static_cast<std::int32_t>(i.contact.body_b), i.group});
  return moved(std::move(rows));
}

py::dict ledger_of(const Ledger& l) {
  py::dict d;
  d["kinetic_start"] = l.kinetic_start;
  d["potential_start"] = l.potential_start;
  d["kinetic_end"] = l.kinetic_end;
  d["potential_end"] = l.potential_end;
  d["work_applied"] = l.work_applied;
  d["work_motion"] = l.work_motion;
  d["friction"] = l.friction;
  d["impact"] = l.impact;
  d["stabilisation"] = l.stabilisation;
  d["integrator"] = l.integrator;
  d["solver"] = l.solver;
  d["passive"] = l.passive;
  d["rise"] = l.rise();
  d["imbalance"] = l.imbalance();
  return d;
}

std::vector<std::string> contact_names(const ReportOfStep& r) {
  std::vector<std::string> names;
  for (const ContactReport& c : r.get().contacts)
    names.push_back(contact_name(r.model(), c.contact.key));
  return names;
}

// Sum over the contacts of a body [N] and, with another one, of the two.
py::array force_on(const ReportOfStep& r, const py::object& body, const py::object& other) {
  const BodyId on = find_body(r.model(), body);
  const BodyId by = other.is_none() ? BodyId::world : find_body(r.model(), other);
  Vec3 sum = Vec3::Zero();
  const StepReport& report = r.get();
  for (const ContactReport& c : report.contacts) {
    const ContactKey& k = c.contact.key;
    if (is_limit(k) || (k.body_a != on && k.body_b != on)) continue;
    if (!other.is_none() && k.body_a != by && k.body_b != by) continue;
    sum += (k.body_b == on ? 1.0 : -1.0) * force_of(c, report.h);
  }
  return copied(sum);
}

py::list problems_of(const ReportOfStep& r) {
  py::list list;
  for (const SolveRecord& solve : r.with_problems().solved())
    list.append(
        std::make_shared<SolvedProblem>(SolvedProblem{solve.problem, solve.solution, r.model()}));
  return list;
}

std::string describe_report(const ReportOfStep& r) {
  const StepReport& report = r.get();
  return fmt::format("<cairn.Report of step {}: {}, residual {:.2e}, {} contacts>", report.step,
                     report.accepted() ? "accepted" : "NOT ACCEPTED", report.certificate,
                     report.contacts.size());
}

}  // namespace

void bind_report(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(ContactRow, body_a, body_b, shape_a, shape_b, feature_a, feature_b, position,
                       normal, tangent1, tangent2, gap, friction, restitution, impulse, force,
                       velocity, torque, mode, colliding, limit);
  PYBIND11_NUMPY_DTYPE(EventRow, time, speed, body_a, body_b, kind);
  PYBIND11_NUMPY_DTYPE(ImpactRow, time, approach, rebound, restitution, lost_restitution,
                       lost_friction, put_in, kinetic_before, kinetic_after, body_a, body_b, group);

  PYBIND11_NUMPY_DTYPE(JointRow, position, velocity, force, torque, limit, drive, friction);

  py::class_<VerdictPart>(m, "VerdictPart", "One of the three parts of a verdict.")
      .def_readonly("ok", &VerdictPart::ok)
      .def_readonly("worst", &VerdictPart::worst,
                    "The figure nearest to its limit over that limit.")
      .def_readonly("sentence", &VerdictPart::sentence, "What failed; empty if ok.")
      .def("__bool__", [](const VerdictPart& p) { return p.ok; })
      .def("__repr__", [](const VerdictPart& p) {
        return p.ok ? fmt::format("<ok, {:.2g} of the limit>", p.worst)
                    : fmt::format("<NOT OK: {}>", p.sentence);
      });
  py::class_<Verdict>(m, "Verdict", "Whether a step is right: solve, motion and energy.")
      .def_readonly("solve", &Verdict::solve,
                    "The certificates of all solves against the tolerance.")
      .def_readonly("motion", &Verdict::motion, "Overlaps, joint errors, momentum.")
      .def_readonly("energy", &Verdict::energy, "Terms of the ledger that should vanish.")
      .def_readonly("overlap", &Verdict::overlap, "Deepest, of the smaller inner radius.")
      .def_readonly("swept_overlap", &Verdict::swept_overlap, "Upper bound on the way, likewise.")
      .def_readonly("joint", &Verdict::joint, "Joint error of the smaller radius.")
      .def_readonly("joint_angle", &Verdict::joint_angle, "[rad]")
      .def_readonly("momentum", &Verdict::momentum)
      .def_readonly("energy_error", &Verdict::energy_error)
      .def_readonly("integrator", &Verdict::integrator)
      .def_readonly("parts", &Verdict::parts, "Into which the step was divided.")
      .def_readonly("attempts", &Verdict::attempts)
      .def_property_readonly("accepted", [](const Verdict& v) { return v.accepted(); })
      .def("__bool__", [](const Verdict& v) { return v.accepted(); })
      .def("__repr__", [](const Verdict& v) {
        return v.accepted() ? std::string("<cairn.Verdict: accepted>")
                            : fmt::format("<cairn.Verdict: NOT ACCEPTED: {}{}{}>", v.solve.sentence,
                                          v.motion.sentence, v.energy.sentence);
      });

  using R = ReportOfStep;
  py::class_<R, std::shared_ptr<R>>(
      m, "Report",
      R"(What one step did and how good it is. Stays as it is when further steps are taken.

Arrays are copies.)")
      .def_property_readonly(
          "accepted", [](const R& r) { return r.get().accepted(); },
          "Certified, and all three parts of the verdict hold.")
      .def_property_readonly("status", [](const R& r) { return name_of(r.get().status); })
      .def_property_readonly(
          "reason", [](const R& r) { return name(r.get().reason); }, "Why a step was not taken.")
      .def_property_readonly("message", [](const R& r) { return r.get().message; })
      .def_property_readonly(
          "step", [](const R& r) { return r.get().step; },
          "Number of the step, the first is 1; 0: none taken.")
      .def_property_readonly(
          "time", [](const R& r) { return r.get().t; }, "At the end of the step [s].")
      .def_property_readonly(
          "h", [](const R& r) { return r.get().h; }, "Its length [s].")
      .def_property_readonly("verdict", [](const R& r) { return r.get().verdict; })
      .def_property_readonly(
          "certificate", [](const R& r) { return r.get().certificate; },
          "The worst scaled residual of all solves.")
      .def_property_readonly(
          "ledger", [](const R& r) { return ledger_of(r.get().ledger); },
          "Energies of the step by cause [J], with rise and imbalance.")
      .def_property_readonly(
          "penetration", [](const R& r) { return r.get().penetration; }, "Deepest at the end [m].")
      .def_property_readonly(
          "joint_error", [](const R& r) { return r.get().joint_error; }, "Largest at the end [m].")
      .def_property_readonly("active_contacts", [](const R& r) { return r.get().active_contacts; })
      .def_property_readonly(
          "collisions", [](const R& r) { return r.get().collisions; }, "Contacts with restitution.")
      .def_property_readonly(
          "contacts", [](const R& r) { return contact_rows(r.get()); },
          R"(A structured array, a row a candidate contact, sorted:

body_a, body_b, shape_a, shape_b, feature_a, feature_b; position [m]; normal from a to b, tangent1, tangent2; gap [m]; friction;
restitution; impulse along (n, t1, t2) on b [N s]; force on b in the world, the impulse over h [N]; velocity of b relative to a
along (n, t1, t2) [m/s]; torque of torsional and rolling friction about them [N m s]; mode 0 open, 1 stick, 2 slip; colliding;
limit: not a contact but the end of the range of joint feature_a.)")
      .def_property_readonly(
          "joints",
          [](const R& r) -> py::array {
            std::vector<JointRow> rows;
            for (const JointReport& joint : r.get().joints) rows.push_back(joint_row(joint));
            return moved(std::move(rows));
          },
          R"(A structured array, a row a joint of the model:

position [rad] or [m] and velocity of the coordinate; force [N] and torque [N m], the reaction on the second body at and about
its anchor, in the world; limit, what the end of the range does, drive, the motor, and friction, along the coordinate [N m] or
[N].)")
      .def("contact_names", contact_names, "Beside contacts.")
      .def("force_on", force_on, py::arg("body"), py::arg("other") = py::none(),
           "Sum of the contact forces on a body, of those with another one if it is given, (3,) "
           "[N].")
      .def_property_readonly(
          "events", [](const R& r) { return events_of(r.get()); },
          "Structured array of schemes with events: time [s], speed [m/s], body_a, body_b, kind "
          "(cairn.EVENTS).")
      .def_property_readonly(
          "impacts", [](const R& r) { return impacts_of(r.get()); },
          "Structured array, a row a contact that collided: time, approach, rebound [m/s], "
          "energies [J], bodies, group.")
      .def_property_readonly("problems", problems_of,
                             "The complementarity problems of the step with their solutions, in "
                             "the order of solving. Read them\n"
                             "before the next step.")
      .def("__repr__", describe_report);
}

}  // namespace cairn::python
