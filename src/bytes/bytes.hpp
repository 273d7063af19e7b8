// Little-endian bytes: a writer into a reused buffer, and a reader that never trusts a length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "cairn/math.hpp"

namespace cairn::bytes {

class ByteWriter {
 public:
  void clear() { bytes_.clear(); }  // keeps the memory
  std::size_t size() const { return bytes_.size(); }
  std::span<const std::uint8_t> bytes() const { return bytes_; }

  void u8(std::uint8_t x) { bytes_.push_back(x); }
  void u32(std::uint32_t x) { integer(x, 4); }
  void u64(std::uint64_t x) { integer(x, 8); }
  void i32(std::int32_t x) { u32(static_cast<std::uint32_t>(x)); }
  void i64(std::int64_t x) { u64(static_cast<std::uint64_t>(x)); }
  void f64(double x) { u64(std::bit_cast<std::uint64_t>(x)); }
  void vec3(const Vec3& a) {
    for (int i = 0; i < 3; ++i) f64(a[i]);
  }
  void raw(const char* data, std::size_t count) { bytes_.insert(bytes_.end(), data, data + count); }
  void raw(std::span<const std::uint8_t> data) {
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  void text(const char* data, std::size_t count) {
    u64(count);
    raw(data, count);
  }
  void text(const std::string& s) { text(s.data(), s.size()); }
  void vector(const VecX& a) {
    u64(static_cast<std::uint64_t>(a.size()));
    for (const double x : a) f64(x);
  }
  // Overwrites eight bytes at `at`: lengths are known only after the payload.
  void patch_u64(std::size_t at, std::uint64_t x) {
    for (std::size_t i = 0; i < 8; ++i) bytes_[at + i] = static_cast<std::uint8_t>(x >> (8 * i));
  }

 private:
  void integer(std::uint64_t x, int count) {
    std::uint8_t b[8];
    for (int i = 0; i < count; ++i) b[i] = static_cast<std::uint8_t>(x >> (8 * i));
    bytes_.insert(bytes_.end(), b, b + count);
  }
  std::vector<std::uint8_t> bytes_;
};

// After the first read past the end every further read gives zero and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - position_; }
  void reject() { ok_ = false; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }
  double f64() { return std::bit_cast<double>(u64()); }
  Vec3 vec3() {
    const double x = f64(), y = f64(), z = f64();
    return {x, y, z};
  }
  // A number of elements of at least `element_bytes` each; zero and a failure if they cannot fit
  // into what is left, so that nothing is allocated on the word of a damaged length.
  std::size_t count(std::size_t element_bytes) {
    const std::uint64_t n = u64();
    if (ok_ && n <= left() / element_bytes) return static_cast<std::size_t>(n);
    ok_ = false;
    return 0;
  }
  void text(std::string& s) {
    const std::size_t n = count(1);
    s.assign(reinterpret_cast<const char*>(bytes_.data()) + position_, n);
    position_ += n;
  }
  // The next n bytes where they lie; none if there are fewer.
  std::span<const std::uint8_t> raw(std::size_t n) {
    if (!ok_ || left() < n) {
      ok_ = false;
      return {};
    }
    position_ += n;
    return bytes_.subspan(position_ - n, n);
  }
  // All bytes that are left.
  void rest(std::string& s) {
    s.assign(reinterpret_cast<const char*>(bytes_.data()) + position_, left());
    position_ = bytes_.size();
  }
  void vector(VecX& a) {
    a.resize(static_cast<Eigen::Index>(count(8)));
    for (double& x : a) x = f64();
  }
  // An enumeration whose largest value is `last`.
  template <class Enum>
  Enum choice(Enum last) {
    const std::uint8_t x = u8();
    if (x > static_cast<std::uint8_t>(last)) ok_ = false;
    return ok_ ? static_cast<Enum>(x) : Enum{};
  }
  bool flag() {
    const std::uint8_t x = u8();
    if (x > 1) ok_ = false;
    return x == 1;
  }

 private:
  std::uint64_t integer(std::size_t n) {
    if (!ok_ || left() < n) {
      ok_ = false;
      return 0;
    }
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < n; ++i)
      x |= static_cast<std::uint64_t>(bytes_[position_ + i]) << (8 * i);
    position_ += n;
    return x;
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace cairn::bytes
