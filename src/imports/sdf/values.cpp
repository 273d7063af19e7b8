#include "imports/sdf/values.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "imports/robot.hpp"
#include "imports/urdf/read.hpp"

namespace cairn::imports {
namespace {

constexpr double no_bound = 1e16;

// The text of a child as an attribute of its parent, so that messages say "link[arm].mass".
Element as_attribute(const Element& parent, const Element& child, const char* name) {
  Element out;
  out.name = parent.name;
  out.place = child.place;
  for (const Attribute& a : parent.attributes)
    if (a.name == "name") out.attributes.push_back(a);
  out.attributes.push_back({name, child.text, child.place});
  return out;
}

bool is_infinite(std::string_view text) {
  return text == "inf" || text == "+inf" || text == "-inf" || text == "Inf" || text == "-Inf";
}

}  // namespace

std::optional<std::vector<double>> SdfValues::numbers(const Element& parent, const char* name,
                                                      std::size_t least, std::size_t most) {
  const Element* child = parent.child(name);
  if (!child) return {};
  return messages_.numbers(as_attribute(parent, *child, name), name, least, most);
}

std::optional<double> SdfValues::number(const Element& parent, const char* name) {
  const auto list = numbers(parent, name, 1, 1);
  return list ? std::optional<double>(list->front()) : std::nullopt;
}

std::optional<Vec3> SdfValues::vector(const Element& parent, const char* name) {
  const auto list = numbers(parent, name, 3, 3);
  if (!list) return {};
  return Vec3((*list)[0], (*list)[1], (*list)[2]);
}

std::optional<bool> SdfValues::boolean(const Element& parent, const char* name) {
  const Element* child = parent.child(name);
  if (!child) return {};
  return messages_.boolean(as_attribute(parent, *child, name), name);
}

std::string SdfValues::word(const Element& parent, const char* name) {
  const Element* child = parent.child(name);
  return child ? child->text : std::string();
}

double SdfValues::bound(const Element& parent, const char* name, double otherwise) {
  const Element* child = parent.child(name);
  if (!child) return otherwise;
  if (is_infinite(child->text)) return child->text[0] == '-' ? -unbounded : unbounded;
  const auto value = number(parent, name);
  if (!value) return otherwise;
  return std::abs(*value) >= no_bound ? std::copysign(unbounded, *value) : *value;
}

double SdfValues::positive(const Element& parent, const char* name, const char* unit) {
  const Element* child = parent.child(name);
  const std::string path = label(parent) + "." + name;
  if (!child) {
    messages_.error(parent.place, ErrorCode::missing_key, path, "the value is missing", "",
                    std::string("a positive number ") + unit, std::string("add <") + name + ">");
    return 0;
  }
  const auto value = number(parent, name);
  if (!value || *value > 0) return value.value_or(0);
  messages_.error(child->place, ErrorCode::out_of_range, path, "the value is not positive",
                  short_text(*value), std::string("a positive number ") + unit,
                  "correct the value");
  return 0;
}

SdfValues::PlacedPose SdfValues::pose(const Element& parent) {
  PlacedPose out;
  out.place = parent.place;
  const Element* child = parent.child("pose");
  if (!child) return out;
  out.place = child->place;
  out.relative_to = child->get("relative_to");
  const std::string format = child->get("rotation_format", "euler_rpy");
  const bool degrees = messages_.boolean(*child, "degrees").value_or(false);
  if (format != "euler_rpy" && format != "quat_xyzw") {
    messages_.error(child->place, ErrorCode::unknown_choice, label(parent) + ".pose",
                    "unknown format of rotations", "\"" + format + "\"", "euler_rpy, quat_xyzw",
                    "use one of them");
    return out;
  }
  if (child->text.empty()) return out;
  const bool quaternion = format == "quat_xyzw";
  const std::size_t size = quaternion ? 7 : 6;
  const auto x = numbers(parent, "pose", size, size);
  if (!x) return out;
  out.X.p = {(*x)[0], (*x)[1], (*x)[2]};
  if (!quaternion) {
    const double unit = degrees ? std::numbers::pi / 180 : 1;
    out.X.R = from_rpy(unit * Vec3((*x)[3], (*x)[4], (*x)[5]));
    return out;
  }
  const Quat R((*x)[6], (*x)[3], (*x)[4], (*x)[5]);
  if (R.norm() > 0)
    out.X.R = R.normalized();
  else
    messages_.error(child->place, ErrorCode::zero_vector, label(parent) + ".pose",
                    "the quaternion is zero", child->text, "a quaternion of length 1",
                    "correct the value");
  return out;
}

}  // namespace cairn::imports
