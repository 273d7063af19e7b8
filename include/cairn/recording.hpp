// What a recording of a run holds; scene key `simulation.record`.
#pragma once

#include <cstdint>

namespace cairn {

enum class RecordLevel : std::uint8_t {
  contacts,  // everything, packed: numbers that follow from others take no room
  full,      // everything as plain numbers, for other programs (docs/trace-format.md)
};

struct RecordOptions {
  RecordLevel level = RecordLevel::contacts;
};

}  // namespace cairn
