// Steps without the interpreter's lock, calls controllers with it, and keeps arrays and recordings
// up to date.
#include "module/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <thread>

#include "module/efforts.hpp"
#include "module/errors.hpp"
#include "record/trace/fits.hpp"
#include "simulate/step_motion.hpp"

namespace cairn::python {
namespace {

Simulator make_simulator(const Scene& scene) {
  return Simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                   scene.simulation.verdict);
}

bool finite(const State& s) {
  const auto vector = [](const Vec3& x) { return x.allFinite(); };
  return std::isfinite(s.t) && s.v.allFinite() && s.v_before.allFinite() &&
         std::all_of(s.poses.begin(), s.poses.end(),
                     [](const Pose& X) { return X.p.allFinite() && X.R.coeffs().allFinite(); }) &&
         std::all_of(s.impulses.begin(), s.impulses.end(),
                     [&](const ImpulseMemory& m) { return vector(m.impulse); }) &&
         std::all_of(s.contact_anchors.begin(), s.contact_anchors.end(),
                     [&](const ContactAnchor& a) { return vector(a.p_A) && vector(a.p_B); });
}

// What record::state_fits does not look at.
bool rest_fits(const Model& model, const State& s) {
  const auto in = [](auto id, std::size_t count) {
    return static_cast<std::int64_t>(id) >= 0 && static_cast<std::size_t>(id) < count;
  };
  return (s.v_before.size() == 0 || s.v_before.size() == s.v.size()) &&
         std::all_of(s.pending.begin(), s.pending.end(), [&](const ContactKey& k) {
           return in(k.body_a, model.bodies.size()) && in(k.body_b, model.bodies.size()) &&
                  (is_limit(k)
                       ? in(k.feature.a, model.joints.size())
                       : in(k.shape_a, model.shapes.size()) && in(k.shape_b, model.shapes.size()));
         });
}

struct Busy {
  explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  bool& flag_;
};

}  // namespace

// ---- Reports

const StepReport& ReportOfStep::get() const {
  if (!live_) return copy_;
  core_->require_idle();
  return *live_;
}

const Model& ReportOfStep::model() const {
  return core_->model();
}

const StepReport& ReportOfStep::with_problems() const {
  if (!live_)
    throw py::value_error(
        "the problems of a step are kept until the next step: read them before it");
  return get();
}

void ReportOfStep::detach() {
  if (!live_) return;
  // The report is the simulator's own object; its problems are put aside so that they are not
  // copied.
  auto& live = const_cast<StepReport&>(*live_);
  SolveLog solves;
  solves.swap(live.solves);
  try {
    copy_ = live;
  } catch (...) {
    solves.swap(live.solves);
    throw;
  }
  solves.swap(live.solves);
  live_ = nullptr;
}

// ---- The simulator

Core::Core(SharedScene scene)
    : h(scene->simulation.step), scene_(std::move(scene)), sim_(make_simulator(*scene_)) {
  const std::size_t n = model().bodies.size();
  arrays_ = {std::vector<double>(3 * n), std::vector<double>(4 * n), std::vector<double>(3 * n),
             std::vector<double>(3 * n)};
  external_.assign(6 * n, 0);
  efforts_.assign(model().joints.size(), 0);
  targets_.assign(model().joints.size(), std::numeric_limits<double>::quiet_NaN());
  has_prescribed_ = std::any_of(model().bodies.begin(), model().bodies.end(),
                                [](const Body& b) { return b.kind == BodyKind::prescribed; });
  sim_.set_interrupt({&Signals::asked, &signals_});
}

void Core::require_idle() const {
  if (computing_.load(std::memory_order_acquire))
    throw std::runtime_error(
        "the simulator is stepping in another thread: wait until its step() returns");
}

void Core::take_forces() {
  taken_.forces = at_points_;
  taken_.motors.clear();
  for (std::size_t i = 0; i < external_.size(); i += 6) {
    const double* f = external_.data() + i;
    if (std::all_of(f, f + 6, [](double x) { return x == 0; })) continue;
    if (!std::all_of(f, f + 6, [](double x) { return std::isfinite(x); }))
      throw py::value_error(fmt::format("external_forces: the force on body '{}' is not finite",
                                        model().bodies[i / 6].name));
    taken_.forces.push_back(
        {.body = static_cast<BodyId>(i / 6), .force = Vec3(f), .torque = Vec3(f + 3)});
  }
  add_efforts(model(), sim_.state(), efforts_, taken_.forces);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (std::isnan(targets_[i])) continue;
    const Joint& joint = model().joints[i];
    if (!joint.motor)
      throw py::value_error(fmt::format(
          "motor_targets: joint '{}' has no motor; give it one in the scene, or use its effort",
          joint.name));
    if (!std::isfinite(targets_[i]))
      throw py::value_error(
          fmt::format("motor_targets: the target of joint '{}' is not finite", joint.name));
    taken_.motors.push_back({static_cast<JointId>(i), targets_[i]});
  }
}

void Core::fill_arrays() {
  const State& state = sim_.state();
  const bool mean = moved_by_step_ && poses_before_.size() == state.poses.size();
  for (std::size_t i = 0; i < state.poses.size(); ++i) {
    const auto id = static_cast<BodyId>(i);
    const BodyMotion m =
        mean && model().bodies[i].kind == BodyKind::prescribed
            ? simulate::step_motion(model(), state, id, poses_before_[i], sim_.report().h)
            : body_motion(model(), state, id);
    std::copy_n(m.position.data(), 3, &arrays_.position[3 * i]);
    const double q[] = {m.orientation.w(), m.orientation.x(), m.orientation.y(), m.orientation.z()};
    std::copy_n(q, 4, &arrays_.orientation[4 * i]);
    std::copy_n(m.velocity.data(), 3, &arrays_.velocity[3 * i]);
    std::copy_n(m.angular_velocity.data(), 3, &arrays_.angular_velocity[3 * i]);
  }
}

const Core::Arrays& Core::arrays() {
  if (!arrays_in_use_) {
    require_idle();
    arrays_in_use_ = true;
    fill_arrays();
  }
  return arrays_;
}

void Core::fill_joint_arrays() {
  const std::vector<JointReport>& reports = sim_.report().joints;
  for (std::size_t i = 0; i < joint_arrays_.position.size(); ++i) {
    const auto id = static_cast<JointId>(i);
    const bool reported = is_current_ && i < reports.size();
    joint_arrays_.position[i] =
        reported ? reports[i].position : joint_position(model(), sim_.state(), id);
    joint_arrays_.velocity[i] =
        reported ? reports[i].velocity : joint_velocity(model(), sim_.state(), id);
  }
}

const Core::JointArrays& Core::joint_arrays() {
  if (!joint_arrays_in_use_) {
    require_idle();
    joint_arrays_in_use_ = true;
    joint_arrays_.position.resize(model().joints.size());
    joint_arrays_.velocity.resize(model().joints.size());
    fill_joint_arrays();
  }
  return joint_arrays_;
}

void Core::call(const py::object& controller, const py::object& self) {
  external_before_ = external_;
  efforts_before_ = efforts_;
  targets_before_ = targets_;
  const std::vector<ExternalForce> points = at_points_;
  // The state is copied where the controller changes it, which few do.
  in_controller_ = true;
  state_changed_ = false;
  try {
    controller(self);
    take_forces();
    in_controller_ = false;
  } catch (...) {
    in_controller_ = false;
    // Whatever the controller did before it failed is taken back.
    external_ = external_before_;
    efforts_ = efforts_before_;
    targets_ = targets_before_;
    at_points_ = points;
    if (state_changed_) put_state(before_controller_);
    throw;
  }
}

bool Core::advance(double length) {
  if (has_prescribed_) poses_before_ = sim_.state().poses;
  const StepReport& report = sim_.step(length, taken_);
  has_report_ = true;
  if (report.status == StepStatus::interrupted) return false;
  if (!report.failed()) {
    is_current_ = moved_by_step_ = true;
    if (!report.accepted()) ++rejected_;
    follow();
  }
  record_step();
  if (live_) show_step();
  return !report.failed();
}

std::shared_ptr<ReportOfStep> Core::step(const py::object& self, std::int64_t n, double length) {
  require_idle();
  if (stepping_) throw std::runtime_error("step() was called within a step");
  if (n < 0)
    throw py::value_error(fmt::format("step: the number of steps is {}, it cannot be negative", n));
  if (!(length > 0 && std::isfinite(length)))
    throw py::value_error(fmt::format("step: h must be positive and finite, it is {}", length));
  const Computation computation;
  const Busy busy(stepping_);
  const py::object controller = py::getattr(self, "_controller", py::none());
  for (std::int64_t i = 0; i < n;) {
    if (const auto kept = report_.lock()) kept->detach();
    report_.reset();
    if (!controller.is_none())
      call(controller, self);
    else
      take_forces();
    bool taken = true;
    {
      const py::gil_scoped_release released;
      struct Computing {
        std::atomic<bool>& flag;
        explicit Computing(std::atomic<bool>& f) : flag(f) {
          flag.store(true, std::memory_order_release);
        }
        ~Computing() { flag.store(false, std::memory_order_release); }
      } const computing(computing_);
      const std::int64_t first = i;
      do {
        if (i > first && works()) take_forces();  // axes turn with their bodies
        taken = advance(length);
        ++i;
        // Many small steps: signals are looked at between them as well.
      } while (taken && controller.is_none() && i < n && !signals_.raised());
    }
    signals_.rethrow();
    if (!taken) {
      const StepReport& report = sim_.report();
      throw StoppedStep{report.status, name(report.reason), report.message, report.step, report.t};
    }
  }
  return report();
}

std::shared_ptr<ReportOfStep> Core::report() {
  require_idle();
  if (auto kept = report_.lock()) return kept;
  static const StepReport none;
  auto made =
      std::make_shared<ReportOfStep>(shared_from_this(), has_report_ ? &sim_.report() : &none);
  report_ = made;
  return made;
}

void Core::put_state(const State& state) {
  if (in_controller_ && !state_changed_) {
    before_controller_ = sim_.state();
    state_changed_ = true;
  }
  sim_.set_state(state);
  is_current_ = moved_by_step_ = false;
  follow();
  if (live_) live_->touch();
}

void Core::set_state(const State& state) {
  require_idle();
  if (state.poses.size() != model().bodies.size() || state.v.size() != model().velocities)
    throw py::value_error(
        fmt::format("the state has {} bodies and {} velocities, the model {} and {}",
                    state.poses.size(), state.v.size(), model().bodies.size(), model().velocities));
  if (!finite(state)) throw py::value_error("the state has numbers that are not finite");
  if (!record::state_fits(model(), state) || !rest_fits(model(), state))
    throw py::value_error("the state remembers contacts or joints that the model does not have");
  for (std::size_t i = 0; i < state.poses.size(); ++i)
    if (!(std::abs(state.poses[i].R.norm() - 1) <= 1e-6))
      throw py::value_error(
          fmt::format("the orientation of body '{}' does not have norm 1", model().bodies[i].name));
  put_state(state);
}

void Core::reset(const State& state) {
  if (stepping_) throw std::runtime_error("reset() was called within a step");
  if (writer_)
    throw py::value_error("reset: a recording to a file is going on; call stop_recording() before");
  set_state(state);
  if (const auto kept = report_.lock()) kept->detach();
  report_.reset();
  has_report_ = false;
  rejected_ = 0;
  std::fill(external_.begin(), external_.end(), 0.0);
  std::fill(efforts_.begin(), efforts_.end(), 0.0);
  std::fill(targets_.begin(), targets_.end(), std::numeric_limits<double>::quiet_NaN());
  at_points_.clear();
  if (recording_) record("");
}

// ---- Recording

void Core::record(const std::string& path) {
  require_idle();
  if (writer_)
    throw py::value_error("record: a recording is going on; call stop_recording() before");
  std::optional<TraceWriter> writer;
  if (!path.empty()) {
    writer = value_of(TraceWriter::create(path, scene_->resolved, scene_->simulation.record));
    value_of(writer->append_initial(sim_.state()));
  }
  clip_ = std::make_unique<play::Clip>(*scene_);
  clip_->add_initial(sim_.state());
  display_.emplace(scene_->simulation.forces);
  writer_ = std::move(writer);
  recording_ = true;
}

void Core::record_step() {
  if (!recording_) return;
  const ShownForces& forces = display_->of(sim_.report());
  clip_->add(sim_.report(), sim_.state(), forces);
  if (writer_) value_of(writer_->append(sim_.report(), sim_.state(), forces));
}

// Pages see the step, and the next one waits for its time where a speed was asked for.
void Core::show_step() {
  if (live_->is_ending()) return live_.reset();
  const StepReport& report = sim_.report();
  if (report.failed()) return;
  live_->took_step(report, sim_.state());
  using Clock = std::chrono::steady_clock;
  const Clock::time_point due = live_->due(sim_.state().t);
  while (Clock::now() < due && !live_->is_ending() && !signals_.raised())
    std::this_thread::sleep_for(
        std::min<Clock::duration>(due - Clock::now(), std::chrono::milliseconds(20)));
}

void Core::stop_recording() {
  require_idle();
  recording_ = false;
  if (!writer_) return;
  std::optional<TraceWriter> writer = std::move(writer_);
  writer_.reset();
  value_of(writer->finish());
}

}  // namespace cairn::python
