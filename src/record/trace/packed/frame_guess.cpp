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
  const double w_ = R.w() * cosine - R.x() * s[0] - R.y() * s[1] - R.z() * s[2],
               x = R.w() * s[0] + R.x() * cosine + R.y() * s[2] - R.z() * s[1],
               y = R.w() * s[1] + R.y() * cosine + R.z() * s[0] - R.x() * s[2],
               z = R.w() * s[2] + R.z() * cosine + R.x() * s[1] - R.y() * s[0],
               norm = std::sqrt((x * x + z * z) + (y * y + w_ * w_));
  return {w_ / norm, x / norm, y / norm, z / norm};
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
    // 0 + x: a zero is positive before it gets its sign.
    for (int i = 0; i < 3; ++i) {
      row[i] = (0 + d_W[i]) * sign;
      row[i + 3] = (0 + moment_B[i]) * (sign / length);
    }
    return;
  }
  std::fill(row, row + size, 0.0);
  if (size != 3) return;
  row[0] = (0 + d_W[0]) * sign;
  row[1] = (0 + d_W[1]) * sign;
  row[2] = (0 + moment[2]) * (sign / length);
}

void constraint_velocity(const Problem& problem, const Constraint& c, const VecX& v, double* w) {
  std::fill(w, w + max_rows, 0.0);
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(c.body[side])];
    for (int row = 0; row < c.rows; ++row) {
      // Six numbers are added up in two lanes, others one after the other.
      double sums[2] = {};
      const double* J = c.J[side][row];
      for (int i = 0; i < body.size; ++i)
        sums[body.size == 6 ? i % 2 : 0] += J[i] * v[body.first + i];
      w[row] += sums[0] + sums[1];
    }
  }
}

// Gaussian elimination of the block of a body, which is positive definite.
static void solve_block(const ProblemBody& body, double* x) {
  double A[max_velocities][max_velocities];
  const int n = body.size;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) A[r][c] = body.A[r][c];
  for (int k = 0; k < n; ++k)
    for (int r = k + 1; r < n; ++r) {
      if (A[r][k] == 0) continue;
      const double share = A[r][k] / A[k][k];
      for (int c = k + 1; c < n; ++c) A[r][c] -= share * A[k][c];
      x[r] -= share * x[k];
    }
  for (int r = n - 1; r >= 0; --r) {
    for (int c = r + 1; c < n; ++c) x[r] -= A[r][c] * x[c];
    x[r] /= A[r][r];
  }
}

void balanced_velocities(const Problem& problem, const VecX& lambda, VecX& v) {
  v = problem.k;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (std::size_t side = 0; side < static_cast<std::size_t>(c.sides); ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = problem.bodies[static_cast<std::size_t>(c.body[side])];
      for (int row = 0; row < c.rows; ++row) {
        const double impulse = lambda[problem.first_row[i] + row];
        for (int k = 0; k < body.size && impulse != 0; ++k)
          v[body.first + k] += c.J[side][row][k] * impulse;
      }
    }
  }
  for (const ProblemBody& body : problem.bodies) solve_block(body, v.data() + body.first);
}

Vec3 carried_axis(const Pose& from, const Pose& to, const Vec3& d_W) {
  const Vec3 d = unrotated(from.R, d_W);
  constexpr double close = 1e-12;
  for (int i = 0; i < 3; ++i)
    if (std::abs(std::abs(d[i]) - 1) < close) {
      Vec3 axis(0, 0, 0);
      axis[i] = d[i] < 0 ? -1 : 1;
      return rotated(to.R, axis);
    }
  return rotated(to.R, d);
}

double on_cone(double mu, const double* lambda, double like) {
  const double bound = mu * lambda[0], rest = bound * bound - lambda[1] * lambda[1];
  if (!(bound > 0) || !(rest > 0)) return like;
  const double sliding = std::sqrt(rest);
  return std::abs(like) < 0.5 * sliding ? like : like < 0 ? -sliding : sliding;
}

namespace {

Vec3 axis_of(const Pose& X, int i) {
  Vec3 axis(0, 0, 0);
  axis[i] = 1;
  return rotated(X.R, axis);
}

// (a x b) / |a x b| on the side of `like`; its squared distance from `like` is the result.
double across(const Vec3& a, const Vec3& b, const Vec3& like, Vec3& n) {
  n = cross(a, b);
  const double length = std::sqrt(dot(n, n));
  if (!(length > 1e-12)) return 4;
  const double sign = dot(n, like) < 0 ? -1 : 1;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    n[i] *= sign / length;
    square += (n[i] - like[i]) * (n[i] - like[i]);
  }
  return square;
}

}  // namespace

bool edges_of(const Pose& A, const Pose& B, const Vec3& n_W, std::array<int, 2>& edges) {
  constexpr double close = 1e-12;  // squared distance of two normals
  double best = close;
  const std::array<Vec3, 3> b = {axis_of(B, 0), axis_of(B, 1), axis_of(B, 2)};
  for (int i = 0; i < 3; ++i) {
    const Vec3 a = axis_of(A, i);
    if (std::abs(dot(a, n_W)) > 2e-6) continue;  // then no cross product is close
    for (int k = 0; k < 3; ++k) {
      Vec3 n;
      const double square = across(a, b[static_cast<std::size_t>(k)], n_W, n);
      if (!(square < best)) continue;
      best = square;
      edges = {i, k};
    }
  }
  return best < close;
}

EdgeMeeting edges_meet(const Pose& A, const Pose& B, const std::array<int, 2>& edges,
                       const Vec3& like, const Vec3& p_A, const Vec3& p_B) {
  const Vec3 a = axis_of(A, edges[0]), b = axis_of(B, edges[1]);
  EdgeMeeting meeting{like, p_A, p_B};
  if (across(a, b, like, meeting.n_W) == 4) return meeting;
  Vec3 apart;
  for (int i = 0; i < 3; ++i) apart[i] = p_A[i] - p_B[i];
  const double c = dot(a, b), square = 1 - c * c, along_a = dot(a, apart), along_b = dot(b, apart);
  if (!(square > 0)) return meeting;
  const double s = (c * along_b - along_a) / square, t = (along_b - c * along_a) / square;
  for (int i = 0; i < 3; ++i) {
    meeting.on_a[i] += s * a[i];
    meeting.on_b[i] += t * b[i];
  }
  return meeting;
}

}  // namespace cairn::record::guess
