// Contact problems in the HDF5 layout of FCLIB: local (W, q, mu) and global (M, H, G, f, w, b, mu).
#pragma once

#include <string>
#include <string_view>

#include "cairn/error.hpp"
#include "cairn/reduced.hpp"

namespace cairn::problem {

// Do these bytes begin an HDF5 file?
bool is_hdf5(std::string_view bytes);

Result<ReducedProblem> read_fclib(const std::string& file);

// Contacts of one dimension with exact cones only: others have no place in the layout. The file
// appears under its name only when it is complete.
Result<void> write_fclib(const ReducedProblem& problem, const std::string& file);

}  // namespace cairn::problem
