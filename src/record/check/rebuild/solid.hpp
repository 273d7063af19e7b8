// check, rebuilding problems (E385): a shape where its body is, by its support function and by how
// far a point lies outside. Formulas of the judge, not of the search for contacts.
#pragma once

#include "cairn/model.hpp"

namespace cairn::record {

struct Solid {
  const Geometry& geometry;
  const Polyhedron* polyhedron;  // of boxes, hulls and polygons
  Pose X;                        // in the world

  Solid(const Model& model, ShapeId shape, const std::vector<Pose>& poses);

  bool planar() const { return is_planar(geometry); }
  bool halfspace() const { return std::holds_alternative<Halfspace>(geometry); }
  // Largest distance of a point that counts from the world's origin: what positions round with [m].
  double size() const;
  // How far p lies outside, negative or zero inside [m]. `axis`: of the plane in which a planar
  // pair meets; zero: there is none.
  double outside(const Vec3& p, const Vec3& axis) const;
  // By how much n falls short of the normal cone at p: support height along n minus n.p [m].
  double defect(const Vec3& p, const Vec3& n, const Vec3& axis) const;
  // Radius of a sphere, disc or point; negative: it is none of them [m].
  double round_radius() const;
  Vec3 vertex(int i) const;
  // How far p is from the point of a frustum's lower (0) or upper (1) circle that a contact with
  // the normal n out of it names: 0 the farthest one, 8 to 15 every 45 degrees, else any [m].
  double rim_fault(int end, int point, const Vec3& p, const Vec3& n) const;
  Vec3 cap(int end) const;  // centre of a cap of a capsule, 0 or 1
};

}  // namespace cairn::record
