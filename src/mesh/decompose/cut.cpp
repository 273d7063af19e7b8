// Splits triangles, traces the loops in the plane, and fills them: holes are joined to the loop
// around them by bridges, then ears are cut off.
#include "mesh/decompose/cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/union_find.hpp"
#include "mesh/topology.hpp"

namespace cairn::mesh {
namespace {

using Vec2 = Eigen::Vector2d;
using Loop = std::vector<std::int32_t>;

double cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

// Fills the loops of one plane, given in its coordinates.
class Filler {
 public:
  Filler(const std::vector<Vec2>& at, std::vector<Loop> loops) : at_(at) {
    for (Loop& loop : loops) (area(loop) >= 0 ? outer_ : holes_).push_back(std::move(loop));
  }

  std::vector<Triangle> fill() {
    std::vector<std::vector<Loop>> own(outer_.size());
    for (Loop& hole : holes_) {
      const std::size_t around = smallest_around(hole);
      if (around < outer_.size())
        own[around].push_back(std::move(hole));
      else
        fan(hole);  // rounding put it outside of all
    }
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      // Holes far to the right first, so that bridges do not cross holes to come.
      std::sort(own[i].begin(), own[i].end(), [&](const Loop& a, const Loop& b) {
        return p(a[rightmost(a)]).x() > p(b[rightmost(b)]).x();
      });
      Loop polygon = outer_[i];
      for (std::size_t k = 0; k < own[i].size(); ++k) join(polygon, own[i], k);
      cut_ears(polygon);
    }
    return std::move(triangles_);
  }

 private:
  const Vec2& p(std::int32_t i) const { return at_[static_cast<std::size_t>(i)]; }

  double area(const Loop& loop) const {
    double sum = 0;
    for (std::size_t i = 0; i < loop.size(); ++i)
      sum += cross(p(loop[i]) - p(loop[0]), p(loop[(i + 1) % loop.size()]) - p(loop[0]));
    return 0.5 * sum;
  }
  double turn(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return cross(p(b) - p(a), p(c) - p(a));
  }
  std::size_t rightmost(const Loop& loop) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < loop.size(); ++i)
      if (p(loop[i]).x() > p(loop[best]).x()) best = i;
    return best;
  }

  bool contains(const Loop& loop, const Vec2& x) const {
    bool inside = false;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec2 &a = p(loop[i]), &b = p(loop[(i + 1) % loop.size()]);
      if ((a.y() > x.y()) == (b.y() > x.y())) continue;
      if (x.x() < a.x() + (x.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x())) inside = !inside;
    }
    return inside;
  }
  std::size_t smallest_around(const Loop& hole) const {
    std::size_t best = outer_.size();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < outer_.size(); ++i) {
      const double a = area(outer_[i]);
      if (a >= least || a < -area(hole) || !contains(outer_[i], p(hole[0]))) continue;
      least = a;
      best = i;
    }
    return best;
  }

  bool crosses(const Vec2& a, const Vec2& b, const Loop& loop) const {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec2 &c = p(loop[i]), &d = p(loop[(i + 1) % loop.size()]);
      if (c == a || c == b || d == a || d == b) continue;
      const double ca = cross(b - a, c - a), da = cross(b - a, d - a);
      const double ac = cross(d - c, a - c), bc = cross(d - c, b - c);
      if (((ca >= 0) != (da >= 0)) && ((ac >= 0) != (bc >= 0))) return true;
    }
    return false;
  }

  // A bridge from the rightmost corner of the hole to the nearest corner that it can see.
  void join(Loop& polygon, const std::vector<Loop>& holes, std::size_t k) {
    const Loop& hole = holes[k];
    const std::size_t h = rightmost(hole);
    std::vector<std::size_t> order(polygon.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return (p(polygon[a]) - p(hole[h])).squaredNorm() <
             (p(polygon[b]) - p(hole[h])).squaredNorm();
    });
    std::size_t chosen = order[0];
    for (const std::size_t i : order) {
      const Vec2 &a = p(hole[h]), &b = p(polygon[i]);
      bool free = !crosses(a, b, polygon);
      for (std::size_t j = k; j < holes.size() && free; ++j) free = !crosses(a, b, holes[j]);
      if (!free) continue;
      chosen = i;
      break;
    }
    Loop merged(polygon.begin(), polygon.begin() + static_cast<std::ptrdiff_t>(chosen) + 1);
    for (std::size_t i = 0; i <= hole.size(); ++i) merged.push_back(hole[(h + i) % hole.size()]);
    merged.insert(merged.end(), polygon.begin() + static_cast<std::ptrdiff_t>(chosen),
                  polygon.end());
    polygon = std::move(merged);
  }

  bool is_ear(const Loop& rest, std::size_t i) const {
    const std::size_t n = rest.size();
    const std::int32_t a = rest[(i + n - 1) % n], b = rest[i], c = rest[(i + 1) % n];
    if (!(turn(a, b, c) > 0)) return false;
    return std::none_of(rest.begin(), rest.end(), [&](std::int32_t q) {
      if (p(q) == p(a) || p(q) == p(b) || p(q) == p(c)) return false;
      return turn(a, b, q) >= 0 && turn(b, c, q) >= 0 && turn(c, a, q) >= 0;
    });
  }

  void cut_ears(Loop rest) {
    std::size_t i = 0, tried = 0;
    while (rest.size() > 3) {
      const std::size_t n = rest.size();
      i %= n;
      // Without an ear, loops that rounding made touch themselves give up any corner.
      const bool any = tried > n;
      if (!any && !is_ear(rest, i)) {
        ++i;
        ++tried;
        continue;
      }
      triangles_.push_back({rest[(i + n - 1) % n], rest[i], rest[(i + 1) % n]});
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      tried = 0;
    }
    if (rest.size() == 3) triangles_.push_back({rest[0], rest[1], rest[2]});
  }

  void fan(const Loop& loop) {
    for (std::size_t i = 1; i + 1 < loop.size(); ++i)
      triangles_.push_back({loop[0], loop[i], loop[i + 1]});
  }

  const std::vector<Vec2>& at_;
  std::vector<Loop> outer_, holes_;
  std::vector<Triangle> triangles_;
};

class Cutter {
 public:
  Cutter(const Piece& piece, const Plane& plane, double snap) : plane_(plane) {
    above_.points = piece.points;
    height_.reserve(piece.points.size());
    for (const Vec3& x : piece.points) height_.push_back(plane.normal.dot(x) - plane.offset);
    snap_ = snap;
    for (const Triangle& t : piece.triangles) split(t);
    below_.points = above_.points;
    close();
  }

  std::vector<Piece> parts() {
    std::vector<Piece> all = connected_parts(above_);
    for (Piece& part : connected_parts(below_)) all.push_back(std::move(part));
    return all;
  }

 private:
  bool is_above(std::int32_t i) const { return height_[static_cast<std::size_t>(i)] > snap_; }

  // Where the edge meets the plane; one point for both triangles at it.
  std::int32_t cut_point(std::int32_t a, std::int32_t b) {
    if (a > b) std::swap(a, b);
    const auto [known, is_new] = cuts_.try_emplace({a, b}, 0);
    if (!is_new) return known->second;
    const double ha = height_[static_cast<std::size_t>(a)],
                 hb = height_[static_cast<std::size_t>(b)];
    const Vec3 &pa = above_.points[static_cast<std::size_t>(a)],
               &pb = above_.points[static_cast<std::size_t>(b)];
    const double share = std::clamp(ha / (ha - hb), 0.0, 1.0);
    const Vec3 x = std::abs(ha) <= snap_   ? pa
                   : std::abs(hb) <= snap_ ? pb
                                           : Vec3(pa + share * (pb - pa));
    known->second = static_cast<std::int32_t>(above_.points.size());
    above_.points.push_back(x);
    return known->second;
  }

  void split(const Triangle& t) {
    const int count = is_above(t[0]) + is_above(t[1]) + is_above(t[2]);
    if (count == 0 || count == 3) {
      (count == 3 ? above_ : below_).triangles.push_back(t);
      return;
    }
    // The corner that is alone on its side.
    std::size_t k = 0;
    while (is_above(t[k]) != (count == 1)) ++k;
    const std::int32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    const std::int32_t x = cut_point(a, b), y = cut_point(a, c);
    Piece& alone = count == 1 ? above_ : below_;
    Piece& others = count == 1 ? below_ : above_;
    alone.triangles.push_back({a, x, y});
    others.triangles.push_back({x, b, c});
    others.triangles.push_back({x, c, y});
    // Of the cap of the lower part, which faces along the normal.
    if (count == 1)
      next_[x].push_back(y);
    else
      next_[y].push_back(x);
  }

  void close() {
    std::vector<Loop> loops;
    for (auto& [start, ends] : next_)
      while (!ends.empty()) {
        Loop& loop = loops.emplace_back();
        std::int32_t at = start;
        while (true) {
          std::vector<std::int32_t>& from = next_[at];
          if (from.empty()) break;
          loop.push_back(at);
          at = from.back();
          from.pop_back();
        }
        if (loop.size() < 3) loops.pop_back();
      }
    if (loops.empty()) return;
    Vec3 u = plane_.normal.unitOrthogonal();
    const Vec3 v = plane_.normal.cross(u);
    std::vector<Vec2> at;
    at.reserve(above_.points.size());
    for (const Vec3& x : above_.points) at.emplace_back(u.dot(x), v.dot(x));
    for (const Triangle& t : Filler(at, std::move(loops)).fill()) {
      below_.triangles.push_back(t);
      above_.triangles.push_back({t[0], t[2], t[1]});
    }
  }

  const Plane& plane_;
  double snap_ = 0;
  std::vector<double> height_;
  Piece above_, below_;  // above_.points are those of both
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> cuts_;
  std::map<std::int32_t, std::vector<std::int32_t>> next_;
};

}  // namespace

double volume_of(const Piece& piece) {
  if (piece.points.empty()) return 0;
  double six = 0;
  const Vec3 o = piece.points[0];
  for (const Triangle& t : piece.triangles) {
    const Vec3 a = piece.points[static_cast<std::size_t>(t[0])] - o,
               b = piece.points[static_cast<std::size_t>(t[1])] - o,
               c = piece.points[static_cast<std::size_t>(t[2])] - o;
    six += a.dot(b.cross(c));
  }
  return six / 6;
}

std::vector<Piece> connected_parts(const Piece& piece) {
  base::UnionFind groups;
  groups.reset(piece.points.size());
  for (const Triangle& t : piece.triangles) {
    groups.join(t[0], t[1]);
    groups.join(t[0], t[2]);
  }
  std::vector<std::int32_t> part_of(piece.points.size(), -1), number(piece.points.size(), -1);
  std::vector<Piece> parts;
  for (const Triangle& t : piece.triangles) {
    std::int32_t& part = part_of[static_cast<std::size_t>(groups.root(t[0]))];
    if (part < 0) {
      part = static_cast<std::int32_t>(parts.size());
      parts.emplace_back();
    }
    Piece& own = parts[static_cast<std::size_t>(part)];
    Triangle renumbered{};
    for (std::size_t k = 0; k < 3; ++k) {
      std::int32_t& n = number[static_cast<std::size_t>(t[k])];
      if (n < 0) {
        n = static_cast<std::int32_t>(own.points.size());
        own.points.push_back(piece.points[static_cast<std::size_t>(t[k])]);
      }
      renumbered[k] = n;
    }
    own.triangles.push_back(renumbered);
  }
  // Cavities go to the part around them.
  std::vector<Piece> solid, cavities;
  for (Piece& part : parts) (volume_of(part) < 0 ? cavities : solid).push_back(std::move(part));
  for (const Piece& cavity : cavities) {
    std::size_t around = 0;
    for (std::size_t i = 0; i < solid.size() && solid.size() > 1; ++i) {
      TriangleMesh shell;
      shell.points = solid[i].points;
      shell.triangles = solid[i].triangles;
      Topology whole;
      whole.component.assign(shell.triangles.size(), 0);
      if (winding(shell, whole, 0, cavity.points[0]) > 0.5) around = i;
    }
    if (solid.empty()) continue;  // nothing but rounding
    Piece& owner = solid[around];
    const auto first = static_cast<std::int32_t>(owner.points.size());
    owner.points.insert(owner.points.end(), cavity.points.begin(), cavity.points.end());
    for (Triangle t : cavity.triangles) {
      for (std::int32_t& k : t) k += first;
      owner.triangles.push_back(t);
    }
  }
  return solid;
}

std::vector<Piece> cut(const Piece& piece, const Plane& plane, double snap) {
  return Cutter(piece, plane, snap).parts();
}

}  // namespace cairn::mesh
