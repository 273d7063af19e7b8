// The one file that knows zlib.
#include <zlib.h>

#include "bytes/compress.hpp"
#include "bytes/crc32.hpp"
#include "bytes/text_form.hpp"
#include "cairn/error.hpp"

namespace cairn::bytes {

std::string deflated(const std::string& bytes) {
  // Level 6: level 9 takes five times as long for two percent.
  constexpr int level = 6;
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), level);
  CAIRN_CHECK(status == Z_OK);  // it can only fail for want of room or memory
  out.resize(size);
  return out;
}

void compress(std::span<const std::uint8_t> bytes, std::vector<std::uint8_t>& out) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  out.resize(size);
  const int status =
      ::compress2(out.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), Z_BEST_SPEED);
  CAIRN_CHECK(status == Z_OK);  // it can only fail for want of room or memory
  out.resize(size);
}

bool decompress(std::span<const std::uint8_t> bytes, std::size_t size,
                std::vector<std::uint8_t>& out) {
  out.resize(size + 1);  // room for a byte too many, and never empty
  auto length = static_cast<uLongf>(out.size());
  const int status =
      ::uncompress(out.data(), &length, bytes.data(), static_cast<uLong>(bytes.size()));
  out.resize(size);
  return status == Z_OK && length == size;
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, bytes.data(), bytes.size()));
}

}  // namespace cairn::bytes
