// The boundary of the public interface: exceptions of the code behind it become errors as values.
#pragma once

#include <utility>

#include "cairn/error.hpp"

namespace cairn::base {

// What the exception that is being handled means to the caller: a check that failed is of kind
// internal, want of memory of kind limit. Rethrows what is no std::exception.
Error caught_error();

// The result of work(), or the exception that it threw as an error.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (...) {
    return fail(caught_error());
  }
}

}  // namespace cairn::base
