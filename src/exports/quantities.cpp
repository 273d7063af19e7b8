// Finds quantities by name, collects them frame by frame, and puts those of one unit into one plot.
#include "exports/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/suggestion.hpp"
#include "cairn/options.hpp"
#include "exports/export.hpp"
#include "page/plot.hpp"

namespace cairn::exports {
namespace {

constexpr std::array of_scene = {
    QuantityName{"energy", "total, kinetic and potential energy", "J"},
    QuantityName{"total", "kinetic plus potential energy", "J"},
    QuantityName{"kinetic", "kinetic energy", "J"},
    QuantityName{"potential", "potential energy: gravity and springs", "J"},
    QuantityName{"friction", "energy that friction took so far", "J"},
    QuantityName{"impact", "energy that impacts took so far", "J"},
    QuantityName{"restitution_loss", "energy that normal impulses of impacts took so far", "J"},
    QuantityName{"impact_friction", "energy that friction of impacts took so far", "J"},
    QuantityName{"impact_gain", "energy that impulses of impacts put in so far", "J"},
    QuantityName{"impact_speed", "fastest approach of an impact of the step", "m/s"},
    QuantityName{"penetration", "deepest penetration of the step", "m"},
    QuantityName{"joint_error", "largest distance error of a joint", "m"},
    QuantityName{"joint_angle", "largest misalignment of a joint", "rad"},
    QuantityName{"certificate", "worst scaled residual of the step", ""},
    QuantityName{"coulomb", "residual of exact Coulomb friction, scheme relaxed", ""},
    QuantityName{"contacts", "contacts that carry a force", "count"},
    QuantityName{"not_unique", "contacts whose force is not unique", "count"},
    QuantityName{"candidates", "contacts that could have closed", "count"},
    QuantityName{"collisions", "contacts with restitution in the step", "count"},
    QuantityName{"iterations", "sweeps, Newton steps and pivots of all solves", "count"},
    QuantityName{"cpu", "CPU time of the step", "ms"},
};

constexpr std::array of_body = {
    QuantityName{"x", "position of the body frame", "m"},
    QuantityName{"y", "", "m"},
    QuantityName{"z", "", "m"},
    QuantityName{"vx", "velocity of its origin", "m/s"},
    QuantityName{"vy", "", "m/s"},
    QuantityName{"vz", "", "m/s"},
    QuantityName{"speed", "of its origin", "m/s"},
    QuantityName{"wx", "angular velocity in the world", "rad/s"},
    QuantityName{"wy", "", "rad/s"},
    QuantityName{"wz", "", "rad/s"},
    QuantityName{"spin", "length of the angular velocity", "rad/s"},
    QuantityName{"angle", "of the rotation since the start, 0 to pi", "rad"},
    QuantityName{"force", "length of the sum of its contact forces", "N"},
};

constexpr std::ptrdiff_t most_curves = 8;  // colours that an eye tells apart

// What a curve shows: an index into of_scene, or a body and an index into of_body.
struct Source {
  std::optional<BodyId> body;
  std::size_t which = 0;
};

template <std::size_t n>
std::vector<std::string_view> names(const std::array<QuantityName, n>& list) {
  std::vector<std::string_view> all;
  for (const QuantityName& q : list) all.emplace_back(q.name);
  return all;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

template <std::size_t n>
std::optional<std::size_t> position(const std::array<QuantityName, n>& list,
                                    std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (list[i].name == name) return i;
  return std::nullopt;
}

Error plot_refused(ErrorCode code, const char* what, const std::string& got, std::string allowed,
                   std::string fix) {
  Error error;
  error.code = code;
  error.kind = ErrorKind::usage;
  error.what = what;
  error.got = got;
  error.allowed = std::move(allowed);
  error.fix = std::move(fix);
  return error;
}

// "body:NAME.x"; names of bodies may hold dots, so the last one counts.
Result<Source> find_body_source(const Model& model, const std::string& text) {
  const std::size_t dot = text.rfind('.');
  const std::vector<std::string_view> known = names(of_body);
  const std::string body = text.substr(5, dot == std::string::npos ? dot : dot - 5);
  const std::string what = dot == std::string::npos ? "" : text.substr(dot + 1);
  const std::optional<BodyId> id = model.find_body(body);
  if (!id) {
    std::vector<std::string_view> bodies;
    for (const Body& b : model.bodies) bodies.emplace_back(b.name);
    const std::size_t shown = std::min<std::size_t>(bodies.size(), 20);
    std::string allowed = joined({bodies.begin(), bodies.begin() + static_cast<long>(shown)});
    if (shown < bodies.size()) allowed += fmt::format(" and {} more", bodies.size() - shown);
    return fail(plot_refused(ErrorCode::unknown_name, "unknown body", text, allowed,
                             base::did_you_mean(body, bodies, "cairn info TRACE lists them")));
  }
  const std::optional<std::size_t> which = position(of_body, what);
  if (!which)
    return fail(plot_refused(ErrorCode::unknown_name, "unknown quantity of a body", text,
                             "body:NAME. with " + joined(known),
                             base::did_you_mean(what, known, "write body:" + body + ".x")));
  return Source{id, *which};
}

Result<Source> find_source(const Model& model, const std::string& text) {
  if (text.starts_with("body:")) return find_body_source(model, text);
  if (const std::optional<std::size_t> which = position(of_scene, text)) return Source{{}, *which};
  const std::vector<std::string_view> known = names(of_scene);
  return fail(plot_refused(ErrorCode::unknown_name, "unknown quantity", text,
                           joined(known) + ", body:NAME. with " + joined(names(of_body)),
                           base::did_you_mean(text, known, "cairn plot --help lists them")));
}

double force_on(const TraceFrame& frame, BodyId body) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < frame.report.contacts.size(); ++i) {
    const ContactKey& key = frame.report.contacts[i].contact.key;
    if (key.body_a == body) sum -= contact_force(frame, i);
    if (key.body_b == body) sum += contact_force(frame, i);
  }
  return sum.norm();
}

double of_a_body(const record::TraceWalk& walk, const Source& source,
                 const std::vector<Quat>& start) {
  const BodyMotion m = walk.motion(*source.body);
  const std::string_view name = of_body[source.which].name;
  if (name.size() == 1) return m.position[name[0] - 'x'];
  if (name.size() == 2) return (name[0] == 'v' ? m.velocity : m.angular_velocity)[name[1] - 'x'];
  if (name == "speed") return m.velocity.norm();
  if (name == "spin") return m.angular_velocity.norm();
  if (name == "angle") return start[index(*source.body)].angularDistance(m.orientation);
  return force_on(walk.frame(), *source.body);
}

// Energies taken so far; the trace has them step by step.
struct Sums {
  double friction = 0, impact = 0;
  double restitution_loss = 0, impact_friction = 0, impact_gain = 0;
};

double of_the_scene(const TraceFrame& frame, std::string_view name, const Sums& sums) {
  const StepReport& r = frame.report;
  if (name == "total") return r.ledger.kinetic_end + r.ledger.potential_end;
  if (name == "kinetic") return r.ledger.kinetic_end;
  if (name == "potential") return r.ledger.potential_end;
  if (name == "friction") return sums.friction;
  if (name == "impact") return sums.impact;
  if (name == "restitution_loss") return sums.restitution_loss;
  if (name == "impact_friction") return sums.impact_friction;
  if (name == "impact_gain") return sums.impact_gain;
  if (name == "impact_speed") {
    double fastest = 0;
    for (const ImpactReport& i : r.impacts) fastest = std::max(fastest, -i.approach);
    return fastest;
  }
  if (name == "penetration") return r.penetration;
  if (name == "joint_error") return r.joint_error;
  if (name == "joint_angle") return r.joint_error_angle;
  if (name == "certificate") return r.certificate;
  if (name == "coulomb") return r.coulomb_residual;
  if (name == "contacts") return r.active_contacts;
  if (name == "not_unique")
    return frame.forces.count(ForceKind::least_norm) + frame.forces.count(ForceKind::not_minimised);
  if (name == "candidates") return static_cast<double>(r.contacts.size());
  if (name == "collisions") return r.collisions;
  if (name == "cpu") return 1e3 * r.seconds.total;
  double iterations = 0;
  for (const SolveRecord& solve : r.solved()) iterations += solve.solution.iterations;
  return iterations;
}

PlottedCurve make_curve(const Source& source, const std::string& text) {
  const QuantityName& q = source.body ? of_body[source.which] : of_scene[source.which];
  const std::string_view name = q.name, unit = q.unit;
  PlottedCurve curve;
  curve.label = source.body ? text.substr(5) : std::string(name);
  curve.unit = unit;
  curve.logarithmic = name == "penetration" || name == "joint_error" || name == "joint_angle" ||
                      name == "certificate" || name == "coulomb";
  curve.from_zero = unit == "count" || unit == "ms" || name == "speed" || name == "spin" ||
                    name == "force" || name == "impact_speed";
  return curve;
}

bool share_a_plot(const PlottedCurve& a, const PlottedCurve& b) {
  return a.unit == b.unit && a.logarithmic == b.logarithmic;
}

// A plot of one curve has no legend: its title names it.
std::string title_of(const std::vector<const PlottedCurve*>& curves, const std::string& scene) {
  if (curves.size() > 1) return scene;
  return scene.empty() ? curves[0]->label : scene + ": " + curves[0]->label;
}

}  // namespace

std::span<const QuantityName> scene_quantities() {
  return of_scene;
}
std::span<const QuantityName> body_quantities() {
  return of_body;
}

Result<TracePlot> read_quantities(const std::string& trace, std::span<const std::string> wanted) {
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  TracePlot plot;
  plot.name = walk->scene().name;
  plot.tolerance = tolerance(walk->scene().simulation.solver);
  std::vector<Source> sources;
  Errors errors;
  for (const std::string& text : wanted) {
    std::vector<std::string> parts = {text};
    if (text == "energy") parts = {"total", "kinetic", "potential"};
    for (const std::string& part : parts) {
      const Result<Source> source = find_source(walk->model(), part);
      if (!source) {
        errors.push_back(source.error().front());
        continue;
      }
      sources.push_back(*source);
      plot.curves.push_back(make_curve(*source, part));
    }
  }
  for (const PlottedCurve& curve : plot.curves) {
    const auto same = std::count_if(plot.curves.begin(), plot.curves.end(),
                                    [&](const PlottedCurve& c) { return share_a_plot(c, curve); });
    if (same <= most_curves || !errors.empty()) continue;
    errors.push_back(
        plot_refused(ErrorCode::too_many, "too many curves in one plot", fmt::format("{}", same),
                     fmt::format("at most {} of one unit", most_curves), "make several plots"));
  }
  if (!errors.empty()) return tl::unexpected(errors);

  Sums sums;
  std::vector<Quat> start;
  while (walk->next()) {
    const StepReport& r = walk->frame().report;
    const double t = walk->frame().state.t;
    const bool initial = walk->frames() == 1;
    if (initial)
      for (std::size_t i = 0; i < walk->model().bodies.size(); ++i)
        start.push_back(walk->motion(static_cast<BodyId>(i)).orientation);
    sums.friction += r.ledger.friction;
    sums.impact += r.ledger.impact;
    for (const ImpactReport& i : r.impacts) {
      sums.restitution_loss += i.lost_restitution;
      sums.impact_friction += i.lost_friction;
      sums.impact_gain += i.put_in;
    }
    // The initial frame has no step; a step that was stopped has no end.
    const bool step = !initial && r.status != StepStatus::stopped;
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (sources[i].body)
        plot.curves[i].series.add(t, of_a_body(*walk, sources[i], start));
      else if (step)
        plot.curves[i].series.add(
            t, of_the_scene(walk->frame(), of_scene[sources[i].which].name, sums));
  }
  plot.frames = walk->frames();
  plot.ending = walk->ending();
  if (plot.frames == 0) return record::no_frames(trace, plot.ending);
  return plot;
}

std::vector<page::Picture> draw_quantities(const TracePlot& plot, double width, double height) {
  std::vector<page::Picture> pictures;
  std::vector<bool> drawn(plot.curves.size(), false);
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    if (drawn[i]) continue;
    const PlottedCurve& first = plot.curves[i];
    std::vector<const PlottedCurve*> together;
    for (std::size_t k = i; k < plot.curves.size(); ++k)
      if (share_a_plot(first, plot.curves[k])) {
        drawn[k] = true;
        together.push_back(&plot.curves[k]);
      }
    std::vector<page::Curve> curves;
    for (const PlottedCurve* c : together)
      curves.push_back({together.size() > 1 ? c->label : "", c->series.points()});
    page::PlotOptions options{.title = title_of(together, plot.name),
                              .y = first.unit,
                              .log_y = first.logarithmic,
                              .from_zero = std::all_of(together.begin(), together.end(),
                                                       [](const auto* c) { return c->from_zero; }),
                              .width = width,
                              .height = height};
    if (first.label == "certificate") {
      options.line = plot.tolerance;
      options.line_label = "tolerance";
    }
    pictures.push_back(page::draw_plot(options, curves));
  }
  return pictures;
}

}  // namespace cairn::exports
