// XML as a tree whose elements and attributes know their line and column and remember whether they
// were read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cairn/error.hpp"

namespace cairn::imports {

struct Place {
  int line = 0, column = 0;  // 1-based; 0: unknown
  int file = 0;              // number of the file among those of an import
};

struct Attribute {
  std::string name, value;
  Place place;
  mutable bool used = false;
};

// Destroyed and copied by recursion: the reader keeps the depth within XmlLimits::depth.
struct Element {
  std::string name;
  std::vector<Attribute> attributes;
  std::vector<Element> children;
  std::string text;  // character data directly in it, trimmed
  Place place;
  mutable bool used = false;  // some reader knew what it is

  const Attribute* find(std::string_view attribute) const;  // marks it as used
  bool has(std::string_view attribute) const;
  const Element* child(std::string_view child_name) const;  // the first one; marks it as used
  std::string get(std::string_view attribute, std::string_view otherwise = {}) const;
  void set(std::string_view attribute, std::string value);
};

struct XmlLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t elements = 500'000;
  int depth = 100;
  std::size_t includes = 10;  // files that include each other
};

// The root element. Neither entities nor external ones are ever expanded: a file that declares them
// is refused. `file_number` goes into the places.
Result<Element> parse_xml(const std::string& text, const std::string& file, int file_number = 0,
                          const XmlLimits& limits = {});

// Number of elements in a tree.
std::size_t element_count(const Element& e);

// Marks everything below an element, and its attributes, as read.
void mark_used(const Element& e);

// Whether a text looks like XML: its first character that is no blank is '<'.
bool looks_like_xml(std::string_view text);

}  // namespace cairn::imports
