// Failures that a user can cause, as values: what is wrong, where, with which value, what is
// allowed, what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "cairn/check.hpp"

namespace cairn {

// Decides the exit code of the command line (see docs/conventions.md).
enum class ErrorKind { input, usage, io, limit, stopped, internal };

// The kinds of faults. Programs and tests rely on these names; the wording of a message may change.
// docs/conventions.md has the same list.
#define CAIRN_ERROR_CODES(X)                                                           \
  X(syntax, "the text does not follow the grammar of its format")                      \
  X(encoding, "the text is not valid UTF-8")                                           \
  X(empty, "there is nothing where something is required")                             \
  X(wrong_type, "the value has another type than expected")                            \
  X(wrong_size, "a list, matrix or file has another number of elements than expected") \
  X(wrong_format, "the file has another format than expected")                         \
  X(wrong_version, "the file was written by a version that this one cannot read")      \
  X(out_of_range, "the number lies outside the allowed range")                         \
  X(not_finite, "the number is not finite")                                            \
  X(missing_key, "a required key is absent")                                           \
  X(unknown_key, "the key is not known")                                               \
  X(duplicate_key, "the key is given twice")                                           \
  X(unknown_choice, "the word is not one of the allowed ones")                         \
  X(unknown_name, "nothing has this name or number")                                   \
  X(duplicate_name, "two things have the same name")                                   \
  X(invalid_name, "the name is empty, reserved, too long or has control characters")   \
  X(conflict, "two entries exclude each other")                                        \
  X(incomplete, "another entry is required with this one")                             \
  X(unsupported, "the scheme, solver, format or analysis does not take this input")    \
  X(zero_vector, "a direction has length zero")                                        \
  X(not_normalised, "a quaternion does not have norm 1")                               \
  X(invalid_inertia, "no body has this inertia")                                       \
  X(invalid_matrix, "the matrix is not symmetric, not positive definite or singular")  \
  X(invalid_polygon, "the polygon is not convex, or does not enclose the origin")      \
  X(degenerate, "the points span no volume or no area")                                \
  X(unbounded, "the half-spaces enclose no bounded set")                               \
  X(no_interior, "the half-spaces have no interior in common")                         \
  X(not_convex, "the mesh or polygon differs from its convex hull")                    \
  X(not_closed, "the faces of the mesh do not form a closed surface")                  \
  X(wrong_dimension, "planar and spatial parts do not go together")                    \
  X(locked_direction, "the motion has a component along a locked direction")           \
  X(open_joint, "a joint is open at the start")                                        \
  X(contradiction, "joints contradict each other")                                     \
  X(overlap, "bodies overlap at the start")                                            \
  X(too_large, "the file, text or result exceeds the size limit")                      \
  X(too_many, "there are more elements than allowed")                                  \
  X(too_deep, "the nesting exceeds the depth limit")                                   \
  X(not_found, "the file or folder does not exist")                                    \
  X(not_a_file, "the path names no regular file")                                      \
  X(cannot_read, "the file cannot be opened or read")                                  \
  X(cannot_write, "the file, folder or stream cannot be written")                      \
  X(damaged, "the file is cut short or its checksum does not match")                   \
  X(mismatch, "two inputs do not belong together")                                     \
  X(in_use, "another process uses the folder or port")                                 \
  X(overwrites_input, "the output would replace an input or an earlier result")        \
  X(missing_program, "a program that this command needs is not installed")             \
  X(program_failed, "a program that this command started failed")                      \
  X(invalid_argument, "the command line is not understood")                            \
  X(out_of_memory, "the memory of the machine does not suffice")                       \
  X(internal, "a check of the program failed: a fault of Cairn, not of the input")

enum class ErrorCode : std::uint8_t {
  none,
#define CAIRN_ERROR_CODE(name, meaning) name,
  CAIRN_ERROR_CODES(CAIRN_ERROR_CODE)
#undef CAIRN_ERROR_CODE
};

std::string_view code_name(ErrorCode code);  // "unknown_key"; "none"
std::string_view meaning(ErrorCode code);    // the line above
std::vector<ErrorCode> all_error_codes();    // without none

struct Error {
  ErrorKind kind = ErrorKind::input;
  ErrorCode code = ErrorCode::none;
  std::string file = {};     // as the user named it; empty where there is none
  int line = 0;              // 1-based; 0: unknown
  int column = 0;            // 1-based; 0: unknown
  std::string path = {};     // place inside the input, such as bodies[3].mass
  std::string what = {};     // the fault in words
  std::string got = {};      // the offending value as text
  std::string allowed = {};  // the range or the set of values that would do
  std::string fix = {};      // what to do about it

  // One line: error: FILE:LINE:COL: PATH: what is wrong, got VALUE; allowed RANGE; fix: ACTION
  // [CODE]
  std::string text() const;
};

using Errors = std::vector<Error>;

template <class T>
using Result = tl::expected<T, Errors>;

tl::unexpected<Errors> fail(Error error);

}  // namespace cairn
