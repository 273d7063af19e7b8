// Boxes split at the median; nearest points descend into the nearer box first. The side of a
// surface is decided by the normal of the nearest feature (Baerentzen and Aanaes 2005).
#include "mesh/surface_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mesh/topology.hpp"

namespace cairn::mesh {
namespace {

constexpr std::int32_t leaf_size = 4;

double box_distance(const Vec3& p, const Vec3& lo, const Vec3& hi) {
  return (lo - p).cwiseMax(p - hi).cwiseMax(0).squaredNorm();
}

struct OnTriangle {
  Vec3 point;
  int feature;
};

// Nearest point of a triangle by its Voronoi regions (Ericson 2005, 5.1.5).
OnTriangle nearest_on(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return {a, 1};
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return {b, 2};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + d1 / (d1 - d3) * ab, 4};
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return {c, 3};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + d2 / (d2 - d6) * ac, 6};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
    return {b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b), 5};
  const double sum = va + vb + vc;
  return {a + vb / sum * ab + vc / sum * ac, 0};
}

// Whether the segment p q goes through the triangle, ends on it included.
bool pierces(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto volume = [](const Vec3& u, const Vec3& v, const Vec3& w, const Vec3& x) {
    return (v - u).cross(w - u).dot(x - u);
  };
  const double below = volume(a, b, c, p), above = volume(a, b, c, q);
  if (!((below < 0 && above > 0) || (below > 0 && above < 0))) return false;
  const double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

double angle_between(const Vec3& u, const Vec3& v) {
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

}  // namespace

SurfaceTree::SurfaceTree(const TriangleMesh& mesh) : points_(mesh.points) {
  const Topology topology = topology_of(mesh);
  std::vector<Vec3> middles;
  std::vector<Triangle> all;
  std::vector<std::int32_t> numbers;  // in the mesh
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    Triangle t = mesh.triangles[i];
    for (std::int32_t& k : t) k = topology.ids[static_cast<std::size_t>(k)];
    const auto [a, b, c] = mesh.corners(t);
    if ((b - a).cross(c - a).squaredNorm() == 0) continue;
    all.push_back(t);
    numbers.push_back(static_cast<std::int32_t>(i));
    middles.push_back((a + b + c) / 3);
  }
  source_.resize(all.size());
  std::iota(source_.begin(), source_.end(), 0);  // while the tree is built: numbers in `all`
  triangles_ = all;
  if (!all.empty()) build(0, static_cast<std::int32_t>(all.size()), middles);
  for (std::size_t i = 0; i < all.size(); ++i) {
    triangles_[i] = all[static_cast<std::size_t>(source_[i])];
    source_[i] = numbers[static_cast<std::size_t>(source_[i])];
  }
  // Normals of triangles, corners and sides.
  corner_normals_.assign(points_.size(), Vec3::Zero());
  std::vector<Vec3> by_triangle(mesh.triangles.size(), Vec3::Zero());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto [a, b, c] = mesh.corners(mesh.triangles[i]);
    const Vec3 n = (b - a).cross(c - a);
    if (n.squaredNorm() > 0) by_triangle[i] = n.normalized();
  }
  for (const Triangle& t : triangles_) {
    const Vec3 &a = points_[static_cast<std::size_t>(t[0])],
               &b = points_[static_cast<std::size_t>(t[1])],
               &c = points_[static_cast<std::size_t>(t[2])];
    const Vec3 n = (b - a).cross(c - a).normalized();
    normals_.push_back(n);
    corner_normals_[static_cast<std::size_t>(t[0])] += angle_between(b - a, c - a) * n;
    corner_normals_[static_cast<std::size_t>(t[1])] += angle_between(c - b, a - b) * n;
    corner_normals_[static_cast<std::size_t>(t[2])] += angle_between(a - c, b - c) * n;
  }
  const auto edge_of = [&](std::int32_t p, std::int32_t q) {
    const std::pair key(std::min(p, q), std::max(p, q));
    return std::lower_bound(
        topology.edges.begin(), topology.edges.end(), key,
        [](const Edge& e, const auto& k) { return std::pair(e.low, e.high) < k; });
  };
  for (const Triangle& t : triangles_) {
    std::array<Vec3, 3>& sides = side_normals_.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      sides[k] = Vec3::Zero();
      const auto edge = edge_of(t[k], t[(k + 1) % 3]);
      for (std::int32_t u = 0; u < edge->count; ++u)
        sides[k] += by_triangle[static_cast<std::size_t>(
            topology.uses[static_cast<std::size_t>(edge->first + u)].triangle)];
    }
  }
}

std::int32_t SurfaceTree::build(std::int32_t first, std::int32_t last,
                                const std::vector<Vec3>& middles) {
  const auto self = static_cast<std::int32_t>(nodes_.size());
  Node node{Vec3::Constant(std::numeric_limits<double>::infinity()),
            Vec3::Constant(-std::numeric_limits<double>::infinity()), first, last - first, 0};
  for (std::int32_t i = first; i < last; ++i)
    for (const std::int32_t p :
         triangles_[static_cast<std::size_t>(source_[static_cast<std::size_t>(i)])]) {
      node.lo = node.lo.cwiseMin(points_[static_cast<std::size_t>(p)]);
      node.hi = node.hi.cwiseMax(points_[static_cast<std::size_t>(p)]);
    }
  nodes_.push_back(node);
  if (last - first <= leaf_size) return self;
  Eigen::Index axis = 0;
  (node.hi - node.lo).maxCoeff(&axis);
  const std::int32_t middle = first + (last - first) / 2;
  std::nth_element(source_.begin() + first, source_.begin() + middle, source_.begin() + last,
                   [&](std::int32_t a, std::int32_t b) {
                     const double x = middles[static_cast<std::size_t>(a)][axis],
                                  y = middles[static_cast<std::size_t>(b)][axis];
                     return x != y ? x < y : a < b;
                   });
  build(first, middle, middles);
  const std::int32_t right = build(middle, last, middles);
  nodes_[static_cast<std::size_t>(self)].right = right;
  nodes_[static_cast<std::size_t>(self)].count = 0;
  return self;
}

SurfaceTree::Nearest SurfaceTree::nearest(const Vec3& p) const {
  Nearest best;
  best.squared = std::numeric_limits<double>::infinity();
  std::array<std::int32_t, 128> stack{};
  std::size_t depth = 0;
  stack[depth++] = 0;
  const auto distance_to = [&](std::int32_t n) {
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    return box_distance(p, node.lo, node.hi);
  };
  while (depth > 0) {
    const std::int32_t n = stack[--depth];
    const Node& node = nodes_[static_cast<std::size_t>(n)];
    if (distance_to(n) >= best.squared) continue;
    if (node.count == 0) {
      const bool left_first = distance_to(n + 1) <= distance_to(node.right);
      stack[depth++] = left_first ? node.right : n + 1;
      stack[depth++] = left_first ? n + 1 : node.right;
      continue;
    }
    for (std::int32_t t = node.first; t < node.first + node.count; ++t) {
      const OnTriangle at = nearest_on(p, corner(t, 0), corner(t, 1), corner(t, 2));
      const double squared = (at.point - p).squaredNorm();
      if (squared < best.squared) best = {squared, t, at.feature, at.point};
    }
  }
  return best;
}

double SurfaceTree::distance(const Vec3& p) const {
  return std::sqrt(nearest(p).squared);
}

double SurfaceTree::signed_distance(const Vec3& p) const {
  const Nearest best = nearest(p);
  const auto t = static_cast<std::size_t>(best.triangle);
  Vec3 normal = normals_[t];
  if (best.feature >= 4)
    normal = side_normals_[t][static_cast<std::size_t>(best.feature - 4)];
  else if (best.feature >= 1)
    normal = corner_normals_[static_cast<std::size_t>(
        triangles_[t][static_cast<std::size_t>(best.feature - 1)])];
  const double distance = std::sqrt(best.squared);
  return normal.dot(p - best.point) < 0 ? -distance : distance;
}

double SurfaceTree::distance_of_nearest_triangle(const Vec3& p,
                                                 const std::array<Vec3, 3>& corners) const {
  const std::int32_t t = nearest(p).triangle;
  double most = 0;
  for (const Vec3& c : corners)
    most =
        std::max(most, (nearest_on(c, corner(t, 0), corner(t, 1), corner(t, 2)).point - c).norm());
  return most;
}

std::vector<std::pair<std::int32_t, std::int32_t>> SurfaceTree::crossings(std::size_t most) const {
  std::vector<std::pair<std::int32_t, std::int32_t>> found;
  const auto cross = [&](std::int32_t s, std::int32_t t) {
    const Triangle &x = triangles_[static_cast<std::size_t>(s)],
                   &y = triangles_[static_cast<std::size_t>(t)];
    for (const std::int32_t i : x)
      for (const std::int32_t j : y)
        if (i == j) return false;
    for (int k = 0; k < 3; ++k) {
      const int l = (k + 1) % 3;
      if (pierces(corner(s, k), corner(s, l), corner(t, 0), corner(t, 1), corner(t, 2)) ||
          pierces(corner(t, k), corner(t, l), corner(s, 0), corner(s, 1), corner(s, 2)))
        return true;
    }
    return false;
  };
  std::vector<std::int32_t> stack;
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(triangles_.size()); ++s) {
    const Vec3 lo = corner(s, 0).cwiseMin(corner(s, 1)).cwiseMin(corner(s, 2)),
               hi = corner(s, 0).cwiseMax(corner(s, 1)).cwiseMax(corner(s, 2));
    stack.assign(1, 0);
    while (!stack.empty() && found.size() < most) {
      const std::int32_t n = stack.back();
      stack.pop_back();
      const Node& node = nodes_[static_cast<std::size_t>(n)];
      if ((node.lo.array() > hi.array()).any() || (node.hi.array() < lo.array()).any()) continue;
      if (node.count == 0) {
        stack.push_back(node.right);
        stack.push_back(n + 1);
        continue;
      }
      for (std::int32_t t = std::max(node.first, s + 1); t < node.first + node.count; ++t)
        if (cross(s, t))
          found.emplace_back(source_[static_cast<std::size_t>(s)],
                             source_[static_cast<std::size_t>(t)]);
    }
  }
  return found;
}

}  // namespace cairn::mesh
