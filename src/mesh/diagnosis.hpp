// What is wrong with a mesh, counted and located.
#pragma once

#include <string>
#include <vector>

#include "mesh/triangle_mesh.hpp"
#include "model/shape/mass_properties.hpp"

namespace cairn::mesh {

// How often something was found, and where the first ones are.
struct Finding {
  static constexpr std::size_t most_places = 5;

  std::size_t count = 0;
  std::vector<Vec3> places;  // [m]

  void add(const Vec3& place) {
    ++count;
    if (places.size() < most_places) places.push_back(place);
  }
};

struct Diagnosis {
  std::size_t points = 0, triangles = 0, groups = 0;
  std::int32_t components = 0;  // connected by edges
  Bounds box;
  double area = 0;              // [m^2]
  model::MassProperties solid;  // at density 1; of closed meshes

  Finding unused_points;        // that no triangle has as a corner
  Finding duplicate_points;     // with the coordinates of an earlier one
  Finding collapsed_triangles;  // two corners are one point
  Finding flat_triangles;       // three corners on a line, to 2^-40 of the longest side
  Finding open_edges;           // in one triangle
  Finding nonmanifold_edges;    // in more than two triangles
  Finding flipped_edges;        // two triangles run along it in the same sense
  Finding inverted_components;  // closed, turned inside out, and no cavity of another one
  Finding nested_components;    // closed, inside another one without being its cavity
  Finding crossings;            // pairs of triangles that cross; places are middles
  bool crossings_searched = false, crossings_complete = true;

  // Every edge has as many triangles in either sense; mass properties have a meaning.
  bool closed() const {
    return triangles > 0 && open_edges.count + flipped_edges.count == 0 && balanced;
  }
  bool balanced = false;
  bool inverted() const { return closed() && solid.mass < 0; }
  bool sound() const;
  // "12 open edges, 1 inverted component"; empty if it is sound.
  std::string faults() const;
};

enum class Crossings : bool { skip, find };

// Crossings take the longest: some seconds for 10^6 triangles.
Diagnosis diagnose(const TriangleMesh& mesh, Crossings crossings);

// What repair() did.
struct Repairs {
  std::size_t welded_points = 0, dropped_triangles = 0, dropped_points = 0, turned_triangles = 0;
  std::string text() const;  // "welded 3 points, ..."; "nothing to repair"
};

// Points closer than this share of the size are one to repair().
inline constexpr double weld_tolerance = 1e-9;

// Welds points, drops triangles with two equal corners and doubled ones, gives neighbours one sense
// of rotation and the outside the positive sign; cavities stay cavities. Groups are kept.
Repairs repair(TriangleMesh& mesh);

}  // namespace cairn::mesh
