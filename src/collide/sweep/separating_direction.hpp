// The direction along which two placed shapes are farthest apart, or overlap least. What comes of
// it is judged by support functions (PairPath), so that a poor direction costs sharpness, not
// truth.
#pragma once

#include <vector>

#include "collide/narrowphase.hpp"
#include "collide/ratio/ratio.hpp"
#include "collide/sweep/pair_path.hpp"

namespace cairn::collide {

// Is there a function for the pair, or are both polyhedra of one kind?
bool can_separate(const Solid& a, const Solid& b);

struct Direction {
  Vec3 n = Vec3::UnitZ();  // unit vector from A to B [-]
  double separation = 0;   // PairPath::separation along it [m]
};

// Memory that is reused. The results depend on the arguments alone.
class DirectionFinder {
 public:
  // How hard to look: the faces of polyhedra alone where they separate by `enough`; what is
  // expensive (all pairs of edges, the exact normal of ellipsoid and polyhedron) only where nothing
  // else separates by `least`, which is at most `enough` [m].
  struct Effort {
    double enough = 0, least = 0;
  };
  Direction find(const PairPath& pair, const Moment& at, const Effort& effort);

  // Starts a new pair, or goes on with one at another place.
  void forget() { basis_ = {}; }

 private:
  // An edge of a polyhedron in the frame of A.
  struct Edge {
    Vec3 a, b;   // outward normals of its faces, of B inward ones
    Vec3 pole;   // b x a
    Vec3 point;  // on it [m]
    Vec3 along;  // [m]
  };
  struct Relative;

  void consider(const PairPath& pair, const Moment& at, const Vec3& n);
  void meet_faces(const PairPath& pair, const Moment& at);
  void meet_polyhedra(const PairPath& pair, const Moment& at, const Effort& effort);
  bool meet_ellipsoid(const PairPath& pair, const Moment& at);
  void meet_all_edges(const PairPath& pair, const Moment& at);

  Direction best_;
  RatioBasis basis_;  // where the last search ended; changes no result
  std::vector<ShapeContact> contacts_;
  std::vector<Edge> edges_a_, edges_b_;
  std::vector<Vec3> scaled_;
};

}  // namespace cairn::collide
