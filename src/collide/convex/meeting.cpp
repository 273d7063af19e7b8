#include "collide/convex/meeting.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/infinity.hpp"
#include "cairn/check.hpp"

namespace cairn::collide {
namespace {

constexpr int most_strides = 64;         // of the search for closest points
constexpr double searched_apart = 1e-9;  // of the size: the search for them ends [-]
constexpr double counts_as_touching =
    1e-5;  // of the size: closer than this counts as counts_as_touching [-]
constexpr double hardly_touching = 1e-13;  // of the size: the least distance that is one [-]
constexpr double hardly_apart = 1e-7;      // of the size: overlaps that may be none [-]
constexpr double searched_deep = 1e-11;    // of the size: the search for the depth ends [-]
constexpr double search_rounding = 1e-14;  // of the size [-]
constexpr int most_rounds = 16;            // of features that are taken in and left out
constexpr double far_outside = 4;          // weights
constexpr int most_newton = 40;            // steps

// A point of B - A.
struct Difference {
  Vec3 x = Vec3::Zero();
  int a = 0, b = 0;  // pieces
  Vec3 p_a = Vec3::Zero(), p_b = Vec3::Zero();
};

// Up to three of them with the weights of a point of their hull.
struct PointSet {
  std::array<Difference, 4> points;
  std::array<double, 4> weights = {1, 0, 0, 0};
  int count = 0;
};

// Point of the hull of the points next to the origin; leaves those that carry it. True: the origin
// is inside a tetrahedron.
Vec3 nearest_on_segment(PointSet& f) {
  const Vec3 e = f.points[1].x - f.points[0].x;
  const double t = -f.points[0].x.dot(e), length = e.squaredNorm();
  if (!(t > 0) || !(length > 0)) {
    f.count = 1;
    f.weights[0] = 1;
    return f.points[0].x;
  }
  if (t >= length) {
    f.points[0] = f.points[1];
    f.count = 1;
    f.weights[0] = 1;
    return f.points[0].x;
  }
  f.weights = {1 - t / length, t / length, 0, 0};
  return f.points[0].x + (t / length) * e;
}

Vec3 nearest_on_triangle(PointSet& f) {
  const Vec3 &a = f.points[0].x, &b = f.points[1].x, &c = f.points[2].x;
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  const double u = n.dot(b.cross(c)), v = n.dot(c.cross(a)), w = n.dot(a.cross(b));
  if (area > 0 && u > 0 && v > 0 && w > 0) {
    const double sum = u + v + w;
    f.weights = {u / sum, v / sum, w / sum, 0};
    return (n.dot(a) / area) * n;
  }
  PointSet best;
  Vec3 nearest = Vec3::Zero();
  double least = base::infinity;
  for (const auto& [i, k] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 0)}) {
    PointSet edge;
    edge.count = 2;
    edge.points[0] = f.points[static_cast<std::size_t>(i)];
    edge.points[1] = f.points[static_cast<std::size_t>(k)];
    const Vec3 x = nearest_on_segment(edge);
    if (x.squaredNorm() < least) least = x.squaredNorm(), nearest = x, best = edge;
  }
  f = best;
  return nearest;
}

bool nearest_in_tetrahedron(PointSet& f, Vec3& nearest) {
  PointSet best;
  double least = base::infinity;
  bool inside = true;
  for (int left_out = 0; left_out < 4; ++left_out) {
    PointSet side;
    for (int i = 0; i < 4; ++i)
      if (i != left_out)
        side.points[static_cast<std::size_t>(side.count++)] = f.points[static_cast<std::size_t>(i)];
    const Vec3& a = side.points[0].x;
    const Vec3 n = (side.points[1].x - a).cross(side.points[2].x - a);
    const double of_fourth = n.dot(f.points[static_cast<std::size_t>(left_out)].x - a),
                 of_origin = -n.dot(a);
    if (of_fourth * of_origin > 0) continue;  // the origin is on the inner side
    inside = false;
    const Vec3 x = nearest_on_triangle(side);
    if (x.squaredNorm() < least) least = x.squaredNorm(), nearest = x, best = side;
  }
  if (inside) return true;
  f = best;
  return false;
}

// Pieces of one shape that meet, with their weights.
struct Active {
  std::array<int, 2> piece = {-1, -1};
  std::array<double, 2> weight = {1, 0};
  int count = 0;
  bool more = false;  // there were more than two

  void add(int p, double w) {
    for (int i = 0; i < count; ++i)
      if (piece[static_cast<std::size_t>(i)] == p) {
        weight[static_cast<std::size_t>(i)] += w;
        return;
      }
    if (count == 2) {
      more = true;
      return;
    }
    piece[static_cast<std::size_t>(count)] = p;
    weight[static_cast<std::size_t>(count++)] = w;
  }
  void drop(int i) {
    if (i == 0) std::swap(piece[0], piece[1]), std::swap(weight[0], weight[1]);
    piece[1] = -1;
    weight = {1, 0};
    count = 1;
  }
  void normalize() {
    const double sum = weight[0] + (count > 1 ? weight[1] : 0);
    for (double& w : weight) w /= sum;
    if (count < 2) weight = {1, 0};
  }
  std::size_t lighter() const { return weight[0] <= weight[1] ? 0 : 1; }
};

class MeetingSearch {
 public:
  MeetingSearch(const Convex& a, const Convex& b)
      : a_(a), b_(b), size_((b.origin - a.origin).norm() + a.outer + b.outer) {}

  Meeting run() {
    const bool apart = closest(counts_as_touching);
    if (!apart) deepest();
    flat_normals();
    refine();
    if (!apart && best_ > -hardly_apart * size_) look_apart();
    return finished();
  }

 private:
  // The search for the depth is no answer for shapes that are apart, by however little.
  void look_apart() {
    const Result before = found_;
    const PointSet face = face_;
    const double best = best_;
    const Vec3 n = n_;
    best_ = -base::infinity;
    found_ = {};
    if (closest(hardly_touching)) {
      flat_normals();
      refine();
      if (best_ > best) return;
    }
    found_ = before;
    face_ = face;
    best_ = best;
    n_ = n;
  }

  Difference difference(const Vec3& n) const {
    const Support s = support(a_, n), t = support(b_, -n);
    return {t.point - s.point, s.piece, t.piece, s.point, t.point};
  }
  double separation(const Vec3& n) const {
    return -(support(a_, n).height + support(b_, -n).height);
  }

  // Largest g so far.
  enum class Flat { none, a, b };
  void consider(const Vec3& n, Flat flat) {
    const double g = separation(n);
    if (g + search_rounding * size_ > best_) best_ = g, n_ = n, found_.flat = flat;
  }

  // False: they overlap or touch.
  bool closest(double least) {
    Vec3 v = b_.origin - a_.origin;
    if (!(v.norm() > 0)) v = Vec3::UnitX();
    face_.points[0] = difference(v.normalized());
    face_.count = 1;
    face_.weights = {1, 0, 0, 0};
    v = face_.points[0].x;
    for (int i = 0; i < most_strides; ++i) {
      const double length = v.norm();
      if (!(length > least * size_)) return false;
      const Vec3 n = v / length;
      const Difference next = difference(n);
      const double low = n.dot(next.x);
      if (low > best_) best_ = low, n_ = n;
      if (length - low <= std::min(searched_apart * size_, 1e-3 * length)) break;
      face_.points[static_cast<std::size_t>(face_.count++)] = next;
      Vec3 nearest = Vec3::Zero();
      if (face_.count == 2) {
        nearest = nearest_on_segment(face_);
      } else if (face_.count == 3) {
        nearest = nearest_on_triangle(face_);
      } else if (nearest_in_tetrahedron(face_, nearest)) {
        return false;
      }
      if (!(nearest.squaredNorm() < v.squaredNorm())) break;
      v = nearest;
    }
    return best_ > 0;
  }

  struct Triangle {
    std::array<int, 3> corners{};
    Vec3 m = Vec3::Zero();  // outward normal [-]
    double offset = 0;      // [m]
  };
  static constexpr std::size_t most_corners = 160, most_triangles = 512;

  Triangle triangle(int i, int k, int l) const {
    const auto at = [&](int j) -> const Vec3& { return corners_[static_cast<std::size_t>(j)].x; };
    Triangle t{{i, k, l}, (at(k) - at(i)).cross(at(l) - at(i)), base::infinity};
    const double area = t.m.norm();
    if (area > 1e-30 * size_ * size_) {
      t.m /= area;
      t.offset = t.m.dot(at(i));
    }
    return t;
  }

  // A tetrahedron inside B - A, as fat as its widths along four directions allow.
  void start_polytope() {
    const auto farther = [&](const Vec3& n, const Vec3& from) {
      const Difference p = difference(n), q = difference(-n);
      return std::abs(n.dot(p.x - from)) >= std::abs(n.dot(q.x - from)) ? p : q;
    };
    corner_count_ = 4;
    corners_[0] = difference(a_.R.col(0));
    corners_[1] = difference(-a_.R.col(0));
    const Vec3 e = (corners_[1].x - corners_[0].x).normalized();
    corners_[2] = farther(tangents(e).t1, corners_[0].x);
    const Vec3 n = e.cross(corners_[2].x - corners_[0].x).normalized();
    corners_[3] = farther(n, corners_[0].x);
    if (n.dot(corners_[3].x - corners_[0].x) > 0) std::swap(corners_[0], corners_[1]);
    triangles_[0] = triangle(0, 1, 2);
    triangles_[1] = triangle(0, 3, 1);
    triangles_[2] = triangle(1, 3, 2);
    triangles_[3] = triangle(2, 3, 0);
    triangle_count_ = 4;
  }

  // Replaces what the new corner sees. False: there is no room, or search_rounding decides.
  bool grow(const Difference& next) {
    if (corner_count_ == most_corners) return false;
    const int added = static_cast<int>(corner_count_);
    std::array<std::pair<int, int>, 3 * most_triangles> rim;
    std::size_t rims = 0;
    std::size_t kept = 0;
    const std::size_t before = triangle_count_;
    for (std::size_t t = 0; t < before; ++t) {
      const Triangle& face = triangles_[t];
      if (!(face.m.dot(next.x) > face.offset + search_rounding * size_) &&
          face.offset < base::infinity) {
        triangles_[kept++] = face;
        continue;
      }
      for (int k = 0; k < 3; ++k) {
        const std::pair edge(face.corners[static_cast<std::size_t>(k)],
                             face.corners[static_cast<std::size_t>((k + 1) % 3)]);
        const auto end = rim.begin() + static_cast<std::ptrdiff_t>(rims);
        const auto twin = std::find(rim.begin(), end, std::pair(edge.second, edge.first));
        if (twin != end)
          *twin = rim[--rims];
        else
          rim[rims++] = edge;
      }
    }
    if (kept == before || kept + rims > most_triangles) return false;
    corners_[corner_count_++] = next;
    triangle_count_ = kept;
    for (std::size_t i = 0; i < rims; ++i)
      triangles_[triangle_count_++] = triangle(rim[i].first, rim[i].second, added);
    return true;
  }

  // The face of B - A closest to the origin from inside. Signed offsets: where the origin is just
  // outside, it is the one that it is least far from.
  void deepest() {
    best_ = -base::infinity;
    start_polytope();
    const Triangle* least = nullptr;
    for (std::size_t round = 0; round < most_corners; ++round) {
      least = &*std::min_element(
          triangles_.begin(), triangles_.begin() + static_cast<std::ptrdiff_t>(triangle_count_),
          [](const Triangle& x, const Triangle& y) { return x.offset < y.offset; });
      const Vec3 n = -least->m;
      const Difference next = difference(n);
      const double g = n.dot(next.x);
      if (g > best_) best_ = g, n_ = n;
      if (-least->offset - g <= searched_deep * size_) break;
      if (!grow(next)) break;
    }
    least = &*std::min_element(
        triangles_.begin(), triangles_.begin() + static_cast<std::ptrdiff_t>(triangle_count_),
        [](const Triangle& x, const Triangle& y) { return x.offset < y.offset; });
    face_.count = 3;
    const Vec3 foot = least->offset * least->m;
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      face_.points[i] = corners_[static_cast<std::size_t>(least->corners[i])];
      const Vec3 &p = corners_[static_cast<std::size_t>(least->corners[(i + 1) % 3])].x,
                 &q = corners_[static_cast<std::size_t>(least->corners[(i + 2) % 3])].x;
      const double weight = least->m.dot((p - foot).cross(q - foot));
      face_.weights[i] = std::max(0.0, weight);
      sum += face_.weights[i];
    }
    for (std::size_t i = 0; i < 3; ++i)
      face_.weights[i] = sum > 0 ? face_.weights[i] / sum : 1.0 / 3;
  }

  // Normals of ends and of faces near the best one: exact where they are the answer.
  void flat_normals() {
    const Vec3 near = n_;
    for (const auto& [shape, sign] : {std::pair(&a_, 1.0), std::pair(&b_, -1.0)}) {
      const Flat side = sign > 0 ? Flat::a : Flat::b;
      if (shape->kind == Convex::Kind::circles) {
        if (shape->frustum->radius > 0) consider(-sign * shape->u, side);
        if (shape->frustum->top_radius > 0) consider(sign * shape->u, side);
      } else if (shape->kind == Convex::Kind::corners) {
        const Vec3 near_S = sign * (shape->R.transpose() * near);
        for (const Polyhedron::Face& f : shape->polyhedron->faces)
          if (f.normal.dot(near_S) > 0.9) consider(sign * (shape->R * f.normal), side);
      }
    }
  }

  using System = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using Unknowns = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

  // Newton's method on b - a = g n, |n| = 1 and equal heights of the pieces of each shape (E902),
  // lengths over the size.
  enum class Newton { converged, pulls, fails };
  Newton newton(Active& a, Active& b, Vec3& n, double& g) const {
    const int extra_a = a.count - 1, extra_b = b.count - 1, rows = 4 + extra_a + extra_b;
    double last = base::infinity;
    for (int step = 0; step < most_newton; ++step) {
      std::array<Vec3, 2> pa, pb;
      Mat3 K = Mat3::Zero();
      Vec3 x = Vec3::Zero();
      for (std::size_t i = 0; i < static_cast<std::size_t>(a.count); ++i) {
        pa[i] = piece_point(a_, a.piece[i], n) / size_;
        x -= a.weight[i] * pa[i];
        K += a.weight[i] / size_ * piece_curvature(a_, a.piece[i], n);
      }
      for (std::size_t i = 0; i < static_cast<std::size_t>(b.count); ++i) {
        pb[i] = piece_point(b_, b.piece[i], -n) / size_;
        x += b.weight[i] * pb[i];
        K += b.weight[i] / size_ * piece_curvature(b_, b.piece[i], -n);
      }
      System J = System::Zero(rows, rows);
      Unknowns f = Unknowns::Zero(rows);
      f.head<3>() = x - g * n;
      f[3] = 0.5 * (n.squaredNorm() - 1);
      J.topLeftCorner<3, 3>() = -K - g * Mat3::Identity();
      J.block<3, 1>(0, 3) = -n;
      J.block<1, 3>(3, 0) = n.transpose();
      int at = 4;
      if (extra_a > 0) {
        const Vec3 e = pa[1] - pa[0];
        J.block<3, 1>(0, at) = -e;
        J.block<1, 3>(at, 0) = e.transpose();
        f[at++] = n.dot(e);
      }
      if (extra_b > 0) {
        const Vec3 e = pb[1] - pb[0];
        J.block<3, 1>(0, at) = e;
        J.block<1, 3>(at, 0) = e.transpose();
        f[at++] = n.dot(e);
      }
      const double error = f.norm();
      if (!std::isfinite(error)) return Newton::fails;
      if (error <= 4e-16 || (error <= 1e-13 && error >= 0.5 * last)) return Newton::converged;
      last = error;
      Eigen::CompleteOrthogonalDecomposition<System> solve(rows, rows);
      solve.setThreshold(1e-12);
      solve.compute(J);
      Unknowns d = solve.solve(-f);
      const double turn = d.head<3>().norm();
      if (turn > 0.5) d *= 0.5 / turn;
      n += d.head<3>();
      g += d[3];
      at = 4;
      if (extra_a > 0) a.weight[1] += d[at], a.weight[0] -= d[at], ++at;
      if (extra_b > 0) b.weight[1] += d[at], b.weight[0] -= d[at];
      // Lines that are all but parallel cross far away.
      if (std::min(a.weight[a.lighter()], b.weight[b.lighter()]) < -far_outside)
        return Newton::pulls;
    }
    return last <= 1e-12 ? Newton::converged : Newton::fails;
  }

  // Features in, features out, until those that meet bear the answer.
  void refine() {
    Active a, b;
    start_pieces(a, b);
    if (refine(a, b)) return;
    if (found_.flat != Flat::none) return;
    if (best_ <= 0 && refine_sides(a, b)) return;
    refine_subsets();
  }

  // Where the search ended short of the side of a frustum.
  bool refine_sides(const Active& a, const Active& b) {
    Active side;
    side.add(0, 0.5);
    side.add(1, 0.5);
    const bool of_a = a_.kind == Convex::Kind::circles, of_b = b_.kind == Convex::Kind::circles;
    return (of_a && refine(side, b)) || (of_b && refine(a, side)) ||
           (of_a && of_b && refine(side, side));
  }

  // Every one and two of the pieces that the search ended with.
  void refine_subsets() {
    const auto count = static_cast<std::size_t>(face_.count);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i; j < count; ++j)
        for (std::size_t k = 0; k < count; ++k)
          for (std::size_t l = k; l < count; ++l) {
            Active a, b;
            a.add(face_.points[i].a, 0.5);
            a.add(face_.points[j].a, 0.5);
            b.add(face_.points[k].b, 0.5);
            b.add(face_.points[l].b, 0.5);
            if (refine(a, b)) return;
          }
  }

  void start_pieces(Active& a, Active& b) const {
    for (int i = 0; i < face_.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!(face_.weights[k] > 1e-9)) continue;
      a.add(face_.points[k].a, face_.weights[k]);
      b.add(face_.points[k].b, face_.weights[k]);
    }
    a.normalize();
    b.normalize();
  }

  // False: nothing better.
  bool refine(Active a, Active b, bool first = true) {
    const Vec3 start = found_.flat != Flat::none ? start_normal() : n_;
    Vec3 n = start;
    for (int round = 0; round < most_rounds; ++round) {
      double g = n.dot(weighted(b_, b, -n) - weighted(a_, a, n)) / size_;
      const Newton end = newton(a, b, n, g);
      if (end != Newton::converged)
        return first && a.count == 2 && b.count == 2 && refine_at_ends(a, b);
      n.normalize();
      if (drop_pulling(a) || drop_pulling(b)) continue;
      const double slack = 4 * search_rounding * size_;
      const int more_a = farther_piece(a_, a.piece[0], n, slack),
                more_b = farther_piece(b_, b.piece[0], -n, slack);
      if (more_a < 0 && more_b < 0) {
        const double true_g = separation(n);
        const double better = found_.flat != Flat::none ? best_ + 2 * search_rounding * size_
                                                        : best_ - 2 * search_rounding * size_;
        if (!(true_g > better) || !bears(a, b, n, true_g)) return false;
        best_ = true_g;
        n_ = n;
        found_.flat = Flat::none;
        found_.refined = true;
        found_.a = a;
        found_.b = b;
        return true;
      }
      take_in(a, more_a);
      take_in(b, more_b);
    }
    return false;
  }

  // Lines that are all but parallel are closest at an end of one of them.
  bool refine_at_ends(const Active& a, const Active& b) {
    bool better = false;
    for (const int i : {0, 1}) {
      Active end = a, line = b;
      end.drop(i);
      line.weight = {0.5, 0.5};
      better = refine(end, line, false) || better;
      end = b;
      line = a;
      end.drop(i);
      line.weight = {0.5, 0.5};
      better = refine(line, end, false) || better;
    }
    return better;
  }

  // The direction that the search ended with, apart from faces.
  Vec3 start_normal() const {
    Vec3 x = Vec3::Zero();
    for (int i = 0; i < face_.count; ++i)
      x += face_.weights[static_cast<std::size_t>(i)] * face_.points[static_cast<std::size_t>(i)].x;
    return x.norm() > 1e-6 * size_ && x.dot(n_) > 0 ? Vec3(x.normalized()) : n_;
  }

  // The witness points are g n apart.
  bool bears(const Active& a, const Active& b, const Vec3& n, double g) const {
    return (weighted(b_, b, -n) - weighted(a_, a, n) - g * n).norm() <= 1e-12 * size_;
  }

  static bool drop_pulling(Active& s) {
    if (s.count < 2 || s.weight[s.lighter()] >= -1e-12) return false;
    s.drop(static_cast<int>(s.lighter()));
    return true;
  }
  static void take_in(Active& s, int piece) {
    if (piece < 0) return;
    if (s.count == 2) s.drop(static_cast<int>(s.lighter()));
    s.add(piece, 0);
  }

  static Vec3 weighted(const Convex& shape, const Active& s, const Vec3& n) {
    Vec3 x = Vec3::Zero();
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.count); ++i)
      x += s.weight[i] * piece_point(shape, s.piece[i], n);
    return x;
  }

  Meeting finished() const {
    Meeting m;
    m.n = n_;
    m.flat = found_.flat != Flat::none;
    double gap = separation(n_);
    if (found_.refined) {
      m.a = weighted(a_, found_.a, n_);
      m.b = weighted(b_, found_.b, -n_);
      m.pieces_a = found_.a.piece;
      m.pieces_b = found_.b.piece;
      gap = n_.dot(m.b - m.a);
    } else {
      m.pieces_a[0] = support(a_, n_).piece;
      m.pieces_b[0] = support(b_, -n_).piece;
      if (found_.flat == Flat::b)
        m.a = farthest(a_, n_, true);
      else if (found_.flat == Flat::a)
        m.a = farthest(b_, -n_, false) - gap * n_;
      else
        m.a = middle();
    }
    m.gap = gap - (a_.radius + b_.radius);
    m.a += a_.radius * n_;
    m.b = m.a + m.gap * n_;
    return m;
  }

  // The point of A that the search ended with.
  Vec3 middle() const {
    Vec3 sum = Vec3::Zero();
    double weights = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(face_.count); ++i)
      sum += face_.weights[i] * face_.points[i].p_a, weights += face_.weights[i];
    return sum / weights;
  }

  // Of the pieces that the search ended with, those that are farthest along n, with their weights.
  Vec3 farthest(const Convex& shape, const Vec3& n, bool of_a) const {
    const Support most = support(shape, n);
    Vec3 sum = Vec3::Zero();
    double weights = 0;
    for (int i = 0; i < face_.count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const Vec3 p = piece_point(shape, of_a ? face_.points[k].a : face_.points[k].b, n);
      if (n.dot(p) < most.height - search_rounding * size_) continue;
      sum += face_.weights[k] * p;
      weights += face_.weights[k];
    }
    return weights > 1e-9 ? Vec3(sum / weights) : most.point;
  }

  const Convex &a_, &b_;
  const double size_;
  double best_ = -base::infinity;
  Vec3 n_ = Vec3::UnitZ();
  struct Result {
    Flat flat = Flat::none;
    bool refined = false;
    Active a, b;  // pieces that meet, where it is refined
  };
  Result found_;
  PointSet face_;
  std::array<Difference, most_corners> corners_;
  std::size_t corner_count_ = 0;
  std::array<Triangle, most_triangles> triangles_;
  std::size_t triangle_count_ = 0;
};

}  // namespace

Meeting meet(const Convex& a, const Convex& b) {
  return MeetingSearch(a, b).run();
}

}  // namespace cairn::collide
