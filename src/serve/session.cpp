// Commands in, states and frames out.
#include "serve/session.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/boundary.hpp"
#include "base/json/json_text.hpp"
#include "play/frame_of.hpp"
#include "scene/format/resolved.hpp"

namespace cairn::serve {
namespace {

constexpr double step_range = 64;       // h may become this many times longer or shorter
constexpr double most_gravity = 1e4;    // [m/s^2]
constexpr double most_friction = 100;   // [-]
constexpr std::int64_t most_due = 100;  // single steps that wait

tl::unexpected<Errors> refuse(const char* path, ErrorCode code, const char* what, double got,
                              std::string allowed) {
  Error error;
  error.code = code;
  error.path = path;
  error.what = what;
  error.got = fmt::format("{:.6g}", got);
  error.allowed = std::move(allowed);
  return fail(error);
}

// The material that shapes without one have is always there to be changed.
Scene with_default_material(Scene scene) {
  auto& materials = scene.description.materials;
  const bool known = std::any_of(materials.begin(), materials.end(),
                                 [](const auto& entry) { return entry.first == "default"; });
  if (!known) materials.emplace_back("default", Material{});
  return scene;
}

}  // namespace

Session::Session(Scene scene)
    : scene_(with_default_material(std::move(scene))),
      first_step_(scene_.simulation.step),
      simulator_(make_simulator(*scene_.initial)),
      moving_(play::moving_bodies(*scene_.model)) {}

Simulator Session::make_simulator(State state) const {
  Simulator simulator(scene_.model, std::move(state), scene_.simulation.scheme,
                      scene_.simulation.solver, scene_.simulation.verdict);
  simulator.set_clock(clock_);
  simulator.set_interrupt(interrupt_);
  return simulator;
}

void Session::set_clock(double (*clock)()) {
  clock_ = clock;
  simulator_.set_clock(clock);
}

void Session::set_interrupt(const Interrupt& interrupt) {
  interrupt_ = interrupt;
  simulator_.set_interrupt(interrupt);
}

Result<void> Session::carry_out(const Command& command) try {
  using Kind = Command::Kind;
  switch (command.kind) {
    case Kind::start:
      running_ = true;
      message_.clear();
      return {};
    case Kind::pause:
      running_ = false;
      due_ = 0;
      return {};
    case Kind::step:
      running_ = false;
      due_ = std::min(due_ + 1, most_due);
      message_.clear();
      return {};
    case Kind::reset:
      reset();
      return {};
    case Kind::friction:
    case Kind::restitution:
      return set_material(command);
    case Kind::step_length:
      return set_step_length(command.value);
    case Kind::gravity:
      return set_gravity(command.target);
    case Kind::grab:
      return grab(command);
    case Kind::drag:
      if (Hand* hand = hand_of(command.client)) hand->target = command.target;
      return {};
    case Kind::drop:
      std::erase_if(hands_, [&](const Held& held) { return held.client == command.client; });
      return {};
    case Kind::speed:
    case Kind::save:
    case Kind::seen:
      break;
  }
  return {};
} catch (...) {
  return fail(base::caught_error());
}

// The model is immutable: a new one takes its place and goes on with the state as it is.
Result<void> Session::rebuild(const ModelDescription& description) {
  Result<BuiltModel> built = build(description);
  if (!built) return tl::unexpected<Errors>(std::move(built.error()));
  State state = simulator_.state();
  scene_.description = description;
  scene_.model = std::move(built->model);
  scene_.initial = std::move(built->initial);
  scene_.resolved = scene::resolved_text(scene_);
  simulator_ = make_simulator(std::move(state));
  return {};
}

Result<void> Session::set_material(const Command& command) {
  const bool friction = command.kind == Command::Kind::friction;
  const char* path = friction ? "friction" : "restitution";
  const double most = friction ? most_friction : 1;
  if (!(command.value >= 0 && command.value <= most))
    return refuse(path, ErrorCode::out_of_range, "is out of range", command.value,
                  fmt::format("0 to {}", most));
  ModelDescription description = scene_.description;
  const int count = static_cast<int>(description.materials.size());
  if (command.index < -1 || command.index >= count)
    return refuse("material", ErrorCode::unknown_name, "there is no such material", command.index,
                  fmt::format("0 to {}, or -1 for all", count - 1));
  for (int i = 0; i < count; ++i) {
    Material& material = description.materials[static_cast<std::size_t>(i)].second;
    if (command.index == -1 || command.index == i)
      (friction ? material.friction : material.restitution) = command.value;
  }
  return rebuild(description);
}

Result<void> Session::set_step_length(double h) {
  const double least = first_step_ / step_range, most = first_step_ * step_range;
  if (!(h >= least && h <= most))
    return refuse("h", ErrorCode::out_of_range, "the step is out of range", h,
                  fmt::format("{:.6g} to {:.6g} s", least, most));
  scene_.simulation.step = h;
  scene_.resolved = scene::resolved_text(scene_);
  return {};
}

Result<void> Session::set_gravity(const Vec3& gravity) {
  if (!(gravity.norm() <= most_gravity))
    return refuse("gravity", ErrorCode::out_of_range, "is out of range", gravity.norm(),
                  fmt::format("at most {:.0f} m/s^2", most_gravity));
  ModelDescription description = scene_.description;
  description.gravity = gravity;
  return rebuild(description);
}

Result<void> Session::grab(const Command& command) {
  const Model& model = *scene_.model;
  const int count = static_cast<int>(model.bodies.size());
  if (command.index < 0 || command.index >= count)
    return refuse("body", ErrorCode::unknown_name, "there is no such body", command.index,
                  fmt::format("0 to {}", count - 1));
  const auto id = static_cast<BodyId>(command.index);
  if (model.body(id).kind != BodyKind::dynamic) return {};  // it does not follow, that is all
  Hand* hand = hand_of(command.client);
  if (!hand) hand = &hands_.emplace_back(Held{.client = command.client, .hand = {}}).hand;
  *hand = {id, point_of_hand(model.body(id), command.point), command.target};
  return {};
}

Hand* Session::hand_of(std::uint64_t client) {
  for (Held& held : hands_)
    if (held.client == client) return &held.hand;
  return nullptr;
}

void Session::reset() {
  simulator_ = make_simulator(*scene_.initial);
  hands_.clear();
  running_ = false;
  due_ = 0;
  message_.clear();
  totals_ = {};
  ++run_;
  frame_ = {};
  fresh_ = true;
}

const StepReport& Session::step() {
  controls_.forces.clear();
  for (const Held& held : hands_)
    controls_.forces.push_back(pull(*scene_.model, simulator_.state(), held.hand, h()));
  const StepReport& report = simulator_.step(h(), controls_);
  if (report.status == StepStatus::interrupted) return report;
  if (due_ > 0) --due_;
  ++totals_.steps;
  totals_.worst = std::max(totals_.worst, report.certificate);
  if (!report.accepted()) ++totals_.rejected;
  if (report.failed()) {
    running_ = false;
    due_ = 0;
    message_ = fmt::format("step {}: {}", report.step, report.message);
  }
  play::ClipFigures now = play::figures_of(report);
  if (report.failed()) {  // the state is the one before
    now.kinetic = frame_.figures.kinetic;
    now.potential = frame_.figures.potential;
  }
  frame_.figures = fresh_ ? now : play::join(frame_.figures, now);
  fresh_ = false;
  return report;
}

const play::ClipFrame& Session::frame() {
  const bool untouched = totals_.steps == 0;
  if (untouched) {
    frame_.figures = {.kinetic = simulator_.kinetic_energy(),
                      .potential = simulator_.potential_energy()};
    frame_.contacts.clear();
  } else if (simulator_.report().h > 0) {  // else it is new and knows none of them yet
    play::take_contacts(simulator_.report(), display_.of(simulator_.report()), contact_limit,
                        order_, frame_.contacts);
  }
  const State& state = simulator_.state();
  play::fill_bodies(*scene_.model, state, std::max(0.0, state.t - frame_.t), moving_, before_,
                    frame_);
  fresh_ = true;
  return frame_;
}

std::string Session::settings_json() const {
  std::string materials;
  for (const auto& [name, material] : scene_.description.materials) {
    if (!materials.empty()) materials += ",";
    materials +=
        fmt::format("{{\"name\":{},\"friction\":{},\"restitution\":{}}}", json::json_string(name),
                    json::digits(material.friction), json::digits(material.restitution));
  }
  const Vec3& g = scene_.description.gravity;
  return fmt::format(
      "{{\"h\":{},\"h_least\":{},\"h_most\":{},\"gravity\":[{},{},{}],\"materials\":[{}]}}",
      json::digits(h()), json::digits(first_step_ / step_range),
      json::digits(first_step_ * step_range), json::digits(g.x()), json::digits(g.y()),
      json::digits(g.z()), materials);
}

}  // namespace cairn::serve
