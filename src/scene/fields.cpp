// Reads document nodes, writes values or errors.
#include "scene/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "base/suggestion.hpp"
#include "scene/foreign_words.hpp"

namespace cairn::scene {
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

// An array with exactly n elements, each read by read_value.
template <class Element>
bool read_elements(const json::Node& node, const std::string& path, std::size_t n,
                   const std::string& expected, Element element, SceneErrors& errors) {
  if (!node.is(json::Node::Kind::array) || node.items.size() != n) {
    errors.wrong_type(node, path, expected);
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < n; ++i)
    good &= read_value(node.items[i], item_path(path, i), element(i), errors);
  return good;
}

// An array of any length.
template <class T>
bool read_list(const json::Node& node, const std::string& path, const char* expected,
               std::vector<T>& out, SceneErrors& errors) {
  if (!node.is(json::Node::Kind::array)) return errors.wrong_type(node, path, expected), false;
  out.assign(node.items.size(), T{});
  bool good = true;
  for (std::size_t i = 0; i < out.size(); ++i)
    good &= read_value(node.items[i], item_path(path, i), out[i], errors);
  return good;
}

// {"axis": [x, y, z], "angle": rad} or with "angle_deg".
bool read_axis_angle(const json::Node& node, const std::string& path, Quat& out,
                     SceneErrors& errors) {
  static const FieldTable table{"orientation",
                                {{"axis", FieldType::vector3, "-", nullptr, ""},
                                 {"angle", FieldType::number, "rad", "0", ""},
                                 {"angle_deg", FieldType::number, "deg", "0", ""}}};
  const Fields fields(node, path, table, errors);
  Vec3 axis = Vec3::Zero();
  double angle = 0, degrees = 0;
  if (!fields.read("axis", axis)) return false;
  const bool radians = fields.read("angle", angle);
  const bool in_degrees = fields.read("angle_deg", degrees);
  if (radians == in_degrees) {
    errors.add(node, path, ErrorCode::conflict, "rotation about an axis needs one angle",
               radians ? "both" : "none", "angle [rad] or angle_deg [deg]", "give one of them");
    return false;
  }
  if (axis == Vec3::Zero()) {
    errors.add(*node.find("axis"), child_path(path, "axis"), ErrorCode::zero_vector,
               "is not a direction", "[0, 0, 0]", "any vector but zero",
               "give a vector such as [0, 0, 1]");
    return false;
  }
  if (in_degrees) angle = degrees * (std::numbers::pi / 180);
  out = exp_rotation(axis.normalized() * angle);
  return true;
}

}  // namespace

// ---- Errors
// -------------------------------------------------------------------------------------------------------

void SceneErrors::add(const json::Node& node, Error error) {
  error.file = file_;
  error.line = node.line;
  error.column = node.column;
  if (node.assignment >= 0) {
    if (error.kind == ErrorKind::input) error.kind = ErrorKind::usage;
    error.file = "--set " + assignments_[static_cast<std::size_t>(node.assignment)];
    error.line = error.column = 0;
  }
  list_.add(std::move(error));
}

void SceneErrors::add(const json::Node& node, std::string path, ErrorCode code, std::string what,
                      std::string got, std::string allowed, std::string fix) {
  add(node, Error{.code = code,
                  .path = std::move(path),
                  .what = std::move(what),
                  .got = std::move(got),
                  .allowed = std::move(allowed),
                  .fix = std::move(fix)});
}

void SceneErrors::wrong_type(const json::Node& node, const std::string& path,
                             const std::string& expected) {
  double number = 0;
  const char* end = node.string.data() + node.string.size();
  const bool in_quotes = expected == "a number" && node.is(json::Node::Kind::string) &&
                         std::from_chars(node.string.data(), end, number).ptr == end &&
                         std::isfinite(number) && !node.string.empty();
  add(node, path, ErrorCode::wrong_type, "expected " + expected, json::summary(node), "",
      in_quotes ? "write it without quotes" : "write " + expected);
}

void SceneErrors::unknown_key(const json::Node& object, std::size_t member, const std::string& path,
                              const std::vector<std::string_view>& known) {
  const json::Key& key = object.keys[member];
  const std::string advice = advice_for_key(key.text, known);
  json::Node place;
  place.line = key.line;
  place.column = key.column;
  place.assignment = object.items[member].assignment;
  add(place, child_path(path, key.text), ErrorCode::unknown_key, "unknown key",
      "\"" + key.text.substr(0, 60) + "\"", joined(known),
      advice.empty() ? base::did_you_mean(key.text, known, "remove it") : advice);
}

Errors SceneErrors::take() {
  Errors all = list_.take(), once;
  for (Error& error : all) {
    const auto same = [&](const Error& e) {
      return e.line == error.line && e.column == error.column && e.path == error.path &&
             e.code == error.code && e.what == error.what && e.got == error.got;
    };
    if (std::none_of(once.begin(), once.end(), same)) once.push_back(std::move(error));
  }
  return once;
}

// ---- Values
// -------------------------------------------------------------------------------------------------------

std::string child_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

std::string item_path(const std::string& path, std::size_t i) {
  return path + "[" + std::to_string(i) + "]";
}

std::string range_text(const Range& range) {
  if (std::isinf(range.hi))
    return fmt::format("{} {}", range.lo_open ? "above" : "at least", range.lo);
  return fmt::format("{}{} to {}", range.lo_open ? "above " : "", range.lo, range.hi);
}

bool read_value(const json::Node& node, const std::string& path, bool& out, SceneErrors& errors) {
  if (!node.is(json::Node::Kind::boolean))
    return errors.wrong_type(node, path, "true or false"), false;
  out = node.boolean;
  return true;
}

bool read_value(const json::Node& node, const std::string& path, double& out, SceneErrors& errors) {
  if (!node.is(json::Node::Kind::number)) return errors.wrong_type(node, path, "a number"), false;
  out = node.number;
  return true;
}

bool read_value(const json::Node& node, const std::string& path, std::string& out,
                SceneErrors& errors) {
  if (!node.is(json::Node::Kind::string)) return errors.wrong_type(node, path, "a string"), false;
  out = node.string;
  return true;
}

bool read_value(const json::Node& node, const std::string& path, Vec3& out, SceneErrors& errors) {
  const auto element = [&](std::size_t i) -> double& { return out[static_cast<Eigen::Index>(i)]; };
  return read_elements(node, path, 3, "an array of 3 numbers", element, errors);
}

bool read_value(const json::Node& node, const std::string& path, Eigen::Vector2d& out,
                SceneErrors& errors) {
  const auto element = [&](std::size_t i) -> double& { return out[static_cast<Eigen::Index>(i)]; };
  return read_elements(node, path, 2, "an array of 2 numbers", element, errors);
}

bool read_value(const json::Node& node, const std::string& path, Quat& out, SceneErrors& errors) {
  if (node.is(json::Node::Kind::object)) return read_axis_angle(node, path, out, errors);
  std::array<double, 4> wxyz{};
  const auto element = [&](std::size_t i) -> double& { return wxyz[i]; };
  if (!read_elements(node, path, 4,
                     "a quaternion [w, x, y, z] or {\"axis\": [x, y, z], \"angle\": rad}", element,
                     errors))
    return false;
  out = Quat(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  return true;
}

bool read_value(const json::Node& node, const std::string& path, Mat3& out, SceneErrors& errors) {
  if (node.is(json::Node::Kind::number)) {
    out = node.number * Mat3::Identity();
    return true;
  }
  const std::string expected =
      "a number, an array of 3 numbers or a 3 x 3 matrix as an array of rows";
  if (!node.is(json::Node::Kind::array) || node.items.size() != 3)
    return errors.wrong_type(node, path, expected), false;
  if (node.items[0].is(json::Node::Kind::number)) {
    Vec3 diagonal = Vec3::Zero();
    if (!read_value(node, path, diagonal, errors)) return false;
    out = diagonal.asDiagonal();
    return true;
  }
  bool good = true;
  for (std::size_t i = 0; i < 3; ++i) {
    Vec3 row = Vec3::Zero();
    good &= read_value(node.items[i], item_path(path, i), row, errors);
    out.row(static_cast<Eigen::Index>(i)) = row.transpose();
  }
  return good;
}

bool read_value(const json::Node& node, const std::string& path, TimeFunction& out,
                SceneErrors& errors) {
  if (node.is(json::Node::Kind::number)) {
    out = TimeFunction(node.number);
    return true;
  }
  if (!node.is(json::Node::Kind::string))
    return errors.wrong_type(node, path, "a number or an expression of t in quotes"), false;
  const Result<TimeFunction> parsed = TimeFunction::parse(node.string);
  if (parsed) {
    out = *parsed;
    return true;
  }
  for (Error error : parsed.error()) {
    error.path = path;
    errors.add(node, std::move(error));
  }
  return false;
}

bool read_value(const json::Node& node, const std::string& path, std::array<TimeFunction, 3>& out,
                SceneErrors& errors) {
  const auto element = [&](std::size_t i) -> TimeFunction& { return out[i]; };
  return read_elements(node, path, 3, "an array of 3 numbers or expressions", element, errors);
}

bool read_value(const json::Node& node, const std::string& path, std::array<std::string, 2>& out,
                SceneErrors& errors) {
  const auto element = [&](std::size_t i) -> std::string& { return out[i]; };
  return read_elements(node, path, 2, "an array of 2 names", element, errors);
}

bool read_value(const json::Node& node, const std::string& path, std::array<Vec3, 2>& out,
                SceneErrors& errors) {
  const auto element = [&](std::size_t i) -> Vec3& { return out[i]; };
  return read_elements(node, path, 2, "an array of 2 points", element, errors);
}

bool read_value(const json::Node& node, const std::string& path, std::vector<double>& out,
                SceneErrors& errors) {
  return read_list(node, path, "an array of numbers", out, errors);
}

bool read_value(const json::Node& node, const std::string& path, std::vector<Eigen::Vector2d>& out,
                SceneErrors& errors) {
  return read_list(node, path, "an array of points [x, y]", out, errors);
}

bool read_value(const json::Node& node, const std::string& path, std::vector<Vec3>& out,
                SceneErrors& errors) {
  return read_list(node, path, "an array of points [x, y, z]", out, errors);
}

bool read_number(const json::Node& node, const std::string& path, double& out, const Range& range,
                 SceneErrors& errors) {
  double value = 0;
  if (!read_value(node, path, value, errors)) return false;
  if (value < range.lo || value > range.hi || (range.lo_open && value == range.lo)) {
    errors.add(node, path, ErrorCode::out_of_range, "number is out of range", json::summary(node),
               range_text(range), "choose a value in the range");
    return false;
  }
  out = value;
  return true;
}

bool read_integer(const json::Node& node, const std::string& path, std::int64_t& out,
                  std::int64_t lo, std::int64_t hi, SceneErrors& errors) {
  double value = 0;
  if (!read_value(node, path, value, errors)) return false;
  if (value != std::floor(value)) return errors.wrong_type(node, path, "a whole number"), false;
  if (!read_number(node, path, value, {static_cast<double>(lo), static_cast<double>(hi)}, errors))
    return false;
  out = static_cast<std::int64_t>(value);
  return true;
}

// ---- Objects
// ------------------------------------------------------------------------------------------------------

Fields::Fields(const json::Node& node, std::string path, const FieldTable& table,
               SceneErrors& errors)
    : node_(node), path_(std::move(path)), table_(table), errors_(errors) {
  if (!node.is(json::Node::Kind::object)) {
    errors.wrong_type(node, path_, "an object");
    return;
  }
  std::vector<std::string_view> known;
  for (const Field& field : table.fields) known.push_back(field.key);
  for (std::size_t i = 0; i < node.keys.size(); ++i)
    if (!table.find(node.keys[i].text)) errors.unknown_key(node, i, path_, known);
  for (const Field& field : table.fields) {
    if (field.standard || node.find(field.key)) continue;
    errors.add(node, path_, ErrorCode::missing_key, fmt::format("\"{}\" is missing", field.key), "",
               "", fmt::format("add \"{}\": {}", field.key, field.text));
  }
}

const json::Node* Fields::find(std::string_view key) const {
  return table_.find(key) ? node_.find(key) : nullptr;
}

bool Fields::read_number(std::string_view key, double& out, const Range& range) const {
  const json::Node* node = find(key);
  return node && scene::read_number(*node, path(key), out, range, errors_);
}

bool Fields::read_integer(std::string_view key, std::int64_t& out, std::int64_t lo,
                          std::int64_t hi) const {
  const json::Node* node = find(key);
  return node && scene::read_integer(*node, path(key), out, lo, hi, errors_);
}

const FieldTable* table_of_type(const json::Node& node, const std::string& path,
                                const TypedTables& tables, SceneErrors& errors) {
  std::vector<std::string_view> types;
  for (const FieldTable& table : tables) types.push_back(table.name);
  if (!node.is(json::Node::Kind::object))
    return errors.wrong_type(node, path, "an object"), nullptr;
  const json::Node* type = node.find("type");
  if (!type) {
    errors.add(node, path, ErrorCode::missing_key, "\"type\" is missing", "", joined(types),
               "add \"type\"");
    return nullptr;
  }
  std::string name;
  if (!read_value(*type, child_path(path, "type"), name, errors)) return nullptr;
  for (const FieldTable& table : tables)
    if (name == table.name) return &table;
  const std::string advice = advice_for_type(name, types);
  errors.add(
      *type, child_path(path, "type"), ErrorCode::unknown_choice, "unknown type",
      json::summary(*type), joined(types),
      advice.empty() ? base::did_you_mean(name, types, "use one of the known types") : advice);
  return nullptr;
}

}  // namespace cairn::scene
