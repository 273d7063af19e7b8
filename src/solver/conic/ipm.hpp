// Primal-dual interior point method: second-order cones with the scaling of Nesterov and Todd,
// facets of polyhedral cones and bounds as linear inequalities, Mehrotra's corrector (E48).
#pragma once

#include "solver/gradient/first_order.hpp"

namespace cairn::solver {

struct IpmBuffers {
  // How a constraint enters. In slack space a second-order cone has three entries, a facet one.
  struct Shape {
    enum class Kind { bilateral, cone, facets } kind = Kind::bilateral;
    int first = 0, count = 0;  // entries in slack space
    bool pinned = false;       // rows that no facet bounds have impulse zero
  };
  struct Facet {  // normal . r >= bound
    double normal[max_rows] = {};
    double bound = 0;
  };
  struct Scaling {                      // of a cone: V x_scaled = ..., lambda = V y = V^-1 x
    double w[max_rows] = {}, beta = 1;  // V^2 = beta^2 (2 w w^T - J)
    double V[max_rows][max_rows] = {}, V_inverse[max_rows][max_rows] = {}, lambda[max_rows] = {};
  };
  std::vector<Shape> shapes;
  std::vector<Facet> facets;      // by slack entry
  std::vector<Scaling> scalings;  // by part
  std::vector<ThetaBlock> theta;
  std::vector<double> x, y, dx, dy, target;                                          // slack space
  std::vector<double> u, sigma, tau, rest, dr, product, correction, interior, best;  // rows
};

struct IpmLimits {
  double tolerance = 1e-8;
  int iterations = 60;
};

// Leaves the best of the given impulses and the iterates in r.
IterationResult ipm(Coupling& coupling, const IpmLimits& limits, IpmBuffers& buffers,
                    std::vector<double>& r);

}  // namespace cairn::solver
