#include "scene/contact_checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

#include "cairn/state.hpp"
#include "model/shape/pair_support.hpp"

namespace cairn::scene {
namespace {

// Sine of the angle between two planes that still count as one [-].
constexpr double parallel_tolerance = 0x1p-22;

// Shapes that meet the same partners: of one type, and planar ones of one plane.
struct Kind {
  std::size_t type = 0;
  bool turns = false;                        // out of its plane, with a prescribed body
  std::array<double, 3> normal = {0, 0, 0};  // of the plane of a planar shape, rounded; else zero

  bool operator<(const Kind& k) const {
    return std::tie(type, turns, normal) < std::tie(k.type, k.turns, k.normal);
  }
};

struct Members {
  std::vector<int> movable, all;  // shapes of free bodies, and of all bodies
};

// A plane and its opposite are one.
std::array<double, 3> rounded(const Vec3& n) {
  std::array<double, 3> out;
  double sign = 0;
  for (int i = 0; i < 3; ++i) {
    const double x = std::nearbyint(0x1p24 * n[i]);
    if (sign == 0 && x != 0) sign = x > 0 ? 1 : -1;
    out[static_cast<std::size_t>(i)] = sign * x + 0.0;
  }
  return out;
}

Kind kind_of(const Model& model, const State& state, const Shape& shape) {
  Kind kind{shape.geometry.index(), false, {}};
  if (!is_planar(shape.geometry)) return kind;
  const Vec3 n = state.poses[index(shape.body)].R * (shape.X_CS.R * Vec3::UnitZ());
  const std::optional<Motion>& motion = model.body(shape.body).motion;
  kind.normal = rounded(n);
  kind.turns =
      motion && !motion->angle.is_constant() && motion->axis.cross(n).norm() > parallel_tolerance;
  return kind;
}

bool planes_differ(const Kind& a, const Kind& b) {
  const Vec3 n_a(a.normal.data()), n_b(b.normal.data());
  return a.turns || b.turns || n_a.cross(n_b).norm() > parallel_tolerance * n_a.norm() * n_b.norm();
}

class ContactCheck {
 public:
  ContactCheck(const Model& model, const State& initial, const std::vector<BodyDescription>& bodies,
               model::Checks& checks)
      : model_(model), checks_(checks) {
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (const auto id = model.find_body(bodies[i].name)) number_[index(*id)] = i;
    for (std::size_t i = 0; i < model.shapes.size(); ++i) {
      const Shape& shape = model.shapes[i];
      Members& members = kinds_[kind_of(model, initial, shape)];
      members.all.push_back(static_cast<int>(i));
      if (model.body(shape.body).velocities > 0) members.movable.push_back(static_cast<int>(i));
    }
  }

  void run() {
    for (auto a = kinds_.begin(); a != kinds_.end(); ++a)
      for (auto b = a; b != kinds_.end(); ++b) {
        const Geometry &first = shape(a->second.all.front()).geometry,
                       &second = shape(b->second.all.front()).geometry;
        const bool planes = is_planar(first) && is_planar(second);
        if (planes ? !planes_differ(a->first, b->first)
                   : model::pair_support(first, second) != model::PairSupport::missing)
          continue;
        if (!report_first(a->second.movable, b->second.all))
          report_first(b->second.movable, a->second.all);
      }
  }

 private:
  const Shape& shape(int i) const { return model_.shapes[static_cast<std::size_t>(i)]; }

  bool may_touch(int i, int j) const {
    const auto [a, b] = std::minmax(shape(i).body, shape(j).body);
    return a != b && !std::binary_search(model_.no_contact.begin(), model_.no_contact.end(),
                                         std::array{a, b});
  }

  // Looks at few pairs: all but those of one body and those in no_contact may touch.
  bool report_first(const std::vector<int>& movable, const std::vector<int>& all) {
    for (const int i : movable)
      for (const int j : all)
        if (may_touch(i, j)) {
          report(std::min(i, j), std::max(i, j));
          return true;
        }
    return false;
  }

  std::string path(int i) const {
    const Shape& s = shape(i);
    return fmt::format("bodies[{}].shapes[{}]", number_.at(index(s.body)),
                       i - model_.body(s.body).first_shape);
  }

  void report(int i, int j) {
    // The planar shape is the one that other scenes do without.
    if (!is_planar(shape(i).geometry)) std::swap(i, j);
    const Geometry &a = shape(i).geometry, &b = shape(j).geometry;
    const std::string names = fmt::format("bodies '{}' and '{}'", model_.body(shape(i).body).name,
                                          model_.body(shape(j).body).name);
    const std::string apart = "list the two bodies in no_contact if they need not touch";
    if (is_planar(b))
      checks_.error(path(i), ErrorCode::wrong_dimension,
                    "planar shapes of " + names + ", which may touch, lie in planes that differ",
                    fmt::format("\"{}\" and \"{}\" of {}", type_name(a), type_name(b), path(j)),
                    "planar shapes with parallel z axes",
                    "turn one of them, or use spatial shapes; or " + apart);
    else
      checks_.error(
          path(i), ErrorCode::unsupported,
          fmt::format("no contact between the shapes {} and {} is known, but {} may touch",
                      type_name(a), type_name(b), names),
          fmt::format("\"{}\" and \"{}\" of {}", type_name(a), type_name(b), path(j)),
          "planar shapes with planar shapes, point, sphere, capsule and halfspace",
          "use a polygon, disc or ellipse for the planar outline of the other shape, or "
          "spatial shapes for both; or " +
              apart);
  }

  const Model& model_;
  model::Checks& checks_;
  std::map<std::size_t, std::size_t> number_;  // of a body in the description
  std::map<Kind, Members> kinds_;
};

}  // namespace

void check_contacts(const Model& model, const State& initial,
                    const std::vector<BodyDescription>& bodies, model::Checks& checks) {
  ContactCheck(model, initial, bodies, checks).run();
}

}  // namespace cairn::scene
