#include "record/trace/packed/frame_guess.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::record::guess {

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

static Vec3 rotated(double w, const Vec3& axis, const Vec3& v) {
  Vec3 twice = cross(axis, v);
  for (int i = 0; i < 3; ++i) twice[i] += twice[i];
  const Vec3 last = cross(axis, twice);
  Vec3 out;
  for (int i = 0; i < 3; ++i) out[i] = v[i] + w * twice[i] + last[i];
  return out;
}

Vec3 rotated(const Quat& R, const Vec3& v) {
  return rotated(R.w(), {R.x(), R.y(), R.z()}, v);
}

Vec3 unrotated(const Quat& R, const Vec3& v) {
  return rotated(R.w(), {-R.x(), -R.y(), -R.z()}, v);
}

Vec3 carried_point(const Pose& from, const Pose& to, const Vec3& p_W) {
  Vec3 arm;
  for (int i = 0; i < 3; ++i) arm[i] = p_W[i] - from.p[i];
  Vec3 out = carried_direction(from, to, arm);
  for (int i = 0; i < 3; ++i) out[i] += to.p[i];
  return out;
}

Vec3 carried_direction(const Pose& from, const Pose& to, const Vec3& d_W) {
  return rotated(to.R, unrotated(from.R, d_W));
}

// R exp(h w), w in the frame of the body: sine and cosine by their series, good to rounding below a
// quarter of a radian.
static Quat turned(const Quat& R, const Vec3& w, double h) {
  const double square = dot(w, w) * (h * h / 4);
  if (!(square < 0.0625)) return R;
  double cosine = 1, share = 1, term = 1;
  for (int n = 1; n <= 8; ++n) {
    term *= -square / ((2 * n - 1) * (2 * n));
    cosine += term;
    share += term / (2 * n + 1);
  }
  Vec3 s;
  for (int i = 0; i < 3; ++i) s[i] = share * (h / 2) * w[i];
  return {R.w() * cosine - R.x() * s[0] - R.y() * s[1] - R.z() * s[2],
          R.w() * s[0] + R.x() * cosine + R.y() * s[2] - R.z() * s[1],
          R.w() * s[1] + R.y() * cosine + R.z() * s[0] - R.x() * s[2],
          R.w() * s[2] + R.z() * cosine + R.x() * s[1] - R.y() * s[0]};
}

Pose moved(const Pose& X, const double* v, int size, double h) {
  Pose out = X;
  if (size != 3 && size != 6) return out;
  const int linear = size == 3 ? 2 : 3;
  for (int i = 0; i < linear; ++i) out.p[i] = X.p[i] + h * v[i];
  out.R = turned(X.R, size == 3 ? Vec3(0, 0, v[2]) : Vec3(v[3], v[4], v[5]), h);
  return out;
}

Vec3 tangent(const Vec3& n) {
  const double x = std::abs(n[0]), y = std::abs(n[1]), z = std::abs(n[2]);
  Vec3 axis(0, 0, 1);
  if (y < z && y <= x)
    axis = {0, 1, 0};
  else if (x < z)
    axis = {1, 0, 0};
  Vec3 t = cross(axis, n);
  const double length = std::sqrt(dot(t, t));
  for (int i = 0; i < 3; ++i) t[i] /= length;
  return t;
}

void contact_row(const Pose& X, const Vec3& p_W, const Vec3& d_W, double sign, double length,
                 int size, double* row) {
  Vec3 arm;
  for (int i = 0; i < 3; ++i) arm[i] = p_W[i] - X.p[i];
  const Vec3 moment = cross(arm, d_W);
  if (size == 6) {
    const Vec3 moment_B = unrotated(X.R, moment);
    for (int i = 0; i < 3; ++i) {
      row[i] = d_W[i] * sign;
      row[i + 3] = moment_B[i] * (sign / length);
    }
    return;
  }
  std::fill(row, row + size, 0.0);
  if (size != 3) return;
  row[0] = d_W[0] * sign;
  row[1] = d_W[1] * sign;
  row[2] = moment[2] * (sign / length);
}

void constraint_velocity(const Problem& problem, const Constraint& c, const VecX& v, double* w) {
  std::fill(w, w + max_rows, 0.0);
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(c.body[side])];
    for (int row = 0; row < c.rows; ++row)
      for (int i = 0; i < body.size; ++i) w[row] += c.J[side][row][i] * v[body.first + i];
  }
}

}  // namespace cairn::record::guess
