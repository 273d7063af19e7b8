#include "analyse/active_faces.hpp"

#include <Eigen/QR>
#include <cmath>

#include "base/index.hpp"
#include "base/union_find.hpp"

namespace cairn::analyse {
namespace {

bool is_exact(const problem::LawSet& set) {
  return has_cone(set.law) && set.rows == 3 && set.corners.empty() && set.mu > 0;
}

// Generators of a polyhedral cone.
std::vector<Ray> rays_of(const problem::LawSet& set) {
  if (set.law == Law::nonnegative || set.mu == 0) return {{1, 0, 0}};
  if (set.rows == 2) return {{1, set.mu, 0}, {1, -set.mu, 0}};
  std::vector<Ray> rays;
  for (const Corner& d : set.corners) rays.push_back({1, set.mu * d[0], set.mu * d[1]});
  return rays;
}

Face face_of(const ImpulseView& view, std::size_t i) {
  Face face;
  face.constraint = static_cast<int>(i);
  face.rows = view.sets[i].rows;
  face.mu = view.sets[i].mu;
  face.corners = view.sets[i].corners;
  return face;
}

// The rays along which friction works against slip u_T the most. A cone has faces with one or two
// rays, or itself; other numbers are an accident of rounding on the way to all.
void keep_opposed(const double* u, double zero, Face& face) {
  const std::vector<Ray> all = face.rays;
  const auto against = [&](const Ray& g) { return -(g[1] * u[1] + g[2] * u[2]) / face.mu; };
  double most = 0;
  for (const Ray& g : all) most = std::max(most, against(g));
  std::erase_if(face.rays, [&](const Ray& g) { return most - against(g) > zero; });
  if (face.rays.size() > 2) face.rays = all;
}

// The face of a cone that goes with scaled velocity u (E105).
Face cone_face(const ImpulseView& view, std::size_t i, const double* u, Activity& activity) {
  Face face = face_of(view, i);
  const problem::LawSet& set = view.sets[i];
  const double zero = view.tolerance * view.scale[i];
  const double slip[max_rows] = {0, set.rows > 1 ? u[1] : 0, set.rows > 2 ? u[2] : 0};
  face.kind = is_exact(set) ? Face::Kind::cone : Face::Kind::rays;
  if (!is_exact(set)) face.rays = rays_of(set);
  if (problem::opening_speed(set, u) > zero) {
    activity = Activity::open;
  } else if (set.law == Law::nonnegative || set.mu == 0) {
    activity = Activity::touches;
  } else if (std::hypot(slip[1], slip[2]) <= zero) {
    activity = Activity::sticks;
  } else {
    activity = Activity::slides;
    if (is_exact(set)) {
      face.kind = Face::Kind::rays;
      face.rays = {steepest_ray(set.mu, slip)};
    }
    keep_opposed(slip, zero, face);
  }
  return face;
}

Face box_face(const ImpulseView& view, std::size_t i, double u, Activity& activity) {
  Face face = face_of(view, i);
  const double zero = view.tolerance * view.scale[i];
  face.lo = view.d[i] * view.sets[i].lo;
  face.hi = view.d[i] * view.sets[i].hi;
  face.kind = Face::Kind::interval;
  if (std::isinf(face.lo) && std::isinf(face.hi)) face.kind = Face::Kind::free;
  activity = std::abs(u) > zero ? Activity::at_bound : Activity::sticks;
  return face;
}

Error too_large(int rows) {
  Error error;
  error.kind = ErrorKind::limit;
  error.code = ErrorCode::too_many;
  error.what = "too many active rows hang together for this analysis";
  error.got = std::to_string(rows);
  error.allowed = "at most " + std::to_string(max_active_rows);
  error.fix = "ask for the certificate alone, or cut the problem into smaller ones";
  return error;
}

// Faces into groups with their matrices.
Result<std::vector<FaceGroup>> connect(const ImpulseView& view, const std::vector<Face>& faces) {
  const int rows = view.first_row.empty() ? 0 : view.first_row.back();
  std::vector<int> face_of_row(base::at(rows), -1);
  for (std::size_t i = 0; i < faces.size(); ++i)
    for (int k = 0; k < faces[i].rows; ++k)
      face_of_row[base::at(view.first_row[base::at(faces[i].constraint)] + k)] =
          static_cast<int>(i);
  base::UnionFind groups;  // columns of constraints that share an effect
  groups.reset(base::at(view.effects));
  std::vector<int> effect(faces.size(), -1);  // any one of a face
  for (const ImpulseView::Entry& e : view.entries) {
    const int face = face_of_row[base::at(e.row)];
    if (face < 0) continue;
    int& first = effect[base::at(face)];
    if (first < 0) first = e.effect;
    groups.join(e.effect, first);
  }

  // Numbered by their first face. A face without effect is a group of its own.
  std::vector<FaceGroup> result;
  std::vector<int> number(base::at(view.effects), -1), group_of(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    int own = -1;
    int& n = effect[i] < 0 ? own : number[base::at(groups.root(effect[i]))];
    if (n < 0) {
      n = static_cast<int>(result.size());
      result.emplace_back();
    }
    FaceGroup& group = result[base::at(n)];
    group_of[i] = n;
    group.faces.push_back(faces[i]);
    group.faces.back().first = static_cast<int>(group.row.size());
    for (int k = 0; k < faces[i].rows; ++k)
      group.row.push_back(view.first_row[base::at(faces[i].constraint)] + k);
  }
  std::vector<int> local(base::at(view.effects), -1), effects(result.size(), 0),
      column(base::at(rows), -1);
  for (const FaceGroup& group : result) {
    if (static_cast<int>(group.row.size()) > max_active_rows)
      return fail(too_large(static_cast<int>(group.row.size())));
    for (std::size_t k = 0; k < group.row.size(); ++k)
      column[base::at(group.row[k])] = static_cast<int>(k);
  }
  for (int pass = 0; pass < 2; ++pass) {
    if (pass == 1)
      for (std::size_t g = 0; g < result.size(); ++g)
        result[g].E.setZero(effects[g], static_cast<Eigen::Index>(result[g].row.size()));
    for (const ImpulseView::Entry& e : view.entries) {
      const int face = face_of_row[base::at(e.row)];
      if (face < 0) continue;
      const std::size_t g = base::at(group_of[base::at(face)]);
      if (local[base::at(e.effect)] < 0) local[base::at(e.effect)] = effects[g]++;
      if (pass == 1) result[g].E(local[base::at(e.effect)], column[base::at(e.row)]) += e.value;
    }
  }
  return result;
}

Result<ActiveFaces> finish(const ImpulseView& view, const std::vector<Face>& faces,
                           ActiveFaces result) {
  Result<std::vector<FaceGroup>> groups = connect(view, faces);
  if (!groups) return tl::unexpected(groups.error());
  result.groups = std::move(*groups);
  for (FaceGroup& group : result.groups) {
    group.r.resize(static_cast<Eigen::Index>(group.row.size()));
    for (const Face& face : group.faces) {
      const int row = view.first_row[base::at(face.constraint)];
      project(face, view.r.data() + row, group.r.data() + face.first);
      result.r.segment(row, face.rows) = group.r.segment(face.first, face.rows);
    }
  }
  return result;
}

}  // namespace

}  // namespace cairn::analyse

namespace cairn {

const char* name(Activity activity) {
  static constexpr const char* names[] = {"open",   "touches", "slides",
                                          "sticks", "held",    "at bound"};
  return names[static_cast<std::size_t>(activity)];
}

}  // namespace cairn

namespace cairn::analyse {

Ray steepest_ray(double mu, const double* z) {
  const double t = std::hypot(z[1], z[2]);
  if (t == 0) return {1, 0, 0};
  return {1, -mu * z[1] / t, -mu * z[2] / t};
}

Face unilateral_face(const ImpulseView& view, std::size_t i, Activity& activity) {
  return cone_face(view, i, view.u.data() + view.first_row[i], activity);
}

std::vector<Ray> span_of(const Face& face) {
  if (face.kind == Face::Kind::rays && face.rays.size() <= 2) return face.rays;
  std::vector<Ray> unit;
  for (int k = 0; k < face.rows; ++k) {
    unit.push_back({0, 0, 0});
    unit.back()[base::at(k)] = 1;
  }
  return unit;
}

// Sets of impulses that depend on other impulses are no product of faces.
static Result<void> without_ties(const ImpulseView& view) {
  for (std::size_t i = 0; i < view.constraints(); ++i)
    if (view.sets[i].law == Law::disc)
      return fail({.code = ErrorCode::unsupported,
                   .path = "constraints[" + std::to_string(i) + "]",
                   .what = "the set of solutions is not known with rolling or torsional friction",
                   .got = "law disc",
                   .allowed = "laws that do not depend on other impulses",
                   .fix = "ask about the problem without it"});
  return {};
}

Result<ActiveFaces> active_faces(const ImpulseView& view) {
  if (const Result<void> free = without_ties(view); !free) return tl::unexpected(free.error());
  ActiveFaces result;
  result.r = VecX::Zero(view.r.size());
  std::vector<Face> faces;
  for (std::size_t i = 0; i < view.constraints(); ++i) {
    const double* u = view.u.data() + view.first_row[i];
    Activity activity = Activity::held;
    Face face = face_of(view, i);
    if (view.sets[i].law == Law::box)
      face = box_face(view, i, u[0], activity);
    else if (view.sets[i].law != Law::equality)
      face = cone_face(view, i, u, activity);
    result.activity.push_back(activity);
    if (activity == Activity::at_bound) result.r[view.first_row[i]] = u[0] > 0 ? face.lo : face.hi;
    if (activity != Activity::at_bound && activity != Activity::open) faces.push_back(face);
  }
  return finish(view, faces, std::move(result));
}

Result<ActiveFaces> touching_cones(const ImpulseView& view) {
  if (const Result<void> free = without_ties(view); !free) return tl::unexpected(free.error());
  ActiveFaces result;
  result.r = VecX::Zero(view.r.size());
  std::vector<Face> faces;
  for (std::size_t i = 0; i < view.constraints(); ++i) {
    const int row = view.first_row[i];
    const problem::LawSet& set = view.sets[i];
    Face face = face_of(view, i);
    bool counts = true;
    if (set.law == Law::box) {
      // A bound that is not there leaves a ray, its row one or minus one.
      face.kind = std::isinf(set.lo) && std::isinf(set.hi) ? Face::Kind::free : Face::Kind::rays;
      if (face.kind == Face::Kind::rays) face.rays = {{std::isinf(set.hi) ? 1.0 : -1.0, 0, 0}};
      counts = std::isinf(set.lo) || std::isinf(set.hi);
    } else if (set.law != Law::equality) {
      face.kind = is_exact(set) ? Face::Kind::cone : Face::Kind::rays;
      if (face.kind == Face::Kind::rays) face.rays = rays_of(set);
      counts = view.r[row] > 0 || view.u[row] <= view.tolerance * view.scale[i];
    }
    result.activity.push_back(counts ? Activity::sticks : Activity::open);
    if (counts) faces.push_back(face);
  }
  return finish(view, faces, std::move(result));
}

GroupRank group_rank(const FaceGroup& group, double tolerance) {
  // Directions inside the faces' spans, as columns of unit effect where they have one.
  std::vector<std::pair<const Face*, Ray>> spans;
  for (const Face& face : group.faces)
    for (const Ray& g : span_of(face)) spans.emplace_back(&face, g);
  const auto count = static_cast<Eigen::Index>(spans.size());
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(group.E.cols(), count);
  for (Eigen::Index j = 0; j < count; ++j) {
    const auto& [face, g] = spans[static_cast<std::size_t>(j)];
    F.col(j).segment(face->first, face->rows) = Eigen::Map<const VecX>(g.data(), face->rows);
  }
  GroupRank result;
  result.rows = static_cast<int>(count);
  if (group.E.rows() == 0) {
    result.A.resize(0, group.E.cols());
    result.null = F;
    return result;
  }
  const Eigen::MatrixXd EF = group.E * F;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(EF.rows(), EF.cols());
  factor.setThreshold(tolerance);
  factor.compute(EF);
  const Eigen::Index rank = factor.rank();
  result.rank = static_cast<int>(rank);
  result.A = group.E;
  if (rank < EF.rows()) {
    // The rows that the pivots of the transposed matrix choose: sparse as they are, unlike others.
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> rows(Eigen::MatrixXd(EF.transpose()));
    result.A.resize(rank, group.E.cols());
    for (Eigen::Index k = 0; k < rank; ++k)
      result.A.row(k) = group.E.row(rows.colsPermutation().indices()[k]);
  }
  result.null.resize(group.E.cols(), count - rank);
  if (count == rank) return result;
  Eigen::MatrixXd null = Eigen::MatrixXd::Zero(count, count - rank);
  if (rank > 0)
    null.topRows(rank) = -factor.matrixR()
                              .topLeftCorner(rank, rank)
                              .triangularView<Eigen::Upper>()
                              .solve(factor.matrixR().topRightCorner(rank, count - rank));
  null.bottomRows(count - rank).setIdentity();
  result.null = F * (factor.colsPermutation() * null);
  return result;
}

}  // namespace cairn::analyse
