// Springs and dampers as rows with implicit weights: linearly implicit in the schemes of first
// order (E360 to E363), half implicit in the trapezoidal rule (E163). Reads model and poses.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::dynamics {

// How the length of a spring beside joints answers to its impulse, from two solves (E742).
class Response {
 public:
  // Before the first solve: a row of this weight [kg] that acts on a mass, its inverse [1/kg].
  void begin(double weight, double inverse);
  // After a solve: the impulse and the one that the law asks for [N s], and the rate [m/s].
  void update(double impulse, double law, double rate);
  // Share of their difference by which the impulse changes; `soft`: weight in A [kg].
  double share(double soft) const { return (1 + soft * mobility_) / (1 + slope_); }

 private:
  bool solved_ = false;
  double impulse_ = 0, law_ = 0, rate_ = 0;  // of the solve before
  double weight_ = 0, inverse_ = 0;
  double mobility_ = 0;  // rate that an impulse takes away [1/kg]
  double slope_ = 0;     // by which the law falls with the impulse [-]
};

// A row along a stiff spring or damper whose impulse is found from the length at the end of the
// step (E465 to E467). The linearisation of the impulse is base + soft weight (rate - at).
struct SpringFollowing {
  bool on = false;
  double share = 0;      // of the turning in the rate of the damper [-]
  double soft = 1;       // share of the weight in A, one unless rounding forbids [-]
  double base = 0;       // [N s]
  double at = 0;         // [m/s]
  double rate = 0;       // with the last velocities, moving anchors included [m/s]
  double stretch = 0;    // change of the length with them [m]
  double impulse = 0;    // of the solve with them, pulling [N s]
  double drag = 0;       // of the damper in it [N s]
  double law = 0;        // impulse that the law asks for [N s]
  double drag_rate = 0;  // rate of the damper as its law has it [m/s]
  bool beside = false;   // the stretch is that with the joints closed (E740)
  Response response;     // beside joints
};

// A spring along one direction: what it adds to the left-hand side is (elastic + viscous) j^T j,
// with j the row of the velocity along the direction.
struct SpringRow {
  std::array<BodyId, 2> bodies = {BodyId::world, BodyId::world};
  std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};  // of the anchors [m]
  Vec3 direction = Vec3::Zero();                              // [-]
  double rate = 0;     // velocity along the direction, moving anchors included [m/s]
  double damping = 0;  // of the spring [N s/m]
  double elastic = 0;  // implicit stiffness, h^2 times a share of the stiffness [kg]
  double viscous = 0;  // implicit damping, h times a share of the damping [kg]
  // Schemes of first order:
  double stiffness = 0;       // [N/m]
  bool across = false;        // the direction is across the line between the anchors
  double tension = 0;         // force that pulls the ends together at the beginning [N]
  double motion = 0;          // velocity along the direction of prescribed anchors [m/s]
  double inverse = 0;         // of the mass it acts on, that of its two bodies alone [1/kg]
  Vec3 shift = Vec3::Zero();  // of prescribed anchors in the step, second against first [m]
  bool jointed = false;       // a joint holds one of the bodies
  bool held = false;          // a joint of both bodies holds the length: explicit (E741)
  SpringFollowing follow;

  double weight() const { return elastic + viscous; }
};

struct SpringRows {
  std::vector<SpringRow> rows;
  double stiffest = 0;    // largest implicit weight over the mass it acts on [-]
  bool followed = false;  // some row is
  bool closed = false;    // some followed row is beside joints
  // Scratch of find_spring_rows(): h^2 k / m of each body's rows, along springs and across [-].
  std::array<std::vector<double>, 2> sums;
  std::vector<char> jointed;  // scratch: by body

  // Some row has a weight, so that A is not the mass matrix.
  bool implicit() const { return stiffest > 0; }
};

// Rows of all springs at `poses`, time t, for a step of length h (E360, E362).
void find_spring_rows(const Model& model, std::span<const Pose> poses, double t, double h,
                      SpringRows& out);

// Rows across with the tension that their springs have if the bodies end the step with v (E410).
void set_tensions(const Model& model, std::span<const Pose> poses, double h, const VecX& v,
                  SpringRows& out);

// Takes the implicit terms from the rows across. True: they had some.
bool clear_rows_across(SpringRows& out);

// j A^-1 j^T with the masses of the two bodies alone [1/kg].
double inverse_mass(const Model& model, std::span<const Pose> poses, const SpringRow& row);

// row . v of the free bodies.
double spring_rate(const Model& model, std::span<const Pose> poses, const SpringRow& row,
                   const VecX& v);

// Adds the generalised impulse of `push` along the row, which drives its ends apart [N s].
void add_spring_impulse(const Model& model, std::span<const Pose> poses, const SpringRow& row,
                        double push, VecX& f);

// The impulses that the laws of followed rows ask for if the step ends with v (E465). `closed`:
// where v leads with the joints closed, for the rows beside joints (E740); empty: without that.
// `linear`: what was solved is E360. Returns how far the impulses of the linearisation are from
// them, as rates over their rounding [-].
struct FollowingError {
  double tight = 0;  // over the rounding of the rates themselves
  double loose = 0;  // over that of speeds and lengths
};
FollowingError follow_springs(const Model& model, std::span<const Pose> poses, double h,
                              const VecX& v, std::span<const Pose> closed, bool linear,
                              SpringRows& out);

// Linearises followed rows again at these impulses (E467, E742), `first`: from those of E360.
void linearise_springs(double h, bool first, SpringRows& out);

// Impulse beside those of E360 that a followed row needs for its linearisation, driving its ends
// apart [N s].
double following_push(const SpringRow& row, double h);

// A joint of both bodies holds the length of the spring (E741): a rod between the same points, or
// one that makes the bodies one.
bool is_held(const Model& model, const Spring& spring);

// Work of the rows over a step that ends with the velocities v (E361) [J].
struct SpringWork {
  double passive = 0;   // put in by dampers, <= 0
  double motion = 0;    // put in by prescribed anchors through springs and dampers
  double implicit = 0;  // of the implicit part of the springs on the free bodies
  double stored = 0;    // of prescribed anchors through springs alone, a part of `motion`
};
SpringWork spring_work(const Model& model, std::span<const Pose> poses,
                       std::span<const SpringRow> rows, double h, const VecX& v);

// Energy of one spring, and of all [J].
double spring_energy(const Spring& spring, const std::vector<Pose>& poses);
double spring_energy(const Model& model, const std::vector<Pose>& poses);

}  // namespace cairn::dynamics
