// An HDF5 file that is made in memory. The library then does no input or output of its own, which
// it does not survive on a full disk: after a failed close it ends the process with a signal.
#pragma once

#include <optional>
#include <string>

#include "problem/files/hdf5_handle.hpp"

namespace cairn::problem {

class Hdf5Image {
 public:
  // Also turns off the messages that the library prints.
  Hdf5Image();

  hid_t file() const { return file_; }  // negative if the library failed

  // The bytes of the file as it stands, all datasets closed; nothing if the library failed, which
  // happens only without memory.
  std::optional<std::string> bytes() const;

 private:
  Hdf5Handle access_, file_;
};

}  // namespace cairn::problem
