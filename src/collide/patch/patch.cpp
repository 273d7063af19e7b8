#include "collide/patch/patch.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "collide/pairs/convex_chain.hpp"

namespace cairn::collide {
namespace {

constexpr double same_normal = 5e-13;  // 1 - cosine of normals that are one: 1e-6 rad [-]

double cross(double ax, double ay, double bx, double by) {
  return ax * by - ay * bx;
}

// Contacts of other shapes may have another friction, or the same in another direction.
bool same_law(const Model& model, const ContactKey& a, const ContactKey& b) {
  if (a.shape_a == b.shape_a && a.shape_b == b.shape_b) return true;
  const auto pair = [&](const ContactKey& key) {
    return model.pair(model.shapes[index(key.shape_a)].material,
                      model.shapes[index(key.shape_b)].material);
  };
  return pair(a) == pair(b);
}

}  // namespace

bool PatchFilter::same_normals(const Vec3& m, const Vec3& n) {
  return (m - n).squaredNorm() <= 2 * same_normal;
}

void PatchFilter::mark(const Model& model, std::span<const Contact> contacts,
                       std::vector<char>& keep) {
  keep.assign(contacts.size(), 1);
  if (contacts.empty()) return;
  const double size = model.smaller_radius(contacts[0].key.body_a, contacts[0].key.body_b);
  grouped_.assign(contacts.size(), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (grouped_[i]) continue;
    const Contact& first = contacts[i];
    const Tangents t = tangents(first.n_W);
    spots_.clear();
    for (std::size_t j = i; j < contacts.size(); ++j) {
      const Contact& c = contacts[j];
      if (grouped_[j] || !same_law(model, c.key, first.key) || c.friction != first.friction ||
          c.restitution != first.restitution || c.restitution_law != first.restitution_law ||
          !same_normals(c.n_W, first.n_W))
        continue;
      grouped_[j] = 1;
      const Vec3 p = c.p_WC - first.p_WC;
      spots_.push_back({t.t1.dot(p), t.t2.dot(p), c.gap, static_cast<int>(j)});
    }
    if (spots_.size() > 1) filter_group(size, keep);
  }
}

// The hull of the spots, exactly, since their order along x is that of rounding where they lie on a
// line; then corners within the tolerance of the line of their neighbours go.
void PatchFilter::find_corners(double tolerance) {
  convex_chain(spots_, corners_);
  for (std::size_t i = 0, kept = 0; corners_.size() > 2 && kept < corners_.size();) {
    const std::size_t n = corners_.size();
    const Spot &a = corners_[(i + n - 1) % n], &b = corners_[i % n], &c = corners_[(i + 1) % n];
    if (turn(a, b, c) <= tolerance * std::hypot(c.x - a.x, c.y - a.y)) {
      corners_.erase(corners_.begin() + static_cast<std::ptrdiff_t>(i % n));
      kept = 0;
      i %= n;
      if (i == corners_.size()) i = 0;
      continue;
    }
    ++kept;
    ++i;
  }
}

// Is there a convex combination of corners at this place, to the tolerance, whose gap is no larger?
bool PatchFilter::implied(const Spot& p, double length, double gap) const {
  const Spot& o = corners_[0];
  if (corners_.size() == 1) return p.gap >= o.gap - gap;
  for (std::size_t i = 1; i + 1 < std::max<std::size_t>(corners_.size(), 3); ++i) {
    const Spot &a = corners_[i], &b = corners_[std::min(i + 1, corners_.size() - 1)];
    const double area = cross(a.x - o.x, a.y - o.y, b.x - o.x, b.y - o.y);
    double u = 0, v = 0;  // p = o + u (a - o) + v (b - o)
    if (corners_.size() == 2) {
      const double dx = a.x - o.x, dy = a.y - o.y;
      u = ((p.x - o.x) * dx + (p.y - o.y) * dy) / (dx * dx + dy * dy);
    } else {
      u = cross(p.x - o.x, p.y - o.y, b.x - o.x, b.y - o.y) / area;
      v = cross(a.x - o.x, a.y - o.y, p.x - o.x, p.y - o.y) / area;
    }
    const double reach =
        std::max(std::hypot(a.x - o.x, a.y - o.y), std::hypot(b.x - o.x, b.y - o.y));
    const double slack = length / reach;
    if (u < -slack || v < -slack || u + v > 1 + slack) continue;
    return p.gap >= o.gap + u * (a.gap - o.gap) + v * (b.gap - o.gap) - gap;
  }
  return false;
}

void PatchFilter::filter_group(double size, std::vector<char>& keep) {
  const double length = same_place * size, gap = same_gap * size;
  std::sort(spots_.begin(), spots_.end(), [](const Spot& p, const Spot& q) {
    return std::tuple(p.x, p.y, p.contact) < std::tuple(q.x, q.y, q.contact);
  });
  // Of contacts in one place the first by key stands for all, with the least gap among them.
  std::vector<Spot>& s = spots_;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i].contact < 0) continue;
    for (std::size_t j = i + 1; j < s.size() && s[j].x - s[i].x <= length; ++j) {
      if (s[j].contact < 0 || std::abs(s[j].y - s[i].y) > length ||
          std::abs(s[j].gap - s[i].gap) > gap)
        continue;
      keep[static_cast<std::size_t>(std::max(s[i].contact, s[j].contact))] = 0;
      s[i].contact = std::min(s[i].contact, s[j].contact);
      s[j].contact = -1;
    }
  }
  std::erase_if(s, [](const Spot& p) { return p.contact < 0; });
  if (s.size() <= 2) return;
  find_corners(length);
  for (const Spot& p : s) {
    const bool corner = std::any_of(corners_.begin(), corners_.end(),
                                    [&](const Spot& c) { return c.contact == p.contact; });
    if (!corner && implied(p, 4 * length, gap)) keep[static_cast<std::size_t>(p.contact)] = 0;
  }
}

}  // namespace cairn::collide
