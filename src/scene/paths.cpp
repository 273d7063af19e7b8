// Reads a path and a node, writes the child that the path enters.
#include "scene/paths.hpp"

#include <charconv>

namespace cairn::scene {
namespace {

bool ends_word(std::string_view rest, std::size_t length) {
  return rest.size() == length || rest[length] == '.' || rest[length] == '[';
}

std::string_view without_point(std::string_view rest) {
  return rest.starts_with('.') ? rest.substr(1) : rest;
}

std::string_view name_of(const json::Node& element) {
  const json::Node* name = element.is(json::Node::Kind::object) ? element.find("name") : nullptr;
  return name ? std::string_view(name->string) : std::string_view();
}

std::optional<PathStep> index_step(const json::Node& node, std::string_view path) {
  const std::size_t close = path.find(']');
  if (close == std::string_view::npos || close < 2) return std::nullopt;
  PathStep step{without_point(path.substr(close + 1)), path.substr(1, close - 1), true,
                std::nullopt};
  std::size_t i = 0;
  const auto [end, status] =
      std::from_chars(step.word.data(), step.word.data() + step.word.size(), i);
  if (status != std::errc() || end != step.word.data() + step.word.size()) return std::nullopt;
  if (node.is(json::Node::Kind::array) && i < node.items.size()) step.child = i;
  return step;
}

}  // namespace

std::optional<PathStep> first_step(const json::Node& node, std::string_view path) {
  if (path.starts_with('[')) return index_step(node, path);
  PathStep step;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string_view word = node.is(json::Node::Kind::object)
                                      ? std::string_view(node.keys[i].text)
                                      : name_of(node.items[i]);
    if (word.empty() || !path.starts_with(word) || !ends_word(path, word.size())) continue;
    if (step.child && word.size() <= step.word.size()) continue;
    step.child = i;
    step.word = path.substr(0, word.size());
  }
  if (!step.child) step.word = path.substr(0, path.find_first_of(".["));
  if (step.word.empty()) return std::nullopt;
  step.rest = without_point(path.substr(step.word.size()));
  return step;
}

const json::Node& deepest(const json::Node& root, std::string_view path) {
  const json::Node* node = &root;
  while (!path.empty()) {
    const auto step = first_step(*node, path);
    if (!step || !step->child) break;
    node = &node->items[*step->child];
    path = step->rest;
  }
  return *node;
}

}  // namespace cairn::scene
