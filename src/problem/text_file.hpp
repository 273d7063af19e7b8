// Problem files on the disk: whole texts in and out.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn {

inline constexpr std::size_t largest_problem_file = std::size_t{1} << 30;  // [bytes]

// The whole text of a regular file of at most `most` bytes.
Result<std::string> read_text(const std::string& file, std::size_t most);

// The file appears under its name only when it is complete.
Result<void> write_text(const std::string& text, const std::string& file);

}  // namespace cairn
