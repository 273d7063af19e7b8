// Packed numbers: each is stored as its difference from a guess that reader and writer compute
// alike, in as few bytes as that takes. An exact guess costs half a byte before compression.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "bytes/bytes.hpp"

namespace cairn::record {

// Functions that pack and functions that unpack are the same code: templates over these two
// classes, which pass values by reference. Guesses may use what was packed before, and only
// arithmetic that IEEE 754 fixes to the last bit.
class PackWriter {
 public:
  static constexpr bool reading = false;

  void clear();
  // Most guesses are exact, which takes nothing but a count.
  void number(double x, double guess) {
    if (std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(guess))
      ++numbers_;
    else
      difference(x, guess);
  }
  template <class Integer>
  void integer(Integer x, std::int64_t guess) {
    const auto value = static_cast<std::int64_t>(x);
    if (value == guess)
      ++numbers_;
    else
      residual(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(guess));
  }
  void text(std::string_view x);
  // Number of elements of a list.
  template <class List>
  void count(const List& list, std::int64_t guess) {
    integer(static_cast<std::int64_t>(list.size()), guess);
  }
  bool ok() const { return true; }
  void reject() {}

  // [u64 numbers][u64 bytes of their compressed lengths][these][the residuals themselves]
  void finish(bytes::ByteWriter& out);

 private:
  void difference(double x, double guess);
  void residual(std::uint64_t difference);
  // Two of four bits a byte, as far as the last number with a residual; those after it are zero.
  std::vector<std::uint8_t> lengths_;
  std::vector<std::uint8_t> residuals_;  // as far as used_, and room for more
  std::vector<std::uint8_t> compressed_;
  std::size_t used_ = 0;
  std::uint64_t numbers_ = 0;
};

class PackReader {
 public:
  static constexpr bool reading = true;

  // Takes all that is left of `in`; ok() is false if that is not what a writer wrote.
  void begin(bytes::ByteReader& in);
  void number(double& x, double guess);
  template <class Integer>
  void integer(Integer& x, std::int64_t guess) {
    const auto value = static_cast<std::int64_t>(residual() + static_cast<std::uint64_t>(guess));
    using Plain =
        typename std::conditional_t<std::is_enum_v<Integer>, std::underlying_type<Integer>,
                                    std::type_identity<Integer>>::type;
    if (static_cast<std::int64_t>(static_cast<Plain>(value)) != value) reject();
    x = static_cast<Integer>(static_cast<Plain>(value));
  }
  void text(std::string& x);
  // Each element takes at least one number: a damaged count allocates nothing.
  template <class List>
  void count(List& list, std::int64_t guess) {
    std::int64_t n = 0;
    integer(n, guess);
    if (n < 0 || static_cast<std::uint64_t>(n) > numbers_ - read_) {
      reject();
      n = 0;
    }
    list.resize(static_cast<std::size_t>(n));
  }
  bool ok() const { return ok_; }
  void reject() { ok_ = false; }
  bool at_end() const { return ok_ && read_ == numbers_ && position_ == residuals_.size(); }

 private:
  std::uint64_t residual();
  std::vector<std::uint8_t> lengths_, residuals_;
  std::uint64_t numbers_ = 0, read_ = 0;
  std::size_t position_ = 0;
  bool ok_ = true;
};

}  // namespace cairn::record
