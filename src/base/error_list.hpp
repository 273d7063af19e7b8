// Collects the errors of one input, so that all of them are told at once, but never more than a
// screen can hold.
#pragma once

#include <cstddef>
#include <utility>

#include "cairn/error.hpp"

namespace cairn::base {

class ErrorList {
 public:
  static constexpr std::size_t limit = 20;

  void add(Error error) {
    CAIRN_DCHECK(error.code != ErrorCode::none);
    if (!full()) errors_.push_back(std::move(error));
  }
  bool empty() const { return errors_.empty(); }
  bool full() const { return errors_.size() >= limit; }
  Errors take() { return std::exchange(errors_, {}); }

 private:
  Errors errors_;
};

}  // namespace cairn::base
