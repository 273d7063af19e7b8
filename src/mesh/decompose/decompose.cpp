// Greedy cutting: the worst piece is cut by the plane that leaves the least volume between the
// hulls and the surfaces of what it is cut into. Planes: halves, thirds ... along the axes of the
// file and the principal axes of the piece, and planes at its reflex edges.
#include "mesh/decompose/decompose.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "cairn/polyhedron.hpp"
#include "mesh/decompose/cut.hpp"
#include "mesh/decompose/part_errors.hpp"
#include "mesh/topology.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::mesh {
namespace {

constexpr double snap_share = 1e-9;      // of the size: points this close to a plane lie on it
constexpr double flake_share = 1e-9;     // of the volume: pieces this small are rounding
constexpr double accuracy_share = 0.05;  // of max_distance
constexpr std::size_t many_triangles = 20000;  // fewer planes are tried on larger pieces
constexpr std::size_t most_reflex_edges = 12, most_second_looks = 8;

struct Solid {
  Piece piece;
  double volume = 0;
  std::optional<Polyhedron> hull;  // none: too flat
  double hull_volume = 0;
  bool too_far = false;  // its hull reaches farther than max_distance

  double excess() const { return std::max(0.0, hull_volume - volume); }
};

Solid solid_of(Piece piece) {
  Solid s;
  s.volume = volume_of(piece);
  if (Result<Polyhedron> hull = hull_polyhedron(piece.points)) {
    s.hull_volume = model::mass_properties(*hull, 1).mass;
    s.hull = std::move(*hull);
  }
  s.piece = std::move(piece);
  return s;
}

// Volume between the hulls and the surfaces of what a plane leaves; infinite if it cuts nothing.
double excess_behind(const Solid& s, const Plane& plane, double snap, std::vector<Solid>* left) {
  std::vector<Piece> parts = cut(s.piece, plane, snap);
  if (parts.size() < 2) return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (Piece& part : parts) {
    if (volume_of(part) <= flake_share * s.volume) continue;
    Solid solid = solid_of(std::move(part));
    sum += solid.excess();
    if (left) left->push_back(std::move(solid));
  }
  return sum;
}

// `halves`: only through the middle.
void add_axis_planes(const Solid& s, const Mat3& axes, bool halves, std::vector<Plane>& out) {
  const bool few = s.piece.triangles.size() > many_triangles;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = axes.col(k);
    double lo = std::numeric_limits<double>::infinity(), hi = -lo;
    for (const Vec3& p : s.piece.points) {
      lo = std::min(lo, n.dot(p));
      hi = std::max(hi, n.dot(p));
    }
    for (const double share : {0.5, 0.25, 0.75, 1.0 / 3, 2.0 / 3, 0.125, 0.875}) {
      if (few && share != 0.5 && share != 0.25 && share != 0.75) continue;
      if (halves && share != 0.5) continue;
      out.push_back({n, lo + share * (hi - lo)});
    }
  }
}

// Where the surface turns inwards: the planes of both faces and the one between them.
void add_reflex_planes(const Solid& s, std::vector<Plane>& out) {
  if (s.piece.triangles.size() > many_triangles) return;
  TriangleMesh mesh;
  mesh.points = s.piece.points;
  mesh.triangles = s.piece.triangles;
  const Topology topology = topology_of(mesh);
  struct Reflex {
    double weight;
    Vec3 at, along;
    std::array<Vec3, 2> normals;
  };
  std::vector<Reflex> found;
  for (const Edge& e : topology.edges) {
    if (e.count != 2) continue;
    std::array<Vec3, 2> normals, middles;
    for (std::size_t k = 0; k < 2; ++k) {
      const EdgeUse& use = topology.uses[static_cast<std::size_t>(e.first) + k];
      const auto [a, b, c] = mesh.corners(mesh.triangles[static_cast<std::size_t>(use.triangle)]);
      normals[k] = (b - a).cross(c - a).normalized();
      middles[k] = (a + b + c) / 3;
    }
    const Vec3 at = mesh.point(e.low), along = mesh.point(e.high) - at;
    const double bend = normals[0].cross(normals[1]).norm();
    if (!(normals[0].dot(middles[1] - at) > 0) || !(bend > 1e-6) || !normals[0].allFinite() ||
        !normals[1].allFinite())
      continue;
    found.push_back({bend * along.norm(), at, along.normalized(), normals});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Reflex& a, const Reflex& b) { return a.weight > b.weight; });
  const auto add = [&](const Vec3& n, const Vec3& at) {
    const Plane plane{n, n.dot(at)};
    const bool known = std::any_of(out.begin(), out.end(), [&](const Plane& p) {
      return p.normal.dot(n) > 1 - 1e-9 && std::abs(n.dot(at) - p.offset) <= 1e-9 * at.norm();
    });
    if (!known) out.push_back(plane);
  };
  for (std::size_t i = 0; i < std::min(found.size(), most_reflex_edges); ++i) {
    const Reflex& r = found[i];
    for (const Vec3& n : r.normals) add(n, r.at);
    const Vec3 between = r.along.cross(r.normals[0] + r.normals[1]);
    if (between.norm() > 1e-6) add(between.normalized(), r.at);
  }
}

// Through the middle along the axes of the file and the principal axes of the piece, or at all
// places of add_axis_planes().
std::vector<Plane> axis_planes(const Solid& s, bool halves) {
  std::vector<Plane> planes;
  add_axis_planes(s, Mat3::Identity(), halves, planes);
  TriangleMesh mesh;
  mesh.points = s.piece.points;
  mesh.triangles = s.piece.triangles;
  const Mat3 inertia = mass_of(mesh, 1).inertia;
  if (inertia.allFinite())
    add_axis_planes(s, Eigen::SelfAdjointEigenSolver<Mat3>(inertia).eigenvectors(), halves, planes);
  return planes;
}

// The volume between hulls and surfaces that is left when each part behind the plane is halved as
// well: the first cuts through a ring leave all of it, and the next ones do not.
double excess_behind_two(const Solid& s, const Plane& plane, double snap) {
  std::vector<Solid> parts;
  if (std::isinf(excess_behind(s, plane, snap, &parts)))
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const Solid& part : parts) {
    double least = part.excess();
    if (least > flake_share * s.volume)
      for (const Plane& next : axis_planes(part, true))
        least = std::min(least, excess_behind(part, next, snap, nullptr));
    sum += least;
  }
  return sum;
}

// The plane to cut a piece by: the best one of two levels, among those that are best of one level
// and those through the middle.
std::optional<Plane> best_plane(const Solid& s, double snap) {
  struct Choice {
    Plane plane;
    double one = 0, two = 0;
  };
  std::vector<Choice> choices;
  std::vector<Plane> planes = axis_planes(s, false);
  add_reflex_planes(s, planes);
  for (const Plane& plane : planes)
    choices.push_back({plane, excess_behind(s, plane, snap, nullptr), 0});
  std::stable_sort(choices.begin(), choices.end(),
                   [](const Choice& a, const Choice& b) { return a.one < b.one; });
  if (choices.empty() || std::isinf(choices[0].one)) return std::nullopt;
  if (choices[0].one <= flake_share * s.volume) return choices[0].plane;
  if (choices.size() > most_second_looks) choices.resize(most_second_looks);
  for (const Plane& plane : axis_planes(s, true))
    choices.push_back({plane, std::numeric_limits<double>::infinity(), 0});
  for (Choice& c : choices) c.two = excess_behind_two(s, c.plane, snap);
  return std::min_element(choices.begin(), choices.end(),
                          [](const Choice& a, const Choice& b) {
                            return a.two != b.two ? a.two < b.two : a.one < b.one;
                          })
      ->plane;
}

class Decomposer {
 public:
  Decomposer(const TriangleMesh& mesh, const DecomposeOptions& options)
      : options_(options),
        tree_(mesh),
        size_(bounds_of(mesh.points).diagonal()),
        far_(options.max_distance * size_) {
    Piece whole;
    const std::vector<std::int32_t> ids = first_equal(mesh.points);
    whole.points = mesh.points;
    for (Triangle t : mesh.triangles) {
      for (std::int32_t& k : t) k = ids[static_cast<std::size_t>(k)];
      if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) whole.triangles.push_back(t);
    }
    for (Piece& part : connected_parts(whole)) {
      volume_ += volume_of(part);
      add(std::move(part));
    }
  }

  // The parts, or why there are too many.
  Result<Decomposition> run() {
    while (const std::optional<std::size_t> worst = find_worst()) {
      if (solids_.size() >= static_cast<std::size_t>(options_.max_parts) || !divide(*worst))
        return fail(too_many());
    }
    merge();
    Decomposition out = measured();
    for (const Solid& s : solids_)
      if (s.hull) out.parts.push_back(s.hull->vertices);
    return out;
  }

 private:
  void add(Piece piece) {
    Solid s = solid_of(std::move(piece));
    if (!s.hull || !(s.volume > flake_share * volume_)) return;
    // A hull of the volume of its piece is the piece.
    s.too_far = s.excess() > flake_share * volume_ &&
                distance_out_of(*s.hull, tree_, accuracy_share * far_, far_) > far_;
    solids_.push_back(std::move(s));
  }

  double total_excess() const {
    double sum = 0;
    for (const Solid& s : solids_) sum += s.excess();
    return sum;
  }

  // The piece to be cut next: of those that reach too far, else of all while there is too much
  // volume, the one with most excess.
  std::optional<std::size_t> find_worst() const {
    const bool any_far =
        std::any_of(solids_.begin(), solids_.end(), [](const Solid& s) { return s.too_far; });
    if (!any_far && total_excess() <= options_.max_volume_error * volume_) return std::nullopt;
    std::optional<std::size_t> worst;
    for (std::size_t i = 0; i < solids_.size(); ++i)
      if ((!any_far || solids_[i].too_far) &&
          (!worst || solids_[i].excess() > solids_[*worst].excess()))
        worst = i;
    return worst;
  }

  // False if no plane cuts the piece.
  bool divide(std::size_t i) {
    const Solid s = std::move(solids_[i]);
    solids_.erase(solids_.begin() + static_cast<std::ptrdiff_t>(i));
    const double snap = snap_share * size_;
    const std::optional<Plane> best = best_plane(s, snap);
    if (!best) {
      solids_.push_back(s);
      return false;
    }
    for (Piece& part : cut(s.piece, *best, snap)) add(std::move(part));
    return true;
  }

  // Two parts as one, with what that adds to the volume.
  struct Union {
    std::size_t a = 0, b = 0;
    double added = 0;
    Solid solid;
  };

  std::optional<Union> united(std::size_t a, std::size_t b) const {
    const Solid &x = solids_[a], &y = solids_[b];
    const Bounds p = bounds_of(x.hull->vertices), q = bounds_of(y.hull->vertices);
    const Vec3 gap = (p.lo - q.hi).cwiseMax(q.lo - p.hi);
    if (gap.maxCoeff() > snap_share * size_) return std::nullopt;
    std::vector<Vec3> corners = x.hull->vertices;
    corners.insert(corners.end(), y.hull->vertices.begin(), y.hull->vertices.end());
    Result<Polyhedron> hull = hull_polyhedron(corners);
    if (!hull) return std::nullopt;
    Union both{a, b, 0, {}};
    both.solid.volume = x.volume + y.volume;
    both.solid.hull_volume = model::mass_properties(*hull, 1).mass;
    both.solid.hull = std::move(*hull);
    both.added = both.solid.hull_volume - x.hull_volume - y.hull_volume;
    return both;
  }

  // Joins parts while the limits hold, those first that lose least.
  void merge() {
    std::vector<Union> unions;
    const auto consider = [&](std::size_t a, std::size_t b) {
      std::optional<Union> both = united(a, b);
      if (both && total_excess() + both->added <= options_.max_volume_error * volume_)
        unions.push_back(std::move(*both));
    };
    for (std::size_t a = 0; a < solids_.size(); ++a)
      for (std::size_t b = a + 1; b < solids_.size(); ++b) consider(a, b);
    while (!unions.empty()) {
      const auto best =
          std::min_element(unions.begin(), unions.end(),
                           [](const Union& x, const Union& y) { return x.added < y.added; });
      Union both = std::move(*best);
      unions.erase(best);
      if (total_excess() + both.added > options_.max_volume_error * volume_) return;
      if (both.solid.excess() > flake_share * volume_ &&
          distance_out_of(*both.solid.hull, tree_, accuracy_share * far_, far_) > far_)
        continue;
      // The union takes the place of a, nothing that of b.
      solids_[both.a] = std::move(both.solid);
      solids_[both.b] = {};
      std::erase_if(unions, [&](const Union& u) {
        return u.a == both.a || u.b == both.a || u.a == both.b || u.b == both.b;
      });
      for (std::size_t c = 0; c < solids_.size(); ++c)
        if (c != both.a && solids_[c].hull) consider(std::min(both.a, c), std::max(both.a, c));
    }
  }

  Decomposition measured() const {
    Decomposition out;
    double sum = 0, distance = 0;
    for (const Solid& s : solids_) {
      sum += s.hull_volume;
      if (s.excess() > flake_share * volume_)
        distance = std::max(distance, distance_out_of(*s.hull, tree_, accuracy_share * far_));
    }
    out.volume_error = sum / volume_ - 1;
    out.distance = distance / size_;
    return out;
  }

  Error too_many() const {
    const Decomposition reached = measured();
    Error error;
    error.code = ErrorCode::too_many;
    error.what = "mesh needs more convex parts than allowed to keep the errors";
    error.got =
        fmt::format("with {} parts a volume error of {:.3g} and a distance of {:.3g} of the size",
                    solids_.size(), reached.volume_error, reached.distance);
    error.allowed =
        fmt::format("{} parts, max_volume_error {}, max_distance {}", options_.max_parts,
                    options_.max_volume_error, options_.max_distance);
    error.fix = "raise max_parts, max_volume_error or max_distance, or give groups of convex parts";
    return error;
  }

  DecomposeOptions options_;
  SurfaceTree tree_;
  double size_ = 0, far_ = 0, volume_ = 0;
  std::vector<Solid> solids_;
};

}  // namespace

Result<Decomposition> decompose(const TriangleMesh& mesh, const DecomposeOptions& options) {
  return Decomposer(mesh, options).run();
}

}  // namespace cairn::mesh
