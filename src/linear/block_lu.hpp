// Sparse block LU of a matrix with symmetric pattern: nodes of at most six unknowns, minimum-degree
// order, no pivoting between nodes (row pivoting inside them). Unsymmetric values are welcome:
// Coulomb's law makes them.
//
// Use: begin(nodes), connect(i, j) ..., analyze(); then zero(), add into diagonal(i) and block(i,
// j), factorize(), solve(). All memory is kept between uses, and the order of elimination while the
// same nodes are connected in the same way.
#pragma once

#include <span>
#include <vector>

#include "linear/blocks.hpp"

namespace cairn::linear {

class BlockLU {
 public:
  // late[i]: node i (a bilateral constraint with a tiny pivot of its own) is eliminated after one
  // of its neighbours.
  void begin(std::span<const int> sizes, std::span<const char> late);
  void connect(int i, int j);
  void analyze();

  bool has(int i, int j) const;  // is the block in the pattern?
  void zero();
  BodyBlock& diagonal(int i) {
    return diagonal_[static_cast<std::size_t>(place_[static_cast<std::size_t>(i)])].value;
  }
  // Block in rows of node i, columns of node j, i != j, which must have been connected.
  BodyBlock& block(int i, int j);

  // symmetric: the values are symmetric and only those below the diagonal, blocks in the order of
  // elimination, have to be there. Half the work.
  bool factorize(bool symmetric = false);
  bool is_below(int i, int j) const {
    return place_[static_cast<std::size_t>(i)] > place_[static_cast<std::size_t>(j)];
  }
  // x: unknowns of node i at offsets[i]; in: right-hand side, out: solution.
  void solve(std::span<const int> offsets, double* x) const;
  // Products of blocks that a factorisation takes, after analyze().
  double products() const;
  // The same of a solve: each block of the factors takes a sixth of a product.
  double solve_products() const { return static_cast<double>(pool_.size() + diagonal_.size()) / 3; }
  // Of the determinant, after factorize(): 1 or -1.
  int determinant_sign() const;

  // Blocks of the inverse in the pattern of the factors, after factorize(), by Takahashi's
  // recurrence: as cheap as the factorisation, where the whole inverse is dense.
  void invert_pattern();
  // Rows of node i, columns of node j; null where (i, j) is not in the pattern.
  const BodyBlock* inverse(int i, int j) const;

  struct Block {
    BodyBlock value;
  };

 private:
  void eliminate_symbolically();
  std::size_t find(int p, int q) const;  // place in pool_ of positions p, q; pool_.size(): none

  // What is to be eliminated.
  struct Graph {
    std::vector<int> size;
    std::vector<char> late;
    std::vector<std::pair<int, int>> edges;
    bool operator==(const Graph&) const = default;
  };

  int n_ = 0;
  Graph graph_, analysed_;
  std::vector<int> size_, place_,
      node_;  // size of node; node -> position in the order; position -> node
  std::vector<char> late_;
  std::vector<std::pair<int, int>> edges_;    // both directions, scratch
  std::vector<std::vector<int>> neighbours_;  // elimination graph, scratch
  std::vector<int> pool_,
      first_;  // column p: rows pool_[first_[p] .. first_[p + 1]) below the diagonal, sorted
  std::vector<Block> diagonal_, lower_,
      upper_;  // diagonal holds the inverse after factorize(); upper_[k] is row p, column pool_[k]
  std::vector<Block> inverse_diagonal_, inverse_lower_, inverse_upper_;
  std::vector<int> mark_;
  std::vector<std::pair<int, int>> heap_;
};

}  // namespace cairn::linear
