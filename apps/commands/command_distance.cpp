// cairn distance: how far two bodies of a scene are apart, or how deep they overlap.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "cairn/distance.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "commands/commands.hpp"
#include "runs/file_access.hpp"
#include "runs/step_plan.hpp"
#include "terminal/input_file.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

Error unknown_body(const Model& model, const std::string& text, const std::string& name) {
  constexpr std::size_t most = 20;
  std::vector<std::string_view> known;
  for (const Body& body : model.bodies) known.push_back(body.name);
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unknown_name;
  error.what = "unknown body";
  error.got = text;
  for (std::size_t i = 0; i < std::min(known.size(), most); ++i)
    error.allowed += fmt::format("{}{}", i > 0 ? ", " : "", known[i]);
  if (known.size() > most) error.allowed += fmt::format(" and {} more", known.size() - most);
  error.fix = base::did_you_mean(name, known, "name a body, or BODY[0] for its first shape");
  return error;
}

// NAME or NAME[i]; a body that is called so comes first.
Result<BodyPart> find_part(const Model& model, const std::string& text) {
  if (const std::optional<BodyId> body = model.find_body(text)) return BodyPart{*body, -1};
  const std::size_t open = text.rfind('[');
  const bool numbered = open != std::string::npos && text.back() == ']' && text.size() - open > 2 &&
                        text.size() - open < 11 &&
                        text.find_first_not_of("0123456789", open + 1) == text.size() - 1;
  const std::string name = numbered ? text.substr(0, open) : text;
  const std::optional<BodyId> body = model.find_body(name);
  if (!body) return fail(unknown_body(model, text, name));
  return BodyPart{*body, std::stoi(text.substr(open + 1))};
}

Json vector_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

// Six numbers each: translation, rotation about the centre of mass.
Json gradient_json(const PairGradient& gradient) {
  const auto six = [](const PoseGradient& g) {
    Json list = Json::array();
    for (const Vec3* part : {&g.translation, &g.rotation})
      for (const double x : *part) list.push_back(std::isfinite(x) ? Json(x) : Json());
    return list;
  };
  return {{"a", six(gradient.a)}, {"b", six(gradient.b)}};
}

Json ratio_json(const RatioMetric& ratio) {
  Json json = {{"r", ratio.r},
               {"rho", ratio.rho},
               {"separation", ratio.separation},
               {"normal", vector_json(ratio.normal_W)},
               {"point", vector_json(ratio.point_W)},
               {"events", Json::array()},
               {"gradient",
                {{"r", gradient_json(ratio.r_gradient)},
                 {"rho", gradient_json(ratio.rho_gradient)},
                 {"separation", gradient_json(ratio.separation_gradient)}}}};
  for (const RatioUnit& unit : ratio.events)
    json["events"].push_back({{"kind", name(unit.kind)},
                              {"a", unit.a},
                              {"b", unit.b},
                              {"r", unit.r},
                              {"rho", unit.rho},
                              {"separation", unit.separation},
                              {"normal", vector_json(unit.normal_W)},
                              {"point", vector_json(unit.point_W)}});
  return json;
}

std::string type_of(const Model& model, BodyId body, int shape) {
  return type_name(
      model.shapes[static_cast<std::size_t>(model.body(body).first_shape + shape)].geometry);
}

std::string distance_json(const Scene& scene, double t, const Distance& d) {
  const Model& model = *scene.model;
  const auto part = [&](BodyId body, int shape, const Vec3& point) -> Json {
    return {{"body", model.body(body).name},
            {"shape", shape},
            {"type", type_of(model, body, shape)},
            {"point", vector_json(point)}};
  };
  Json json = {{"scene", scene.name},
               {"time", t},
               {"a", part(d.body_a, d.shape_a, d.p_WA)},
               {"b", part(d.body_b, d.shape_b, d.p_WB)},
               {"gap", d.gap},
               {"distance", std::max(0.0, d.gap)},
               {"depth", std::max(0.0, -d.gap)},
               {"normal", vector_json(d.normal_W)},
               {"gradient", gradient_json(d.gap_gradient)},
               {"ratio", d.ratio ? ratio_json(*d.ratio) : Json()}};
  return text(json);
}

std::string words(const Vec3& v) {
  return fmt::format("({:.9g}, {:.9g}, {:.9g})", v.x() + 0.0, v.y() + 0.0, v.z() + 0.0);
}

std::string gradient_text(const char* of, const PairGradient& g) {
  std::string text;
  for (const auto& [label, part] : {std::pair("a", &g.a), std::pair("b", &g.b)})
    text += fmt::format("  d {:<12} by {}  translation {}, rotation {}\n", of, label,
                        words(part->translation), words(part->rotation));
  return text;
}

std::string distance_text(const Scene& scene, const Distance& d) {
  const Model& model = *scene.model;
  const auto part = [&](BodyId body, int shape) {
    return fmt::format("{}[{}] ({})", printable(model.body(body).name), shape,
                       type_of(model, body, shape));
  };
  std::string text = fmt::format("{} {:.12g} m\n", d.gap >= 0 ? "distance     " : "depth        ",
                                 std::abs(d.gap));
  text += fmt::format("a             {}, point {}\n", part(d.body_a, d.shape_a), words(d.p_WA));
  text += fmt::format("b             {}, point {}\n", part(d.body_b, d.shape_b), words(d.p_WB));
  text += fmt::format("normal        {}, from a to b\n", words(d.normal_W));
  text += gradient_text("gap", d.gap_gradient);
  if (!d.ratio) return text + "ratio metric  none: it is defined for two convex polyhedra\n";
  const RatioMetric& r = *d.ratio;
  text += fmt::format("ratio metric  r = {:.12g}, rho = {:.12g}\n", r.r, r.rho);
  text += fmt::format("  separation {:.12g} m along {}, meets at {}\n", r.separation,
                      words(r.normal_W), words(r.point_W));
  text += gradient_text("r", r.r_gradient) + gradient_text("rho", r.rho_gradient) +
          gradient_text("separation", r.separation_gradient);
  for (const RatioUnit& unit : r.events)
    text += fmt::format("  event {:<12} {} of a, {} of b, at {}\n", name(unit.kind), unit.a, unit.b,
                        words(unit.point_W));
  return text;
}

}  // namespace

int distance(const DistanceCommand& options) {
  const Result<void> input = check_input(options.scene, "scene file");
  if (!input) return report(input.error());
  const Result<Scene> scene =
      load_scene(options.scene, options.assignments, {}, file_access(options.allowed));
  if (!scene) return report(scene.error());
  const Result<BodyPart> a = find_part(*scene->model, options.a),
                         b = find_part(*scene->model, options.b);
  for (const Result<BodyPart>* part : {&a, &b})
    if (!*part) return report(part->error());
  State state = *scene->initial;
  if (options.at > 0) {
    watch_signals();
    Simulator simulator(scene->model, state, scene->simulation.scheme, scene->simulation.solver,
                        scene->simulation.verdict);
    simulator.set_interrupt(on_signal());
    const StepPlan steps = plan_steps(scene->simulation.step, options.at);
    for (std::int64_t n = 1; n <= steps.steps; ++n) {
      const StepReport& step = simulator.step(steps.length(n));
      if (received_signal() != 0) return exit_signal + received_signal();
      if (!step.failed()) continue;
      warn(fmt::format("stopped in step {}: {}", step.step, printable(step.message)));
      return exit_failed;
    }
    state = simulator.state();
  }
  Result<Distance> found = measure_distance(*scene->model, state, *a, *b);
  if (!found) {
    // Names that do not go together are faults of the command line, shapes are not.
    for (Error& error : found.error())
      if (error.code == ErrorCode::conflict || error.code == ErrorCode::unknown_name)
        error.kind = ErrorKind::usage;
      else
        error.file = options.scene;
    return report(found.error());
  }
  print(options.json ? distance_json(*scene, state.t, *found) : distance_text(*scene, *found));
  return exit_ok;
}

}  // namespace cairn::app
