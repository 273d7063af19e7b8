#include "scheme/common/contact_projection.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "constrain/projection.hpp"
#include "dynamics/kinematics.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_projections = 40;
constexpr double work_of_overlaps = 100;  // a body, in products of 6 x 6 blocks (E314)
constexpr double enough_overlap =
    1e-14;  // overlap that is left, relative to the size of positions [-]

// min |d|_M such that the linearised gaps are not negative, as a problem whose velocities are the
// displacements of a step of one second from rest. Pairs that the push may bring together are in
// it: those nearer than the deepest overlap of both bodies.
void fill_problem(const Model& model, std::span<const Pose> poses, double deepest,
                  bool close_joints, ActiveSetBuffers& active, ContactProjectionBuffers& b) {
  b.zero.setZero(model.velocities);
  constrain::assemble_bodies(model, b.zero, 1, b.layout, b.problem);
  b.terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, poses, poses, b.layout, static_cast<JointId>(i),
                         close_joints ? 1 : 0, 1, b.problem, b.terms);
  active.reach.assign(model.bodies.size(), collide::Reach{deepest, 0});
  active.finder.find(model, poses, poses, active.reach, {}, active.at_end);
  for (Contact& c : active.at_end) {
    c.friction = 0;
    constrain::orient(model, poses, c);
    if (c.rows > 0)
      constrain::add_contact(model, poses, b.layout, c, 0, Vec3(c.gap, 0, 0), b.problem);
  }
}

}  // namespace

ContactProjection project_out_of_overlaps(const Model& model, const SolverOptions& solver,
                                          bool close_joints, ActiveSetBuffers& active,
                                          ContactProjectionBuffers& b, std::vector<Pose>& poses) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  double size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  auto fault = [&](double deepest) {
    return close_joints ? std::max(deepest, constrain::open_error(model, poses)) : deepest;
  };
  double deepest = find_overlaps(model, poses, active), least = fault(deepest);
  b.best = poses;
  ContactProjection result, here;  // up to the best iterate, up to this one
  // An iterate may be worse than the one before, where a push reaches bodies that were far: the
  // best one counts.
  const auto spent = [&] { return b.meter && b.meter->exhausted(); };
  while (deepest > enough_overlap * size && here.solves < max_projections &&
         !(here.solves > 0 && spent())) {
    if (b.meter) b.meter->spent += work_of_overlaps * static_cast<double>(1 + model.bodies.size());
    ++here.solves;
    fill_problem(model, poses, deepest, close_joints, active, b);
    b.solution.lambda.setZero(b.problem.rows());
    solver::solve_unguarded(b.problem, solver, b.solver, b.solution);
    here.uncertified += b.solution.status == SolveStatus::solved ? 0 : 1;
    if (!(b.solution.certificate.worst <= here.certificate))
      here.certificate = b.solution.certificate.worst;
    if (!b.solution.v.allFinite()) break;
    constrain::to_model_velocities(model, b.problem, b.solution.v, b.shift);
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& body = model.bodies[i];
      if (body.velocities > 0)
        poses[i] = dynamics::advanced(body, poses[i], b.shift.data() + body.first_velocity, 1);
    }
    deepest = find_overlaps(model, poses, active);
    if (fault(deepest) >= least) continue;
    least = fault(deepest);
    b.best = poses;
    result = here;
  }
  poses = b.best;
  if (deepest > enough_overlap * size) return here;  // what failed on the way is why
  result.solves = here.solves;
  return result;
}

}  // namespace cairn::scheme
