// check_trace(): reads a trace, judges each frame by formulas of its own, collects what does not
// hold.
#include "record/check/check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/boundary.hpp"
#include "cairn/scene.hpp"
#include "record/check/check_forces.hpp"
#include "record/check/judge.hpp"
#include "record/check/rebuild/missing.hpp"
#include "record/check/rebuild/rebuild.hpp"
#include "record/check/verdict_figures.hpp"
#include "record/trace/fits.hpp"

namespace cairn {
namespace {

// Two judges agree to this share of a residual, and to this absolute figure where residuals are
// rounding. [-]
constexpr double judge_relative = 1e-6, judge_absolute = 1e-14;

class Checker {
 public:
  Checker(const Scene& scene, CheckReport& report)
      : scene_(scene),
        model_(*scene.model),
        scheme_(scene.simulation.scheme),
        tolerance_(tolerance(scene.simulation.solver)),
        report_(report),
        display_(scene.simulation.forces) {
    report_.penetrations_checked = model_.shapes.size() <= record::max_checked_shapes;
  }

  void frame(const TraceFrame& frame) {
    step_ = frame.report.step;
    if (!shapes_up(frame.state)) return;
    if (!frame.whole) return figures(frame);
    if (hash(frame.state) != frame.state_hash)
      complain(FindingCode::hash, "state hash differs from the state");
    if (const std::string what = record::first_not_finite(frame);
        !what.empty() && !stopped(frame)) {
      complain(FindingCode::not_finite, what + " is not finite");
      have_before_ = false;  // nothing can follow from this
      return;
    }
    if (const std::string what = record::first_bad_unit(frame); !what.empty() && !stopped(frame)) {
      complain(FindingCode::orientation, what + " is not of length one");
      have_before_ = false;
      return;
    }
    if (frame.report.t != frame.state.t)
      complain(FindingCode::time, "time of the report differs from the state's");
    if (frame.has_before) begin_at(frame.before);
    if (have_before_)
      successor(frame);
    else if (report_.penetrations_checked)
      overlaps_ = record::check_penetration(model_, frame, [](FindingCode, const std::string&) {});
    before_ = frame.state;
    have_before_ = true;
  }

  // The state from which a step began, where the frame before has rounded poses.
  void begin_at(const State& before) {
    if (!shapes_up(before)) {
      have_before_ = false;
      return;
    }
    if (have_before_ && before.step != before_.step)
      complain(FindingCode::step_number, "the state before the step is of another one");
    const double grid = scene_.simulation.record.resolution > 0
                            ? scene_.simulation.record.resolution
                            : 0x1p-20 * model_.length_unit;
    for (std::size_t i = 0; have_before_ && i < before.poses.size(); ++i)
      if (!((before.poses[i].p - before_.poses[i].p).cwiseAbs().maxCoeff() <= grid)) {
        complain(FindingCode::position, fmt::format("body {} begins the step elsewhere than the "
                                                    "step before left it",
                                                    model_.bodies[i].name));
        break;
      }
    before_ = before;
    have_before_ = true;
    if (!report_.penetrations_checked) return;
    TraceFrame at;
    at.state = before;
    overlaps_ = record::check_penetration(model_, at, [](FindingCode, const std::string&) {});
  }

  // A frame of level `states`: what can be said without contacts and problems.
  void figures(const TraceFrame& frame) {
    if (frame.exact && hash(frame.state) != frame.state_hash)
      complain(FindingCode::hash, "state hash differs from the state");
    const StepReport& r = frame.report;
    const bool follows =
        r.status == StepStatus::stopped ? r.step == before_.step + 1 : r.step == frame.state.step;
    if (have_before_ && (!follows || r.step != before_.step + 1))
      complain(FindingCode::step_number, "step number does not follow the frame before");
    if (r.t != frame.state.t)
      complain(FindingCode::time, "time of the report differs from the state's");
    if ((r.status == StepStatus::certified && !r.verdict.accepted()) ||
        (r.status == StepStatus::uncertified && r.verdict.accepted()))
      complain(FindingCode::verdict, "the status of the step disagrees with its verdict");
    if (!(std::abs(r.ledger.imbalance()) <= 1e-9 * ledger_size(r.ledger)))
      complain(FindingCode::ledger, "the energies of the step do not add up");
    const bool states = scene_.simulation.record.level == RecordLevel::states;
    unverified_.insert(
        states ? "verdict as recorded, not independently checked: the recording is of level "
                 "`states`; `cairn check --replay` computes the run again"
               : "steps between those that options `every` and `interval` record; `cairn check "
                 "--replay` computes the run again");
    ++report_.left_out;
    before_ = frame.state;
    have_before_ = true;
  }

  // Whether a step computed again is the recorded one.
  void compare_replayed(const TraceFrame& recorded, const StepReport& report, const State& state) {
    step_ = recorded.report.step;
    if (hash(state) != recorded.state_hash)
      complain(FindingCode::hash, "computed again, the state is another one");
    const StepReport& r = recorded.report;
    const Verdict &a = r.verdict, &b = report.verdict;
    if (r.status != report.status || r.certificate != report.certificate ||
        a.solve.ok != b.solve.ok || a.motion.ok != b.motion.ok || a.energy.ok != b.energy.ok ||
        a.overlap != b.overlap || a.swept_overlap != b.swept_overlap ||
        a.energy_error != b.energy_error)
      complain(FindingCode::verdict, "computed again, the verdict is another one");
    if (r.ledger.rise() != report.ledger.rise() || r.penetration != report.penetration)
      complain(FindingCode::ledger, "computed again, the energies are others");
  }

  std::vector<std::string> unverified() const { return {unverified_.begin(), unverified_.end()}; }

  void complain(FindingCode code, const std::string& what) {
    ++report_.finding_count;
    if (report_.findings.size() < CheckReport::max_findings)
      report_.findings.push_back({step_, code, what});
  }

 private:
  static double ledger_size(const Ledger& l) {
    double size = 0;
    for (const double x :
         {l.kinetic_start, l.potential_start, l.kinetic_end, l.potential_end, l.work_applied,
          l.work_motion, l.friction, l.impact, l.stabilisation, l.integrator, l.solver, l.passive})
      size = std::max(size, std::abs(x));
    return size;
  }

  static bool stopped(const TraceFrame& frame) {
    return frame.report.status == StepStatus::stopped;
  }

  // Sizes that everything else relies on.
  bool shapes_up(const State& state) {
    if (record::state_fits(model_, state)) return true;
    complain(
        FindingCode::size,
        fmt::format("state has {} bodies and {} velocities, the scene {} and {}",
                    state.poses.size(), state.v.size(), model_.bodies.size(), model_.velocities));
    return false;
  }

  // The scene of a step with controls: they are forces and motors of the model that do not change.
  const Scene& scene_of(const Controls& controls) {
    if (controls.empty()) return scene_;
    if (!controlled_) controlled_ = scene_;
    auto model = std::make_shared<Model>(model_);
    const auto constant = [](const Vec3& x) {
      return std::array<TimeFunction, 3>{x[0], x[1], x[2]};
    };
    for (const ExternalForce& f : controls.forces)
      if (model_.body(f.body).kind == BodyKind::dynamic)
        model->applied_forces.push_back({f.body, constant(f.force), constant(f.torque), f.point});
    for (const MotorTarget& m : controls.motors) {
      JointMotor& motor = *model->joints[index(m.joint)].motor;
      (motor.position   ? *motor.position
       : motor.velocity ? *motor.velocity
                        : motor.effort) = TimeFunction(m.value);
    }
    controlled_->model = std::move(model);
    return *controlled_;
  }

  void successor(const TraceFrame& frame) {
    const Scene& scene = scene_of(frame.report.controls);
    const Model& model = *scene.model;
    const record::Complain say = [this](FindingCode code, const std::string& what) {
      complain(code, what);
    };
    solves(frame);
    projections(frame.report);
    if (frame.report.step != before_.step + 1)
      complain(FindingCode::step_number, "step number does not follow the frame before");
    if (frame.report.status == StepStatus::stopped) {
      if (!(frame.state == before_))
        complain(FindingCode::stopped_state, "a stopped step changed the state");
      return;
    }
    if (frame.state.step != frame.report.step)
      complain(FindingCode::step_number, "step number of the state differs");
    record::check_anchors(model, scheme_, before_, frame, say);
    if (frame.report.divided.empty())
      record::check_motion(model, scheme_, before_, frame, say);
    else
      record::check_divided(model, scheme_, before_, frame, say);
    record::check_ledger(model, before_, frame, say);
    if (frame.report.divided.empty()) record::check_impacts(model, scheme_, frame, say);
    const std::optional<double> projected =
        record::check_rebuilt(scene, before_, frame, say, unverified_);
    // Readers compute what the recording does not have.
    const ShownForces& shown = frame.forces.known ? frame.forces : display_.of(frame.report);
    record::check_forces(model, frame.report, shown, say, unverified_);
    forces(frame);
    record::check_joints(model, frame, say);
    if (report_.penetrations_checked) {
      record::Overlaps overlaps = record::check_penetration(model, frame, say);
      record::check_missing(scene, overlaps_, overlaps, frame, say, unverified_);
      overlaps_ = std::move(overlaps);
    }
    verdict(scene, frame, projected, say);
  }

  void verdict(const Scene& scene, const TraceFrame& frame, std::optional<double> projected,
               const record::Complain& say) {
    if (frame.report.verdict.attempts == 0) {
      unverified_.insert("verdicts, which the recording does not have");
      return;
    }
    record::MotionFigures figures;
    figures.projected = projected;
    figures.overlaps_known = report_.penetrations_checked;
    if (figures.overlaps_known) record::measure_overlaps(model_, scheme_, before_, frame, figures);
    record::measure_momenta(model_, before_, frame, figures);
    record::check_verdict(scene, before_, frame, figures, say);
  }

  void solves(const TraceFrame& frame) {
    double worst = 0, recorded = 0, rounding = 0;
    int number = 0;
    for (const SolveRecord& record : frame.report.solved()) {
      const record::Judgement j =
          record::judge(record.problem, record.solution.v, record.solution.lambda);
      compare(record, j, number++);
      recorded = std::max(recorded, record.solution.certificate.worst);
      worst = std::max(worst, j.worst());
      rounding = std::max({rounding, j.rounding, j.momentum_rounding});
      ++report_.solves;
      if (report_.worst_row.empty() || j.worst() > report_.worst) note_worst(j, record.problem);
    }
    if (frame.report.certificate != recorded)
      complain(FindingCode::certificate,
               fmt::format("certificate of the step {:.3g} is not the worst of its solves {:.3g}",
                           frame.report.certificate, recorded));
    const double limit = tolerance_ * (1 + judge_relative) + judge_absolute + rounding;
    const Verdict& verdict = frame.report.verdict;
    if (verdict.solve.ok && frame.report.status != StepStatus::stopped && !(worst <= limit))
      complain(FindingCode::verdict,
               fmt::format("reported as certified with a residual of {:.3g}; tolerance {:.3g}",
                           worst, tolerance_));
    // The solves of a step that was stopped are not all there.
    if (!verdict.solve.ok && recorded <= tolerance_ && frame.report.status != StepStatus::stopped &&
        frame.report.uncertified_projections == 0)
      complain(FindingCode::verdict,
               "reported as uncertified though every residual is within the tolerance");
    // (E665)
    const auto* rule = std::get_if<Trapezoidal>(&scheme_);
    if (rule && rule->accuracy > 0 && verdict.motion.ok &&
        frame.report.status != StepStatus::stopped &&
        !(frame.report.error_estimate <= rule->accuracy * (1 + 0x1p-20)))
      complain(FindingCode::verdict,
               fmt::format("accepted with an estimated error of {:.3g} m; accuracy {:.3g} m",
                           frame.report.error_estimate, rule->accuracy));
    if (frame.report.status == StepStatus::certified && !verdict.accepted())
      complain(FindingCode::verdict, "accepted, although a part of its verdict is not");
    if (frame.report.status == StepStatus::uncertified && verdict.accepted())
      complain(FindingCode::verdict, "not accepted, although all parts of its verdict are");
  }

  // A recording has shown forces in every step with contacts, or in none.
  void forces(const TraceFrame& frame) {
    if (frame.report.contacts.empty()) return;
    if (!frame.forces.known && with_forces_)
      complain(FindingCode::forces, "no shown forces, unlike in steps before");
    with_forces_ = with_forces_ || frame.forces.known;
  }

  // Their problems are not in the trace: only what is said about them can be compared.
  void projections(const StepReport& r) {
    report_.projections += std::max(0, r.contact_projections);
    const bool missed = r.uncertified_projections > 0;
    if (r.uncertified_projections < 0 || r.uncertified_projections > r.contact_projections)
      complain(FindingCode::projection,
               fmt::format("{} of {} projections recorded as uncertified",
                           r.uncertified_projections, r.contact_projections));
    if (missed != !(r.contact_projection_certificate <= tolerance_))
      complain(FindingCode::projection,
               fmt::format("{} projections recorded as uncertified, their worst residual as {:.3g}",
                           r.uncertified_projections, r.contact_projection_certificate));
    if (missed && r.status == StepStatus::certified)
      complain(FindingCode::projection, "reported as certified though a projection is not");
  }

  void compare(const SolveRecord& record, const record::Judgement& j, int number) {
    const Certificate& c = record.solution.certificate;
    if (j.finite != c.finite)
      complain(FindingCode::not_finite,
               fmt::format("solve {}: finite recorded as {}", number, c.finite));
    if (!j.finite || !c.finite) return;
    const auto check = [&](const char* name, double record::Residuals::*field, double recorded) {
      const bool momentum = field == &record::Residuals::momentum;
      const double allowed = judge_relative * recorded + judge_absolute +
                             (momentum ? j.momentum_rounding : j.rounding);
      if (recorded == j.*field || std::abs(recorded - j.*field) <= allowed) return;
      if (between(record, field, recorded, allowed)) return;
      complain(FindingCode::residual,
               fmt::format("solve {}: {} residual recorded as {:.6g}, recomputed {:.6g}", number,
                           name, recorded, j.*field));
    };
    check("momentum", &record::Residuals::momentum, c.momentum);
    check("equality", &record::Residuals::equality, c.equality);
    check("gap velocity", &record::Residuals::gap_velocity, c.gap_velocity);
    check("normal impulse", &record::Residuals::normal_impulse, c.normal_impulse);
    check("complementarity", &record::Residuals::complementarity, c.complementarity);
    check("cone", &record::Residuals::cone, c.cone);
    check("natural map", &record::Residuals::natural_map, c.natural_map);
    const double worst = std::max({c.momentum, c.equality, c.gap_velocity, c.normal_impulse,
                                   c.complementarity, c.cone, c.natural_map});
    if (worst != c.worst)
      complain(FindingCode::residual,
               fmt::format(
                   "solve {}: worst residual recorded as {:.6g} is not the largest of them, {:.6g}",
                   number, c.worst, worst));
  }

  // Rounding decides whether a contact with no free velocity along its normal closes.
  static bool between(const SolveRecord& record, double record::Residuals::*field, double recorded,
                      double allowed) {
    const double a = record::judge(record.problem, record.solution.v, record.solution.lambda, -1).*
                     field,
                 b = record::judge(record.problem, record.solution.v, record.solution.lambda, 1).*
                     field;
    return recorded >= std::min(a, b) - allowed && recorded <= std::max(a, b) + allowed;
  }

  void note_worst(const record::Judgement& j, const Problem& problem) {
    report_.worst = j.worst();
    report_.worst_step = step_;
    report_.worst_row = constraint_name(model_, problem, j.worst_constraint);
  }

  const Scene& scene_;
  std::optional<Scene> controlled_;
  const Model& model_;
  SchemeOptions scheme_;
  double tolerance_;
  CheckReport& report_;
  record::Unverified unverified_;
  record::Overlaps overlaps_;  // of the state before
  State before_;
  bool have_before_ = false;
  bool with_forces_ = false;  // a frame had shown forces
  ForceDisplay display_;
  std::int64_t step_ = 0;
};

}  // namespace

const char* name(FindingCode code) {
  static constexpr const char* names[] = {
      "corrupt",     "size",          "unknown_id",  "hash",     "not_finite", "time",
      "step_number", "stopped_state", "certificate", "verdict",  "projection", "residual",
      "velocity",    "position",      "orientation", "momentum", "energy",     "ledger",
      "impact",      "joint_error",   "penetration", "parts",    "event",      "mass",
      "force",       "law",           "row",         "contact",  "missing",    "reported",
      "warm_start",  "count",         "forces"};
  return names[static_cast<std::size_t>(code)];
}

namespace {

// Takes the steps of a recording again. What is computed is judged as a whole recording is.
class Replay {
 public:
  Replay(const Scene& scene, Checker& checker)
      : checker_(checker),
        simulator_(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                   scene.simulation.verdict) {}

  void frame(const TraceFrame& recorded) {
    if (recorded.report.step <= simulator_.state().step && !(recorded.report.h > 0))
      return start(recorded);
    if (!(recorded.report.h > 0)) {
      checker_.complain(FindingCode::time, "the length of the step is not positive");
      return;
    }
    computed_.report = simulator_.step(recorded.report.h, recorded.report.controls);
    computed_.state = simulator_.state();
    computed_.state_hash = hash(computed_.state);
    computed_.methods.resize(static_cast<std::size_t>(computed_.report.solves.size()));
    checker_.frame(computed_);
    checker_.compare_replayed(recorded, computed_.report, computed_.state);
  }

 private:
  void start(const TraceFrame& recorded) {
    computed_ = {};
    computed_.report.step = simulator_.state().step;
    computed_.report.t = simulator_.state().t;
    computed_.state = simulator_.state();
    computed_.state_hash = hash(computed_.state);
    checker_.frame(computed_);
    checker_.compare_replayed(recorded, recorded.report, computed_.state);
  }

  Checker& checker_;
  Simulator simulator_;
  TraceFrame computed_;
};

}  // namespace

Result<CheckReport> check_trace(const std::string& path, const CheckOptions& options) try {
  Result<TraceReader> reader = TraceReader::open(path);
  if (!reader) return tl::unexpected(reader.error());
  const Result<Scene> scene = parse_scene(reader->header().scene, path + " (scene)");
  if (!scene) return tl::unexpected(scene.error());

  CheckReport report;
  Checker checker(*scene, report);
  std::optional<Replay> replay;
  if (options.replay) replay.emplace(*scene, checker);
  TraceFrame frame;
  TraceEvent event = reader->next(frame);
  for (; event == TraceEvent::frame; event = reader->next(frame)) {
    if (replay)
      replay->frame(frame);
    else if (record::ids_exist(*scene->model, frame.report))
      checker.frame(frame);
    else
      checker.complain(FindingCode::unknown_id,
                       "a solve names bodies, shapes or joints that the scene does not have");
  }
  report.frames = reader->frames();
  report.dropped_bytes = event == TraceEvent::truncated ? reader->dropped_bytes() : 0;
  report.complete = event == TraceEvent::end;
  if (event == TraceEvent::corrupt)
    checker.complain(FindingCode::corrupt,
                     fmt::format("corrupt at byte {}: {}", reader->offset(), reader->reason()));
  report.unverified = checker.unverified();
  report.ok = report.complete && report.finding_count == 0;
  return report;
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
