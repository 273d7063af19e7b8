// Contacts and joints as rows of a problem (E31, E32), in the problem's units.
#pragma once

#include <span>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/problem.hpp"
#include "cairn/state.hpp"

namespace cairn::constrain {

// Body index of the problem for each body of the model; -1: not free.
struct ProblemLayout {
  std::vector<int> body;
};

// Units, bodies with their mass matrices and k = A v_free.
void assemble_bodies(const Model& model, const VecX& v_free, double h, ProblemLayout& layout,
                     Problem& problem);

// Chooses tangents along which the bodies can move and the number of rows; 0: the bodies cannot
// move along the normal. With anisotropic friction the tangents are its axes, and `friction` and
// `stretch` are those of the place (E244).
void orient(const Model& model, std::span<const Pose> poses, Contact& contact);

// Velocity of the contact point of b relative to a that prescribed motion causes, in the world:
// (x(t+h) - x(t))/h of the material points that are now at the contact [m/s].
Vec3 prescribed_velocity(const Model& model, std::span<const Pose> poses,
                         std::span<const Pose> poses_end, const Contact& contact, double h);

// Appends the rows of a contact; b: constant term along n, t1, t2 in m/s. The row along t2 is that
// direction's velocity times `stretch`, so that the cone is round (E245); b as in the row.
void add_contact(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                 const Contact& contact, int facets, const Vec3& b, Problem& problem);

// One constraint of torsional or rolling friction about a contact.
struct SpinRows {
  std::size_t contact = 0;  // its index among the contacts
  Role role = Role::torsion;
  int rows = 0;
  std::array<Vec3, 2> axis_W;  // of the rows [-]
  std::array<double, 2> motion = {0,
                                  0};  // angular velocity about them by prescribed motion [rad/s]
};

// Angular velocity of b relative to a that prescribed motion causes, in the world [rad/s].
Vec3 prescribed_spin(const Model& model, std::span<const Pose> poses,
                     std::span<const Pose> poses_end, const Contact& contact, double h);

// Appends the rows of torsional or rolling friction, `role`, of a contact (E242), number `contact`
// of those of the problem, tied to constraint `tie`. Axes about which nothing can turn have none.
void add_spin_friction(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                       const Contact& c, Role role, std::size_t contact, int tie,
                       const Vec3& motion, Problem& problem, std::vector<SpinRows>& spins);

// Rows in the problem's units: of direction . (velocity of the point), and of axis . (angular
// velocity), times sign.
void unit_row(const Model& model, const Body& body, const Pose& X_WC, const Vec3& point_W,
              const Vec3& direction_W, double sign, double* row);
void spin_row(const Model& model, const Body& body, const Pose& X_WC, const Vec3& axis_W,
              double sign, double* row);

// v in SI of the free velocities of the model <-> v in the problem's units.
void to_model_velocities(const Model& model, const Problem& problem, const VecX& v, VecX& v_model);
void to_problem_velocities(const Model& model, const Problem& problem, const VecX& v_model,
                           VecX& v);

}  // namespace cairn::constrain
