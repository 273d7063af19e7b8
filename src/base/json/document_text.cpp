// Nodes made and written by the program: members, short texts for messages, JSON text.
#include <algorithm>
#include <fmt/format.h>

#include "base/json/document.hpp"

namespace cairn::json {
namespace {

void write_string(const std::string& text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

bool is_plain(const Node& node) {
  return node.items.empty();
}

// Arrays of plain values, and of short arrays of them such as anchors, stay on one line.
bool on_one_line(const Node& node) {
  if (!node.is(Node::Kind::array)) return is_plain(node);
  return std::all_of(node.items.begin(), node.items.end(), [](const Node& item) {
    return is_plain(item) || (item.is(Node::Kind::array) &&
                              std::all_of(item.items.begin(), item.items.end(), is_plain));
  });
}

void write_node(const Node& node, std::size_t indent, std::string& out) {
  if (node.is(Node::Kind::null)) out += "null";
  if (node.is(Node::Kind::boolean)) out += node.boolean ? "true" : "false";
  if (node.is(Node::Kind::number)) out += fmt::format("{}", node.number);
  if (node.is(Node::Kind::string)) write_string(node.string, out);
  if (!node.is(Node::Kind::array) && !node.is(Node::Kind::object)) return;

  const bool is_object = node.is(Node::Kind::object);
  const bool flat = on_one_line(node);
  out += is_object ? '{' : '[';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += flat ? ", " : ",";
    if (!flat) out += "\n" + std::string(indent + 2, ' ');
    if (is_object) {
      write_string(node.keys[i].text, out);
      out += ": ";
    }
    write_node(node.items[i], indent + 2, out);
  }
  if (!flat) out += "\n" + std::string(indent, ' ');
  out += is_object ? '}' : ']';
}

}  // namespace

Node Node::of(bool value) {
  Node node;
  node.kind = Kind::boolean;
  node.boolean = value;
  return node;
}

Node Node::array(std::vector<Node> items) {
  Node node;
  node.kind = Kind::array;
  node.items = std::move(items);
  return node;
}

Node Node::object() {
  Node node;
  node.kind = Kind::object;
  return node;
}

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

Node& Node::set(std::string key, Node value) {
  if (Node* found = find(key)) return *found = std::move(value);
  keys.push_back({std::move(key), 0, 0});
  items.push_back(std::move(value));
  return items.back();
}

const char* kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::null:
      return "null";
    case Node::Kind::boolean:
      return "true or false";
    case Node::Kind::number:
      return "a number";
    case Node::Kind::string:
      return "a string";
    case Node::Kind::array:
      return "an array";
    case Node::Kind::object:
      return "an object";
  }
  return "";
}

std::string summary(const Node& node) {
  constexpr std::size_t shown = 60;
  if (node.is(Node::Kind::array)) return fmt::format("an array of {}", node.items.size());
  if (node.is(Node::Kind::object)) return "an object";
  const std::string text = to_json(node);
  return text.size() > shown ? text.substr(0, shown) + "..." : text;
}

std::string to_json(const Node& node) {
  std::string out;
  write_node(node, 0, out);
  return out;
}

}  // namespace cairn::json
