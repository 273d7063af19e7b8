// Nonlinear projection of positions onto the joints in the mass metric (E38), with contacts as
// inequalities (E320). Reads and writes poses.
#pragma once

#include "cairn/solver.hpp"
#include "constrain/joints.hpp"
#include "linear/block_lu.hpp"
#include "linear/nonnegative.hpp"

namespace cairn::constrain {

// Largest error of the joints, angles as lengths [m].
double open_error(const Model& model, std::span<const Pose> poses);

// Largest coordinate of the bodies, at least the model's length unit [m]. Positions are rounded to
// 1e-16 of it.
double extent(const Model& model, std::span<const Pose> poses);

// Two material points that a contact holds together (E442).
struct AnchorRows {
  Contact contact;    // its directions and number of rows
  Vec3 p_A, p_B;      // in the frames of the two bodies [m]
  double normal = 0;  // gap along the normal that is left [m]
};

// A coordinate that a motor or dry friction keeps (E764).
struct KeptCoordinate {
  JointId joint{};
  double value = 0;  // [rad], [m]
};

struct ProjectionBuffers {
  // Inputs: projected together with the joints.
  std::vector<AnchorRows> anchors;
  std::vector<KeptCoordinate> coordinates;
  WorkMeter* meter = nullptr;  // of the step (E314)
  linear::BlockLU lu;
  ProblemLayout layout;
  Problem problem;
  std::vector<JointRowTerms> terms;
  struct Touch {
    int constraint;
    std::size_t side;
  };
  std::vector<std::vector<Touch>> on_body;      // joints that hold each body of the problem
  std::vector<linear::BlockLU::Block> inverse;  // of the bodies' mass matrices
  std::vector<int> sizes;
  std::vector<char> late;
  std::vector<double> mu;
  std::vector<Pose> trial;
  VecX zero, v, shift;
  // With contacts.
  linear::NonnegativeProblem contacts;
  struct JointPush {
    int joint;
    double rows[max_rows];
  };
  std::vector<std::vector<JointPush>> coupling;  // of a unit push, per contact: on which joints
  std::vector<std::vector<double>> response;     // of the joints to it; empty: not needed yet

  void book(double work) const {
    if (meter) meter->spent += work;
  }
};

// Largest distance that anchors are apart, along the rows of their contacts [m].
double anchor_error(const AnchorRows& anchor, std::span<const Pose> poses);
double anchor_error(std::span<const AnchorRows> anchors, std::span<const Pose> poses);

// Largest distance of coordinates from their values, angles as lengths [m].
double coordinate_error(const Model& model, std::span<const KeptCoordinate> coordinates,
                        std::span<const Pose> poses);

// A contact whose gap must not become smaller than `least`.
struct GapBound {
  Contact contact;
  double least = 0;  // [m]
};

// Moves the free bodies by the smallest displacement, measured by mass, that closes all joints,
// brings the anchors together and the coordinates to their values. False if the joints are not
// closed to rounding then.
bool project_onto_joints(const Model& model, ProjectionBuffers& buffers, std::vector<Pose>& poses);

// One step of (E320) at these poses, in buffers.shift; the pushes of the contacts are in
// buffers.contacts.x. False if it cannot be found.
bool find_shift(const Model& model, ProjectionBuffers& buffers, std::span<const Pose> poses,
                std::span<const GapBound> bounds);

// The share t of buffers.shift from `poses`, in buffers.trial.
void try_shift(const Model& model, std::span<const Pose> poses, double t, ProjectionBuffers& b);

}  // namespace cairn::constrain
