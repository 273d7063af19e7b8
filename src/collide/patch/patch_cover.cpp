#include "collide/patch/patch_cover.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/infinity.hpp"
#include "collide/pairs/convex_chain.hpp"
#include "collide/patch/patch.hpp"

namespace cairn::collide {
namespace {

constexpr double root_half = 0.70710678118654752440;
constexpr double steep = 0.9;  // cosine of the normal's angle with a face above which it is a top

// The plane of the face that is most along d.
PatchCover::Plane face_plane(const Placed& shape, const Vec3& origin, const Vec3& n, const Vec3& x,
                             const Vec3& y, double side) {
  double most = -1;
  std::size_t best = 0;
  const Vec3 d = side * (shape.R_WS.transpose() * n);
  const auto& faces = shape.shape->faces;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const double cosine = d.dot(faces[f].normal);
    if (cosine > most) most = cosine, best = f;
  }
  if (most < steep) return {side * base::infinity, 0, 0};
  // m.(origin + px x + py y + height n) = offset
  const Vec3 m = shape.direction(faces[best].normal);
  const double along = m.dot(n);
  return {(faces[best].offset - m.dot(origin - shape.pose.p)) / along, -m.dot(x) / along,
          -m.dot(y) / along};
}

}  // namespace

void PatchCover::set_plane(const Vec3& n, const Vec3& along, const Vec3& origin) {
  n_ = n;
  origin_ = origin;
  Vec3 x = along - along.dot(n) * n;
  const double size = x.norm();
  if (size > 1e-6 * along.norm())
    x /= size;
  else
    x = tangents(n).t1;
  const Vec3 y = n.cross(x);
  const Vec3 quarter[] = {x, root_half * (x + y), y, root_half * (y - x)};
  for (std::size_t k = 0; k < 4; ++k) {
    d_[k] = quarter[k];
    d_[k + 4] = -quarter[k];
  }
  sides_.clear();
}

PatchCover::Footprint PatchCover::footprint(const Placed& shape) const {
  Footprint f;
  f.reach.fill(-base::infinity);
  f.top = face_plane(shape, origin_, n_, d_[0], d_[2], 1);
  f.bottom = face_plane(shape, origin_, n_, d_[0], d_[2], -1);
  for (const Vec3& v : shape.shape->vertices) {
    const Vec3 p = shape.point(v) - origin_;
    for (std::size_t k = 0; k < 4; ++k) {
      const double s = d_[k].dot(p);
      f.reach[k] = std::max(f.reach[k], s);
      f.reach[k + 4] = std::max(f.reach[k + 4], -s);
    }
  }
  return f;
}

// A side that the two beside it cut off is moved to where they meet.
PatchCover::Region PatchCover::common(const Footprint& a, const Footprint& b) {
  Region least;
  for (std::size_t k = 0; k < directions; ++k) least[k] = std::min(a.reach[k], b.reach[k]);
  Region region = least;
  for (std::size_t k = 0; k < directions; ++k)
    region[k] = std::min(least[k], root_half * (least[(k + 7) % 8] + least[(k + 1) % 8]));
  return region;
}

bool PatchCover::empty(const Region& region) {
  for (std::size_t k = 0; k < directions / 2; ++k)
    if (region[k] + region[k + directions / 2] < 0) return true;
  return false;
}

void PatchCover::set_corners(std::span<const Contact> contacts, double length, double gap) {
  points_.clear();
  corners_.clear();
  sides_.clear();
  gap_ = gap;
  for (const Contact& c : contacts) {
    if (!PatchFilter::same_normals(c.n_W, n_)) continue;
    const Vec3 p = c.p_WC - origin_;
    points_.push_back({d_[0].dot(p), d_[2].dot(p), c.gap});
  }
  if (points_.size() < 3) return;
  std::sort(points_.begin(), points_.end(), [](const Point& p, const Point& q) {
    return std::tuple(p.x, p.y) < std::tuple(q.x, q.y);
  });
  convex_chain(points_, corners_);
  for (std::size_t i = 0; i < corners_.size(); ++i) {
    const Point &a = corners_[i], &b = corners_[(i + 1) % corners_.size()];
    const double size = std::hypot(b.x - a.x, b.y - a.y), nx = (b.y - a.y) / size,
                 ny = (a.x - b.x) / size;
    sides_.push_back({nx, ny, nx * a.x + ny * a.y + length});
  }
  if (corners_.size() >= 3) fit_gaps();
}

// The plane through the gaps of the corners if they have one, else one above them.
void PatchCover::fit_gaps() {
  const Point& o = corners_[0];
  double widest = 0, highest = o.gap;
  for (std::size_t i = 1; i + 1 < corners_.size(); ++i) {
    const Point &a = corners_[i], &b = corners_[i + 1];
    const double ax = a.x - o.x, ay = a.y - o.y, bx = b.x - o.x, by = b.y - o.y;
    const double area = ax * by - ay * bx;
    if (!(area > widest)) continue;
    widest = area;
    gaps_.x = ((a.gap - o.gap) * by - (b.gap - o.gap) * ay) / area;
    gaps_.y = ((b.gap - o.gap) * ax - (a.gap - o.gap) * bx) / area;
    gaps_.height = o.gap - gaps_.x * o.x - gaps_.y * o.y;
  }
  bool flat = widest > 0;
  for (const Point& p : corners_) {
    highest = std::max(highest, p.gap);
    flat = flat && std::abs(gaps_.at(p.x, p.y) - p.gap) <= gap_;
  }
  if (!flat) gaps_ = {highest, 0, 0};
}

bool PatchCover::covers(const Region& region, const Plane& separation) const {
  if (sides_.size() < 3 || empty(region)) return false;
  for (std::size_t k = 0; k < directions; ++k) {
    // Where the sides k and k + 1 meet, in the frame of side k, then in that of d_0 and d_2.
    const double along = region[k], across = region[(k + 1) % 8] / root_half - along;
    const double c[] = {1, root_half, 0, -root_half, -1, -root_half, 0, root_half};
    const double cosine = c[k], sine = c[(k + 6) % 8];
    const double x = cosine * along - sine * across, y = sine * along + cosine * across;
    if (!(separation.at(x, y) >= gaps_.at(x, y) - gap_)) return false;
    for (const Side& side : sides_)
      if (side.nx * x + side.ny * y > side.offset) return false;
  }
  return true;
}

}  // namespace cairn::collide
