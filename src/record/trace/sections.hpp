// Sections: [4-character tag][u64 length][payload], one after the other. A reader skips tags that
// it does not know, so that a later program can add sections without a new version of the format.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "bytes/bytes.hpp"

namespace cairn::record {

using SectionTag = std::array<char, 4>;

// section_tag("STEP")
constexpr SectionTag section_tag(const char (&text)[5]) {
  return {text[0], text[1], text[2], text[3]};
}

inline constexpr std::size_t section_head = 12;  // tag and length [bytes]

// Printable characters as they are, all others as \xNN.
std::string text(const SectionTag& tag);

// Why a sequence of sections was refused.
struct SectionFault {
  enum class Kind : std::uint8_t {
    none,
    cut,        // the bytes end within the tag or the length of a section
    too_long,   // the length of a section exceeds the bytes left
    duplicate,  // two sections have the same tag
    missing,    // a mandatory section is not there
    malformed,  // the payload does not have the shape of its section
  };
  Kind kind = Kind::none;
  SectionTag tag = {};

  explicit operator bool() const { return kind != Kind::none; }
  std::string text() const;
};

// Appends one section whose payload is what `write` appends.
template <class Write>
void write_section(const SectionTag& tag, bytes::ByteWriter& out, Write write) {
  out.raw(tag.data(), tag.size());
  const std::size_t length_at = out.size();
  out.u64(0);
  write();
  out.patch_u64(length_at, out.size() - length_at - sizeof(std::uint64_t));
}

// Finds the sections of a payload by tag. The first fault is kept; later reads do nothing.
class SectionReader {
 public:
  explicit SectionReader(std::span<const std::uint8_t> payload);

  // Calls read(ByteReader&), which must read the whole payload of the section.
  template <class Read>
  void mandatory(const SectionTag& tag, Read read) {
    if (!fault_ && !optional(tag, read)) fault_ = {SectionFault::Kind::missing, tag};
  }
  // The same for a section that may be absent; false if it is.
  template <class Read>
  bool optional(const SectionTag& tag, Read read) {
    const Section* section = fault_ ? nullptr : find(tag);
    if (!section) return false;
    bytes::ByteReader in(section->payload);
    read(in);
    if (!in.ok() || in.left() != 0) fault_ = {SectionFault::Kind::malformed, tag};
    return true;
  }
  bool has(const SectionTag& tag) const { return find(tag) != nullptr; }
  const SectionFault& fault() const { return fault_; }

 private:
  struct Section {
    SectionTag tag = {};
    std::span<const std::uint8_t> payload;
  };
  const Section* find(const SectionTag& tag) const;
  std::vector<Section> sections_;  // by tag
  SectionFault fault_;
};

}  // namespace cairn::record
