#include "base/boundary.hpp"

#include <exception>
#include <new>
#include <stdexcept>

namespace cairn::base {
namespace {

Error out_of_memory() {
  Error error;
  error.kind = ErrorKind::limit;
  error.code = ErrorCode::out_of_memory;
  error.what = "out of memory";
  error.fix = "use a smaller scene or a machine with more memory";
  return error;
}

}  // namespace

Error caught_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {
    return out_of_memory();
  } catch (const std::exception& fault) {
    Error error;
    error.kind = ErrorKind::internal;
    error.code = ErrorCode::internal;
    error.what = std::string("internal error: ") + fault.what();
    error.fix = "report this with the input and the command";
    return error;
  }
}

}  // namespace cairn::base
