#include "record/trace/sections.hpp"

#include <fmt/format.h>

namespace cairn::record {

std::string text(const SectionTag& tag) {
  std::string result;
  for (const char c : tag)
    result += c >= ' ' && c <= '~' ? std::string(1, c)
                                   : fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return result;
}

std::string SectionFault::text() const {
  const std::string section = "section " + record::text(tag);
  switch (kind) {
    case Kind::none:
      return "";
    case Kind::cut:
      return "the head of a section is cut";
    case Kind::too_long:
      return section + " is longer than the bytes left";
    case Kind::duplicate:
      return section + " occurs twice";
    case Kind::missing:
      return section + " is missing";
    case Kind::malformed:
      return section + " is malformed";
  }
  return "";
}

SectionReader::SectionReader(std::span<const std::uint8_t> payload) {
  while (!payload.empty()) {
    if (payload.size() < section_head) {
      fault_ = {SectionFault::Kind::cut, {}};
      return;
    }
    Section section;
    std::copy_n(payload.begin(), section.tag.size(), section.tag.begin());
    const std::uint64_t length = bytes::ByteReader(payload.subspan(section.tag.size())).u64();
    payload = payload.subspan(section_head);
    if (length > payload.size()) {
      fault_ = {SectionFault::Kind::too_long, section.tag};
      return;
    }
    section.payload = payload.first(static_cast<std::size_t>(length));
    payload = payload.subspan(section.payload.size());
    sections_.push_back(section);
  }
  std::sort(sections_.begin(), sections_.end(),
            [](const Section& a, const Section& b) { return a.tag < b.tag; });
  const auto twice =
      std::adjacent_find(sections_.begin(), sections_.end(),
                         [](const Section& a, const Section& b) { return a.tag == b.tag; });
  if (twice != sections_.end()) fault_ = {SectionFault::Kind::duplicate, twice->tag};
}

const SectionReader::Section* SectionReader::find(const SectionTag& tag) const {
  const auto at =
      std::lower_bound(sections_.begin(), sections_.end(), tag,
                       [](const Section& section, const SectionTag& t) { return section.tag < t; });
  return at != sections_.end() && at->tag == tag ? &*at : nullptr;
}

}  // namespace cairn::record
