// Problem files on the disk: whole texts out.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn::problem {

inline constexpr std::size_t largest_problem_file = std::size_t{1} << 30;  // [bytes]

// The file appears under its name only when it is complete.
Result<void> write_text(const std::string& text, const std::string& file);

}  // namespace cairn::problem
