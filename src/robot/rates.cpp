// Rates of coordinates as velocities of a state (E965).
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "base/boundary.hpp"
#include "cairn/robot/coordinates.hpp"
#include "cairn/simulator.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn {
namespace {

constexpr double met = 1e-9;  // of rates, of the largest one [-]

Error rate_fault(std::size_t i, ErrorCode code, const std::string& what, const std::string& got,
                 const std::string& allowed, const std::string& fix) {
  return {.code = code,
          .path = fmt::format("velocities[{}]", i),
          .what = what,
          .got = got,
          .allowed = allowed,
          .fix = fix};
}

std::optional<Error> fault_of(const Model& model, std::span<const JointValue> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const JointId id = values[i].joint;
    if (index(id) >= model.joints.size() || !model::has_coordinate(model.joints[index(id)]))
      return rate_fault(i, ErrorCode::unknown_name, "this joint has no coordinate",
                        std::to_string(static_cast<int>(id)), "joints with a coordinate",
                        "name one of them");
    if (std::any_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i),
                    [id](const JointValue& v) { return v.joint == id; }))
      return rate_fault(i, ErrorCode::conflict, "a joint is named twice",
                        model.joints[index(id)].name, "each joint once", "drop one of the rates");
    if (!std::isfinite(values[i].value))
      return rate_fault(i, ErrorCode::not_finite, "the rate is not finite",
                        fmt::format("{}", values[i].value), "finite numbers", "give a number");
  }
  return std::nullopt;
}

// The rates of these coordinates for each column.
Eigen::MatrixXd rates_of_columns(const Model& model, const State& state, const JointSpace& space,
                                 std::span<const JointValue> values) {
  Eigen::MatrixXd R(static_cast<Eigen::Index>(values.size()), space.columns());
  State unit = state;
  for (Eigen::Index k = 0; k < R.cols(); ++k) {
    unit.v = space.S.col(k);
    for (Eigen::Index i = 0; i < R.rows(); ++i)
      R(i, k) = joint_velocity(model, unit, values[static_cast<std::size_t>(i)].joint);
  }
  return R;
}

}  // namespace

VecX joint_rates(const JointSpace& space, const State& state) {
  if (space.S.size() == 0) return VecX::Zero(space.columns());  // nothing moves
  return space.S.colPivHouseholderQr().solve(state.v);
}

Result<State> with_joint_velocities(const Model& model, const State& state,
                                    std::span<const JointValue> values) try {
  if (const std::optional<Error> fault = fault_of(model, values)) return fail(*fault);
  const Result<JointSpace> space = joint_space(model, state);
  if (!space) return tl::unexpected(space.error());
  VecX u = joint_rates(*space, state);
  State out = state;
  if (values.empty()) return out;

  // Columns are set, whatever the others are.
  bool are_columns = true;
  for (const JointValue& v : values) {
    const auto at = std::find(space->coordinates.begin(), space->coordinates.end(), v.joint);
    if (at == space->coordinates.end())
      are_columns = false;
    else
      u[at - space->coordinates.begin()] = v.value;
  }
  if (are_columns) {
    out.v = space->S * u;
    return out;
  }

  u = joint_rates(*space, state);
  const Eigen::MatrixXd R = rates_of_columns(model, state, *space, values);
  VecX wanted(R.rows());
  for (Eigen::Index i = 0; i < R.rows(); ++i) wanted[i] = values[static_cast<std::size_t>(i)].value;
  VecX missing = wanted;
  if (R.cols() > 0) {
    missing -= R * u;
    const Eigen::LLT<Eigen::MatrixXd> H(joint_mass_matrix(model, state, *space));
    const Eigen::MatrixXd spread = H.solve(R.transpose());
    u += spread * (R * spread).completeOrthogonalDecomposition().solve(missing);
  }
  const double size = std::max(wanted.cwiseAbs().maxCoeff(), missing.cwiseAbs().maxCoeff());
  const VecX off = R.cols() > 0 ? VecX(R * u - wanted) : wanted;
  if (!(off.cwiseAbs().maxCoeff() <= met * size))
    return fail({.code = ErrorCode::conflict,
                 .path = "velocities",
                 .what = "the joints do not allow these rates",
                 .got = fmt::format("{:.3g} off at best", off.cwiseAbs().maxCoeff()),
                 .allowed = "rates that the mechanism can take",
                 .fix = "give fewer of them"});
  out.v = space->S * u;
  return out;
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
