// {"do": "friction", "material": 0, "value": 0.5} and its like.
#include "serve/command.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/json/document.hpp"

namespace cairn::serve {
namespace {

using Kind = Command::Kind;

constexpr std::array<std::string_view, 14> names = {
    "start",   "pause", "step", "reset", "friction", "restitution", "h",
    "gravity", "speed", "grab", "drag",  "drop",     "save",        "seen"};

tl::unexpected<Errors> fault(std::string path, ErrorCode code, std::string what, std::string got,
                             std::string allowed) {
  Error error;
  error.code = code;
  error.path = std::move(path);
  error.what = std::move(what);
  error.got = std::move(got);
  error.allowed = std::move(allowed);
  return fail(error);
}

Result<double> number(const json::Node& root, const char* key) {
  const json::Node* node = root.find(key);
  if (!node) return fault(key, ErrorCode::missing_key, "is missing", "", "a number");
  if (!node->is(json::Node::Kind::number) || !std::isfinite(node->number))
    return fault(key, ErrorCode::wrong_type, "is no number", json::summary(*node),
                 "a finite number");
  return node->number;
}

Result<Vec3> vector(const json::Node& root, const char* key) {
  const json::Node* node = root.find(key);
  if (!node || !node->is(json::Node::Kind::array) || node->items.size() != 3)
    return fault(key, ErrorCode::wrong_type, "is no vector", node ? json::summary(*node) : "",
                 "three numbers");
  Vec3 v;
  for (int i = 0; i < 3; ++i) {
    const json::Node& item = node->items[static_cast<std::size_t>(i)];
    if (!item.is(json::Node::Kind::number) || !std::isfinite(item.number))
      return fault(key, ErrorCode::wrong_type, "is no vector", json::summary(item),
                   "three finite numbers");
    v[i] = item.number;
  }
  return v;
}

Result<int> whole(const json::Node& root, const char* key) {
  const Result<double> x = number(root, key);
  if (!x) return tl::unexpected<Errors>(x.error());
  if (*x != std::floor(*x) || std::abs(*x) > 1e9)
    return fault(key, ErrorCode::wrong_type, "is no whole number", "", "a number of the list");
  return static_cast<int>(*x);
}

template <class T>
bool take(const Result<T>& from, T& to, Errors& errors) {
  if (from)
    to = *from;
  else
    errors.insert(errors.end(), from.error().begin(), from.error().end());
  return from.has_value();
}

void read_fields(const json::Node& root, Command& command, Errors& errors) {
  switch (command.kind) {
    case Kind::friction:
    case Kind::restitution:
      take(whole(root, "material"), command.index, errors);
      take(number(root, "value"), command.value, errors);
      break;
    case Kind::step_length:
    case Kind::speed:
      take(number(root, "value"), command.value, errors);
      break;
    case Kind::gravity:
      take(vector(root, "value"), command.target, errors);
      break;
    case Kind::grab:
      take(whole(root, "body"), command.index, errors);
      take(vector(root, "point"), command.point, errors);
      take(vector(root, "target"), command.target, errors);
      break;
    case Kind::drag:
      take(vector(root, "target"), command.target, errors);
      break;
    default:
      break;
  }
}

}  // namespace

Result<Command> read_command(std::string_view text) {
  constexpr json::DocumentLimits limits{
      .bytes = std::size_t{64} << 10, .string_bytes = 64, .nodes = 64, .depth = 3};
  const Result<json::Node> root = json::parse_document(text, "", limits);
  if (!root) return tl::unexpected<Errors>(root.error());
  if (!root->is(json::Node::Kind::object))
    return fault("", ErrorCode::wrong_type, "is no object", json::summary(*root), "{\"do\"}");
  const json::Node* word = root->find("do");
  if (!word || !word->is(json::Node::Kind::string))
    return fault("do", ErrorCode::missing_key, "is missing", "", "a command");
  Command command;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] != word->string) continue;
    command.kind = static_cast<Kind>(i);
    Errors errors;
    read_fields(*root, command, errors);
    if (!errors.empty()) return tl::unexpected<Errors>(std::move(errors));
    return command;
  }
  return fault("do", ErrorCode::unknown_choice, "is no command", json::summary(*word),
               fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace cairn::serve
