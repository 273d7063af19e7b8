#include "record/trace/packed/pack.hpp"

#include <bit>
#include <cstring>

#include "bytes/compress.hpp"

namespace cairn::record {
namespace {

// Doubles in the order of their values: neighbours differ by one.
std::uint64_t ordered(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return (bits >> 63) != 0 ? ~bits : bits | (std::uint64_t{1} << 63);
}
double from_ordered(std::uint64_t n) {
  return std::bit_cast<double>((n >> 63) != 0 ? n & ~(std::uint64_t{1} << 63) : ~n);
}

// Small differences of either sign become small numbers: 0, -1, 1, -2 -> 0, 1, 2, 3.
std::uint64_t zigzag(std::uint64_t d) {
  return (d << 1) ^ (std::uint64_t{0} - (d >> 63));
}
std::uint64_t from_zigzag(std::uint64_t z) {
  return (z >> 1) ^ (std::uint64_t{0} - (z & 1));
}

}  // namespace

void PackWriter::clear() {
  used_ = 0;
  numbers_ = 0;
  lengths_.clear();
}

void PackWriter::residual(std::uint64_t difference) {
  constexpr std::size_t most = sizeof(std::uint64_t);
  if (residuals_.size() < used_ + most) residuals_.resize(2 * residuals_.size() + 4096);
  const auto pair = static_cast<std::size_t>(numbers_ / 2);
  if (lengths_.size() <= pair) lengths_.resize(pair + 1);
  const std::uint64_t z = zigzag(difference);
  const auto bytes = static_cast<std::uint8_t>((std::bit_width(z) + 7) / 8);
  lengths_[pair] = static_cast<std::uint8_t>(lengths_[pair] | bytes << 4 * (numbers_++ % 2));
  // All eight bytes; the next residual begins after those that count.
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(residuals_.data() + used_, &z, most);
  used_ += bytes;
}

void PackWriter::difference(double x, double guess) {
  residual(ordered(x) - ordered(guess));
}

void PackWriter::text(std::string_view x) {
  count(x, 0);
  for (const char c : x) integer(c, 0);
}

void PackWriter::finish(bytes::ByteWriter& out) {
  const auto pairs = static_cast<std::size_t>(numbers_ / 2 + numbers_ % 2);
  lengths_.resize(pairs);
  bytes::compress(lengths_, compressed_);
  out.u64(numbers_);
  out.u64(compressed_.size());
  out.raw(compressed_);
  out.raw(std::span(residuals_).first(used_));
}

void PackReader::begin(bytes::ByteReader& in) {
  ok_ = true;
  read_ = 0;
  position_ = 0;
  numbers_ = in.u64();
  const std::size_t compressed = in.count(1);
  const std::span<const std::uint8_t> lengths = in.raw(compressed);
  const std::span<const std::uint8_t> residuals = in.raw(in.left());
  // No compression of zlib exceeds this ratio: a damaged number allocates little.
  constexpr std::uint64_t best_ratio = 1032;
  if (!in.ok() || numbers_ / 2 > best_ratio * compressed + 64 ||
      !bytes::decompress(lengths, static_cast<std::size_t>(numbers_ / 2 + numbers_ % 2), lengths_))
    numbers_ = 0, reject();
  residuals_.assign(residuals.begin(), residuals.end());
}

std::uint64_t PackReader::residual() {
  if (!ok_ || read_ == numbers_) {
    ok_ = false;
    return 0;
  }
  const std::uint8_t pair = lengths_[static_cast<std::size_t>(read_ / 2)];
  const unsigned bytes = read_++ % 2 == 0 ? pair & 15u : pair >> 4;
  if (bytes > 8 || bytes > residuals_.size() - position_) {
    ok_ = false;
    return 0;
  }
  std::uint64_t z = 0;
  for (unsigned i = 0; i < bytes; ++i)
    z |= static_cast<std::uint64_t>(residuals_[position_ + i]) << (8 * i);
  position_ += bytes;
  return from_zigzag(z);
}

void PackReader::number(double& x, double guess) {
  x = from_ordered(residual() + ordered(guess));
}

void PackReader::text(std::string& x) {
  count(x, 0);
  for (char& c : x) integer(c, 0);
}

}  // namespace cairn::record
