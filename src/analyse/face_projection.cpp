// Projections onto the faces of E105: the laws' own sets (cone.cpp), or one or two rays of them.
#include <algorithm>
#include <cmath>

#include "analyse/active_faces.hpp"
#include "base/index.hpp"

namespace cairn::analyse {
namespace {

double row_dot(int rows, const double* a, const double* b) {
  double sum = 0;
  for (int k = 0; k < rows; ++k) sum += a[k] * b[k];
  return sum;
}

problem::LawSet cone_set(const Face& face) {
  return {.law = Law::coulomb_relaxed, .rows = face.rows, .mu = face.mu};
}

// A face of all rays of a pyramid or a wedge is the law's own set.
bool is_whole(const Face& face) {
  return face.kind == Face::Kind::cone || (face.rows == 2 && face.rays.size() == 2) ||
         face.rays.size() > 2;
}

problem::LawSet whole_set(const Face& face) {
  problem::LawSet set = cone_set(face);
  if (face.rays.size() > 2) set.corners = face.corners;
  return set;
}

// Multiples x >= 0 of at most two rays such that the sum is next to z.
std::array<double, 2> nearest_multiples(const Face& face, const double* z) {
  const int n = face.rows;
  const double* g = face.rays[0].data();
  const double first = std::max(0.0, row_dot(n, g, z) / row_dot(n, g, g));
  if (face.rays.size() == 1) return {first, 0};
  const double* f = face.rays[1].data();
  const double gg = row_dot(n, g, g), ff = row_dot(n, f, f), gf = row_dot(n, g, f);
  const double det = gg * ff - gf * gf;
  const double a = (ff * row_dot(n, g, z) - gf * row_dot(n, f, z)) / det;
  const double b = (gg * row_dot(n, f, z) - gf * row_dot(n, g, z)) / det;
  if (a >= 0 && b >= 0) return {a, b};
  const double second = std::max(0.0, row_dot(n, f, z) / ff);
  // With one of them alone the distance falls by its product with z.
  if (first * row_dot(n, g, z) >= second * row_dot(n, f, z)) return {first, 0};
  return {0, second};
}

}  // namespace

void project(const Face& face, const double* z, double* p) {
  switch (face.kind) {
    case Face::Kind::free:
      std::copy(z, z + face.rows, p);
      return;
    case Face::Kind::interval:
      p[0] = std::clamp(z[0], face.lo, face.hi);
      return;
    case Face::Kind::rays:
    case Face::Kind::cone:
      break;
  }
  if (is_whole(face)) return problem::project(whole_set(face), z, p);
  const std::array<double, 2> x = nearest_multiples(face, z);
  std::fill(p, p + face.rows, 0.0);
  for (std::size_t j = 0; j < face.rays.size(); ++j)
    for (int k = 0; k < face.rows; ++k) p[k] += x[j] * face.rays[j][base::at(k)];
}

void project_derivative(const Face& face, const double* z, double D[max_rows][max_rows]) {
  for (int i = 0; i < max_rows; ++i) std::fill(D[i], D[i] + max_rows, 0.0);
  const auto outer = [&](const double* a, double factor) {
    for (int i = 0; i < face.rows; ++i)
      for (int k = 0; k < face.rows; ++k) D[i][k] += factor * a[i] * a[k];
  };
  if (face.kind == Face::Kind::free) {
    for (int i = 0; i < face.rows; ++i) D[i][i] = 1;
  } else if (face.kind == Face::Kind::interval) {
    D[0][0] = z[0] > face.lo && z[0] < face.hi ? 1 : 0;
  } else if (is_whole(face)) {
    problem::project_derivative(whole_set(face), z, D);
  } else {
    const std::array<double, 2> x = nearest_multiples(face, z);
    Ray base = face.rays[0];
    if (x[0] > 0) outer(base.data(), 1 / row_dot(face.rows, base.data(), base.data()));
    if (face.rays.size() < 2 || !(x[1] > 0)) return;
    // The part of the second ray across the first, if that takes part.
    Ray rest = face.rays[1];
    if (x[0] > 0) {
      const double share = row_dot(face.rows, base.data(), rest.data()) /
                           row_dot(face.rows, base.data(), base.data());
      for (int k = 0; k < face.rows; ++k) rest[base::at(k)] -= share * base[base::at(k)];
    }
    outer(rest.data(), 1 / row_dot(face.rows, rest.data(), rest.data()));
  }
}

}  // namespace cairn::analyse
