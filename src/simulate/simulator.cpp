// Simulator: owns the state, calls the scheme, names the rows.
#include "cairn/simulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "accept/driver.hpp"
#include "base/boundary.hpp"
#include "collide/finder.hpp"
#include "dynamics/kinematics.hpp"
#include "model/conventions.hpp"
#include "scheme/common/report.hpp"
#include "scheme/euler/euler.hpp"
#include "scheme/hybrid/hybrid.hpp"
#include "scheme/penalty/penalty.hpp"
#include "scheme/trapezoidal/trapezoidal.hpp"
#include "simulate/joint_report.hpp"

namespace cairn {

struct Simulator::Workspace {
  Workspace(std::shared_ptr<const Model> m, State initial, SchemeOptions s, SolverOptions o,
            VerdictOptions limits)
      : model(std::move(m)),
        state(std::move(initial)),
        scheme(s),
        solver(o),
        verdict(limits),
        data(std::make_unique<scheme::StepData>(*model)),
        driver(*model, solver, verdict) {}

  // After a step that threw: its scratch may be half written, no byte of it is used again.
  void renew_data();
  void pass_interrupt_on();
  // Whether the last step, of length h, left everything but the time as it was, so that the next
  // one repeats it (E446).
  bool repeats(double h);

  std::shared_ptr<const Model> model;
  State state;
  SchemeOptions scheme;
  SolverOptions solver;
  VerdictOptions verdict;
  StepReport report;
  std::unique_ptr<scheme::StepData> data;
  accept::Driver driver;
  bool data_is_whole = true;  // no step has thrown while it wrote to it
  double (*clock)() = nullptr;
  std::string refusal;       // of what the scheme does not take
  Interrupt interrupt;       // of the caller
  Interrupt ask;             // the same, remembering the answer
  bool interrupted = false;  // in the step at hand: the solves to come end at once as well
  WorkMeter meter;           // of the step at hand
  State before;              // the step
  double repeated = 0;       // length of the steps that repeat; 0: they do not [s]
};

namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("cairn::Simulator: " + what);
}

void require_fit(const Model& model, const State& state) {
  require(state.poses.size() == model.bodies.size(),
          fmt::format("the state has {} poses, the model {} bodies", state.poses.size(),
                      model.bodies.size()));
  require(
      state.v.size() == model.velocities,
      fmt::format("the state has {} velocities, the model {}", state.v.size(), model.velocities));
}

void require_fit(const Model& model, const Controls& controls) {
  for (const ExternalForce& force : controls.forces)
    require(index(force.body) < model.bodies.size(),
            fmt::format("an external force is on body {} of {}", static_cast<int>(force.body),
                        model.bodies.size()));
  for (const MotorTarget& target : controls.motors) {
    require(index(target.joint) < model.joints.size(),
            fmt::format("a motor target is of joint {} of {}", static_cast<int>(target.joint),
                        model.joints.size()));
    require(model.joints[index(target.joint)].motor.has_value(),
            fmt::format("joint '{}' has no motor", model.joints[index(target.joint)].name));
    require(
        std::count_if(controls.motors.begin(), controls.motors.end(),
                      [&](const MotorTarget& other) { return other.joint == target.joint; }) == 1,
        fmt::format("the motor of joint '{}' has two targets",
                    model.joints[index(target.joint)].name));
  }
}

// Nothing but the state decides on a step: time does not.
bool is_autonomous(const Model& model) {
  return model.applied_forces.empty() &&
         std::none_of(model.joints.begin(), model.joints.end(),
                      [](const Joint& joint) { return joint.motor.has_value(); }) &&
         std::none_of(model.bodies.begin(), model.bodies.end(),
                      [](const Body& body) { return body.kind == BodyKind::prescribed; });
}

// The report names no other time than that at the end of the step.
bool has_one_time(const StepReport& report) {
  return report.events.empty() && report.impacts.empty() && report.divided.empty() &&
         std::all_of(report.solved().begin(), report.solved().end(),
                     [](const SolveRecord& record) { return record.origin.empty(); });
}

// (E732): a step of scheme `trapezoidal` that misses the tolerance is taken again in parts.
double reserve_of(const SchemeOptions& scheme, const VerdictOptions& verdict) {
  return verdict.split && std::holds_alternative<Trapezoidal>(scheme) ? 0.33 : 0;
}

std::shared_ptr<const Model> required(std::shared_ptr<const Model> model) {
  require(model != nullptr, "there is no model");
  return model;
}

}  // namespace

void Simulator::Workspace::pass_interrupt_on() {
  ask = {};
  if (interrupt.asked)
    ask = {.asked =
               [](void* context) {
                 auto& own = *static_cast<Workspace*>(context);
                 own.interrupted = own.interrupted || own.interrupt.asked(own.interrupt.context);
                 return own.interrupted;
               },
           .context = this};
  data->solver.set_interrupt(ask);
  data->positions.contact_projection.solver.set_interrupt(ask);
  data->solver.set_meter(&meter);
  data->positions.contact_projection.solver.set_meter(&meter);
  data->positions.contact_projection.meter = data->positions.projection.meter = &meter;
  data->in.meter = &meter;
}

void Simulator::Workspace::renew_data() {
  auto fresh = std::make_unique<scheme::StepData>(*model);
  data = std::move(fresh);
  pass_interrupt_on();
  data_is_whole = true;
}

bool Simulator::Workspace::repeats(double h) {
  if (report.status != StepStatus::certified || interrupted || !report.controls.empty() ||
      report.h != h || !has_one_time(report) || !is_autonomous(*model))
    return false;
  before.t = state.t;
  before.step = state.step;
  return before == state && hash(before) == hash(state);
}

Simulator::Simulator(std::shared_ptr<const Model> model, State initial, SchemeOptions scheme,
                     SolverOptions solver, VerdictOptions verdict)
    : workspace_(std::make_unique<Workspace>(required(std::move(model)), std::move(initial), scheme,
                                             solver, verdict)) {
  require_fit(*workspace_->model, workspace_->state);
  workspace_->pass_interrupt_on();
  if (const Result<void> taken = accepts(scheme, solver, *workspace_->model, workspace_->state);
      !taken)
    workspace_->refusal = taken.error().front().text();
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

const StepReport& Simulator::step(double h, const Controls& controls) {
  if (!(h > 0 && std::isfinite(h)))
    throw std::invalid_argument(fmt::format("h must be positive and finite, it is {}", h));
  Workspace& w = *workspace_;
  require_fit(*w.model, controls);
  if (!w.refusal.empty()) {
    scheme::clear(w.report, w.state, h);
    scheme::stop(w.report, {StopReason::unsupported, w.refusal});
    return w.report;
  }
  if (w.repeated == h && controls.empty() &&
      !(w.interrupt.asked && w.interrupt.asked(w.interrupt.context))) {
    scheme::count_step(h, w.state, w.report);
    w.report.seconds = {};
    w.meter.spent = 0;
    return w.report;
  }
  w.repeated = 0;
  w.interrupted = false;
  w.meter = {.per_constraint = w.verdict.work, .reserve = reserve_of(w.scheme, w.verdict)};
  w.before = w.state;
  try {
    if (!w.data_is_whole) w.renew_data();
    w.data->forces.external.assign(controls.forces.begin(), controls.forces.end());
    w.data->in.motors.assign(controls.motors.begin(), controls.motors.end());
    w.driver.step(
        {*w.model, w.scheme, w.solver, w.verdict, w.clock, w.interrupted, w.ask, &w.meter}, h,
        *w.data, w.state, w.report);
    // What an interrupted step left is taken back below.
    [[maybe_unused]] const bool taken = !w.report.failed() && !w.interrupted;
    model::dcheck_state(*w.model, w.state);
    CAIRN_DCHECK(taken || w.interrupted || w.state == w.before);
    CAIRN_DCHECK(!taken || w.state.step == w.before.step + 1, w.state.step);
    CAIRN_DCHECK(!taken || w.report.step == w.state.step, w.report.step, w.state.step);
    CAIRN_DCHECK(!taken || w.report.t == w.state.t, w.report.t, w.state.t);
    CAIRN_DCHECK(w.report.message.empty() || !taken);
    CAIRN_DCHECK(base::is_strictly_sorted(w.report.contacts,
                                          [](const ContactReport& c) { return c.contact.key; }));
    CAIRN_DCHECK(
        !taken || w.report.worst_solve == 0 || w.report.worst_solve < w.report.solves.size(),
        w.report.worst_solve, w.report.solves.size());
    w.report.controls = controls;
    if (taken)
      simulate::report_joints(*w.model, w.before.poses, w.state, w.report, w.report.joints);
  } catch (...) {
    std::swap(w.state, w.before);
    w.data_is_whole = false;
    scheme::clear(w.report, w.state, h);
    const Error why = base::caught_error();
    const bool fault = why.kind == ErrorKind::internal;
    scheme::stop(w.report, {fault ? StopReason::internal_error : StopReason::out_of_memory,
                            fault ? why.what : why.what + "; " + why.fix});
    if (fault) w.report.status = StepStatus::internal_error;
    return w.report;
  }
  if (w.interrupted) {
    std::swap(w.state, w.before);
    scheme::interrupt(w.report, w.state, h);
    return w.report;
  }
  // Most bodies move: the poses decide without a copy.
  if (w.before.poses == w.state.poses && w.repeats(h)) w.repeated = h;
  return w.report;
}

const Model& Simulator::model() const {
  return *workspace_->model;
}
const State& Simulator::state() const {
  return workspace_->state;
}
const StepReport& Simulator::report() const {
  return workspace_->report;
}
const SchemeOptions& Simulator::scheme() const {
  return workspace_->scheme;
}
const SolverOptions& Simulator::solver() const {
  return workspace_->solver;
}
const VerdictOptions& Simulator::verdict_options() const {
  return workspace_->verdict;
}
const WorkMeter& Simulator::work() const {
  return workspace_->meter;
}
void Simulator::set_clock(double (*clock)()) {
  workspace_->clock = clock;
}

void Simulator::set_interrupt(const Interrupt& interrupt) {
  workspace_->interrupt = interrupt;
  workspace_->pass_interrupt_on();
}

void Simulator::set_state(State state) {
  require_fit(*workspace_->model, state);
  workspace_->repeated = 0;
  workspace_->state = state;  // a copy, to keep the memory that the steps have grown
}

double Simulator::kinetic_energy() const {
  const Workspace& w = *workspace_;
  return cairn::dynamics::kinetic_energy(*w.model, w.state.v) +
         cairn::constrain::rotor_energy(*w.model, w.state.poses, w.state.v);
}
double Simulator::potential_energy() const {
  return cairn::dynamics::potential_energy(*workspace_->model, workspace_->state.poses);
}
double Simulator::penetration() const {
  return scheme::find_overlaps(*workspace_->model, workspace_->state.poses,
                               workspace_->data->active);
}
double Simulator::joint_error() const {
  double largest = 0;
  for (const Joint& joint : workspace_->model->joints)
    largest =
        std::max(largest, cairn::constrain::joint_error(workspace_->state.poses, joint).distance);
  return largest;
}

std::string contact_name(const Model& model, const ContactKey& key) {
  if (is_limit(key))
    return model.joints[index(limited_joint(key))].name +
           (limit_side(key) == LimitSide::lower ? ":lower" : ":upper");
  auto part = [&](BodyId body, ShapeId shape) {
    const Body& b = model.body(body);
    const int number = static_cast<int>(shape) - b.first_shape;
    return b.shapes > 1 ? b.name + "[" + std::to_string(number) + "]" : b.name;
  };
  const bool events = collide::both_polyhedra(model, model.shapes[index(key.shape_a)],
                                              model.shapes[index(key.shape_b)]);
  // Pairs that are not two polyhedra count features of one shape, or the same of both.
  return part(key.body_a, key.shape_a) + "-" + part(key.body_b, key.shape_b) + ":" +
         (events ? collide::name(collide::event_of(key.feature))
                 : std::to_string(std::max(key.feature.a, key.feature.b)));
}

std::string constraint_name(const Model& model, const Problem& problem, int constraint) {
  if (constraint < 0) return "momentum";
  const ConstraintKey& key = problem.constraints[static_cast<std::size_t>(constraint)].key;
  const auto element = static_cast<std::size_t>(key.element);
  if (key.role == Role::given)
    return element < problem.names.size() ? problem.names[element]
                                          : "constraint " + std::to_string(constraint);
  const std::string what = std::string(name(key.role)) + " ";
  if (key.role == Role::gear) return what + model.gears[element].name;
  return what +
         (is_of_joint(key.role) ? model.joints[element].name : contact_name(model, key.contact));
}

BodyMotion body_motion(const Model& model, const State& state, BodyId id) {
  const Body& body = model.body(id);
  const Pose& X_WC = state.poses[index(id)];
  const double* v = state.v.data() + body.first_velocity;
  const Vec3 w = dynamics::angular_velocity(body, X_WC, v);
  const Vec3 arm = X_WC.R * -body.p_Bcm;
  return {X_WC.p + arm, X_WC.R, dynamics::linear_velocity(body, v) + w.cross(arm), w};
}

}  // namespace cairn
