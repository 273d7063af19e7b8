// The rank of all joint rows together (E80), once per model and not per step. Reads a model and a
// configuration, writes the joints whose rows others say already.
#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "base/index.hpp"
#include "cairn/joints.hpp"
#include "constrain/gears.hpp"
#include "linear/front_elimination.hpp"
#include "problem/islands.hpp"

namespace cairn {
namespace {

// Rows have length one in the mass metric; one of which no more than this is new says nothing new.
// Directions are rounded to 1e-16, and anchors and axes in a scene file carry some nine digits [-].
constexpr double new_part = 1e-8;

// Beyond so many rows in one mechanism the dense factor takes longer than a step should.
constexpr std::size_t most_dense_rows = 300;

using Rows = std::vector<int>;

// The rows of one mechanism as L^-1 J^T, A = L L^T, each of length one; bodies by their number in
// it.
struct Mechanism {
  int bodies = 0;
  Rows numbers;  // of the rows in the problem
  std::vector<linear::FrontRow> rows;

  Eigen::MatrixXd columns() const {
    Eigen::MatrixXd matrix =
        Eigen::MatrixXd::Zero(max_velocities * bodies, static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const linear::FrontRow::Part& part : rows[i].parts)
        matrix.col(static_cast<Eigen::Index>(i))
            .segment<max_velocities>(max_velocities * part.body) =
            Eigen::Map<const Eigen::Matrix<double, max_velocities, 1>>(part.value.data());
    return matrix;
  }
};

// Adds the rows of a constraint; `number`: of each body of the problem in its mechanism.
void add_rows(const Problem& problem, std::size_t constraint, const std::vector<int>& number,
              Mechanism& mechanism) {
  const Constraint& c = problem.constraints[constraint];
  for (int r = 0; r < c.rows; ++r) {
    linear::FrontRow row;
    double square = 0;
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = problem.bodies[base::at(c.body[side])];
      const Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>> A(&body.A[0][0]);
      const VecX part = A.topLeftCorner(body.size, body.size)
                            .llt()
                            .matrixL()
                            .solve(Eigen::Map<const VecX>(c.J[side][r], body.size));
      square += part.squaredNorm();
      row.parts.push_back({number[base::at(c.body[side])], {}});
      std::copy(part.data(), part.data() + part.size(), row.parts.back().value.begin());
    }
    for (linear::FrontRow::Part& part : row.parts)
      for (double& x : part.value) x /= std::sqrt(square);
    mechanism.rows.push_back(std::move(row));
    mechanism.numbers.push_back(problem.first_row[constraint] + r);
  }
}

// Columns that the ones before them span: of two joints that say the same the later one is
// redundant, which is what a reader expects. Gram-Schmidt, twice, which is enough.
Rows later_columns(const Eigen::MatrixXd& columns) {
  Eigen::MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
  Eigen::Index size = 0;
  Rows dependent;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    VecX rest = columns.col(i);
    for (int pass = 0; pass < 2; ++pass)
      rest -= basis.leftCols(size) * (basis.leftCols(size).transpose() * rest);
    if (size == basis.cols() || rest.norm() <= new_part)
      dependent.push_back(static_cast<int>(i));
    else
      basis.col(size++) = rest.normalized();
  }
  return dependent;
}

// The pivoted factor decides on the rank. It drops columns in its own order; where the natural
// order finds as many, that one names them.
Rows dependent_columns(const Mechanism& mechanism) {
  if (mechanism.rows.size() > most_dense_rows)
    return linear::dependent_rows(mechanism.rows, mechanism.bodies, new_part);
  const Eigen::MatrixXd columns = mechanism.columns();
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor(columns.rows(), columns.cols());
  factor.setThreshold(new_part);
  factor.compute(columns);
  const Rows later = later_columns(columns);
  if (static_cast<Eigen::Index>(later.size()) == columns.cols() - factor.rank()) return later;
  const auto& order = factor.colsPermutation().indices();
  return Rows(order.data() + factor.rank(), order.data() + order.size());
}

}  // namespace

JointRank joint_rank(const Model& model, const State& state) {
  Problem problem;
  constrain::ProblemLayout layout;
  std::vector<constrain::JointRowTerms> terms;
  constrain::assemble_bodies(model, VecX::Zero(model.velocities), 1, layout, problem);
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, state.poses, state.poses, layout, static_cast<JointId>(i), 1, 1,
                         problem, terms);
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    constrain::add_gear(model, state.poses, state.poses, layout, i, 1, 1, problem, terms);
  JointRank result;
  result.rows = result.rank = problem.rows();

  // Mechanisms that share no free body have nothing to do with each other.
  problem::Islands islands;
  problem::find_islands(problem, islands);
  std::vector<Mechanism> mechanisms(base::at(islands.count));
  std::vector<int> number(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    number[i] = mechanisms[base::at(islands.of_body[i])].bodies++;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    add_rows(problem, i, number, mechanisms[base::at(islands.of_constraint[i])]);

  std::vector<ConstraintKey> key_of_row;
  for (const Constraint& c : problem.constraints)
    key_of_row.insert(key_of_row.end(), base::at(c.rows), c.key);
  std::vector<int> redundant(model.joints.size(), 0);
  for (const Mechanism& mechanism : mechanisms)
    if (!mechanism.rows.empty())
      for (const int column : dependent_columns(mechanism)) {
        const ConstraintKey& key = key_of_row[base::at(mechanism.numbers[base::at(column)])];
        if (key.role == Role::gear)
          result.redundant_gears.push_back(key.element);
        else
          ++redundant[base::at(key.element)];
        --result.rank;
      }
  for (std::size_t i = 0; i < redundant.size(); ++i)
    if (redundant[i] > 0) result.redundant.push_back({static_cast<JointId>(i), redundant[i]});
  return result;
}

std::string to_text(const Model& model, const JointRank& rank) {
  std::string text = std::to_string(rank.rows) + " rows, rank " + std::to_string(rank.rank);
  if (rank.redundant.empty() && rank.redundant_gears.empty()) return text;
  text += " (" + std::to_string(rank.rows - rank.rank) + " redundant:";
  const char* before = " ";
  for (const RedundantJoint& r : rank.redundant) {
    text += before + model.joints[index(r.joint)].name;
    if (r.rows > 1) text += " x" + std::to_string(r.rows);
    before = ", ";
  }
  for (const int gear : rank.redundant_gears) {
    text += before + model.gears[base::at(gear)].name;
    before = ", ";
  }
  return text + ")";
}

}  // namespace cairn
