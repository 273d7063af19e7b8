// Angular momenta where a projection moves bodies: of each body (E428), and of groups that nothing
// holds (E425, E426). Reads poses and velocities before and after, writes velocities.
#pragma once

#include <span>
#include <vector>

#include "scheme/common/isolated_bodies.hpp"

namespace cairn::scheme {

// Who pays for what the projection did to the energy of a group (E426).
enum class GroupPayment : std::uint8_t { none, gains, both };

// (E428): the spin momentum R I w of every body stays what it was at `poses_from`.
void keep_spins(const Model& model, std::span<const Pose> poses_from,
                std::span<const Pose> poses_to, VecX& v);

class FreeGroups {
 public:
  // From `poses_from` with the velocities `v_from` to `poses_to`: v is changed so that every island
  // of `islands` that nothing holds keeps its momentum and angular momentum. Returns the least
  // factor on velocities within a group. `islands` is after spread(). `work`: of springs, per body,
  // paid for likewise (E642) [J].
  double keep_momentum(const Model& model, IsolatedBodies& islands,
                       std::span<const Pose> poses_from, const VecX& v_from,
                       std::span<const Pose> poses_to, GroupPayment payment, VecX& v,
                       std::span<const double> work = {});

 private:
  // Of an island, at its first body.
  struct Group {
    int bodies = 0;
    bool moved = false, springs = false;
    bool spatial = true, planar = true;  // all bodies move in space; in one plane
    int normal = -1;                     // planar: axis across the plane
    double mass = 0, lift = 0;           // [kg], work against gravity [J]
    double kinetic[2] = {0, 0};          // before and after [J]
    Vec3 origin = Vec3::Zero();  // a place in the group: far from that of the world less is lost
    Vec3 center[2] = {Vec3::Zero(), Vec3::Zero()};  // of mass, from `origin`
    Vec3 velocity = Vec3::Zero();
    Vec3 arm(const Pose& X_WC, std::size_t end) const { return (X_WC.p - origin) - center[end]; }
    Vec3 spin[2] = {Vec3::Zero(), Vec3::Zero()};  // about the centre of mass [N m s]
    Mat3 inertia = Mat3::Zero();                  // after
    Vec3 turn = Vec3::Zero();                     // added to the angular velocities [rad/s]
    Vec3 rate = Vec3::Zero();                     // of the group as one rigid body [rad/s]
    double factor = 1;
  };
  void gather(const Model& model, IsolatedBodies& islands, std::span<const Pose> poses_from,
              std::span<const Pose> poses_to, const VecX& v);
  void add_spins(const Model& model, std::size_t i, std::span<const Pose> poses, std::size_t end,
                 const VecX& v);
  void add_rotation(const Model& model, std::size_t i, const Pose& X_WC, const Vec3& omega,
                    const Vec3& velocity, double sign, VecX& v) const;

  std::vector<Group> groups_;
  std::vector<int> group_of_;  // per body: first body of its group, -1: held or not free
};

}  // namespace cairn::scheme
