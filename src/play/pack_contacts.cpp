// Rounds contacts to 16 bits and takes differences to the frame before.
#include "play/pack_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "base/infinity.hpp"
#include "bytes/byte_planes.hpp"

namespace cairn::play {
namespace {

using Row = std::array<std::uint16_t, 8>;

// Steps of a unit: the noise of finer ones would fill the file and not be seen. Small forces stand
// beside large ones, so they keep all 16 bits.
constexpr double normal_steps = 2047, force_steps = 32767, point_steps = 16383;

std::uint16_t rounded(double x, double steps) {
  const double r = std::round(std::clamp(x, -1.0, 1.0) * steps);
  return static_cast<std::uint16_t>(static_cast<std::int16_t>(r));
}

// A unit vector on the octahedron |x| + |y| + |z| = 1, its lower half folded over the upper one.
std::array<double, 2> octahedral(const std::array<float, 3>& n) {
  const double sum = std::abs(n[0]) + std::abs(n[1]) + std::abs(n[2]);
  if (!(sum > 0)) return {0, 0};
  const double u = n[0] / sum, v = n[1] / sum;
  if (n[2] >= 0) return {u, v};
  return {std::copysign(1 - std::abs(v), u), std::copysign(1 - std::abs(u), v)};
}

void find_box(std::span<const ClipFrame* const> frames, ContactColumns& all) {
  for (std::size_t k = 0; k < 3; ++k) {
    double lo = base::infinity, hi = -base::infinity;
    for (const ClipFrame* frame : frames)
      for (const ClipContact& c : frame->contacts)
        lo = std::min(lo, c.point[k]), hi = std::max(hi, c.point[k]);
    if (!(lo <= hi) || !std::isfinite(hi - lo)) continue;
    all.lo[k] = lo;
    all.quantum[k] = (hi - lo) / point_steps;
  }
}

float scale_of(const ClipFrame& frame) {
  float most = 0;
  for (const ClipContact& c : frame.contacts)
    for (const float x : c.force) most = std::max(most, std::abs(x));
  if (!(most > 0) || !std::isfinite(most)) return 1;
  return std::ldexp(1.0F, std::ilogb(most) + 1);
}

Row row_of(const ClipContact& c, const ContactColumns& all, double scale) {
  Row row = {};
  for (std::size_t k = 0; k < 3; ++k)
    row[k] =
        all.quantum[k] > 0
            ? static_cast<std::uint16_t>(std::lround((c.point[k] - all.lo[k]) / all.quantum[k]))
            : std::uint16_t{0};
  const auto [u, v] = octahedral(c.normal);
  row[3] = rounded(u, normal_steps);
  row[4] = rounded(v, normal_steps);
  for (std::size_t k = 0; k < 3; ++k) row[5 + k] = rounded(c.force[k] / scale, force_steps);
  return row;
}

bool same_bodies(const ClipContact& a, const ClipContact& b) {
  return a.body_a == b.body_a && a.body_b == b.body_b;
}
bool before(const ClipContact& a, const ClipContact& b) {
  return a.body_a < b.body_a || (a.body_a == b.body_a && a.body_b < b.body_b);
}

}  // namespace

ContactColumns contact_columns(std::span<const ClipFrame* const> frames) {
  ContactColumns all;
  find_box(frames, all);
  std::vector<Row> rows, old_rows;
  const std::vector<ClipContact>* old = nullptr;
  for (const ClipFrame* frame : frames) {
    const float scale = scale_of(*frame);
    all.counts.push_back(static_cast<std::uint32_t>(frame->contacts.size()));
    all.force_scale.push_back(scale);
    rows.clear();
    std::size_t j = 0;  // walks through the contacts of the frame before, which are sorted alike
    const ClipContact* previous = nullptr;
    for (const ClipContact& c : frame->contacts) {
      rows.push_back(row_of(c, all, scale));
      while (old && j < old->size() && before((*old)[j], c)) ++j;
      const bool known = old && j < old->size() && same_bodies((*old)[j], c);
      const Row& base = known ? old_rows[j++] : Row{};
      for (std::size_t k = 0; k < base.size(); ++k)
        all.columns[k].push_back(bytes::zigzag(rows.back()[k], base[k]));
      const auto difference = [](std::int32_t now, std::int32_t then) {
        return static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(then);
      };
      all.body_a.push_back(difference(c.body_a, previous ? previous->body_a : 0));
      all.body_b.push_back(difference(c.body_b, previous ? previous->body_b : 0));
      all.flags.push_back(static_cast<std::uint8_t>(
          static_cast<int>(c.mode) + (c.colliding ? 4 : 0) + 8 * static_cast<int>(c.kind)));
      previous = &c;
    }
    std::swap(rows, old_rows);
    old = &frame->contacts;
  }
  return all;
}

}  // namespace cairn::play
