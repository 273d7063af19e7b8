// certify() with memory that is kept from call to call.
#pragma once

#include <vector>

#include "cairn/solution.hpp"
#include "problem/islands.hpp"
#include "problem/mass.hpp"

namespace cairn::problem {

// Means nothing between calls: every entry is written before it is read.
struct CertifyScratch {
  // What the residuals of a constraint are judged by, with all that its Jacobian is needed for.
  struct Row {
    double d = 1;                  // (E10)
    double kappa = 1;              // (E310)
    double light = 0;              // largest 1/sqrt(m_j) of its bodies
    double c[max_sides] = {};      // of its bodies (E311)
    double soft = 0;               // |C lambda|, one of the terms of w (E870)
    double w[max_rows] = {};       // J v + b + C lambda
    double w_free[max_rows] = {};  // J A^-1 k + b
  };
  MassInverse mass;
  std::vector<double> v_free, momentum;
  std::vector<double> light;    // of each body: 1/sqrt(m_j), (E310)
  std::vector<double> terms;    // of each body: tau_j, (E311)
  std::vector<double> speed;    // of each island: V, (E11)
  std::vector<double> mass_of;  // of each island: sum of m_j
  std::vector<Row> rows;
  Islands islands;
};

Certificate certify_with(CertifyScratch& scratch, const Problem& problem, const VecX& v,
                         const VecX& lambda);

}  // namespace cairn::problem
