#include "record/check/rebuild/rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "model/joint/joint_kind.hpp"
#include "record/check/coordinates/drive_rows.hpp"
#include "record/check/rebuild/contact_geometry.hpp"

namespace cairn::record {

bool same_row(const Segment& s, const Problem& problem, const Constraint& c, int row,
              const std::array<Row6, 2>& j, double size) {
  for (std::size_t side = 0; side < 2; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& b = problem.bodies[static_cast<std::size_t>(c.body[side])];
    const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
    const UnitFactors f = unit_factors(body, problem.units);
    for (int k = 0; k < b.size; ++k) {
      const double recorded = c.J[side][row][k] * problem.units.speed() / f.velocity[k];
      const double allowed = row_relative * (k < translations_of(body) ? 1 : size);
      if (!(std::abs(recorded - j[side][k]) <= allowed)) return false;
    }
  }
  return true;
}

bool same_bodies(const Place& place, const Constraint& c, const std::array<BodyId, 2>& ids) {
  for (std::size_t side = 0; side < 2; ++side) {
    const int expected = ids[side] == BodyId::world ? -1 : place.layout[index(ids[side])];
    if (c.body[side] != expected) return false;
  }
  return true;
}

namespace {

std::array<Row6, 2> joint_jacobian(const Segment& s, const Constraint& c, const JointRow& row,
                                   const std::vector<Pose>& poses) {
  const Joint& joint = s.model.joints[index(row.joint)];
  std::array<Row6, 2> j = {Row6::Zero(), Row6::Zero()};
  for (std::size_t side = 0; side < 2; ++side)
    if (c.body[side] >= 0 && joint.bodies[side] != BodyId::world) {
      const Body& body = s.model.body(joint.bodies[side]);
      const Pose& X = poses[index(joint.bodies[side])];
      j[side] = (side == 0 ? -1 : 1) *
                (row.turn ? Row6(s.model.length_unit * turn_row_of(body, X, row.along))
                          : point_row_of(body, X, row.points[side], row.along));
    }
  return j;
}

void match_joints(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                  MatchedRows& out) {
  const std::vector<Pose>& poses = place.joints ? *place.joints : place.rows;
  out.joints = joint_rows_at(s, place, poses);
  std::size_t count = 0;
  while (count < problem.constraints.size() && problem.constraints[count].key.role == Role::joint)
    ++count;
  const std::size_t expected = out.joints.empty() ? 0 : out.joints.back().constraint + 1;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < count; ++i)
    rows += static_cast<std::size_t>(problem.constraints[i].rows);
  if (count != expected || rows != out.joints.size()) {
    s.say(solve, FindingCode::row,
          fmt::format("it has {} rows of joints, the scene {}", rows, out.joints.size()));
    out.good = false;
    return;
  }
  const bool rule = std::holds_alternative<Trapezoidal>(s.scheme);
  std::vector<JointRow> first;
  if (place.again && !place.joints && !rule) first = joint_rows_at(s, place, place.start);
  for (std::size_t r = 0; r < out.joints.size(); ++r) {
    JointRow& row = out.joints[r];
    const Joint& joint = s.model.joints[index(row.joint)];
    const auto fits = [&](const JointRow& as, const std::vector<Pose>& at) {
      const Constraint& c = problem.constraints[as.constraint];
      return c.key.element == static_cast<std::int32_t>(as.joint) && c.law == Law::equality &&
             same_bodies(place, c, joint.bodies) &&
             same_row(s, problem, c, as.row, joint_jacobian(s, c, as, at), as.size);
    };
    // Joints of isolated islands and beside anchors keep the rows of the beginning (E424, E601).
    const bool free = std::all_of(joint.bodies.begin(), joint.bodies.end(), [&](BodyId id) {
      return id != BodyId::world && s.model.body(id).velocities > 0;
    });
    const bool rides = ride(s, joint.bodies[0], joint.bodies[1]) != Known::no;
    if ((free || rides) && first.size() == out.joints.size() &&
        first[r].constraint == row.constraint && first[r].row == row.row &&
        fits(first[r], place.start)) {
      first[r].error_ahead = row.error;
      first[r].beginning = true;
      row = first[r];
      continue;
    }
    if (fits(row, place.joints ? poses : place.columns)) continue;
    s.say(solve, FindingCode::row,
          fmt::format("row {} of joint {} differs from the scene's", row.row, joint.name));
    out.good = false;
  }
}

// Of the limit of an angle the rotation about the direction.
static Row6 contact_row_of(const Body& body, const Pose& X, const Contact& c, const Vec3& along) {
  if (c.lever > 0) return c.lever * turn_row_of(body, X, along);
  return point_row_of(body, X, c.p_WC, along);
}

std::array<Row6, 2> contact_jacobian(const Segment& s, const std::vector<Pose>& poses,
                                     const Contact& c, int row) {
  const std::array<Vec3, 3> along = {c.n_W, c.t1_W, Vec3(c.stretch * c.t2_W)};
  const Vec3& e = along[static_cast<std::size_t>(row)];
  return {Row6(-contact_row_of(s.model.body(c.key.body_a), poses[index(c.key.body_a)], c, e)),
          contact_row_of(s.model.body(c.key.body_b), poses[index(c.key.body_b)], c, e)};
}

// The same corners in the same sense of rotation; which one is the first does not matter.
bool same_section(const FrictionPolygon& a, const FrictionPolygon& b) {
  const std::size_t n = a.size();
  if (n != b.size()) return false;
  for (std::size_t first = 0; first < n; ++first) {
    bool same = true;
    for (std::size_t i = 0; i < n && same; ++i) {
      const Corner &p = a[(first + i) % n], &q = b[i];
      same = std::hypot(p[0] - q[0], p[1] - q[1]) <= 1e-12;
    }
    if (same) return true;
  }
  return false;
}

std::string law_fault(const Segment& s, const Constraint& row, const Contact& c,
                      const RowRules& rules) {
  const auto& section = s.model.section(c.key);
  const bool has_section = c.rows == 3 && section != nullptr;
  Law law = c.rows == 1 ? Law::nonnegative : rules.law;
  if (rules.may_hold && row.law == Law::equality) law = Law::equality;
  if (rules.any_law && row.law == Law::coulomb && c.rows > 1) law = Law::coulomb;
  if (row.law != law)
    return fmt::format("its law is recorded as {}, the scene's scheme has {}", name(row.law),
                       name(law));
  if (row.rows != c.rows) return fmt::format("it has {} rows, its contact {}", row.rows, c.rows);
  const double mu = c.rows == 1 ? 0 : c.friction;
  if (row.mu != mu)
    return fmt::format("its friction is recorded as {:.9g}, its contact has {:.9g}", row.mu, mu);
  const int facets = c.rows == 3 && !has_section ? rules.facets : 0;
  if (row.facets != facets)
    return fmt::format("its friction cone has {} facets, the scene's scheme {}", row.facets,
                       facets);
  if (has_section != (row.section != nullptr) ||
      (has_section && !same_section(*row.section, *section)))
    return "the section of its friction cone is not the scene's";
  return {};
}

void match_contact(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                   const RowRules& rules, std::size_t i, const Contact& contact, MatchedRows& out) {
  const Constraint& row = problem.constraints[i];
  const auto complain = [&](FindingCode code, const std::string& what) {
    s.say(solve, code, row_name(s, problem, i) + ": " + what);
    out.good = false;
  };
  if (const std::string fault = law_fault(s, row, contact, rules); !fault.empty())
    return complain(FindingCode::law, fault);
  if (!same_bodies(place, row, {contact.key.body_a, contact.key.body_b}))
    return complain(FindingCode::row, "it acts on other bodies than its key says");
  const double size = contact.p_WC.norm() + place.rows[index(contact.key.body_a)].p.norm() +
                      place.rows[index(contact.key.body_b)].p.norm();
  const auto first_fault = [&](const std::vector<Pose>& poses, const Contact& c) {
    int k = 0;
    while (k < row.rows && same_row(s, problem, row, k, contact_jacobian(s, poses, c, k), size))
      ++k;
    return k;
  };
  // Contacts of isolated islands and beside anchors keep the rows of the beginning (E407, E601).
  const Contact* first = place.again ? contact_with(place.before, contact.key) : nullptr;
  const Known rides = first ? ride(s, contact.key.body_a, contact.key.body_b) : Known::no;
  const bool keeps = rides != Known::no || (s.model.body(contact.key.body_a).velocities > 0 &&
                                            s.model.body(contact.key.body_b).velocities > 0);
  const auto is_of_beginning = [&] {
    return first && keeps && first->rows == row.rows &&
           first_fault(place.start, *first) == row.rows;
  };
  if (rides == Known::yes && is_of_beginning()) {
    out.contacts.back().beginning = true;
    return;
  }
  const int fault = first_fault(place.columns, contact);
  if (fault == row.rows) return;
  if (is_of_beginning()) {
    out.contacts.back().beginning = true;
    return;
  }
  complain(FindingCode::row,
           fmt::format("row {} does not follow from its point and direction", fault));
}

// Rows with a given impulse, one for each direction of a contact, then one for each of its torques.
void match_given(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                 std::size_t first, MatchedRows& out) {
  std::size_t i = first;
  for (const Contact& c : place.contacts) {
    const bool penalty = std::holds_alternative<Penalty>(s.scheme);
    if (penalty && (i >= problem.constraints.size() || problem.constraints[i].key.contact != c.key))
      continue;  // it does not press
    const int rows = penalty ? 1 : c.rows;
    const double size = c.p_WC.norm() + place.rows[index(c.key.body_a)].p.norm() +
                        place.rows[index(c.key.body_b)].p.norm();
    for (int k = 0; k < rows; ++k, ++i) {
      const bool there = i < problem.constraints.size() && problem.constraints[i].law == Law::box &&
                         problem.constraints[i].rows == 1 &&
                         problem.constraints[i].key.contact == c.key &&
                         same_bodies(place, problem.constraints[i], {c.key.body_a, c.key.body_b}) &&
                         same_row(s, problem, problem.constraints[i], 0,
                                  contact_jacobian(s, place.columns, c, k), size);
      if (!there) {
        s.say(solve, FindingCode::row,
              fmt::format("the rows of an impulse between {} and {} do not follow from its contact",
                          s.model.body(c.key.body_a).name, s.model.body(c.key.body_b).name));
        out.good = false;
        return;
      }
      if (k == 0) out.contacts.push_back({i, &c});
    }
    // Torques of the contact.
    for (; i < problem.constraints.size(); ++i) {
      const ConstraintKey& key = problem.constraints[i].key;
      if ((key.role != Role::torsion && key.role != Role::rolling) || key.contact != c.key) break;
      out.discs.push_back(i);
    }
  }
  if (i == problem.constraints.size()) return;
  s.say(solve, FindingCode::row, row_name(s, problem, i) + " has no recorded contact");
  out.good = false;
}

}  // namespace

MatchedRows match_rows(const Segment& s, std::size_t solve, const SolveRecord& record,
                       const Place& place, const RowRules& rules) {
  const Problem& problem = record.problem;
  MatchedRows out;
  match_joints(s, solve, problem, place, out);
  match_gears(s, solve, problem, place, out);
  match_drives(s, solve, problem, place, out);
  std::size_t first = 0;
  const auto of_joints = [](Role role) { return is_of_joint(role) || role == Role::gear; };
  while (first < problem.constraints.size() && of_joints(problem.constraints[first].key.role))
    ++first;
  if (rules.given) {
    match_given(s, solve, problem, place, first, out);
    return out;
  }
  for (std::size_t i = first; i < problem.constraints.size(); ++i) {
    const Constraint& row = problem.constraints[i];
    const Contact* contact =
        is_of_contact(row.key.role) ? contact_with(place.contacts, row.key.contact) : nullptr;
    if (!contact) {
      s.say(solve, FindingCode::row, row_name(s, problem, i) + " has no recorded contact");
      out.good = false;
      continue;
    }
    if (!pushes(row.key.role)) {
      out.discs.push_back(i);
      continue;
    }
    out.contacts.push_back({i, contact});
    match_contact(s, solve, problem, place, rules, i, *contact, out);
  }
  return out;
}

double beginning_b(const Segment& s, const JointRow& row, const Place& place, bool projection,
                   double part, const VecX& led) {
  const double h = place.length;
  if (projection) {
    std::vector<Pose> end = place.start;
    for (std::size_t i = 0; i < end.size(); ++i)
      if (s.model.bodies[i].kind == BodyKind::prescribed)
        end[i] = prescribed_at(s.model.bodies[i], place.t + h);
    return part * row.error / h + joint_motion(s.model, row, place.start, end, h, true);
  }
  // Errors of these are seen in axes that turn with the first body.
  const Joint& joint = s.model.joints[index(row.joint)];
  double ahead = row.error_ahead;
  const model::JointKind kind = model::kind_of(joint.type);
  const bool line = kind.points == model::HeldPoints::line,
             parallel = kind.turns == model::HeldTurns::parallel;
  if (line || parallel) {
    const Pose &A = place.rows[index(joint.bodies[0])], &B = place.rows[index(joint.bodies[1])];
    const Vec3 along = A.R * (place.start[index(joint.bodies[0])].R.conjugate() * row.along);
    if (row.turn && parallel)
      ahead = s.model.length_unit * along.dot((A.R * joint.axes[0]).cross(B.R * joint.axes[1]));
    if (!row.turn && line) ahead = along.dot(B * joint.anchors[1] - A * joint.anchors[0]);
  }
  return (ahead - (1 - part) * row.error) / h - joint_rate(s, row, place.start, place, led);
}

Vec3 contact_rate(const Model& model, const std::vector<Pose>& poses, const Contact& c,
                  const VecX& v) {
  const std::array<Vec3, 3> along = {c.n_W, c.t1_W, Vec3(c.stretch * c.t2_W)};
  Vec3 rate = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}}) {
      const Body& body = model.body(id);
      if (body.velocities == 0) continue;
      rate[k] +=
          sign * contact_row_of(body, poses[index(id)], c, along[static_cast<std::size_t>(k)])
                     .dot(velocities_of_body(body, v));
    }
  return rate;
}

Vec3 turning_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h) {
  const Vec3 w = c.lever * contact_spin(model, c, poses, other, h);
  return {c.n_W.dot(w), c.t1_W.dot(w), c.t2_W.dot(w)};
}

Vec3 contact_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h) {
  if (c.lever > 0) return turning_motion(model, c, poses, other, h);
  Vec3 u = Vec3::Zero();
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}})
    if (model.body(id).kind == BodyKind::prescribed)
      u += sign * mean_velocity(poses[index(id)], other[index(id)], c.p_WC, h);
  return {c.n_W.dot(u), c.t1_W.dot(u), c.stretch * c.t2_W.dot(u)};
}

static bool is_round(const Geometry& geometry) {
  return std::holds_alternative<Sphere>(geometry) || std::holds_alternative<Capsule>(geometry) ||
         std::holds_alternative<Ellipsoid>(geometry) || std::holds_alternative<Disc>(geometry) ||
         std::holds_alternative<Ellipse>(geometry) || std::holds_alternative<Frustum>(geometry);
}

Vec3 carried_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h) {
  if (c.lever > 0) return turning_motion(model, c, poses, other, h);
  Vec3 u = Vec3::Zero();
  const std::array<BodyId, 2> ids = {c.key.body_a, c.key.body_b};
  for (std::size_t k = 0; k < 2; ++k) {
    if (model.body(ids[k]).kind != BodyKind::prescribed) continue;
    const Pose &X = poses[index(ids[k])], &Y = other[index(ids[k])];
    const bool round = is_limit(c.key) || is_round(model.shapes[index(c.key.shape_a)].geometry) ||
                       is_round(model.shapes[index(c.key.shape_b)].geometry);
    const bool follows = model.body(ids[1 - k]).kind == BodyKind::dynamic && !round;
    const Vec3 x = follows ? poses[index(ids[1 - k])].p : c.p_WC;
    Vec3 of_point = mean_velocity(X, Y, x, h);
    if (follows) of_point += mean_spin(X, Y, h).cross(c.p_WC - x);
    u += k == 0 ? Vec3(-of_point) : of_point;
  }
  return {c.n_W.dot(u), c.t1_W.dot(u), c.stretch * c.t2_W.dot(u)};
}

Vec3 contact_spin(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                  const std::vector<Pose>& other, double h) {
  Vec3 w = Vec3::Zero();
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}})
    if (model.body(id).kind == BodyKind::prescribed)
      w += sign * mean_spin(poses[index(id)], other[index(id)], h);
  return w;
}

void compare_b(const Segment& s, std::size_t solve, const Problem& problem, std::size_t constraint,
               int row, double expected, double size) {
  const double recorded = problem.constraints[constraint].b[row] * problem.units.speed();
  if (std::abs(recorded - expected) <= row_relative * (std::abs(expected) + size)) return;
  s.say(solve, FindingCode::row,
        fmt::format("b of row {} of {} recorded as {:.12g} m/s, rebuilt {:.12g}", row,
                    row_name(s, problem, constraint), recorded, expected));
}

void compare_discs(const Segment& s, std::size_t solve, const Problem& problem, const Place& place,
                   const MatchedRows& rows, const std::function<Vec3(const Contact&)>& spin) {
  for (const std::size_t i : rows.discs) {
    const Constraint& row = problem.constraints[i];
    // Rows of the beginning have its axes.
    const bool beginning = std::any_of(
        rows.contacts.begin(), rows.contacts.end(),
        [&](const ContactRow& r) { return r.beginning && r.contact->key == row.key.contact; });
    const Contact* c = contact_with(beginning ? place.before : place.contacts, row.key.contact);
    if (!c) continue;
    const bool torsion = row.key.role == Role::torsion;
    const double length = torsion ? c->torsion : c->rolling;
    // Axes about which the two bodies turn, as far as rows can tell.
    std::vector<Vec3> axes = {torsion ? c->n_W : c->t1_W};
    if (!torsion) {
      axes.push_back(c->t2_W);
      for (const BodyId id : {c->key.body_a, c->key.body_b})
        if (s.model.body(id).rotation == RotationKind::one)
          axes.insert(axes.end(), {s.model.body(id).axis_W, Vec3(-s.model.body(id).axis_W)});
    }
    bool good = true;
    const Vec3 w = spin(*c);
    for (int k = 0; k < row.rows && good; ++k) {
      good = false;
      for (const Vec3& axis : axes) {
        if (!torsion && row.rows == 2 && &axis != &axes[static_cast<std::size_t>(k)]) continue;
        const std::array<Row6, 2> j = {
            Row6(-s.model.length_unit * turn_row_of(s.model.body(c->key.body_a),
                                                    place.columns[index(c->key.body_a)], axis)),
            s.model.length_unit * turn_row_of(s.model.body(c->key.body_b),
                                              place.columns[index(c->key.body_b)], axis)};
        const double b = row.b[k] / problem.units.time;
        good =
            good ||
            (same_row(s, problem, row, k, j, s.model.length_unit) &&
             (row.law == Law::box || std::abs(b - axis.dot(w)) <= 1e-9 * (w.norm() + std::abs(b))));
      }
    }
    const bool law =
        row.law == Law::box ||
        (row.law == Law::disc && row.mu == length / s.model.length_unit && row.tie >= 0 &&
         static_cast<std::size_t>(row.tie) < problem.constraints.size() &&
         problem.constraints[static_cast<std::size_t>(row.tie)].key.contact == c->key);
    if (good && law) continue;
    s.say(solve, law ? FindingCode::row : FindingCode::law,
          fmt::format("{}: its {} friction differs from the scene's", row_name(s, problem, i),
                      torsion ? "torsional" : "rolling"));
  }
}

}  // namespace cairn::record
