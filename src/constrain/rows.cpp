#include "constrain/rows.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.hpp"
#include "model/conventions.hpp"
#include "model/dof.hpp"

namespace cairn::constrain {
// Angular columns are lengths.
void unit_row(const Model& model, const Body& body, const Pose& X_WC, const Vec3& point_W,
              const Vec3& direction_W, double sign, double* row) {
  CAIRN_DCHECK(body.velocities <= max_velocities, body.velocities);
  CAIRN_DCHECK(sign == 1 || sign == -1, sign);
  CAIRN_DCHECK(base::is_rotation(X_WC.R), body.name);
  dynamics::point_row(body, X_WC, point_W - X_WC.p, direction_W, row);
  const int linear = model::translation_count(body);
  for (int i = 0; i < body.velocities; ++i) row[i] *= i < linear ? sign : sign / model.length_unit;
}

// w times the length unit is the velocity of a point at that distance.
void spin_row(const Model&, const Body& body, const Pose& X_WC, const Vec3& axis_W, double sign,
              double* row) {
  CAIRN_DCHECK(base::is_direction(axis_W) || axis_W.isZero(0), body.name);
  CAIRN_DCHECK(sign == 1 || sign == -1, sign);
  std::fill(row, row + body.velocities, 0.0);
  dynamics::add_generalised_force(body, X_WC, Vec3::Zero(), axis_W, row);
  for (int i = 0; i < body.velocities; ++i) row[i] *= sign;
}

namespace {

void contact_row(const Model& model, const Body& body, const Pose& X_WC, const Contact& c,
                 const Vec3& direction_W, double sign, double* row) {
  CAIRN_DCHECK(c.lever == 0 || c.lever == model.length_unit, c.lever);
  if (c.lever > 0)
    spin_row(model, body, X_WC, direction_W, sign, row);
  else
    unit_row(model, body, X_WC, c.p_WC, direction_W, sign, row);
}

// (E248): t1 is the projection of the polygon's direction. A contact that slips along one line has
// the smaller of the two bounds there.
void align_section(std::span<const Pose> poses, const ContactLaw& pair, Contact& c) {
  CAIRN_DCHECK(pair.direction_of == 0 || pair.direction_of == 1, pair.direction_of);
  CAIRN_DCHECK(c.rows >= 1 && c.rows <= 3, c.rows);
  const BodyId body = pair.direction_of == 0 ? c.key.body_a : c.key.body_b;
  const Vec3 f_W = poses[index(body)].R * pair.friction_direction;
  Vec3 in_plane = f_W - c.n_W.dot(f_W) * c.n_W;
  if (!(in_plane.norm() > 0)) in_plane = c.t1_W;
  in_plane.normalize();
  if (c.rows == 3) {
    c.t1_W = in_plane;
    c.t2_W = c.n_W.cross(c.t1_W);
    return;
  }
  const double x = c.t1_W.dot(in_plane), y = c.t1_W.dot(c.n_W.cross(in_plane));
  double most = 0, least = 0;
  for (const Corner& corner : *pair.section) {
    most = std::max(most, corner[0] * x + corner[1] * y);
    least = std::min(least, corner[0] * x + corner[1] * y);
  }
  c.friction = pair.friction * std::min(most, -least);
}

// (E244): the section of the tangent plane with an ellipsoid whose axis of length mu_1 is the
// direction of the material and whose others have the length mu_2. In it the friction of contacts
// with three rows has its axes; one with two rows feels the support of the ellipse along t1.
void set_friction(const Model& model, std::span<const Pose> poses, Contact& c) {
  const ContactLaw pair = model.pair(model.shapes[index(c.key.shape_a)].material,
                                     model.shapes[index(c.key.shape_b)].material);
  if (!pair.anisotropic()) return;
  c.stretch = 1;
  if (pair.section) return align_section(poses, pair, c);
  const BodyId body = pair.direction_of == 0 ? c.key.body_a : c.key.body_b;
  const Vec3 f_W = poses[index(body)].R * pair.friction_direction;
  const Vec3 in_plane = f_W - c.n_W.dot(f_W) * c.n_W;
  const double cosine = in_plane.norm(), sine = c.n_W.dot(f_W);
  const double mu_1 = pair.friction, mu_2 = pair.friction_across;
  const double along = 1 / std::sqrt(cosine * cosine / (mu_1 * mu_1) + sine * sine / (mu_2 * mu_2));
  if (!(cosine > 0)) {
    c.friction = mu_2;
  } else if (c.rows == 3) {
    c.t1_W = in_plane / cosine;
    c.t2_W = c.n_W.cross(c.t1_W);
    c.friction = along;
    c.stretch = mu_2 / along;
  } else {
    const double share = c.t1_W.dot(in_plane) / cosine;
    const double other = c.t2_W.dot(in_plane) / cosine;
    c.friction = std::sqrt(along * along * share * share + mu_2 * mu_2 * other * other);
  }
}

double mobility(const Model& model, std::span<const Pose> poses, const Contact& c, const Vec3& s,
                const Vec3& t) {
  CAIRN_DCHECK(base::is_direction(s) && base::is_direction(t));
  // s . W t with W = J A^-1 J^T up to the masses' scale: enough to see which directions can move at
  // all.
  double sum = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    double row_s[6], row_t[6];
    contact_row(model, body, poses[index(id)], c, s, 1, row_s);
    contact_row(model, body, poses[index(id)], c, t, 1, row_t);
    for (int i = 0; i < body.velocities; ++i) sum += row_s[i] * row_t[i];
  }
  return sum;
}

// Directions of a plane in which something can move, from its 2 x 2 mobility along t1 and t2: none,
// both, or one, which is left in `along` unless it is t1.
struct PlaneMobility {
  double t1_t1, t1_t2, t2_t2;
};
int moving_directions(const PlaneMobility& m, double small, const Vec3& t1, const Vec3& t2,
                      Vec3& along) {
  CAIRN_DCHECK(m.t1_t1 >= 0 || std::isnan(m.t1_t1), m.t1_t1);
  CAIRN_DCHECK(m.t2_t2 >= 0 || std::isnan(m.t2_t2), m.t2_t2);
  const auto [a, b, d] = m;
  if (a * d - b * b > small * (a + d)) return 2;
  if (a + d <= small) return 0;
  if (d <= small && std::abs(b) <= small) return 1;
  along = (a >= d ? Vec3(a * t1 + b * t2) : Vec3(b * t1 + d * t2)).normalized();
  return 1;
}

}  // namespace

void assemble_bodies(const Model& model, const VecX& v_free, double h, ProblemLayout& layout,
                     Problem& problem) {
  CAIRN_DCHECK(h > 0 && std::isfinite(h), h);
  CAIRN_DCHECK(v_free.size() == model.velocities, v_free.size(), model.velocities);
  CAIRN_DCHECK(base::is_power_of_two(model.mass_unit) && base::is_power_of_two(model.length_unit));
  problem.units = {model.mass_unit, model.length_unit, power_of_two(h)};
  const Units& u = problem.units;
  problem.bodies.clear();
  problem.couplings.clear();
  problem.constraints.clear();
  problem.first_row.assign(1, 0);
  problem.names.clear();
  problem.k.setZero(model.velocities);
  layout.body.assign(model.bodies.size(), -1);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    layout.body[i] = static_cast<int>(problem.bodies.size());
    ProblemBody& b = problem.bodies.emplace_back();
    b.first = body.first_velocity;
    b.size = body.velocities;
    b.model_body = static_cast<std::int32_t>(i);
    dynamics::mass_matrix(body, b.A);
    for (int r = 0; r < b.size; ++r) {
      CAIRN_DCHECK(b.A[r][r] > 0, body.name, r, b.A[r][r]);
      for (int c = 0; c < r; ++c)
        CAIRN_DCHECK(std::abs(b.A[r][c] - b.A[c][r]) <= base::convention_tolerance * b.A[r][r],
                     body.name);
    }
    const int linear = model::translation_count(body);
    for (int r = 0; r < b.size; ++r)
      for (int c = 0; c < b.size; ++c)
        b.A[r][c] /= r < linear ? u.mass : u.mass * u.length * u.length;
    for (int r = 0; r < b.size; ++r)
      for (int c = 0; c < b.size; ++c)
        problem.k[b.first + r] += b.A[r][c] * (c < linear ? v_free[b.first + c] / u.speed()
                                                          : v_free[b.first + c] * u.time);
  }
}

void orient(const Model& model, std::span<const Pose> poses, Contact& c) {
  model::dcheck_contact(model, c);
  // A free body can move along every direction: there is nothing to find out.
  if (model.body(c.key.body_a).velocities == max_velocities ||
      model.body(c.key.body_b).velocities == max_velocities) {
    c.rows = c.friction == 0 ? 1 : 3;
    if (c.rows == 3) set_friction(model, poses, c);
    model::dcheck_contact(model, c);
    return;
  }
  const double w_nn = mobility(model, poses, c, c.n_W, c.n_W);
  if (!(w_nn > 0)) {
    c.rows = 0;
    return;
  }
  if (c.friction == 0) {
    c.rows = 1;
    return;
  }
  // Eigenvectors of the 2 x 2 tangential mobility; a direction without mobility gets no row.
  const double a = mobility(model, poses, c, c.t1_W, c.t1_W),
               b = mobility(model, poses, c, c.t1_W, c.t2_W),
               d = mobility(model, poses, c, c.t2_W, c.t2_W);
  const double small = 1e-14 * (a + d + w_nn);
  Vec3 along = Vec3::Zero();
  c.rows = 1 + moving_directions({a, b, d}, small, c.t1_W, c.t2_W, along);
  if (!along.isZero(0)) {
    c.t1_W = along;
    c.t2_W = c.n_W.cross(along);
  }
  set_friction(model, poses, c);
  model::dcheck_contact(model, c);
}

Vec3 prescribed_velocity(const Model& model, std::span<const Pose> poses,
                         std::span<const Pose> poses_end, const Contact& c, double h) {
  CAIRN_DCHECK(h > 0, h);
  CAIRN_DCHECK(poses.size() == poses_end.size(), poses.size());
  if (c.lever > 0) return c.lever * prescribed_spin(model, poses, poses_end, c, h);
  Vec3 velocity = Vec3::Zero();
  auto moved = [&](BodyId id) {
    const Vec3 p_C = poses[index(id)].inverse() * c.p_WC;
    return Vec3((poses_end[index(id)] * p_C - c.p_WC) / h);
  };
  if (model.body(c.key.body_a).kind == BodyKind::prescribed) velocity -= moved(c.key.body_a);
  if (model.body(c.key.body_b).kind == BodyKind::prescribed) velocity += moved(c.key.body_b);
  return velocity;
}

void add_contact(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                 const Contact& c, int facets, const Vec3& b, Problem& problem) {
  CAIRN_DCHECK(c.rows >= 1 && c.rows <= 3, c.rows);
  CAIRN_DCHECK(facets == 0 || facets >= 3, facets);
  CAIRN_DCHECK(layout.body.size() == model.bodies.size(), layout.body.size());
  CAIRN_DCHECK(problem.first_row.size() == problem.constraints.size() + 1,
               problem.first_row.size());
  model::dcheck_contact(model, c);
  Constraint& row = problem.constraints.emplace_back();
  row.law = c.rows == 1 ? Law::nonnegative : Law::coulomb;
  row.rows = c.rows;
  row.mu = c.rows == 1 ? 0 : c.friction;
  row.facets = c.rows == 3 ? facets : 0;
  if (c.rows == 3) row.section = model.section(c.key);
  if (row.section) row.facets = 0;
  row.key = contact_key(c.key);
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  const std::array<const Vec3*, 3> directions = {&c.n_W, &c.t1_W, &c.t2_W};
  for (std::size_t side = 0; side < 2; ++side) {
    row.body[side] = layout.body[index(ids[side])];
    if (row.body[side] < 0) continue;
    for (int r = 0; r < c.rows; ++r)
      contact_row(model, model.body(ids[side]), poses[index(ids[side])], c,
                  *directions[static_cast<std::size_t>(r)], side == 0 ? -1 : 1, row.J[side][r]);
  }
  if (c.stretch != 1)
    for (auto& J : row.J)
      for (double& x : J[2]) x *= c.stretch;
  for (int r = 0; r < c.rows; ++r) row.b[r] = b[r] / problem.units.speed();
  problem.first_row.push_back(problem.first_row.back() + c.rows);
}

Vec3 prescribed_spin(const Model& model, std::span<const Pose> poses,
                     std::span<const Pose> poses_end, const Contact& c, double h) {
  CAIRN_DCHECK(h > 0, h);
  const auto turned = [&](BodyId id) {
    if (model.body(id).kind != BodyKind::prescribed) return Vec3(Vec3::Zero());
    const Eigen::AngleAxisd turn(poses_end[index(id)].R * poses[index(id)].R.conjugate());
    return Vec3(turn.angle() / h * turn.axis());
  };
  return turned(c.key.body_b) - turned(c.key.body_a);
}

namespace {

double spin_mobility(const Model& model, std::span<const Pose> poses, const Contact& c,
                     const Vec3& s, const Vec3& t) {
  double sum = 0;
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    double row_s[6], row_t[6];
    spin_row(model, body, poses[index(id)], s, 1, row_s);
    spin_row(model, body, poses[index(id)], t, 1, row_t);
    for (int i = 0; i < body.velocities; ++i) sum += row_s[i] * row_t[i];
  }
  return sum;
}

// Rows about the axes of `spin`, bounded by `length` times the normal impulse of constraint `tie`.
void add_spin_rows(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                   const Contact& c, double length, int tie, const SpinRows& spin,
                   Problem& problem) {
  CAIRN_DCHECK(length > 0, length);
  CAIRN_DCHECK(spin.role == Role::torsion || spin.role == Role::rolling);
  CAIRN_DCHECK(spin.rows >= 1 && spin.rows <= 2, spin.rows);
  Constraint& row = problem.constraints.emplace_back();
  row.law = Law::disc;
  row.rows = spin.rows;
  row.mu = length / model.length_unit;
  row.tie = tie;
  row.key = contact_key(c.key, spin.role);
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  for (std::size_t side = 0; side < 2; ++side) {
    row.body[side] = layout.body[index(ids[side])];
    if (row.body[side] < 0) continue;
    for (int r = 0; r < spin.rows; ++r)
      spin_row(model, model.body(ids[side]), poses[index(ids[side])],
               spin.axis_W[static_cast<std::size_t>(r)], side == 0 ? -1 : 1, row.J[side][r]);
  }
  for (int r = 0; r < spin.rows; ++r)
    row.b[r] = spin.motion[static_cast<std::size_t>(r)] * problem.units.time;
  problem.first_row.push_back(problem.first_row.back() + spin.rows);
}

}  // namespace

void add_spin_friction(const Model& model, std::span<const Pose> poses, const ProblemLayout& layout,
                       const Contact& c, Role role, std::size_t contact, int tie,
                       const Vec3& motion, Problem& problem, std::vector<SpinRows>& spins) {
  const double length = role == Role::torsion ? c.torsion : c.rolling;
  if (!(length > 0)) return;
  const auto add = [&](int rows, const Vec3& first, const Vec3& second) {
    SpinRows& spin = spins.emplace_back();
    spin = {contact, role, rows, {first, second}, {first.dot(motion), second.dot(motion)}};
    add_spin_rows(model, poses, layout, c, length, tie, spin, problem);
  };
  const double n = spin_mobility(model, poses, c, c.n_W, c.n_W);
  const PlaneMobility plane = {spin_mobility(model, poses, c, c.t1_W, c.t1_W),
                               spin_mobility(model, poses, c, c.t1_W, c.t2_W),
                               spin_mobility(model, poses, c, c.t2_W, c.t2_W)};
  const double small = 1e-14 * (n + plane.t1_t1 + plane.t2_t2);
  if (role == Role::torsion) {
    if (n > small) add(1, c.n_W, Vec3::Zero());
    return;
  }
  Vec3 along = Vec3::Zero();
  const int axes = moving_directions(plane, small, c.t1_W, c.t2_W, along);
  if (axes == 2) add(2, c.t1_W, c.t2_W);
  if (axes == 1) add(1, along.isZero(0) ? c.t1_W : along, Vec3::Zero());
}

void to_model_velocities(const Model& model, const Problem& problem, const VecX& v, VecX& v_model) {
  CAIRN_DCHECK(v.size() == problem.velocities(), v.size(), problem.velocities());
  CAIRN_DCHECK(problem.velocities() == model.velocities, problem.velocities());
  v_model.resize(model.velocities);
  for (const ProblemBody& b : problem.bodies) {
    const int linear =
        model::translation_count(model.bodies[static_cast<std::size_t>(b.model_body)]);
    for (int k = 0; k < b.size; ++k)
      v_model[b.first + k] =
          k < linear ? v[b.first + k] * problem.units.speed() : v[b.first + k] / problem.units.time;
  }
}

void to_problem_velocities(const Model& model, const Problem& problem, const VecX& v_model,
                           VecX& v) {
  CAIRN_DCHECK(v_model.size() == model.velocities, v_model.size(), model.velocities);
  v.setZero(model.velocities);
  for (const ProblemBody& b : problem.bodies) {
    const int linear =
        model::translation_count(model.bodies[static_cast<std::size_t>(b.model_body)]);
    for (int k = 0; k < b.size; ++k)
      v[b.first + k] = k < linear ? v_model[b.first + k] / problem.units.speed()
                                  : v_model[b.first + k] * problem.units.time;
  }
}

}  // namespace cairn::constrain
