// Rounds the curves of all bodies to 16 bits and writes header and sections.
#include "play/pack.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>

#include "base/json/json_text.hpp"
#include "bytes/byte_planes.hpp"
#include "cairn/options.hpp"
#include "play/pack_contacts.hpp"

namespace cairn::play {
namespace {

constexpr std::size_t channels = 13;  // position 3, orientation 4, velocity 3, angular velocity 3

// No finer than this share of the largest range of its kind (kind_of), for orientations of one: the
// rest is noise that does not compress.
constexpr std::array<double, 4> finest = {0x1p-20, 0x1p-17, 0x1p-13, 0x1p-13};

double channel(const ClipBody& b, std::size_t k) {
  if (k < 3) return b.position[k];
  if (k < 7) return b.orientation[k - 3];
  if (k < 10) return b.velocity[k - 7];
  return b.angular_velocity[k - 10];
}

// Which channels are measured with one yardstick.
std::size_t kind_of(std::size_t k) {
  return k < 3 ? 0 : k < 7 ? 1 : k < 10 ? 2 : 3;
}

struct Curve {
  double lo = 0, hi = 0, quantum = 0;  // quantum 0: constant
};

struct Curves {
  std::vector<Curve> curves;               // body by body, channel by channel
  std::vector<std::uint16_t> differences;  // in time, of those that vary, curve by curve
};

// q and -q are one rotation: each is taken on the side of the one before it.
void read_curve(std::span<const ClipFrame* const> frames, std::size_t body, std::size_t k,
                const std::vector<double>& signs, std::vector<double>& x) {
  x.resize(frames.size());
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const double value = channel(frames[f]->bodies[body], k);
    x[f] = std::isfinite(value) ? value : 0;
    if (k >= 3 && k < 7) x[f] *= signs[f];
  }
}

void find_signs(std::span<const ClipFrame* const> frames, std::size_t body,
                std::vector<double>& signs) {
  signs.assign(frames.size(), 1);
  for (std::size_t f = 1; f < frames.size(); ++f) {
    const auto &q = frames[f]->bodies[body].orientation,
               &before = frames[f - 1]->bodies[body].orientation;
    const double dot = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3];
    signs[f] = dot < 0 ? -signs[f - 1] : signs[f - 1];
  }
}

Curves find_curves(std::span<const ClipFrame* const> frames, std::size_t bodies) {
  Curves all;
  all.curves.resize(bodies * channels);
  std::vector<double> x, signs;
  std::array<double, 4> largest = {0, 1, 0, 0};
  for (std::size_t b = 0; b < bodies; ++b) {
    find_signs(frames, b, signs);
    for (std::size_t k = 0; k < channels; ++k) {
      read_curve(frames, b, k, signs, x);
      const auto [lo, hi] = std::minmax_element(x.begin(), x.end());
      if (!std::isfinite(*hi - *lo)) continue;  // from a forged trace: a constant zero
      all.curves[b * channels + k] = {.lo = *lo, .hi = *hi};
      double& most = largest[kind_of(k)];
      if (kind_of(k) != 1) most = std::max(most, *hi - *lo);
    }
  }
  for (std::size_t b = 0; b < bodies; ++b) {
    find_signs(frames, b, signs);
    for (std::size_t k = 0; k < channels; ++k) {
      Curve& curve = all.curves[b * channels + k];
      if (!(curve.hi > curve.lo)) continue;
      curve.quantum =
          std::max((curve.hi - curve.lo) / 65535, finest[kind_of(k)] * largest[kind_of(k)]);
      read_curve(frames, b, k, signs, x);
      std::uint16_t before = 0;
      for (const double value : x) {
        const auto now =
            static_cast<std::uint16_t>(std::lround((value - curve.lo) / curve.quantum));
        all.differences.push_back(bytes::zigzag(now, before));
        before = now;
      }
    }
  }
  return all;
}

PackErrors find_errors(const Curves& all, const ContactColumns& contacts) {
  PackErrors e;
  for (std::size_t i = 0; i < all.curves.size(); i += channels) {
    Vec3 p = Vec3::Zero();
    Eigen::Vector4d q = Eigen::Vector4d::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      p[static_cast<Eigen::Index>(k)] = all.curves[i + k].quantum / 2;
    for (std::size_t k = 0; k < 4; ++k)
      q[static_cast<Eigen::Index>(k)] = all.curves[i + 3 + k].quantum / 2;
    e.position = std::max(e.position, p.norm());
    e.angle = std::max(e.angle, 2 * q.norm());  // a rotation by x moves its quaternion by x / 2
  }
  e.contact = Vec3(contacts.quantum[0], contacts.quantum[1], contacts.quantum[2]).norm() / 2;
  return e;
}

// ---- Header and sections

struct Sections {
  std::string table;  // JSON
  std::string bytes;

  template <class Put>
  void add(const char* name, const char* type, std::size_t count, Put put) {
    if (!table.empty()) table += ",";
    table += fmt::format("{{\"name\":\"{}\",\"type\":\"{}\",\"offset\":{},\"count\":{}}}", name,
                         type, bytes.size(), count);
    put();
    bytes.resize((bytes.size() + 7) / 8 * 8, '\0');  // typed arrays want aligned beginnings
  }
};

float as_float(double x) {
  constexpr double most = std::numeric_limits<float>::max();
  return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN()
                       : static_cast<float>(std::clamp(x, -most, most));
}
std::string number(double x) {
  return std::isfinite(x) ? json::digits(x) : "null";
}
std::string list(const Vec3& v) {
  return fmt::format("[{},{},{}]", number(v.x()), number(v.y()), number(v.z()));
}

std::string header_json(const Clip& clip, const PackedClip& packed, const ContactColumns& contacts,
                        const std::string& table) {
  const Scene& scene = clip.scene();
  std::string names;
  for (const char* name : ClipFigures::names()) {
    if (!names.empty()) names += ",";
    names += json::json_string(name);
  }
  std::string moving;
  for (const BodyId id : clip.moving()) {
    if (!moving.empty()) moving += ",";
    moving += fmt::format("{}", static_cast<std::int32_t>(id));
  }
  std::string rejected;
  for (const RejectedStep& r : clip.rejected()) {
    if (!rejected.empty()) rejected += ",";
    rejected += fmt::format("{{\"step\":{},\"t\":{},\"text\":{}}}", r.step, number(r.t),
                            json::json_string(r.sentence));
  }
  const auto triple = [](const std::array<double, 3>& a) { return list(Vec3(a[0], a[1], a[2])); };
  std::string json = "{";
  const auto put = [&](const char* key, const std::string& value) {
    if (json.size() > 1) json += ",";
    json += fmt::format("\"{}\":{}", key, value);
  };
  put("version", "1");
  put("program", json::json_string(CAIRN_VERSION));
  put("title", json::json_string(scene.name));
  put("file", json::json_string(scene.file));
  put("tolerance", number(tolerance(scene.simulation.solver)));
  put("overlap_limit", number(scene.simulation.verdict.overlap));
  put("rejected", "[" + rejected + "]");
  put("steps", fmt::format("{}", clip.steps()));
  put("stride", fmt::format("{}", clip.stride()));
  put("frames", fmt::format("{}", packed.frames));
  put("contact_limit", fmt::format("{}", clip.contact_limit()));
  put("contacts_left_out", fmt::format("{}", clip.contacts_left_out()));
  put("errors",
      fmt::format("{{\"position\":{},\"angle\":{},\"contact\":{}}}", number(packed.errors.position),
                  number(packed.errors.angle), number(packed.errors.contact)));
  put("contact_lo", triple(contacts.lo));
  put("contact_quantum", triple(contacts.quantum));
  put("figures", "[" + names + "]");
  put("moving", "[" + moving + "]");
  put("bodies", bodies_json(*scene.model));
  put("scene", scene.resolved.empty() ? "{}" : scene.resolved);
  put("sections", "[" + table + "]");
  return json + "}";
}

void add_sections(std::span<const ClipFrame* const> frames, const Curves& all,
                  const ContactColumns& contacts, Sections& s) {
  const std::size_t n = frames.size(), total = contacts.flags.size();
  s.add("time", "f64", n, [&] {
    for (const ClipFrame* f : frames) bytes::put_number(s.bytes, f->t);
  });
  s.add("step", "f64", n, [&] {
    for (const ClipFrame* f : frames) bytes::put_number(s.bytes, static_cast<double>(f->step));
  });
  s.add("figures", "f32", n * ClipFigures::count, [&] {
    for (std::size_t k = 0; k < ClipFigures::count; ++k)
      for (const ClipFrame* f : frames) bytes::put_number(s.bytes, as_float(f->figures.list()[k]));
  });
  s.add("lo", "f64", all.curves.size(), [&] {
    for (const Curve& c : all.curves) bytes::put_number(s.bytes, c.lo);
  });
  s.add("quantum", "f64", all.curves.size(), [&] {
    for (const Curve& c : all.curves) bytes::put_number(s.bytes, c.quantum);
  });
  s.add("curves", "u8", 2 * all.differences.size(),
        [&] { bytes::put_planes<std::uint16_t>(s.bytes, all.differences); });
  s.add("contact_count", "u32", n, [&] {
    for (const std::uint32_t c : contacts.counts) bytes::put_number(s.bytes, c);
  });
  s.add("force_scale", "f32", n, [&] {
    for (const float x : contacts.force_scale) bytes::put_number(s.bytes, x);
  });
  s.add("contact_bodies", "u8", 8 * total, [&] {
    bytes::put_planes<std::uint32_t>(s.bytes, contacts.body_a);
    bytes::put_planes<std::uint32_t>(s.bytes, contacts.body_b);
  });
  s.add("contact_flags", "u8", total, [&] {
    for (const std::uint8_t x : contacts.flags) s.bytes.push_back(static_cast<char>(x));
  });
  s.add("contact_columns", "u8", 16 * total, [&] {
    for (const auto& column : contacts.columns) bytes::put_planes<std::uint16_t>(s.bytes, column);
  });
}

}  // namespace

std::string bodies_json(const Model& model) {
  static constexpr const char* kinds[] = {"dynamic", "fixed", "prescribed"};
  std::string text = "[";
  for (const Body& body : model.bodies) {
    if (text.size() > 1) text += ",";
    text += fmt::format("{{\"name\":{},\"kind\":\"{}\",\"mass\":{},\"center\":{}}}",
                        json::json_string(body.name), kinds[static_cast<std::size_t>(body.kind)],
                        number(body.mass), list(body.p_Bcm));
  }
  return text + "]";
}

PackedClip pack(const Clip& clip) {
  const std::vector<const ClipFrame*> frames = clip.frames();
  PackedClip packed;
  packed.frames = frames.size();
  const Curves curves = frames.empty() ? Curves{} : find_curves(frames, clip.moving().size());
  const ContactColumns contacts = contact_columns(frames);
  packed.errors = find_errors(curves, contacts);
  Sections sections;
  add_sections(frames, curves, contacts, sections);
  const std::string header = header_json(clip, packed, contacts, sections.table);
  packed.bytes = "CairnClp";
  bytes::put_number(packed.bytes, std::uint64_t{header.size()});
  packed.bytes += header;
  packed.bytes.resize((packed.bytes.size() + 7) / 8 * 8, ' ');
  packed.bytes += sections.bytes;
  return packed;
}

}  // namespace cairn::play
