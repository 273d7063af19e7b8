// Legend: y velocities of the bodies, nu changes of the equalities' impulses, z = J y, p impulses
// of the contacts inside their faces, g = J^T p of the solution.
#include "analyse/shortest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/conventions.hpp"
#include "base/index.hpp"

namespace cairn::analyse {
namespace {

constexpr int most_steps = 100;
constexpr double reached = 1e-11;  // missing motion over the largest impulse [-]
constexpr double aim = 0x1p-43;    // likewise, at which Newton's method ends
constexpr double close_by = 1e-4;  // likewise, below which full steps are tried first
constexpr double digits = 1e-11;   // rounding of J y over the largest impulse [-]
constexpr int patience = 10;       // steps close by without halving what is missing
constexpr int most_secants = 30;
constexpr double longest_step = 0x1p30;
constexpr double least_delta = 0x1p-43;  // (E623)
// Of equalities in the factor: one of them that is eliminated before its bodies costs this share of
// the digits, which refinement brings back.
constexpr double factor_delta = 0x1p-20;
// Of velocities in the factor: bodies that neither contacts nor joints hold along a direction have
// no more than this, which must not be rounding of what they had.
constexpr double factor_floor = 0x1p-33;
constexpr int refinements = 3;
constexpr double enough = 0x1p-45;  // missing, of the right side [-]
constexpr int purifications = 3;

// z = J y, or g += J^T p, over all constraints of a kind.
template <class Links>
void multiply(const Links& links, const VecX& y, VecX& z) {
  for (const auto& l : links)
    for (int r = 0; r < l.rows; ++r) {
      double sum = 0;
      for (std::size_t side = 0; side < max_sides; ++side)
        for (int c = 0; c < l.size[side]; ++c) sum += l.J[side][r][c] * y[l.at[side] + c];
      z[l.first + r] = sum;
    }
}
template <class Links>
void add_transposed(const Links& links, const VecX& p, VecX& g) {
  for (const auto& l : links)
    for (std::size_t side = 0; side < max_sides; ++side)
      for (int r = 0; r < l.rows; ++r)
        for (int c = 0; c < l.size[side]; ++c)
          g[l.at[side] + c] += l.J[side][r][c] * p[l.first + r];
}

// Calls f(i, j) for each pair of sides with nodes.
template <class F>
void for_node_pairs(const std::array<int, max_sides>& node, const F& f) {
  for (std::size_t i = 0; i < node.size(); ++i)
    for (std::size_t j = i + 1; j < node.size(); ++j)
      if (node[i] >= 0 && node[j] >= 0) f(i, j);
}

// Entries of size one without a pattern, from the bits of a counter (splitmix64).
double pseudorandom(std::uint64_t n) {
  std::uint64_t x = (n + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  const double share = static_cast<double>(x >> 12) * 0x1p-52;  // [0, 1)
  return (x & 1) != 0 ? 0.5 + share : -0.5 - share;
}

}  // namespace

ShortestImpulses::Link ShortestImpulses::link_to(const Problem& problem,
                                                 std::span<const int> bodies, int constraint,
                                                 int& rows) const {
  const Constraint& c = problem.constraints[base::at(constraint)];
  Link link;
  link.rows = c.rows;
  link.first = rows;
  rows += c.rows;
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const auto at = std::lower_bound(bodies.begin(), bodies.end(), c.body[side]);
    CAIRN_DCHECK(at != bodies.end() && *at == c.body[side], c.body[side]);
    link.node[side] = static_cast<int>(at - bodies.begin());
    link.size[side] = problem.bodies[base::at(c.body[side])].size;
    std::copy(&c.J[side][0][0], &c.J[side][0][0] + max_rows * max_velocities, &link.J[side][0][0]);
  }
  return link;
}

void ShortestImpulses::load(const Problem& problem, std::span<const int> bodies,
                            std::vector<Face> contacts, std::span<const int> equalities,
                            const VecX& lambda) {
  faces_ = std::move(contacts);
  contacts_.clear();
  equalities_.clear();
  contact_rows_ = equality_rows_ = iterations_ = 0;
  for (Face& face : faces_) {
    face.first = contact_rows_;
    contacts_.push_back(link_to(problem, bodies, face.constraint, contact_rows_));
  }
  for (const int i : equalities) equalities_.push_back(link_to(problem, bodies, i, equality_rows_));
  make_matrix(problem, bodies);
  scale_unknowns();
  take_impulses(problem, lambda);
  spans_.clear();
  for (const Face& face : faces_) {
    // The derivative inside the span: of one ray, of the plane of two, or everything.
    Weights D = {};
    const std::vector<Ray> span = span_of(face);
    Eigen::Matrix<double, max_rows, Eigen::Dynamic, 0, max_rows, max_rows> S(
        max_rows, static_cast<Eigen::Index>(span.size()));
    for (std::size_t k = 0; k < span.size(); ++k)
      S.col(static_cast<Eigen::Index>(k)) = Eigen::Map<const Vec3>(span[k].data());
    const Mat3 P = S * (S.transpose() * S).inverse() * S.transpose();
    for (int i = 0; i < max_rows; ++i)
      for (int k = 0; k < max_rows; ++k) D[base::at(i)][base::at(k)] = P(i, k);
    spans_.push_back(D);
  }
}

void ShortestImpulses::make_matrix(const Problem& problem, std::span<const int> bodies) {
  std::vector<int> sizes;
  std::vector<BlockMatrix::Pair> pairs;
  for (const int j : bodies) sizes.push_back(problem.bodies[base::at(j)].size);
  const auto ordered = [](int a, int b) {
    return BlockMatrix::Pair{std::max(a, b), std::min(a, b)};
  };
  const auto add_between_bodies = [&](const Link& l) {
    for_node_pairs(l.node, [&](std::size_t i, std::size_t j) {
      pairs.push_back(ordered(l.node[i], l.node[j]));
    });
  };
  for (const Link& l : contacts_) add_between_bodies(l);
  for (const Link& l : equalities_) {
    for (const int node : l.node)
      if (node >= 0) pairs.push_back({static_cast<int>(sizes.size()), node});
    add_between_bodies(l);
    sizes.push_back(l.rows);
  }
  matrix_.reset(sizes, std::move(pairs));
  velocities_ = matrix_.first(static_cast<int>(bodies.size()));
  for (Link& l : contacts_)
    for (std::size_t side = 0; side < max_sides; ++side)
      if (l.node[side] >= 0) {
        l.at[side] = matrix_.first(l.node[side]);
        l.block[side] = matrix_.find(l.node[side], l.node[side]);
      }
  int node = static_cast<int>(bodies.size());
  for (Link& l : equalities_) {
    for (std::size_t side = 0; side < max_sides; ++side)
      if (l.node[side] >= 0) {
        l.at[side] = matrix_.first(l.node[side]);
        l.block[side] = matrix_.find(node, l.node[side]);
        l.own[side] = matrix_.find(l.node[side], l.node[side]);
      }
    ++node;
  }
}

// Powers of two that bring the diagonal of J^T J, and rows of equalities, near one.
void ShortestImpulses::scale_unknowns() {
  VecX squares = VecX::Zero(velocities_);
  for (const auto* links : {&contacts_, &equalities_})
    for (const Link& l : *links)
      for (std::size_t side = 0; side < max_sides; ++side)
        for (int r = 0; r < l.rows; ++r)
          for (int c = 0; c < l.size[side]; ++c)
            squares[l.at[side] + c] += l.J[side][r][c] * l.J[side][r][c];
  scale_.resize(velocities_);
  for (int k = 0; k < velocities_; ++k)
    scale_[k] = squares[k] > 0 ? 1 / power_of_two(std::sqrt(squares[k])) : 1;
  nu_scale_ = VecX::Ones(equality_rows_);
  for (auto* links : {&contacts_, &equalities_})
    for (Link& l : *links)
      for (int r = 0; r < l.rows; ++r) {
        double square = 0;
        for (std::size_t side = 0; side < max_sides; ++side)
          for (int c = 0; c < l.size[side]; ++c) {
            l.J[side][r][c] *= scale_[l.at[side] + c];
            square += l.J[side][r][c] * l.J[side][r][c];
          }
        if (links != &equalities_ || !(square > 0)) continue;
        const double d = 1 / power_of_two(std::sqrt(square));
        nu_scale_[l.first + r] = d;
        for (std::size_t side = 0; side < max_sides; ++side)
          for (int c = 0; c < l.size[side]; ++c) l.J[side][r][c] *= d;
      }
}

void ShortestImpulses::take_impulses(const Problem& problem, const VecX& lambda) {
  lambda_.resize(contact_rows_);
  kept_.resize(contact_rows_);
  size_ = 0;
  for (const Face& face : faces_) {
    const double* own = lambda.data() + problem.first_row[base::at(face.constraint)];
    for (int k = 0; k < face.rows; ++k) {
      kept_[face.first + k] = own[k];
      size_ = std::max(size_, std::abs(own[k]));
    }
  }
  if (size_ > 0) kept_ /= size_;
  for (const Face& face : faces_)
    project(face, kept_.data() + face.first, lambda_.data() + face.first);
  kept_ -= lambda_;
  g_ = VecX::Zero(velocities_);
  add_transposed(contacts_, lambda_, g_);
}

// J^T D J between the bodies of a link.
void ShortestImpulses::add_between(const Link& l, const Weights& D) {
  for_node_pairs(l.node, [&](std::size_t i, std::size_t j) {
    const std::size_t large = l.node[i] > l.node[j] ? i : j;
    matrix_.add(matrix_.find(l.node[i], l.node[j]), l.rows, l.J[large], D, l.J[i + j - large]);
  });
}

bool ShortestImpulses::factor(const std::vector<Weights>& D, double delta) {
  matrix_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Link& l = contacts_[i];
    for (std::size_t side = 0; side < max_sides; ++side)
      if (l.block[side] >= 0) matrix_.add(l.block[side], l.rows, l.J[side], D[i], l.J[side]);
    add_between(l, D[i]);
  }
  static constexpr double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // J_e^T J_e beside J_e changes nothing of the answer (solve() adds J_e^T of the right side), and
  // gives bodies that only joints hold a pivot that is no rounding (E623).
  static constexpr Weights one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (const Link& l : equalities_) {
    for (std::size_t side = 0; side < max_sides; ++side)
      if (l.block[side] >= 0) {
        matrix_.add(l.block[side], l.rows, unit, unit, l.J[side]);
        matrix_.add(l.own[side], l.rows, l.J[side], one, l.J[side]);
      }
    add_between(l, one);
  }
  shift_ = std::max(0.0, factor_floor - delta);
  matrix_.add_diagonal(delta + shift_, 0, velocities_);
  matrix_.add_diagonal(-factor_delta, velocities_, matrix_.size());
  return matrix_.factor();
}

void ShortestImpulses::solve(const VecX& top, const VecX& bottom, VecX& y, VecX& nu) {
  right_.resize(matrix_.size());
  right_.head(velocities_) = top;
  right_.tail(equality_rows_) = bottom;
  add_transposed(equalities_, bottom, right_);
  answer_ = right_;
  matrix_.solve(answer_);
  for (int i = 0; i < refinements; ++i) {
    matrix_.multiply(answer_, missing_);
    missing_.head(velocities_) -= shift_ * answer_.head(velocities_);
    missing_.tail(equality_rows_) += (factor_delta - least_delta) * answer_.tail(equality_rows_);
    missing_ = right_ - missing_;
    if (!(missing_.norm() > enough * right_.norm())) break;
    matrix_.solve(missing_);
    answer_ += missing_;
  }
  y = answer_.head(velocities_);
  nu = answer_.tail(equality_rows_);
}

bool ShortestImpulses::find_unique() {
  unique_.assign(faces_.size(), true);
  y_ = VecX::Zero(velocities_);
  nu_ = VecX::Zero(equality_rows_);
  p_ = lambda_;
  if (size_ == 0) return true;
  const VecX none = VecX::Zero(equality_rows_);
  const auto all = [&] {
    return std::find(unique_.begin(), unique_.end(), false) == unique_.end();
  };
  const bool ranked = rank_unique();
  if (ranked && all()) return true;
  if (!factor(spans_, least_delta)) {
    if (!ranked) unique_.assign(faces_.size(), false);
    return false;
  }
  if (!ranked) purify();
  if (!all()) solve(g_, none, y_, nu_);  // where no cone is in the way, this is the answer
  return all();
}

// (E624) by the factor of the start.
void ShortestImpulses::purify() {
  const VecX none = VecX::Zero(equality_rows_);
  VecX x(contact_rows_), step(contact_rows_), right, y, nu;
  const auto into_spans = [&](VecX& a) {
    for (std::size_t i = 0; i < faces_.size(); ++i) {
      double b[max_rows] = {};
      for (int r = 0; r < faces_[i].rows; ++r)
        for (int k = 0; k < faces_[i].rows; ++k)
          b[r] += spans_[i][base::at(r)][base::at(k)] * a[faces_[i].first + k];
      std::copy(b, b + faces_[i].rows, a.data() + faces_[i].first);
    }
  };
  for (int k = 0; k < contact_rows_; ++k) x[k] = pseudorandom(static_cast<std::uint64_t>(k));
  into_spans(x);
  for (int pass = 0; pass < purifications; ++pass) {
    right = VecX::Zero(velocities_);
    add_transposed(contacts_, x, right);
    solve(right, none, y, nu);
    multiply(contacts_, y, step);
    into_spans(step);
    x -= step;
  }
  for (std::size_t i = 0; i < faces_.size(); ++i)
    unique_[i] = x.segment(faces_[i].first, faces_[i].rows).cwiseAbs().maxCoeff() <= unique_share;
}

// theta(y) = sum z . p - |p|^2 / 2 - g . y with p = P(z); what its gradient leaves into rest_.
double ShortestImpulses::evaluate(const VecX& y, const VecX& nu) {
  z_.resize(contact_rows_);
  p_.resize(contact_rows_);
  bottom_.resize(equality_rows_);
  multiply(contacts_, y, z_);
  for (const Face& face : faces_) project(face, z_.data() + face.first, p_.data() + face.first);
  rest_ = -g_;
  add_transposed(contacts_, p_, rest_);
  add_transposed(equalities_, nu, rest_);
  multiply(equalities_, y, bottom_);
  rest_norm_ = std::max(rest_.size() > 0 ? rest_.lpNorm<Eigen::Infinity>() : 0.0,
                        bottom_.size() > 0 ? bottom_.lpNorm<Eigen::Infinity>() : 0.0);
  return z_.dot(p_) - 0.5 * p_.squaredNorm() - g_.dot(y);
}

// Slope of theta along dy at y + t dy, with z = J y and dz = J dy: only the projections depend on
// t.
double ShortestImpulses::slope(const VecX& z, const VecX& dz, double along_g, double t) const {
  double sum = -along_g;
  for (const Face& face : faces_) {
    double moved[max_rows], p[max_rows];
    for (int k = 0; k < face.rows; ++k) moved[k] = z[face.first + k] + t * dz[face.first + k];
    project(face, moved, p);
    for (int k = 0; k < face.rows; ++k) sum += dz[face.first + k] * p[k];
  }
  return sum;
}

// The length of a Newton step at which the slope of theta has fallen to a tenth (E1042): bracketed
// by steps that grow fourfold, then by secants that keep a tenth of the bracket.
double ShortestImpulses::step_length(const VecX& dy) {
  const VecX z = z_;
  VecX dz(contact_rows_);
  multiply(contacts_, dy, dz);
  const double along_g = g_.dot(dy), start = slope(z, dz, along_g, 0), enough_slope = -0.1 * start;
  double low = 0, at_low = start, t = 1, now = slope(z, dz, along_g, t);
  if (!(start < 0)) return t;
  while (now < -enough_slope && t < longest_step) {
    low = t, at_low = now;
    t *= 4;
    now = slope(z, dz, along_g, t);
  }
  if (now < 0) return t;
  double high = t, at_high = now;
  for (int i = 0; i < most_secants && std::abs(now) > enough_slope; ++i) {
    t = low + std::clamp(-at_low / (at_high - at_low), 0.1, 0.9) * (high - low);
    now = slope(z, dz, along_g, t);
    (now < 0 ? low : high) = t;
    (now < 0 ? at_low : at_high) = now;
  }
  return t;
}

// Along a Newton step. Near the solution the function has no digits left, but its gradient has: the
// full step is taken, even where it makes the gradient larger for a while.
bool ShortestImpulses::search(const VecX& dy, const VecX& dnu, double missing, double& value) {
  const VecX y = y_, nu = nu_;
  const double before = value;
  const auto take = [&](double t) {
    y_ = y + t * dy;
    nu_ = nu + std::min(t, 1.0) * dnu;
    value = evaluate(y_, nu_);
    return value < before || (missing < close_by && rest_norm_ <= 0.5 * missing);
  };
  if (missing < close_by) {
    take(1);
    if (rest_norm_ <= 0.5 * missing) return true;
    evaluate(y, nu);
  }
  const double t = step_length(dy);
  if (take(t) || (t != 1 && take(1))) return true;
  if (missing < close_by && rest_norm_ < 100 * missing) return true;
  y_ = y;
  nu_ = nu;
  value = evaluate(y_, nu_);
  return false;
}

// Where the dual has no optimum y grows without bound, and p = P(J y) is rounding (E1043).
bool ShortestImpulses::has_digits() const {
  double largest = 0;
  for (const Link& l : contacts_)
    for (int r = 0; r < l.rows; ++r) {
      double sum = 0;
      for (std::size_t side = 0; side < max_sides; ++side)
        for (int c = 0; c < l.size[side]; ++c)
          sum += std::abs(l.J[side][r][c] * y_[l.at[side] + c]);
      largest = std::max(largest, sum);
    }
  return largest * 0x1p-52 <= digits;
}

bool ShortestImpulses::minimise() {
  VecX dy, dnu;
  int last_better = 0;
  double value = evaluate(y_, nu_), least = rest_norm_;
  VecX y_least = y_, nu_least = nu_;
  D_.resize(faces_.size());
  for (int i = 0; i < most_steps && rest_norm_ > aim; ++i) {
    ++iterations_;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
      double D[max_rows][max_rows] = {};
      project_derivative(faces_[k], z_.data() + faces_[k].first, D);
      for (std::size_t r = 0; r < max_rows; ++r) std::copy(D[r], D[r] + max_rows, D_[k][r].begin());
    }
    const double missing = rest_norm_;
    if (!factor(D_, least_delta + std::min(1e-3, 0.1 * missing))) break;
    solve(-rest_, -bottom_, dy, dnu);
    if (!dy.allFinite() || !search(dy, dnu, missing, value)) break;
    if (rest_norm_ < 0.5 * least) last_better = i;
    if (least < close_by && i - last_better >= patience) break;
    if (rest_norm_ < least) {
      least = rest_norm_;
      y_least = y_;
      nu_least = nu_;
    } else if (least < reached && rest_norm_ > 0.5 * least) {
      break;  // rounding
    }
  }
  y_ = y_least;
  nu_ = nu_least;
  evaluate(y_, nu_);
  return rest_norm_ <= reached && has_digits();
}

}  // namespace cairn::analyse
