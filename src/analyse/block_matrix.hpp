// A sparse symmetric matrix of small dense blocks, with its factor L D L^T. Only the lower part is
// stored. Quasi-definite matrices have such a factor in any order.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cairn/math.hpp"

namespace cairn::analyse {

class BlockMatrix {
 public:
  BlockMatrix();
  ~BlockMatrix();
  using Pair = std::array<int, 2>;  // of nodes, the larger one first

  // Nodes of `sizes` unknowns each; blocks of all pairs of different nodes beside the diagonal. A
  // pattern that is the one before keeps its order of elimination.
  void reset(std::span<const int> sizes, std::vector<Pair> pairs);

  int first(int node) const { return first_[static_cast<std::size_t>(node)]; }
  int size() const { return first_.back(); }

  // Number of the block of two nodes; the diagonal one where they are the same.
  int find(int a, int b) const;

  void clear();                                   // all values zero
  void add_diagonal(double x, int from, int to);  // to unknowns from .. to - 1

  // block += a^T D b for rows a of the larger node and b of the smaller one, row by row.
  template <class A, class D, class B>
  void add(int block, int rows, const A& a, const D& weights, const B& b) {
    const Block& at = blocks_[static_cast<std::size_t>(block)];
    double* const values = values_;
    for (int c = 0; c < at.columns; ++c) {
      double weighted[3] = {0, 0, 0};
      for (int i = 0; i < rows; ++i)
        for (int k = 0; k < rows; ++k) weighted[i] += weights[i][k] * b[k][c];
      const int top = at.diagonal ? c : 0;
      double* const column = values + at.start[static_cast<std::size_t>(c)];
      for (int r = top; r < at.rows; ++r) {
        double sum = 0;
        for (int i = 0; i < rows; ++i) sum += a[i][r] * weighted[i];
        column[r - top] += sum;
      }
    }
  }

  bool factor();
  void solve(VecX& x) const;  // in place
  void multiply(const VecX& x, VecX& out) const;

 private:
  struct Block {
    Pair nodes = {};
    int rows = 0, columns = 0;
    bool diagonal = false;
    std::array<int, 6> start = {};  // of its columns among the values
  };
  std::vector<int> first_, sizes_;
  std::vector<Block> blocks_;  // by column node, then row node
  std::vector<int> first_block_;
  double* values_ = nullptr;  // of the stored entries
  struct Factor;              // decompositions stay out of headers
  std::unique_ptr<Factor> factor_;
  bool analysed_ = false;
};

}  // namespace cairn::analyse
