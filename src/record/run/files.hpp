// Files under their final names only when complete, and the operating system's errors as values.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cairn/error.hpp"

namespace cairn::record {

// An error of kind io with the text of the current errno: "cannot WHAT: REASON".
tl::unexpected<Errors> io_failure(const std::string& path, const std::string& what);

// Writes all bytes to an open file descriptor, through interruptions and partial writes.
Result<void> write_all(int descriptor, std::span<const std::uint8_t> bytes,
                       const std::string& path);

// Writes a temporary file beside `path`, waits for the disk, renames: `path` is the old file or the
// new one, whole.
Result<void> write_file(const std::string& path, const std::string& text);

// Fails with an error of kind usage if `output`, or the temporary file that it is written through,
// is `input` itself, by whatever path or link. `what` names the input in the error, such as
// "trace".
Result<void> check_input_is_kept(const std::string& input, const std::string& output,
                                 const std::string& what);

// Gives a finished file its final name.
Result<void> rename_file(const std::string& from, const std::string& to);

Result<void> make_folder(const std::string& path);

}  // namespace cairn::record
