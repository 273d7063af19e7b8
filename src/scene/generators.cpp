// Reads an entry of "generate", writes its bodies in a fixed order with names whose order is the
// same.
#include "scene/generators.hpp"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace cairn::scene {
namespace {

constexpr std::int64_t most_bodies = 1'000'000;  // of a scene
constexpr double most_parts = 2e7;  // shapes and their vertices, of all that is generated
constexpr std::int64_t most_count = std::int64_t{1} << 53;  // whole numbers of a double
constexpr Range length_range{0, 1e30, true};

// Knuth's 64-bit linear congruential generator: the same numbers everywhere.
class Random {
 public:
  explicit Random(std::int64_t seed) : state_(static_cast<std::uint64_t>(seed)) {
    for (int i = 0; i < 4; ++i) uniform();  // so that neighbouring seeds part
  }
  double uniform() {  // in [-1, 1)
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return std::ldexp(static_cast<double>(state_ >> 11), -52) - 1;
  }
  // A rotation, all equally likely: a point of the unit ball in four dimensions, without functions
  // that differ from one library to the next.
  Quat rotation() {
    for (;;) {
      const double w = uniform(), x = uniform(), y = uniform(), z = uniform();
      const double square = w * w + x * x + y * y + z * z;
      if (square >= 0.01 && square <= 1) return Quat(w, x, y, z).normalized();
    }
  }

 private:
  std::uint64_t state_;
};

Vec3 read_direction(const Fields& fields, const char* key, Vec3 standard, SceneErrors& errors) {
  if (!fields.read(key, standard)) return standard;
  if (standard != Vec3::Zero()) return standard.normalized();
  errors.add(*fields.find(key), fields.path(key), ErrorCode::zero_vector, "is not a direction",
             "[0, 0, 0]", "any vector but zero", "give a vector such as [1, 0, 0]");
  return Vec3::UnitX();
}

// A number for all axes, or one for each.
Vec3 read_per_axis(const Fields& fields, const char* key, const Range& range, SceneErrors& errors) {
  Vec3 values = Vec3::Zero();
  const json::Node* node = fields.find(key);
  if (!node) return values;
  const std::string path = fields.path(key);
  if (node->is(json::Node::Kind::number)) {
    double value = 0;
    if (read_number(*node, path, value, range, errors)) values.setConstant(value);
  } else if (node->is(json::Node::Kind::array) && node->items.size() == 3) {
    for (std::size_t i = 0; i < 3; ++i)
      read_number(node->items[i], item_path(path, i), values[static_cast<Eigen::Index>(i)], range,
                  errors);
  } else {
    errors.wrong_type(*node, path, "a number or an array of 3 numbers");
  }
  return values;
}

// Where the bodies go.
struct Places {
  std::vector<Vec3> positions;
  std::vector<Quat> turns;  // applied to the template's orientation; empty: none
};

Places row(const Fields& fields, const Vec3& origin, SceneErrors& errors) {
  std::int64_t count = 0;
  double spacing = 0;
  fields.read_integer("count", count, 1, most_count);
  fields.read_number("spacing", spacing, length_range);
  const Vec3 direction = read_direction(fields, "direction", Vec3::UnitX(), errors);
  std::vector<Vec3> positions;
  for (std::int64_t i = 0; i < count; ++i)
    positions.push_back(origin + direction * (spacing * static_cast<double>(i)));
  return {positions, {}};
}

// Rows of base, base - 1, ..., 1 bodies, each shifted by half a spacing.
Places triangle(const Fields& fields, const Vec3& origin, SceneErrors& errors) {
  std::int64_t base = 0;
  double spacing = 0;
  fields.read_integer("base", base, 1, most_count);
  fields.read_number("spacing", spacing, length_range);
  double row_height = spacing * (std::sqrt(3.0) / 2);
  fields.read_number("row_height", row_height, length_range);
  const Vec3 right = read_direction(fields, "right", Vec3::UnitX(), errors);
  const Vec3 up = read_direction(fields, "up", Vec3::UnitY(), errors);
  std::vector<Vec3> positions;
  for (std::int64_t r = 0; r < base; ++r)
    for (std::int64_t i = 0; i < base - r; ++i) {
      const double along = static_cast<double>(i) + 0.5 * static_cast<double>(r);
      positions.push_back(origin + right * (spacing * along) +
                          up * (row_height * static_cast<double>(r)));
    }
  return {positions, {}};
}

Places lattice(const Fields& fields, const Vec3& origin, SceneErrors& errors) {
  std::array<std::int64_t, 3> count{};
  if (const json::Node* counts = fields.find("count")) {
    if (!counts->is(json::Node::Kind::array) || counts->items.size() != 3) {
      errors.wrong_type(*counts, fields.path("count"), "an array of 3 whole numbers");
      return {};
    }
    for (std::size_t i = 0; i < 3; ++i)
      read_integer(counts->items[i], item_path(fields.path("count"), i), count[i], 1, most_count,
                   errors);
  }
  const Vec3 spacing = read_per_axis(fields, "spacing", length_range, errors);
  const Vec3 jitter = read_per_axis(fields, "jitter", {0, 1e30}, errors);
  std::int64_t seed = 1;
  fields.read_integer("seed", seed, 0, std::int64_t{1} << 53);
  bool turn = false;
  fields.read("turn", turn);
  Random random(seed);
  Places places;
  for (std::int64_t k = 0; k < count[2]; ++k)
    for (std::int64_t j = 0; j < count[1]; ++j)
      for (std::int64_t i = 0; i < count[0]; ++i) {
        const Vec3 cell(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        Vec3 shift;
        for (int axis = 0; axis < 3; ++axis) shift[axis] = jitter[axis] * random.uniform();
        places.positions.push_back(origin + spacing.cwiseProduct(cell) + shift);
        if (turn) places.turns.push_back(random.rotation());
      }
  return places;
}

// A number that a generator may have; 0 where it is none, which its reader reports.
double whole(const json::Node* node) {
  if (!node || !node->is(json::Node::Kind::number)) return 0;
  return node->number >= 1 && node->number == std::floor(node->number) ? node->number : 0;
}

// How many bodies an entry asks for, whatever else may be wrong with it. A double has no overflow
// that could hide a large one.
double count_bodies(const json::Node& node) {
  const json::Node* type = node.is(json::Node::Kind::object) ? node.find("type") : nullptr;
  if (!type) return 0;
  if (type->string == "triangle") {
    const double base = whole(node.find("base"));
    return base * (base + 1) / 2;
  }
  const json::Node* count = node.find("count");
  if (!count || !count->is(json::Node::Kind::array)) return whole(count);
  double product = count->items.empty() ? 0 : 1;
  for (const json::Node& item : count->items) product *= whole(&item);
  return product;
}

// Shapes and vertices of a body that is to be copied.
double parts_of(const BodyDescription& body) {
  double parts = 0;
  for (const ShapeDescription& shape : body.shapes) {
    parts += 1;
    if (const auto* hull = std::get_if<Hull>(&shape.geometry))
      parts += static_cast<double>(hull->vertices.size());
    if (const auto* polygon = std::get_if<Polygon>(&shape.geometry))
      parts += static_cast<double>(polygon->vertices.size());
  }
  return parts;
}

}  // namespace

bool can_generate(const json::Node& list, std::size_t bodies, SceneErrors& errors) {
  double total = static_cast<double>(bodies);
  for (const json::Node& item : list.items) total += count_bodies(item);
  if (total <= static_cast<double>(most_bodies)) return true;
  errors.add(list, {.kind = ErrorKind::limit,
                    .code = ErrorCode::too_many,
                    .path = "generate",
                    .what = "scene has too many bodies",
                    .got = fmt::format("{:.6g}", total),
                    .allowed = fmt::format("at most {}", most_bodies),
                    .fix = "generate fewer"});
  return false;
}

void generate(const json::Node& node, const std::string& path, ReadModel& out,
              SceneErrors& errors) {
  const FieldTable* table = table_of_type(node, path, generator_tables(), errors);
  if (!table) return;
  const std::string_view type = table->name;
  const Fields fields(node, path, *table, errors);

  // The common fields, and the positions by type.
  std::string prefix;
  Vec3 origin = Vec3::Zero();
  fields.read("name", prefix);
  fields.read("origin", origin);
  const json::Node* of = fields.find("of");
  ReadBody read;
  if (of) read = read_body(*of, fields.path("of"), template_fields(), out.files, errors);
  BodyDescription& body = read.description;
  // Nothing is made before it is known to fit.
  out.generated_parts += count_bodies(node) * parts_of(body);
  if (out.generated_parts > most_parts)
    return errors.add(node, {.kind = ErrorKind::limit,
                             .code = ErrorCode::too_many,
                             .path = path,
                             .what = "generated bodies have too many shapes and vertices",
                             .got = fmt::format("{:.6g}", out.generated_parts),
                             .allowed = fmt::format("at most {:.0e}", most_parts),
                             .fix = "generate fewer bodies, or of simpler shapes"});
  const auto [positions, turns] = type == "triangle"  ? triangle(fields, origin, errors)
                                  : type == "lattice" ? lattice(fields, origin, errors)
                                                      : row(fields, origin, errors);
  const Quat upright = body.orientation;
  const json::Node* link = fields.find("joint");
  JointDescription joint;
  if (link) {
    const std::string at = fields.path("joint");
    if (const FieldTable* joints = table_of_type(*link, at, chain_joint_tables(), errors))
      joint = read_joint(*link, at, *joints, errors);
  }
  if (!of) return;

  // Numbers padded to one width, so that the order of names is the order of generation.
  const std::size_t width = std::to_string(positions.size()).size();
  const auto numbered = [&](std::size_t i) {
    return fmt::format("{}{:0{}}", prefix, i + 1, width);
  };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    body.name = numbered(i);
    body.position = positions[i];
    if (!turns.empty()) body.orientation = turns[i] * upright;
    out.description.bodies.push_back(body);
    out.bodies.push_back({of, fields.path("of"), &node, path, read.shapes});
    if (!link || i == 0) continue;
    joint.name = fmt::format("{}-joint{:0{}}", prefix, i, width);
    joint.bodies = {numbered(i - 1), numbered(i)};
    out.description.joints.push_back(joint);
    out.joints.push_back({link, fields.path("joint"), &node, path, {}});
  }
}

}  // namespace cairn::scene
