// Row, body and constraint numbers are int; containers are indexed by std::size_t.
#pragma once

#include <cstddef>

namespace cairn::base {

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace cairn::base
