// A scene with the solids of its bodies, and the paths of bodies through a step: what an oracle
// looks at. Reads the scene, states, and of a report only the states at the ends of its parts.
#pragma once

#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "families/oracle/overlap.hpp"

namespace cairn::families {

// Two bodies whose shapes may touch.
struct CollidingPair {
  std::size_t a = 0, b = 0;   // bodies of the model
  std::vector<Vec3> normals;  // of the last search, one for each pair of solids
};

struct World {
  Scene scene;
  std::vector<std::vector<Solid>> solids;  // of each body of the model, in the body frame
  std::vector<double> outer;  // farthest point of its bounded shapes from the centre of mass [m]
  std::vector<CollidingPair> pairs;

  const Model& model() const { return *scene.model; }
  std::size_t body(const std::string& name) const;
  // Pose of the body frame from that of the centre of mass.
  Pose frame(std::size_t body, const Pose& X_WC) const;
  // Of the ball about the centre of mass that is inside all of the body's shapes [m].
  double inner_ball(std::size_t body) const;
};

World make_world(Scene scene);

// The deepest overlap relative to the smaller inner radius (E301), exact above `enough`.
struct Deepest {
  double ratio = 0;  // [-]
  double depth = 0;  // [m]
  double apart = 0;  // a lower bound of the distance [m]; negative: unknown
  std::size_t a = 0, b = 0;
};
Deepest deepest_overlap(World& world, const std::vector<Pose>& X_WC, double enough);
Deepest pair_overlap(World& world, CollidingPair& pair, const Pose& X_WA, const Pose& X_WB,
                     double enough);

// The motion of a centre of mass frame over a step. Between the states of a path it is the chord
// and one rotation, full turns counted.
class Path {
 public:
  struct Node {
    double t = 0;  // [s]
    Pose X_WC;
    Vec3 turn = Vec3::Zero();  // since the node before, in the world [rad]
  };
  std::vector<Node> nodes;           // at least two
  const Body* prescribed = nullptr;  // then its motion counts, not the nodes

  Pose at(double t) const;
  double turned() const;  // total of the angles over the step [rad]
  double length() const;  // of the way of the centre of mass [m]
};
Path path_of(const World& world, std::size_t body, const State& before, const State& after,
             const StepReport& report);

// Velocity of the centre of mass and angular velocity in the world, from the free velocities.
struct Rates {
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
};
Rates rates_of(const Body& body, const Quat& R_WB, const double* v);

}  // namespace cairn::families
