// Collects quantities frame by frame, and puts those of one unit into one plot.
#include "exports/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "cairn/options.hpp"
#include "exports/export.hpp"
#include "exports/quantity_source.hpp"
#include "page/plot.hpp"

namespace cairn::exports {
namespace {

constexpr std::ptrdiff_t most_curves = 8;  // colours that an eye tells apart

double force_on(const record::TraceWalk& walk, BodyId body) {
  const TraceFrame& frame = walk.frame();
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < frame.report.contacts.size(); ++i) {
    const ContactKey& key = frame.report.contacts[i].contact.key;
    if (key.body_a == body) sum -= contact_force(walk, i);
    if (key.body_b == body) sum += contact_force(walk, i);
  }
  return sum.norm();
}

// Sum of the contact forces of a pair on `b`.
Vec3 force_between(const record::TraceWalk& walk, BodyId a, BodyId b) {
  const TraceFrame& frame = walk.frame();
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < frame.report.contacts.size(); ++i) {
    const ContactKey& key = frame.report.contacts[i].contact.key;
    if (key.body_a == a && key.body_b == b) sum += contact_force(walk, i);
    if (key.body_a == b && key.body_b == a) sum -= contact_force(walk, i);
  }
  return sum;
}

// "fx" and the like, or the length.
double component(const Vec3& x, std::string_view name) {
  return name.size() == 2 ? x[name[1] - 'x'] : x.norm();
}

double of_a_joint(const JointReport& joint, std::string_view name) {
  if (name == "position") return joint.position;
  if (name == "velocity") return joint.velocity;
  if (name == "limit") return joint.limit;
  if (name == "drive") return joint.drive;
  if (name == "friction") return joint.friction;
  return component(name == "force" || name[0] == 'f' ? joint.force : joint.torque, name);
}

double of_a_body(const record::TraceWalk& walk, const Source& source,
                 const std::vector<Quat>& start) {
  const BodyMotion m = walk.motion(source.body);
  const std::string_view name = quantity_of(source).name;
  if (name.size() == 1) return m.position[name[0] - 'x'];
  if (name.size() == 2) return (name[0] == 'v' ? m.velocity : m.angular_velocity)[name[1] - 'x'];
  if (name == "speed") return m.velocity.norm();
  if (name == "spin") return m.angular_velocity.norm();
  if (name == "angle") return start[index(source.body)].angularDistance(m.orientation);
  return force_on(walk, source.body);
}

// Energies taken so far; the trace has them step by step.
struct Sums {
  double friction = 0, impact = 0;
  double restitution_loss = 0, impact_friction = 0, impact_gain = 0;
};

double of_the_scene(const record::TraceWalk& walk, std::string_view name, const Sums& sums) {
  const StepReport& r = walk.frame().report;
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
  if (name == "not_unique")
    return walk.forces().count(ForceKind::least_norm) +
           walk.forces().count(ForceKind::not_minimised);
  if (name == "candidates") return static_cast<double>(r.contacts.size());
  if (name == "cpu") return 1e3 * r.seconds.total;
  double value = 0;
  if (name == "iterations")
    for (const SolveRecord& solve : r.solved()) value += solve.solution.iterations;
  describe([&](const FigureText& figure, const auto& x) { value = name == figure.key ? x : value; },
           r);
  return value;
}

PlottedCurve make_curve(const Model& model, const Source& source, const std::string& text) {
  const std::string_view name = quantity_of(source).name;
  const std::string unit = unit_of(model, source);
  PlottedCurve curve;
  curve.label =
      source.kind == Source::Kind::scene ? std::string(name) : text.substr(text.find(':') + 1);
  curve.unit = unit;
  curve.logarithmic = name == "penetration" || name == "joint_error" || name == "joint_angle" ||
                      name == "certificate" || name == "coulomb_residual";
  curve.from_zero = unit == "count" || unit == "ms" || name == "speed" || name == "spin" ||
                    name == "force" || name == "torque" || name == "impact_speed";
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
      plot.curves.push_back(make_curve(walk->model(), *source, part));
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
  std::vector<JointReport> reports;
  const bool joints = std::any_of(sources.begin(), sources.end(), [](const Source& source) {
    return source.kind == Source::Kind::joint;
  });
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
    if (joints) reports = walk->joints();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Source& source = sources[i];
      const std::string_view name = quantity_of(source).name;
      record::Series& series = plot.curves[i].series;
      if (source.kind == Source::Kind::body)
        series.add(t, of_a_body(*walk, source, start));
      else if (source.kind == Source::Kind::joint &&
               (step || name == "position" || name == "velocity"))
        series.add(t, of_a_joint(reports[index(source.joint)], name));
      else if (source.kind == Source::Kind::contact && step)
        series.add(t, component(force_between(*walk, source.body, source.other), name));
      else if (source.kind == Source::Kind::scene && step)
        series.add(t, of_the_scene(*walk, name, sums));
    }
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
