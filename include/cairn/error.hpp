// Failures that a user can cause, as values: what is wrong, where, with which value, what is
// allowed, what to do.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cairn/check.hpp"

namespace cairn {

// Decides the exit code of the command line (see docs/conventions.md).
enum class ErrorKind { input, usage, io, limit, stopped, internal };

struct Error {
  ErrorKind kind = ErrorKind::input;
  std::string file = {};     // as the user named it; empty where there is none
  int line = 0;              // 1-based; 0: unknown
  int column = 0;            // 1-based; 0: unknown
  std::string path = {};     // place inside the input, such as bodies[3].mass
  std::string what = {};     // the fault in words
  std::string got = {};      // the offending value as text
  std::string allowed = {};  // the range or the set of values that would do
  std::string fix = {};      // what to do about it

  // One line: error: FILE:LINE:COL: PATH: what is wrong, got VALUE; allowed RANGE; fix: ACTION
  std::string text() const;
};

using Errors = std::vector<Error>;

template <class T>
using Result = tl::expected<T, Errors>;

inline tl::unexpected<Errors> fail(Error error) {
  return tl::unexpected<Errors>(Errors{std::move(error)});
}

}  // namespace cairn
