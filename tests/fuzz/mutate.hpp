// Seeded damage to files: of a text, by bytes and by tokens; of a chunked binary file, with and
// without its checksums made good again.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace cairn::fuzz {

// The same numbers everywhere: the standard fixes the engine, we do the rest.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t number) : engine_(seed * 0x9E3779B97F4A7C15u + number) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_() % n); }
  bool chance(std::size_t one_in) { return below(one_in) == 0; }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// JSON text: mostly numbers and strings replaced by ones that are likely to hurt, so that many
// cases get past the parser.
std::string mutated_text(std::string text, Random& random);

// A trace or a checkpoint, whose chunks begin `head` bytes into the file.
std::string mutated_chunks(std::string bytes, std::size_t head, Random& random);

// A trace, damaged as chunks or in the sections of one of them.
std::string mutated_trace(std::string bytes, Random& random);

}  // namespace cairn::fuzz
