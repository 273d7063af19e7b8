// check, anchors of contacts that stick: whose they are, where they come from, and that they hold.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/index.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/rebuild/mechanics.hpp"

namespace cairn::record {
namespace {

constexpr double together = 1e-9;     // of the size of positions [-]
constexpr double same_point = 1e-11;  // likewise, where the contact was at the beginning [-]

std::string pair_name(const Model& model, const ContactKey& key) {
  return fmt::format("anchor between {} and {}", model.body(key.body_a).name,
                     model.body(key.body_b).name);
}

const ContactReport* reported(const StepReport& report, const ContactKey& key) {
  for (const ContactReport& c : report.contacts)
    if (c.contact.key == key) return &c;
  return nullptr;
}

// It presses, and has no slip or an impulse inside its cone (E441, E720).
bool sticks(const StepReport& report, const ContactReport& c) {
  if (!(c.impulse[0] > 0)) return false;
  if (c.mode == ContactMode::stick) return true;
  return !report.solves.empty() &&
         c.velocity.tail<2>().norm() <= slow_slip * report.solved().back().problem.units.speed();
}

// Largest coordinate near the contact, as what positions there round with.
double size_at(const Model& model, const std::vector<Pose>& poses, const ContactAnchor& a) {
  const Pose &A = poses[index(a.key.body_a)], &B = poses[index(a.key.body_b)];
  return model.length_unit + A.p.norm() + a.p_A.norm() + B.p.norm() + a.p_B.norm();
}

// The material points of the contact at the beginning of a part of the step.
bool is_at_contact(const Model& model, const std::vector<Pose>& poses, const ContactAnchor& a,
                   const Contact& c) {
  const Vec3 p_A = poses[index(a.key.body_a)] * a.p_A, p_B = poses[index(a.key.body_b)] * a.p_B;
  const double room = same_point * size_at(model, poses, a);
  return (p_A - (c.p_WC - 0.5 * c.gap * c.n_W)).norm() <= room &&
         (p_B - (c.p_WC + 0.5 * c.gap * c.n_W)).norm() <= room;
}

const Contact* contact_of(std::span<const Contact> contacts, const ContactKey& key) {
  for (const Contact& c : contacts)
    if (c.key == key) return &c;
  return nullptr;
}

// (E985): the points of a new anchor are those of its contact where a solve of the step began. True
// also where a solve with that contact does not say how it began.
bool is_at_a_beginning(const Model& model, const State& before, const StepReport& report,
                       const ContactAnchor& a) {
  for (const SolveRecord& solve : report.solved()) {
    const SolveOrigin& origin = solve.origin;
    const bool rows = std::any_of(
        solve.problem.constraints.begin(), solve.problem.constraints.end(),
        [&](const Constraint& c) { return pushes(c.key.role) && c.key.contact == a.key; });
    if (!rows) continue;
    const bool begins = origin.rows.empty() || (!origin.start.empty() && origin.t_rows == origin.t);
    const Contact* c = nullptr;
    if (!origin.before.empty())
      c = contact_of(origin.before, a.key);
    else if (begins && !origin.contacts.empty())
      c = contact_of(origin.contacts, a.key);
    else if (const ContactReport* own = reported(report, a.key); own && begins)
      c = &own->contact;
    if (!c) return true;
    std::vector<Pose> poses = before.poses;
    for (std::size_t i = 0; i < origin.start.size(); ++i)
      poses[base::at(solve.problem.bodies[i].model_body)] = origin.start[i];
    for (std::size_t i = 0; i < poses.size() && !origin.start.empty(); ++i)
      if (model.bodies[i].kind == BodyKind::prescribed)
        poses[i] = prescribed_at(model.bodies[i], origin.t);
    if (is_at_contact(model, poses, a, *c)) return true;
  }
  return false;
}

}  // namespace

void check_anchors(const Model& model, const SchemeOptions& scheme, const State& before,
                   const TraceFrame& frame, const Complain& complain) {
  const std::vector<ContactAnchor>& anchors = frame.state.contact_anchors;
  const auto* euler = euler_options(scheme);
  const auto* hybrid = std::get_if<Hybrid>(&scheme);
  if (!euler && !hybrid && !anchors.empty() && anchors != before.contact_anchors)
    complain(FindingCode::position, "the scheme makes no anchors of contacts");
  const bool nonlinear = euler ? euler->nonlinear : hybrid && hybrid->nonlinear;
  const bool projects = euler ? euler->projection : hybrid && hybrid->projection;
  // Parts and events begin where no frame is recorded.
  const bool whole = frame.report.divided.empty() && !(hybrid && frame.report.solves.size() != 1);
  for (std::size_t i = 0; i < anchors.size() && (euler || hybrid); ++i) {
    const ContactAnchor& a = anchors[i];
    if (i > 0 && !(anchors[i - 1].key < a.key)) {
      complain(FindingCode::position, "anchors are not in the order of their contacts");
      return;
    }
    const ContactReport* c = reported(frame.report, a.key);
    if (!c) {
      complain(FindingCode::reported, pair_name(model, a.key) + " has no contact in the step");
      continue;
    }
    if (whole && !sticks(frame.report, *c))
      complain(FindingCode::reported, pair_name(model, a.key) + ": the contact does not stick");
    const bool kept = std::find(before.contact_anchors.begin(), before.contact_anchors.end(), a) !=
                      before.contact_anchors.end();
    // Parts make anchors where they begin, which need not be where a recorded problem is posed.
    const bool known = whole || (euler && frame.report.divided.empty());
    if (!kept && known && !is_at_a_beginning(model, before, frame.report, a))
      complain(FindingCode::contact,
               pair_name(model, a.key) + " is not at the points of the contact");
    if (!projects) continue;
    const Vec3 apart = frame.state.poses[index(a.key.body_b)] * a.p_B -
                       frame.state.poses[index(a.key.body_a)] * a.p_A;
    double along = 0;
    if (c->contact.rows > 1) along = std::abs(c->contact.t1_W.dot(apart));
    if (c->contact.rows > 2) along = std::max(along, std::abs(c->contact.t2_W.dot(apart)));
    if (!nonlinear && !(along <= together * size_at(model, frame.state.poses, a)))
      complain(FindingCode::position,
               fmt::format("{}: its points are {:.3g} m apart", pair_name(model, a.key), along));
  }
}

}  // namespace cairn::record
