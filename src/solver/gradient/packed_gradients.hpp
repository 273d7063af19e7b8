// Projected gradients on a packing: spectral steps along the exact law (E62), and Nesterov's
// momentum for the convex ones (E63).
#pragma once

#include "solver/gradient/first_order.hpp"
#include "solver/gradient/packed_contacts.hpp"

namespace cairn::solver {

struct PackedPoint {
  PackedVector x, g;  // g = W x + q
};

struct PackedBuffers {
  PackedContacts packing;
  PackedPoint now, last, ahead, next;
  std::vector<double> sigma, sigma_next;
};

// Improve r in place, on the island that buffers.packing is attached to; leave the best iterate
// seen. `refresh` of the limits does not count: the slip bounds are always those of the iterate.
IterationResult packed_spectral(const FirstOrderLimits& limits, PackedBuffers& buffers,
                                std::vector<double>& r);
IterationResult packed_apgd(const FirstOrderLimits& limits, PackedBuffers& buffers,
                            std::vector<double>& r);

}  // namespace cairn::solver
