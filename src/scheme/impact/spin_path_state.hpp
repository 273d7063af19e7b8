// The state of an impact with rolling or torsional friction on its way (E260 to E262): straight
// pieces and modes in spin_path.cpp, pieces in which directions turn in spin_path_turning.cpp.
//
// Legend: y = (u_n, u_t, omega_n, omega_t) velocities, pi their impulses, W inverse mass. Three
// friction elements, each with a disc of impulses lambda per normal impulse p: the slip u_t, the
// turn omega_n, the turn omega_t. An element moves, with lambda opposite to it, or is held (E260).
#pragma once

#include <array>
#include <limits>

#include "scheme/impact/impact_path.hpp"
#include "scheme/impact/impact_phases.hpp"

namespace cairn::scheme::spin {

using Vec2 = Eigen::Vector2d;
using Vec5 = Eigen::Matrix<double, 5, 1>;
using Mat5 = Eigen::Matrix<double, 5, 5>;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

constexpr double eps = std::numeric_limits<double>::epsilon();

// Rows of an element among the five of friction.
struct Element {
  Eigen::Index first, size;
};
constexpr std::array<Element, 3> elements = {{{0, 2}, {2, 1}, {3, 2}}};

enum class Mode { none, held, moves, starts };

using Vec7 = Eigen::Matrix<double, 7, 1>;
using Mat7 = Eigen::Matrix<double, 7, 7>;

struct Point {
  Vec6 y;
  Vec7 z;  // the impulses pi and the work of the normal one
};

struct SpinPath {
  const ImpactInput& in;
  Mat6 W;
  std::array<double, 3> bound;  // of |lambda|
  std::array<double, 3> rate;   // bound on |y'| of an element
  std::array<double, 3> size;   // of its velocities
  double impulse;               // that stops the approach without friction
  Point at;
  ImpactPhases phases;
  ImpactOutcome out;
  std::array<Mode, 3> mode = {Mode::none, Mode::none, Mode::none};
  Vec5 direction = Vec5::Zero();  // of elements that move, unit vectors
  Vec5 lambda = Vec5::Zero();
  Mat5 hold = Mat5::Zero();  // the inverse of W over the held elements
  double nudge;              // impulse over which an element starts
  double length = 0;         // of the last step along a curve

  explicit SpinPath(const ImpactInput& input);
  auto of(const Vec6& y, std::size_t e) const {
    return y.segment(1 + elements[e].first, elements[e].size);
  }
  auto of(const Vec5& x, std::size_t e) const {
    return x.segment(elements[e].first, elements[e].size);
  }
  bool turns(std::size_t e) const { return mode[e] == Mode::moves && elements[e].size == 2; }

  void invert_held();
  Vec5 holding(const Vec5& moving) const;
  void find_modes();
  void find_starts();
  Vec6 rates() const;
  bool is_straight(const Vec6& dy) const;
  bool step();
  bool straight(const Vec6& dy, double limit);
  bool curve(const Vec6& dy);
  Point after(const Vec7& z) const;
  Vec7 slope(const Vec7& z) const;
  Mat7 jacobian() const;
  Vec5 friction(const Vec6& y) const;
  bool advance(double H, Point& end) const;
  double first_zero(double H, double start, double end, const auto& f) const;
  bool arrive(const Point& end, bool phase_ends, bool closes_again);
};

}  // namespace cairn::scheme::spin
