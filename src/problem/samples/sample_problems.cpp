#include "problem/samples/sample_problems.hpp"

namespace cairn::problem {
namespace {

constexpr double gravity_step = 9.81 * 0.01;  // speed gained in a step of 10 ms [m/s]

// splitmix64, mapped to [-1, 1].
double random_number(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-52 - 1;
}

class Sample {
 public:
  explicit Sample(const SampleSettings& settings) : settings_(settings), random_(settings.seed) {
    problem_.first_row = {0};
  }

  // A body at p with the inertia m (x, y, z) about its axes.
  int add_body(double mass, const Vec3& inertia, const Vec3& p) {
    ProblemBody body;
    body.first = problem_.velocities();
    body.size = 6;
    for (int i = 0; i < 3; ++i) {
      body.A[i][i] = mass;
      body.A[3 + i][3 + i] = mass * inertia[i];
    }
    problem_.k.conservativeResize(body.first + 6);
    for (int i = 0; i < 6; ++i)
      problem_.k[body.first + i] = body.A[i][i] * gravity_step *
                                   ((i == 2 ? -1 : 0) + settings_.kick * random_number(random_));
    problem_.bodies.push_back(body);
    position_.push_back(p);
    return static_cast<int>(problem_.bodies.size()) - 1;
  }

  void add_contact(int below, int above, const Vec3& point) {
    Constraint& c = add(settings_.law, below, above);
    c.mu = settings_.mu;
    c.facets = settings_.facets;
    fill(c, point, Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY());
  }

  void add_ball_joint(int a, int b, const Vec3& point) {
    fill(add(Law::equality, a, b), point, Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ());
  }

  Problem take() { return std::move(problem_); }

 private:
  Constraint& add(Law law, int a, int b) {
    Constraint c;
    c.law = law;
    c.rows = 3;
    c.body = {a, b};
    c.key.element = static_cast<std::int32_t>(problem_.constraints.size());
    problem_.names.push_back(std::string(name(law)) + " " + std::to_string(c.key.element));
    problem_.constraints.push_back(c);
    problem_.first_row.push_back(problem_.first_row.back() + 3);
    return problem_.constraints.back();
  }

  // Velocity of b's point minus that of a's along the three directions.
  void fill(Constraint& c, const Vec3& point, const Vec3& e0, const Vec3& e1, const Vec3& e2) {
    const Vec3* directions[3] = {&e0, &e1, &e2};
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      const Vec3 arm = point - position_[static_cast<std::size_t>(c.body[side])];
      const double sign = side == 0 ? -1 : 1;
      for (int r = 0; r < 3; ++r) {
        const Vec3 turn = arm.cross(*directions[r]);
        for (int k = 0; k < 3; ++k) {
          c.J[side][r][k] = sign * (*directions[r])[k];
          c.J[side][r][3 + k] = sign * turn[k];
        }
      }
    }
  }

  SampleSettings settings_;
  std::uint64_t random_;
  Problem problem_;
  std::vector<Vec3> position_;
};

const Vec3 cube_inertia = Vec3::Constant(1.0 / 6);

// The corners of a rectangle in a horizontal plane.
void add_corners(Sample& sample, int below, int above, const Vec3& centre, double half_x) {
  for (const double x : {-half_x, half_x})
    for (const double y : {-0.5, 0.5}) sample.add_contact(below, above, centre + Vec3(x, y, 0));
}

}  // namespace

Problem cube_stack(std::span<const double> masses, const SampleSettings& settings) {
  Sample sample(settings);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    const auto height = static_cast<double>(i);
    const int body = sample.add_body(masses[i], cube_inertia, Vec3(0, 0, height + 0.5));
    add_corners(sample, body - 1, body, Vec3(0, 0, height), 0.5);
  }
  return sample.take();
}

Problem cube_pyramid(int rows, const SampleSettings& settings) {
  Sample sample(settings);
  int below = 0;  // first cube of the row below
  for (int row = 0; row < rows; ++row) {
    int first = -1;
    for (int i = 0; i < rows - row; ++i) {
      const Vec3 centre(i + 0.5 * row, 0, row + 0.5);
      const int body = sample.add_body(1, cube_inertia, centre);
      if (i == 0) first = body;
      const Vec3 foot = centre - Vec3(0, 0, 0.5);
      if (row == 0) add_corners(sample, -1, body, foot, 0.5);
      if (row > 0)
        for (const int side : {0, 1})
          add_corners(sample, below + i + side, body, foot + Vec3(0.5 * side - 0.25, 0, 0), 0.25);
    }
    below = first;
  }
  return sample.take();
}

Problem link_chain(int links, bool on_floor, const SampleSettings& settings) {
  Sample sample(settings);
  const double radius = 0.05;
  const Vec3 inertia(radius * radius / 2, 1.0 / 12, 1.0 / 12);
  for (int i = 0; i < links; ++i) {
    const Vec3 centre(i + 0.5, 0, radius);
    const int body = sample.add_body(1, inertia, centre);
    if (i > 0 || !on_floor) sample.add_ball_joint(body - 1, body, Vec3(i, 0, radius));
    for (const double x : {-0.4, 0.4})
      if (on_floor) sample.add_contact(-1, body, Vec3(centre.x() + x, 0, 0));
  }
  return sample.take();
}

}  // namespace cairn::problem
