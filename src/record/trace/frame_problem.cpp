// Problems and solutions as bytes: the part of a frame that a solve leaves. The two halves mirror
// each other line by line: docs/trace-format.md is their outline.
#include "record/trace/frame_problem.hpp"

#include <algorithm>

namespace cairn::record {

void write_key(const ContactKey& key, bytes::ByteWriter& out) {
  out.i32(static_cast<std::int32_t>(key.body_a));
  out.i32(static_cast<std::int32_t>(key.body_b));
  out.i32(static_cast<std::int32_t>(key.shape_a));
  out.i32(static_cast<std::int32_t>(key.shape_b));
  out.u32(key.feature.a);
  out.u32(key.feature.b);
}

ContactKey read_key(bytes::ByteReader& in) {
  ContactKey key;
  key.body_a = static_cast<BodyId>(in.i32());
  key.body_b = static_cast<BodyId>(in.i32());
  key.shape_a = static_cast<ShapeId>(in.i32());
  key.shape_b = static_cast<ShapeId>(in.i32());
  key.feature.a = in.u32();
  key.feature.b = in.u32();
  return key;
}

void write_key(const ConstraintKey& key, bytes::ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(key.role));
  out.i32(key.element);
  out.u8(key.coordinate);
  write_key(key.contact, out);
}

ConstraintKey read_constraint_key(bytes::ByteReader& in) {
  ConstraintKey key;
  key.role = in.choice(Role::given);
  key.element = in.i32();
  key.coordinate = in.u8();
  key.contact = read_key(in);
  return key;
}

namespace {

void write_bodies(const Problem& problem, bytes::ByteWriter& out) {
  out.u64(problem.bodies.size());
  for (const ProblemBody& body : problem.bodies) {
    out.i32(body.model_body);
    out.i32(body.first);
    out.i32(body.size);
    for (int i = 0; i < body.size; ++i)
      for (int j = 0; j < body.size; ++j) out.f64(body.A[i][j]);
  }
}

void read_bodies(bytes::ByteReader& in, Problem& problem) {
  problem.bodies.resize(in.count(12 + 8));
  for (ProblemBody& body : problem.bodies) {
    body = {};
    body.model_body = in.i32();
    body.first = in.i32();
    body.size = in.i32();
    if (body.first < 0 || body.size < 1 || body.size > max_velocities) return in.reject();
    for (int i = 0; i < body.size; ++i)
      for (int j = 0; j < body.size; ++j) body.A[i][j] = in.f64();
  }
}

void write_couplings(const Problem& problem, bytes::ByteWriter& out) {
  out.u64(problem.couplings.size());
  for (const BodyCoupling& c : problem.couplings) {
    const int a = problem.bodies[static_cast<std::size_t>(c.body[0])].size,
              b = problem.bodies[static_cast<std::size_t>(c.body[1])].size;
    out.i32(c.body[0]);
    out.i32(c.body[1]);
    for (int i = 0; i < a; ++i)
      for (int j = 0; j < b; ++j) out.f64(c.A[0][i][j]);
    for (int i = 0; i < b; ++i)
      for (int j = 0; j < a; ++j) out.f64(c.A[1][i][j]);
  }
}

void read_couplings(bytes::ByteReader& in, Problem& problem) {
  problem.couplings.resize(in.count(8 + 16));
  const int bodies = static_cast<int>(problem.bodies.size());
  for (BodyCoupling& c : problem.couplings) {
    c = {};
    c.body = {in.i32(), in.i32()};
    for (const int body : c.body)
      if (body < 0 || body >= bodies) return in.reject();
    if (c.body[0] == c.body[1]) return in.reject();
    const int a = problem.bodies[static_cast<std::size_t>(c.body[0])].size,
              b = problem.bodies[static_cast<std::size_t>(c.body[1])].size;
    for (int i = 0; i < a; ++i)
      for (int j = 0; j < b; ++j) c.A[0][i][j] = in.f64();
    for (int i = 0; i < b; ++i)
      for (int j = 0; j < a; ++j) c.A[1][i][j] = in.f64();
  }
}

void write_polygon(const FrictionPolygon* section, bytes::ByteWriter& out) {
  out.u8(section ? static_cast<std::uint8_t>(section->size()) : 0);
  if (!section) return;
  for (const Corner& c : *section)
    for (const double x : c) out.f64(x);
}

std::shared_ptr<const FrictionPolygon> read_section(bytes::ByteReader& in) {
  FrictionPolygon polygon(in.u8());
  for (Corner& c : polygon)
    for (double& x : c) x = in.f64();
  if (polygon.empty()) return nullptr;
  if (!make_convex(polygon).empty()) {
    in.reject();
    return nullptr;
  }
  return std::make_shared<const FrictionPolygon>(std::move(polygon));
}

void write_constraint(const Problem& problem, const Constraint& c, bytes::ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(c.law));
  out.u8(static_cast<std::uint8_t>(c.rows));
  out.u8(static_cast<std::uint8_t>(c.sides));
  for (int side = 0; side < c.sides; ++side) out.i32(c.body[static_cast<std::size_t>(side)]);
  out.f64(c.mu);
  out.i32(c.facets);
  write_polygon(c.section.get(), out);
  out.i32(c.tie);
  out.f64(c.lo);
  out.f64(c.hi);
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;  // rows of a body that is not free are not part of the problem
    const int size = problem.bodies[static_cast<std::size_t>(c.body[side])].size;
    for (int row = 0; row < c.rows; ++row)
      for (int i = 0; i < size; ++i) out.f64(c.J[side][row][i]);
  }
  for (int row = 0; row < c.rows; ++row) out.f64(c.b[row]);
  for (int row = 0; row < c.rows; ++row) out.f64(c.compliance[row]);
  write_key(c.key, out);
}

// Different bodies, more than two of them and compliance without a cone alone.
bool sides_fit(const Constraint& c) {
  if (c.sides < 2 || c.sides > max_sides) return false;
  const bool plain = !has_cone(c.law) && c.law != Law::disc;
  for (std::size_t i = 0; i < c.body.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (c.body[i] >= 0 && c.body[i] == c.body[j]) return false;
  return plain || (c.sides == 2 && !c.compliant());
}

bool constraint_fits(const Constraint& c, const Problem& problem) {
  const bool one_row = c.law == Law::nonnegative || c.law == Law::box;
  const int most = one_row ? 1 : c.law == Law::disc ? 2 : max_rows;
  if (c.rows < 1 || c.rows > most) return false;
  if (c.facets < 0 || c.facets == 1 || c.facets == 2 || c.facets > max_corners) return false;
  const int bodies = static_cast<int>(problem.bodies.size());
  return sides_fit(c) && std::all_of(c.body.begin(), c.body.end(),
                                     [&](int body) { return body >= -1 && body < bodies; });
}

// Bodies lie within v, and friction about a contact is tied to it.
bool parts_fit(const Problem& problem) {
  for (const ProblemBody& body : problem.bodies)
    if (body.first > problem.velocities() - body.size) return false;
  for (const Constraint& c : problem.constraints) {
    if (c.law != Law::disc) continue;
    const bool exists = c.tie >= 0 && c.tie < static_cast<int>(problem.constraints.size());
    if (!exists) return false;
    const Constraint& normal = problem.constraints[static_cast<std::size_t>(c.tie)];
    if (!is_unilateral(normal.law) || normal.body != c.body) return false;
  }
  return true;
}

void read_constraint(bytes::ByteReader& in, const Problem& problem, Constraint& c) {
  c = {};
  c.law = in.choice(Law::disc);
  c.rows = in.u8();
  c.sides = in.u8();
  if (c.sides < 2 || c.sides > max_sides) return in.reject();
  for (int side = 0; side < c.sides; ++side) c.body[static_cast<std::size_t>(side)] = in.i32();
  c.mu = in.f64();
  c.facets = in.i32();
  c.section = read_section(in);
  c.tie = in.i32();
  c.lo = in.f64();
  c.hi = in.f64();
  if (!constraint_fits(c, problem)) return in.reject();
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const int size = problem.bodies[static_cast<std::size_t>(c.body[side])].size;
    for (int row = 0; row < c.rows; ++row)
      for (int i = 0; i < size; ++i) c.J[side][row][i] = in.f64();
  }
  for (int row = 0; row < c.rows; ++row) c.b[row] = in.f64();
  for (int row = 0; row < c.rows; ++row) {
    c.compliance[row] = in.f64();
    if (!(c.compliance[row] >= 0)) return in.reject();
  }
  if (!sides_fit(c)) return in.reject();
  c.key = read_constraint_key(in);
}

// The order of Certificate's fields; used in both directions.
template <class Certificate_, class Visit>
void each_residual(Certificate_& c, Visit visit) {
  for (auto* x : {&c.momentum, &c.equality, &c.gap_velocity, &c.normal_impulse, &c.complementarity,
                  &c.cone, &c.natural_map, &c.worst, &c.momentum_impulse, &c.equality_velocity,
                  &c.least_gap_velocity, &c.least_normal_impulse, &c.complementarity_energy})
    visit(*x);
}

}  // namespace

bool well_formed(const Problem& problem) {
  return std::all_of(problem.constraints.begin(), problem.constraints.end(),
                     [&](const Constraint& c) { return constraint_fits(c, problem); }) &&
         parts_fit(problem);
}

void write_problem(const Problem& problem, bytes::ByteWriter& out) {
  out.f64(problem.units.mass);
  out.f64(problem.units.length);
  out.f64(problem.units.time);
  write_bodies(problem, out);
  write_couplings(problem, out);
  out.vector(problem.k);
  out.u64(problem.constraints.size());
  for (const Constraint& c : problem.constraints) write_constraint(problem, c, out);
  out.u64(problem.names.size());
  for (const std::string& name : problem.names) out.text(name);
}

void read_problem(bytes::ByteReader& in, Problem& problem) {
  problem.units.mass = in.f64();
  problem.units.length = in.f64();
  problem.units.time = in.f64();
  read_bodies(in, problem);
  if (!in.ok()) return;
  read_couplings(in, problem);
  in.vector(problem.k);
  problem.constraints.resize(in.count(72));
  problem.first_row.assign(1, 0);
  for (Constraint& c : problem.constraints) {
    if (!in.ok()) return;
    read_constraint(in, problem, c);
    problem.first_row.push_back(problem.first_row.back() + c.rows);
  }
  if (!parts_fit(problem)) return in.reject();
  problem.names.resize(in.count(8));
  for (std::string& name : problem.names) in.text(name);
}

void write_solution(const Solution& solution, bytes::ByteWriter& out) {
  out.vector(solution.v);
  out.vector(solution.lambda);
  out.u8(static_cast<std::uint8_t>(solution.status));
  each_residual(solution.certificate, [&](const double& x) { out.f64(x); });
  out.i32(solution.certificate.worst_constraint);
  out.u8(solution.certificate.finite);
  out.i32(solution.iterations);
  out.i32(solution.islands);
  out.i32(solution.fallbacks);
  out.text(solution.method, std::strlen(solution.method));
}

void read_solution(bytes::ByteReader& in, const Problem& problem, Solution& solution,
                   std::string& method) {
  in.vector(solution.v);
  in.vector(solution.lambda);
  if (solution.v.size() != problem.k.size() || solution.lambda.size() != problem.rows())
    in.reject();
  solution.status = in.choice(SolveStatus::not_certified);
  each_residual(solution.certificate, [&](double& x) { x = in.f64(); });
  solution.certificate.worst_constraint = in.i32();
  solution.certificate.finite = in.flag();
  solution.iterations = in.i32();
  solution.islands = in.i32();
  solution.fallbacks = in.i32();
  in.text(method);
  solution.method = "";
  const int constraints = static_cast<int>(problem.constraints.size());
  const int worst = solution.certificate.worst_constraint;
  if (worst < -1 || worst >= constraints) in.reject();
}

}  // namespace cairn::record
