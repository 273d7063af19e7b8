// The names of all quantities, and what a user means by one.
#include "exports/quantity_source.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

#include "base/suggestion.hpp"
#include "cairn/step_figures.hpp"

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

}  // namespace

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

std::string unit_of(const Model& model, const Source& source) {
  const std::string unit = quantity_of(source).unit;
  const std::size_t either = unit.find(" or ");
  if (either == std::string::npos) return unit;
  const auto coordinate = coordinate_kind(model.joints[index(source.joint)].type);
  const bool slides = coordinate && *coordinate != CoordinateKind::angle;
  return slides ? unit.substr(either + 4) : unit.substr(0, either);
}

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

}  // namespace cairn::exports
