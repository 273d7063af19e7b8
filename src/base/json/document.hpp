// A JSON text as a tree whose nodes know their line and column, so that every later fault can be
// shown in its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/error.hpp"

namespace cairn::json {

struct Key {
  std::string text;
  int line = 0, column = 0;  // of its opening quote, 1-based; 0: not from a file
};

// Destroyed, copied and written by recursion: whoever builds a tree keeps it within
// DocumentLimits::depth, as the parser and the assignments of --set do.
struct Node {
  enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<Node> items;   // elements of an array, values of an object
  std::vector<Key> keys;     // of an object, beside `items`
  int line = 0, column = 0;  // of its first character, 1-based, in characters; 0: not from a file
  int assignment = -1;       // the --set assignment that it comes from; -1: the file

  Node() = default;
  Node(double value) : kind(Kind::number), number(value) {}  // NOLINT: values are nodes
  Node(std::string text) : kind(Kind::string), string(std::move(text)) {}  // NOLINT
  Node(const char* text) : Node(std::string(text)) {}                      // NOLINT
  static Node of(bool value);
  static Node array(std::vector<Node> items = {});
  static Node object();

  bool is(Kind k) const { return kind == k; }
  const Node* find(std::string_view key) const;  // of an object; null if it is not there
  Node* find(std::string_view key);
  Node& set(std::string key, Node value);  // replaces or appends a member of an object
};

// Limits on input that comes from outside; beyond them ErrorKind::limit is returned.
struct DocumentLimits {
  std::size_t bytes = std::size_t{256} << 20;
  std::size_t string_bytes = std::size_t{64} << 10;
  std::size_t nodes = 20'000'000;
  int depth = 64;
};

// JSON with // and /* */ comments. Stops at the first fault of syntax; duplicate keys are all
// reported.
Result<Node> parse_document(std::string_view text, const std::string& file,
                            const DocumentLimits& limits = {});

// Short text for messages: 3, "abc", an array of 2, an object.
std::string summary(const Node& node);

// "a number", "a string", ...
const char* kind_name(Node::Kind kind);

// JSON text, two blanks per level, arrays of plain values on one line. Numbers read back to the
// same bits.
std::string to_json(const Node& node);

}  // namespace cairn::json
