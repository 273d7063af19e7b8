#include "scheme/impact/impact_path.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"
#include "scheme/common/root.hpp"
#include "scheme/impact/impact_phases.hpp"
#include "scheme/impact/spin_path.hpp"

// Legend: p normal impulse, pi = (p, pi_t) impulse, u velocity, W inverse mass with the tangential
// block A and the coupling a = W_tn, s = u_t / r direction of slip, r its speed. Primes are
// derivatives by sigma with d sigma = dp / r (E202): in sigma the slip stops at infinity, and the
// path is smooth on the way there.

namespace cairn::scheme {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr int taylor_order = 18;  // of the Taylor series

using Series = std::array<double, taylor_order + 1>;

double value(const Series& x, double t) {
  double sum = x[taylor_order];
  for (std::size_t k = taylor_order; k-- > 0;) sum = sum * t + x[k];
  return sum;
}

// Coefficient k of the product.
double product(const Series& x, const Series& y, std::size_t k) {
  double sum = 0;
  for (std::size_t j = 0; j <= k; ++j) sum += x[j] * y[k - j];
  return sum;
}

// Slip and normal motion over one step of sigma, times `unit` to make it a number.
struct Arc {
  Series c{}, s{}, r{};         // direction (c, s) and speed of the slip
  Series p{}, q1{}, q2{};       // impulse, and the integral of s dp
  Series u_n{}, w{};            // normal velocity, work of the normal impulse
  Series v1{}, v2{}, f{}, g{};  // a - mu A s, its parts along s (f) and across (g), per `unit`
  double length = 0;            // of the step
};

struct Path {
  const ImpactInput& in;
  const Vec2 a;
  const Mat2 A;
  const double rate;  // bound on |a - mu A s| [1/kg]
  const double unit;  // power of two next to it
  Vec3 u;
  Vec3 pi = Vec3::Zero();
  ImpactPhases phases;
  ImpactOutcome out;

  explicit Path(const ImpactInput& input)
      : in(input),
        a(input.W.block<2, 1>(1, 0)),
        A(input.W.block<2, 2>(1, 1)),
        rate(a.norm() + input.mu * A.norm()),
        unit(power_of_two(rate)),
        u(input.u),
        phases{.law = input.law, .e = input.e, .approach = input.u[0]} {}

  // True: nothing is given back.
  bool begin_restitution() {
    phases.compressing = false;
    u[0] = 0;
    return in.e == 0;
  }

  void move(const Vec3& direction, const Vec3& per_impulse, double p) {
    phases.add(p, p * (u[0] + 0.5 * per_impulse[0] * p));
    pi += p * direction;
    u += p * per_impulse;
  }

  bool straight(const Vec3& direction, double limit);
  bool stick_or_start();
  bool slide();
  bool curve(double c, double s, double r);
  void expand(double c, double s, double r, Arc& arc) const;
  void follow(const Arc& arc, double t);
};

// (E201): impulses keep their direction until `limit` or until the impact is over (true). A normal
// velocity that does not grow beyond rounding ends it: the contact is locked.
bool Path::straight(const Vec3& direction, double limit) {
  Vec3 per_impulse = in.W * direction;
  if (std::abs(per_impulse[0]) <= 64 * eps * in.W(0, 0)) per_impulse[0] = 0;
  double rest = limit;
  for (int i = 0; i < max_path_steps; ++i) {
    const double end = phases.left(u[0], per_impulse[0]);
    const double again =
        !phases.compressing && per_impulse[0] < 0 ? -u[0] / per_impulse[0] : never;  // closes again
    const double p = std::min({rest, end, again});
    if (p == never) return true;
    move(direction, per_impulse, p);
    rest -= p;
    if (p == end && !phases.compressing) return true;
    if (p == end && begin_restitution()) return true;
    if (p == again) phases.compressing = true, u[0] = 0;
    if (p != end && p != again) return false;
    if (rest == 0) return false;
  }
  return true;
}

// Without slip: friction holds the contact, or it starts to slide for the rest of the impact.
bool Path::stick_or_start() {
  ++out.phases;
  const HeldSlip held = hold_slip(A, a, in.mu);
  const Vec3 direction(1, held.friction[0], held.friction[1]);
  if (held.holds) {
    out.stuck = true;
    straight(direction, never);
    u.tail<2>().setZero();
    return true;
  }
  out.reversed = true;
  return straight(direction, never);
}

// Taylor series from the slip (c, s) r, by the recurrences of products.
void Path::expand(double c, double s, double r, Arc& arc) const {
  const double a1 = a[0] / unit, a2 = a[1] / unit;
  const double m11 = in.mu * A(0, 0) / unit, m12 = in.mu * A(0, 1) / unit,
               m22 = in.mu * A(1, 1) / unit;
  arc.c[0] = c, arc.s[0] = s, arc.r[0] = r;
  arc.p[0] = arc.q1[0] = arc.q2[0] = 0;
  arc.u_n[0] = u[0], arc.w[0] = 0;
  for (std::size_t k = 0; k < taylor_order; ++k) {
    const double next = static_cast<double>(k + 1);
    arc.v1[k] = (k == 0 ? a1 : 0) - (m11 * arc.c[k] + m12 * arc.s[k]);
    arc.v2[k] = (k == 0 ? a2 : 0) - (m12 * arc.c[k] + m22 * arc.s[k]);
    arc.f[k] = product(arc.v1, arc.c, k) + product(arc.v2, arc.s, k);
    arc.g[k] = product(arc.v2, arc.c, k) - product(arc.v1, arc.s, k);
    arc.c[k + 1] = -product(arc.s, arc.g, k) / next;
    arc.s[k + 1] = product(arc.c, arc.g, k) / next;
    arc.r[k + 1] = product(arc.r, arc.f, k) / next;
    arc.p[k + 1] = arc.r[k] / unit / next;
    arc.q1[k + 1] = product(arc.r, arc.c, k) / unit / next;
    arc.q2[k + 1] = product(arc.r, arc.s, k) / unit / next;
    arc.u_n[k + 1] =
        in.W(0, 0) * arc.p[k + 1] - in.mu * (a[0] * arc.q1[k + 1] + a[1] * arc.q2[k + 1]);
    arc.w[k + 1] = product(arc.u_n, arc.r, k) / unit / next;
  }
  // The step at which the last two terms are below rounding.
  arc.length = 4;
  for (const std::size_t k : {std::size_t{taylor_order - 1}, std::size_t{taylor_order}}) {
    const double term =
        std::max({std::abs(arc.c[k]), std::abs(arc.s[k]), std::abs(arc.r[k]) / r, 1e-30});
    arc.length = std::min(arc.length, 0.8 * std::pow(eps / term, 1 / static_cast<double>(k)));
  }
}

void Path::follow(const Arc& arc, double t) {
  const double p = value(arc.p, t);
  const Vec2 c(value(arc.c, t), value(arc.s, t));
  pi += Vec3(p, -in.mu * value(arc.q1, t), -in.mu * value(arc.q2, t));
  phases.add(p, value(arc.w, t));
  u[0] = value(arc.u_n, t);
  u.tail<2>() = value(arc.r, t) * c.normalized();
}

// One step along a slip that turns (E202). True: the impact is over.
bool Path::curve(double c, double s, double r) {
  Arc arc;
  expand(c, s, r, arc);
  const double H = arc.length;
  if (phases.compressing) {
    const double end = value(arc.u_n, H);
    if (arc.u_n[1] < 0) out.jammed = true;
    if (!(end >= 0)) {
      follow(arc, H);
      return false;
    }
    follow(arc, brent_root(0, u[0], H, end, 0, [&](double t) { return value(arc.u_n, t); }));
    return begin_restitution();
  }
  auto beyond_at = [&](double t) {
    return phases.beyond(value(arc.u_n, t), phases.p_d + value(arc.p, t),
                         phases.w_d + value(arc.w, t));
  };
  double over = never, again = never;
  if (const double end = beyond_at(H); end >= 0)
    over = brent_root(0, phases.beyond(u[0], phases.p_d, phases.w_d), H, end, 0, beyond_at);
  if (const double end = value(arc.u_n, H); end < 0) {
    double lo = 0, at_lo = u[0];
    for (int i = 0; i < 60 && !(at_lo > 0); ++i) {
      lo = i == 0 ? H / 2 : lo / 2;
      at_lo = value(arc.u_n, lo);
    }
    again = at_lo > 0
                ? brent_root(lo, at_lo, H, end, 0, [&](double t) { return value(arc.u_n, t); })
                : 0;
  }
  follow(arc, std::min({H, over, again}));
  if (over <= std::min(H, again)) return true;
  if (again < H) phases.compressing = true, u[0] = 0;
  return false;
}

// With slip. Straight where friction does not turn it, and where what is left of it is too little
// to turn.
bool Path::slide() {
  const double r = u.tail<2>().norm();
  if (in.mu == 0) return straight(Vec3::UnitX(), never);
  const Vec2 s = u.tail<2>() / r, v = a - in.mu * A * s;
  const double f = v.dot(s), g = s[0] * v[1] - s[1] * v[0];
  const double size = in.u.norm();
  if (r <= 0.25 * eps * size) {
    u.tail<2>().setZero();
    return false;
  }
  const bool keeps = std::abs(g) <= 8 * eps * rate || (f < 0 && std::abs(g) * r <= -f * eps * size);
  if (!keeps) return curve(s[0], s[1], r);
  const Vec3 direction(1, -in.mu * s[0], -in.mu * s[1]);
  if (phases.compressing && in.W.row(0).dot(direction) < 0) out.jammed = true;
  if (straight(direction, f < 0 ? r / -f : never)) return true;
  u.tail<2>().setZero();
  return false;
}

// The one direction in which a slip can begin that friction cannot hold (E204): s = (mu A + k)^-1 a
// with |s| = 1 and k > 0.
Vec2 diverging(const Eigen::SelfAdjointEigenSolver<Mat2>& eigen, const Vec2& a, double mu) {
  const Vec2 b = eigen.eigenvectors().transpose() * a, lambda = mu * eigen.eigenvalues();
  auto s = [&](double k) { return Vec2(b.cwiseQuotient(lambda + Vec2::Constant(k))); };
  // Newton's method on 1/|s|, which is nearly linear, inside a bracket.
  double lo = 0, hi = a.norm();
  double k = hi - lambda[1] > 0 ? hi - lambda[1] : 0.5 * hi;
  for (int i = 0; i < 200; ++i) {
    const double size = s(k).norm();
    (size > 1 ? lo : hi) = k;
    const double slope = -s(k).cwiseAbs2().cwiseQuotient(lambda + Vec2::Constant(k)).sum() / size;
    double next = k + (1 - size) * size / slope;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (next == k || !(hi > lo) || std::abs(next - k) <= eps * k) break;
    k = next;
  }
  return (eigen.eigenvectors() * s(k)).normalized();
}

}  // namespace

double ImpactPhases::beyond(double u_n, double p, double w) const {
  if (law == RestitutionLaw::newton) return u_n + e * approach;
  if (law == RestitutionLaw::poisson) return p - e * p_c;
  return w + e * e * w_c;
}

double ImpactPhases::left(double u_n, double k) const {
  if (compressing) return k > 0 ? -u_n / k : never;
  const double missing = std::max(0.0, -beyond(u_n, p_d, w_d));
  if (law == RestitutionLaw::poisson) return missing;
  if (law == RestitutionLaw::newton) return k > 0 ? missing / k : never;
  const double root = u_n * u_n + 2 * k * missing;
  const double down = root >= 0 ? u_n + std::sqrt(root) : 0;
  return down > 0 ? 2 * missing / down : missing > 0 ? never : 0;
}

HeldSlip hold_slip(const Mat2& A, const Vec2& a, double mu) {
  const Eigen::SelfAdjointEigenSolver<Mat2> eigen(A);
  Vec2 b = eigen.eigenvectors().transpose() * a;
  const double largest = eigen.eigenvalues()[1];
  for (int i = 0; i < 2; ++i)
    b[i] = eigen.eigenvalues()[i] > 4 * eps * largest ? b[i] / eigen.eigenvalues()[i] : 0;
  const Vec2 tau = eigen.eigenvectors() * b;  // friction over normal impulse that holds
  if (tau.norm() <= mu) return {-tau, true};
  const Vec2 s = mu > 0 ? diverging(eigen, a, mu) : Vec2::Zero();
  return {-mu * s, false};
}

ImpactOutcome impact_path(const ImpactInput& in) {
  CAIRN_DCHECK(in.mu >= 0, in.mu);
  CAIRN_DCHECK(in.e >= 0 && std::isfinite(in.e), in.e);
  if (!(in.u[0] < 0)) {
    ImpactOutcome none;
    none.u = in.u;
    none.spin = in.spin;
    return none;
  }
  if (in.torsion > 0 || in.rolling > 0) return spin_path(in);
  Path path(in);
  bool sliding = false;
  for (int i = 0; i < max_path_steps; ++i) {
    const bool slips = path.u[1] != 0 || path.u[2] != 0;
    if (slips && !sliding) ++path.out.phases;
    sliding = slips;
    if (slips ? path.slide() : path.stick_or_start()) break;
  }
  ImpactOutcome& out = path.out;
  out.impulse = path.pi;
  out.u = path.u;
  if (out.u.tail<2>().dot(in.u.tail<2>()) < 0) out.reversed = true;
  out.compression_impulse = path.phases.p_c;
  out.work_compression = path.phases.w_c;
  out.work_decompression = path.phases.w_d;
  out.work_friction = 0.5 * (in.u + out.u).dot(out.impulse) - path.phases.w_c - path.phases.w_d;
  return out;
}

}  // namespace cairn::scheme
