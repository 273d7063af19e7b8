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

// What is no figure of a step by itself; the figures follow.
const std::vector<QuantityName>& of_scene() {
  static const std::vector<QuantityName> all = [] {
    std::vector<QuantityName> list = {
        {"energy", "total, kinetic and potential energy", "J"},
        {"total", "kinetic plus potential energy", "J"},
        {"kinetic", "kinetic energy", "J"},
        {"potential", "potential energy: gravity and springs", "J"},
        {"friction", "energy that friction took so far", "J"},
        {"impact", "energy that impacts took so far", "J"},
        {"restitution_loss", "energy that normal impulses of impacts took so far", "J"},
        {"impact_friction", "energy that friction of impacts took so far", "J"},
        {"impact_gain", "energy that impulses of impacts put in so far", "J"},
        {"impact_speed", "fastest approach of an impact of the step", "m/s"},
        {"not_unique", "contacts whose force is not unique", "count"},
        {"candidates", "contacts that could have closed", "count"},
        {"iterations", "sweeps, Newton steps and pivots of all solves", "count"},
        {"cpu", "CPU time of the step", "ms"},
    };
    describe([&](const FigureText& figure) {
      const std::string_view unit = figure.unit;
      list.push_back(
          {figure.key, figure.text, unit.empty() ? "count" : (unit == "-" ? "" : figure.unit)});
    });
    return list;
  }();
  return all;
}

// Other words for figures.
constexpr std::pair<std::string_view, std::string_view> other_names[] = {
    {"contacts", "active_contacts"}, {"coulomb", "coulomb_residual"}};

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

constexpr std::array of_joint = {
    QuantityName{"position", "of the coordinate, 0 at the start", "rad or m"},
    QuantityName{"velocity", "of the coordinate", "rad/s or m/s"},
    QuantityName{"force", "length of the reaction on the second body", "N"},
    QuantityName{"fx", "the reaction in the world", "N"},
    QuantityName{"fy", "", "N"},
    QuantityName{"fz", "", "N"},
    QuantityName{"torque", "length of the reaction about the anchor", "N m"},
    QuantityName{"tx", "the reaction in the world", "N m"},
    QuantityName{"ty", "", "N m"},
    QuantityName{"tz", "", "N m"},
    QuantityName{"limit", "of the limits along the coordinate", "N m or N"},
    QuantityName{"drive", "of the motor along the coordinate", "N m or N"},
    QuantityName{"friction", "of dry friction along the coordinate", "N m or N"},
};

constexpr std::array of_contact = {
    QuantityName{"force", "length of the sum of the contact forces of two bodies", "N"},
    QuantityName{"fx", "the sum on the second body, in the world", "N"},
    QuantityName{"fy", "", "N"},
    QuantityName{"fz", "", "N"},
};

constexpr std::ptrdiff_t most_curves = 8;  // colours that an eye tells apart

// What a curve shows: a quantity of the scene, of a body, of a joint, or of the contacts between
// two bodies.
struct Source {
  enum class Kind { scene, body, joint, contact } kind = Kind::scene;
  std::size_t which = 0;  // in the list of its kind
  BodyId body{}, other{};
  JointId joint{};
};

std::vector<std::string_view> names(std::span<const QuantityName> list) {
  std::vector<std::string_view> all;
  for (const QuantityName& q : list) all.emplace_back(q.name);
  return all;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

std::optional<std::size_t> position(std::span<const QuantityName> list, std::string_view name) {
  for (std::size_t i = 0; i < list.size(); ++i)
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

// "PREFIX:NAME.QUANTITY"; names may hold dots, so the last one counts.
struct QuantityPath {
  std::string name, what;
};
QuantityPath parts_of(const std::string& text) {
  const std::size_t colon = text.find(':'), dot = text.rfind('.');
  if (dot == std::string::npos) return {text.substr(colon + 1), ""};
  return {text.substr(colon + 1, dot - colon - 1), text.substr(dot + 1)};
}

// The first twenty.
template <class Named>
std::vector<std::string_view> names_of(const std::vector<Named>& list) {
  std::vector<std::string_view> all;
  for (const Named& n : list) all.emplace_back(n.name);
  return all;
}
std::string some_of(const std::vector<std::string_view>& all) {
  const std::size_t shown = std::min<std::size_t>(all.size(), 20);
  std::string text = joined({all.begin(), all.begin() + static_cast<long>(shown)});
  if (shown < all.size()) text += fmt::format(" and {} more", all.size() - shown);
  return text;
}

Error unknown(const char* what, const std::string& text, const std::string& name,
              const std::vector<std::string_view>& all) {
  return plot_refused(ErrorCode::unknown_name, what, text, all.empty() ? "none" : some_of(all),
                      base::did_you_mean(name, all, "cairn info TRACE lists them"));
}

// Fills in the quantity behind the dot.
Result<Source> with_quantity(Source source, std::span<const QuantityName> list,
                             const std::string& text, const QuantityPath& parts) {
  const std::string prefix = text.substr(0, text.find(':') + 1);
  const std::vector<std::string_view> known = names(list);
  const std::optional<std::size_t> which = position(list, parts.what);
  if (!which)
    return fail(plot_refused(
        ErrorCode::unknown_name, "unknown quantity", text, prefix + "NAME. with " + joined(known),
        base::did_you_mean(parts.what, known,
                           "write " + prefix + parts.name + "." + std::string(known.front()))));
  source.which = *which;
  return source;
}

Result<Source> find_body_source(const Model& model, const std::string& text) {
  const QuantityPath parts = parts_of(text);
  const std::optional<BodyId> id = model.find_body(parts.name);
  if (!id) return fail(unknown("unknown body", text, parts.name, names_of(model.bodies)));
  return with_quantity({.kind = Source::Kind::body, .body = *id}, of_body, text, parts);
}

Result<Source> find_joint_source(const Model& model, const std::string& text) {
  const QuantityPath parts = parts_of(text);
  const std::optional<JointId> id = model.find_joint(parts.name);
  if (!id) return fail(unknown("unknown joint", text, parts.name, names_of(model.joints)));
  return with_quantity({.kind = Source::Kind::joint, .joint = *id}, of_joint, text, parts);
}

// "contact:A-B.force"; names may hold hyphens.
Result<Source> find_contact_source(const Model& model, const std::string& text) {
  const QuantityPath parts = parts_of(text);
  for (std::size_t at = parts.name.find('-'); at != std::string::npos;
       at = parts.name.find('-', at + 1)) {
    const auto a = model.find_body(parts.name.substr(0, at)),
               b = model.find_body(parts.name.substr(at + 1));
    if (a && b)
      return with_quantity({.kind = Source::Kind::contact, .body = *a, .other = *b}, of_contact,
                           text, parts);
  }
  return fail(unknown("no pair of bodies is named so", text, parts.name, names_of(model.bodies)));
}

Result<Source> find_source(const Model& model, const std::string& text) {
  if (text.starts_with("body:")) return find_body_source(model, text);
  if (text.starts_with("joint:")) return find_joint_source(model, text);
  if (text.starts_with("contact:")) return find_contact_source(model, text);
  std::string_view name = text;
  for (const auto& [other, key] : other_names)
    if (name == other) name = key;
  if (const std::optional<std::size_t> which = position(of_scene(), name))
    return Source{.which = *which};
  const std::vector<std::string_view> known = names(of_scene());
  return fail(plot_refused(ErrorCode::unknown_name, "unknown quantity", text,
                           joined(known) + ", body:NAME. with " + joined(names(of_body)) +
                               ", joint:NAME. with " + joined(names(of_joint)) +
                               ", contact:A-B. with " + joined(names(of_contact)),
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

// Sum of the contact forces of a pair on `b`.
Vec3 force_between(const TraceFrame& frame, BodyId a, BodyId b) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < frame.report.contacts.size(); ++i) {
    const ContactKey& key = frame.report.contacts[i].contact.key;
    if (key.body_a == a && key.body_b == b) sum += contact_force(frame, i);
    if (key.body_a == b && key.body_b == a) sum -= contact_force(frame, i);
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
  const std::string_view name = of_body[source.which].name;
  if (name.size() == 1) return m.position[name[0] - 'x'];
  if (name.size() == 2) return (name[0] == 'v' ? m.velocity : m.angular_velocity)[name[1] - 'x'];
  if (name == "speed") return m.velocity.norm();
  if (name == "spin") return m.angular_velocity.norm();
  if (name == "angle") return start[index(source.body)].angularDistance(m.orientation);
  return force_on(walk.frame(), source.body);
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
  if (name == "not_unique")
    return frame.forces.count(ForceKind::least_norm) + frame.forces.count(ForceKind::not_minimised);
  if (name == "candidates") return static_cast<double>(r.contacts.size());
  if (name == "cpu") return 1e3 * r.seconds.total;
  double value = 0;
  if (name == "iterations")
    for (const SolveRecord& solve : r.solved()) value += solve.solution.iterations;
  describe([&](const FigureText& figure, const auto& x) { value = name == figure.key ? x : value; },
           r);
  return value;
}

const QuantityName& quantity_of(const Source& source) {
  switch (source.kind) {
    case Source::Kind::body:
      return of_body[source.which];
    case Source::Kind::joint:
      return of_joint[source.which];
    case Source::Kind::contact:
      return of_contact[source.which];
    case Source::Kind::scene:
      break;
  }
  return of_scene()[source.which];
}

// Units of coordinates depend on the joint: "rad or m".
std::string unit_of(const Model& model, const Source& source) {
  const std::string unit = quantity_of(source).unit;
  const std::size_t either = unit.find(" or ");
  if (either == std::string::npos) return unit;
  const bool slides =
      std::holds_alternative<PrismaticJoint>(model.joints[index(source.joint)].type);
  return slides ? unit.substr(either + 4) : unit.substr(0, either);
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

std::span<const QuantityName> scene_quantities() {
  return of_scene();
}
std::span<const QuantityName> body_quantities() {
  return of_body;
}
std::span<const QuantityName> joint_quantities() {
  return of_joint;
}
std::span<const QuantityName> contact_quantities() {
  return of_contact;
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
        series.add(t, component(force_between(walk->frame(), source.body, source.other), name));
      else if (source.kind == Source::Kind::scene && step)
        series.add(t, of_the_scene(walk->frame(), name, sums));
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
