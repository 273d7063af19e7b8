// Reads texts path=value, writes into the document; what it writes is marked with the number of the
// assignment.
#include "scene/assignments.hpp"

#include "base/error_list.hpp"
#include "base/json/utf8.hpp"
#include "base/suggestion.hpp"
#include "scene/paths.hpp"

namespace cairn::scene {
namespace {

void mark(json::Node& node, int assignment) {
  node.assignment = assignment;
  node.line = node.column = 0;
  for (json::Key& key : node.keys) key.line = key.column = 0;
  for (json::Node& item : node.items) mark(item, assignment);
}

Error usage(const std::string& text, std::string path, ErrorCode code, std::string what,
            std::string got, std::string allowed, std::string fix) {
  return {.kind = ErrorKind::usage,
          .code = code,
          .file = "--set " + text,
          .path = std::move(path),
          .what = std::move(what),
          .got = std::move(got),
          .allowed = std::move(allowed),
          .fix = std::move(fix)};
}

std::vector<std::string_view> element_names(const json::Node& array) {
  std::vector<std::string_view> names;
  for (const json::Node& item : array.items)
    if (const json::Node* name = item.is(json::Node::Kind::object) ? item.find("name") : nullptr)
      names.push_back(name->string);
  return names;
}

struct Target {
  json::Node* node;
  int depth;  // below the root
};

Error too_deep(const std::string& text, const std::string& path) {
  Error error = usage(text, path.substr(0, 60) + (path.size() > 60 ? "..." : ""),
                      ErrorCode::too_deep, "value is nested too deeply", "",
                      "at most " + std::to_string(json::DocumentLimits{}.depth) + " levels",
                      "name a key that the scene format has");
  error.kind = ErrorKind::limit;
  error.file = "--set " + text.substr(0, 60) + (text.size() > 60 ? "..." : "");
  return error;
}

// The node at the path, made where a key is missing. It is not deeper than a document may be.
Result<Target> target(json::Node& root, const std::string& text, std::string_view path,
                      int assignment) {
  json::Node* node = &root;
  int depth = 0;
  const std::string whole(path);
  while (!path.empty()) {
    if (++depth > json::DocumentLimits{}.depth) return fail(too_deep(text, whole));
    const auto step = first_step(*node, path);
    if (!step || path.ends_with('.'))
      return fail(usage(text, whole, ErrorCode::syntax, "path cannot be read",
                        "\"" + std::string(path) + "\"", "key.key, key[0].key or bodies.NAME.key",
                        "check points and brackets"));
    const std::string word(step->word);
    if (step->child) {
      node = &node->items[*step->child];
    } else if (step->is_index || node->is(json::Node::Kind::array)) {
      const bool is_array = node->is(json::Node::Kind::array);
      if (is_array && !step->is_index && word.find_first_not_of("0123456789") == std::string::npos)
        return fail(usage(text, whole, ErrorCode::syntax, "an element's number stands in brackets",
                          word, "key[" + word + "].key, or an element's name",
                          "write [" + word + "] in place of ." + word));
      return fail(
          usage(text, whole, is_array ? ErrorCode::unknown_name : ErrorCode::wrong_type,
                is_array ? "list has no such element" : "is not a list",
                is_array ? word : json::summary(*node),
                is_array ? "0 to " + std::to_string(static_cast<long>(node->items.size()) - 1) +
                               ", or an element's name"
                         : "",
                base::did_you_mean(word, element_names(*node), "name an element that is there")));
    } else if (node->is(json::Node::Kind::object)) {
      json::Node& made = node->set(word, json::Node::object());
      made.assignment = assignment;
      node = &made;
    } else {
      return fail(usage(text, whole, ErrorCode::wrong_type,
                        "a plain value has no key \"" + word + "\"", json::summary(*node),
                        "keys of objects", "assign the object as a whole, as {\"key\": value}"));
    }
    path = step->rest;
  }
  return Target{node, depth};
}

}  // namespace

Result<void> apply_assignments(const std::vector<std::string>& assignments, AssignmentPart part,
                               json::Node& root) {
  base::ErrorList errors;
  for (std::size_t i = 0; i < assignments.size(); ++i) {
    const std::string& text = assignments[i];
    if (text.starts_with("include") != (part == AssignmentPart::to_includes)) continue;
    if (!json::is_utf8(text)) {
      errors.add(usage(text, "", ErrorCode::encoding, "assignment is not valid UTF-8", "",
                       "UTF-8 text", "write it in a terminal whose locale is UTF-8"));
      continue;
    }
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      errors.add(usage(text, "", ErrorCode::syntax, "assignment is not understood",
                       "\"" + text + "\"", "key=value", "write simulation.step=0.01, for example"));
      continue;
    }
    const int number = static_cast<int>(i);
    const Result<Target> found =
        target(root, text, std::string_view(text).substr(0, equals), number);
    if (!found) {
      for (const Error& error : found.error()) errors.add(error);
      continue;
    }
    const std::string value = text.substr(equals + 1);
    Result<json::Node> parsed =
        json::parse_document(value, "", {.depth = json::DocumentLimits{}.depth - found->depth});
    if (!parsed && parsed.error().front().kind == ErrorKind::limit) {
      Error error = parsed.error().front();
      error.file = "--set " + text.substr(0, 60) + "...";
      error.line = error.column = 0;
      errors.add(std::move(error));
      continue;
    }
    *found->node = parsed ? std::move(*parsed) : json::Node(value);
    mark(*found->node, number);
  }
  if (!errors.empty()) return tl::unexpected<Errors>(errors.take());
  return {};
}

}  // namespace cairn::scene
