// The impulses that the velocities of a solution leave possible (E105): of each constraint a face
// of its law's set, and groups of constraints that share an effect as dense matrices.
#pragma once

#include <array>
#include <vector>

#include "analyse/impulse_view.hpp"
#include "cairn/solution_set.hpp"

namespace cairn::analyse {

using Ray = std::array<double, max_rows>;  // scaled impulse with normal part one

// One constraint's set of scaled impulses.
struct Face {
  enum class Kind : std::uint8_t {
    free,      // all rows
    interval,  // [lo, hi] of a box
    rays,      // sums of nonnegative multiples: polyhedral cones and what slides
    cone,      // exact, three rows
  } kind = Kind::free;
  int constraint = 0;
  int rows = 1;
  int first = 0;  // column of its group
  double lo = 0, hi = 0;
  double mu = 0;
  std::span<const Corner> corners;  // of the law's own section
  std::vector<Ray> rays;
};

// The point of a face next to z, and the derivative of that map.
void project(const Face& face, const double* z, double* p);
void project_derivative(const Face& face, const double* z, double D[max_rows][max_rows]);

// The face of a unilateral constraint that its velocity leaves.
Face unilateral_face(const ImpulseView& view, std::size_t i, Activity& activity);

// Directions that span the face, each a column of `rows` entries.
std::vector<Ray> span_of(const Face& face);

// The best ray of an exact cone against z: the one with the least product, z_n - mu |z_T|.
Ray steepest_ray(double mu, const double* z);

// Faces that share effects. Rows are those of the problem in the order of faces.
struct FaceGroup {
  std::vector<Face> faces;
  std::vector<int> row;  // of the problem, for each column
  Eigen::MatrixXd E;     // effects x columns
  VecX r;                // scaled impulses of the solution, moved into their faces
};

struct ActiveFaces {
  std::vector<Activity> activity;  // of each constraint
  VecX r;                          // all rows, moved into their faces
  std::vector<FaceGroup> groups;   // without those that are open or at a bound
};

// Faces of the laws at the velocities of the view.
Result<ActiveFaces> active_faces(const ImpulseView& view);

// Cones of the laws of all constraints that touch, whatever their slip: directions in which
// impulses may grow without end. Bounded boxes have none.
Result<ActiveFaces> touching_cones(const ImpulseView& view);

// The row space of a group: A = the effects in `rank` coordinates, and directions that change no
// effect, each a combination of directions inside the faces' spans.
struct GroupRank {
  int rows = 0, rank = 0;
  Eigen::MatrixXd A;     // rank x columns, rows of E, full rank on the faces' spans
  Eigen::MatrixXd null;  // columns x (rows - rank)
};
GroupRank group_rank(const FaceGroup& group, double tolerance);

}  // namespace cairn::analyse
