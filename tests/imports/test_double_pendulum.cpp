// A double pendulum from a URDF file against its equations of motion in two angles.
#include <cmath>

#include "cairn/simulator.hpp"
#include "import_helpers.hpp"

namespace cairn::test_double_pendulum {
namespace {

using namespace test_imports;

//   o world
//    \  m1, I1 at c1         angles from the vertical, about y
//     o  at L1
//      \  m2, I2 at c2
constexpr double m1 = 2, c1 = 0.3, I1 = 0.05, L1 = 0.7, m2 = 1.5, c2 = 0.25, I2 = 0.02, g = 9.81;
constexpr double start1 = 1.0, start2 = 1.5;

constexpr const char* file = R"(<robot name="double_pendulum">
  <link name="upper"><inertial><origin xyz="0 0 -0.3" rpy="0.4 0 0"/><mass value="2"/>
    <inertia ixx="0.05" iyy="0.05" izz="0.05"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 -0.25"/><mass value="1.5"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="world"/><child link="upper"/>
    <origin rpy="0 1.0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 -0.7" rpy="0 0.5 0"/><axis xyz="0 2 0"/></joint>
</robot>)";

struct Angles {
  double a, b, da, db;
};

Angles rate(const Angles& s) {
  const double c = std::cos(s.a - s.b), d = std::sin(s.a - s.b);
  const double M11 = I1 + m1 * c1 * c1 + m2 * L1 * L1, M12 = m2 * L1 * c2 * c,
               M22 = I2 + m2 * c2 * c2;
  const double f1 = -m2 * L1 * c2 * d * s.db * s.db - (m1 * c1 + m2 * L1) * g * std::sin(s.a);
  const double f2 = m2 * L1 * c2 * d * s.da * s.da - m2 * c2 * g * std::sin(s.b);
  const double det = M11 * M22 - M12 * M12;
  return {s.da, s.db, (M22 * f1 - M12 * f2) / det, (M11 * f2 - M12 * f1) / det};
}

// Runge-Kutta with 1e5 steps: its error is far below those that are measured.
Vec3 solution(double time) {
  const int n = 100'000;
  const double h = time / n;
  Angles s{start1, start2, 0, 0};
  const auto plus = [](const Angles& x, double k, const Angles& v) {
    return Angles{x.a + k * v.a, x.b + k * v.b, x.da + k * v.da, x.db + k * v.db};
  };
  for (int i = 0; i < n; ++i) {
    const Angles k1 = rate(s), k2 = rate(plus(s, h / 2, k1)), k3 = rate(plus(s, h / 2, k2)),
                 k4 = rate(plus(s, h, k3));
    s = plus(plus(plus(plus(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return {-L1 * std::sin(s.a) - c2 * std::sin(s.b), 0, -L1 * std::cos(s.a) - c2 * std::cos(s.b)};
}

double error_of(const SchemeOptions& scheme, double h, double time) {
  const Scene scene = must(scene_of(file));
  Simulator sim(scene.model, *scene.initial, scheme);
  for (int i = 0; i < static_cast<int>(std::lround(time / h)); ++i) {
    const StepReport& report = sim.step(h);
    EXPECT_EQ(report.status, StepStatus::certified);
  }
  for (std::size_t i = 0; i < scene.model->bodies.size(); ++i)
    if (scene.model->bodies[i].name == "lower")
      return (sim.state().poses[i].p - solution(time)).norm();
  return 1;
}

double order_of(const SchemeOptions& scheme, double h) {
  const double coarse = error_of(scheme, h, 1), fine = error_of(scheme, h / 2, 1);
  return std::log2(coarse / fine);
}

TEST(UrdfDoublePendulum, ConvergesToTheEquationsOfMotion) {
  // The next order of the error changes the ratio by O(h).
  EXPECT_NEAR(order_of(Euler{}, 0.0005), 1, 0.05);
  EXPECT_NEAR(order_of(Trapezoidal{}, 0.002), 2, 0.1);
  EXPECT_LT(error_of(Trapezoidal{}, 0.001, 1), 1e-4);
}

}  // namespace
}  // namespace cairn::test_double_pendulum
