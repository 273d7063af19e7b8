// Input files: every file that the program reads is opened here.
#pragma once

#include <cstddef>
#include <string>

#include "cairn/error.hpp"

namespace cairn::base {

// A descriptor of a regular file, open for reading, which the caller closes. Pipes, devices,
// sockets and folders are refused before anything is read from them, so that no file can block.
Result<int> open_input(const std::string& file);

// The whole text of a regular file of at most `most` bytes.
Result<std::string> read_input(const std::string& file, std::size_t most);

}  // namespace cairn::base
