// Decompositions of Eigen's that several stages use, compiled once. cmake/precompiled.hpp declares
// them.
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SparseLU>

template class Eigen::PartialPivLU<Eigen::MatrixXd>;
template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;
template class Eigen::SparseLU<Eigen::SparseMatrix<double>>;
