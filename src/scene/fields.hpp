// Typed values out of document nodes, with errors that say where and what; knows no meaning of the
// fields.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error_list.hpp"
#include "base/json/document.hpp"
#include "cairn/expression.hpp"
#include "cairn/math.hpp"
#include "cairn/options.hpp"
#include "scene/format/tables.hpp"

namespace cairn::scene {

// Errors of a scene; adds file, line and column of the node at fault, or the assignment that it
// comes from.
class SceneErrors {
 public:
  SceneErrors(std::string file, const std::vector<std::string>& assignments)
      : file_(std::move(file)), assignments_(assignments) {}

  void add(const json::Node& node, Error error);
  void add(const json::Node& node, std::string path, ErrorCode code, std::string what,
           std::string got, std::string allowed, std::string fix);
  // At a place in another file, which the error names.
  void add_elsewhere(Error error) { list_.add(std::move(error)); }
  void wrong_type(const json::Node& node, const std::string& path, const std::string& expected);
  void unknown_key(const json::Node& object, std::size_t member, const std::string& path,
                   const std::vector<std::string_view>& known);

  const std::string& file() const { return file_; }
  bool ok() const { return list_.empty(); }
  Errors take();  // without repetitions

 private:
  std::string file_;
  const std::vector<std::string>& assignments_;
  base::ErrorList list_;
};

std::string child_path(const std::string& path, std::string_view key);
std::string item_path(const std::string& path, std::size_t i);
std::string range_text(const Range& range);

// Each returns whether `out` was set; otherwise an error was recorded.
bool read_value(const json::Node& node, const std::string& path, bool& out, SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, double& out, SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::string& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, Vec3& out, SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, Eigen::Vector2d& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, Quat& out, SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, Mat3& out, SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, TimeFunction& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::array<TimeFunction, 3>& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::array<std::string, 2>& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::array<Vec3, 2>& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::vector<double>& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::vector<Eigen::Vector2d>& out,
                SceneErrors& errors);
bool read_value(const json::Node& node, const std::string& path, std::vector<Vec3>& out,
                SceneErrors& errors);

template <class T>
bool read_value(const json::Node& node, const std::string& path, std::optional<T>& out,
                SceneErrors& errors) {
  T value;
  if (!read_value(node, path, value, errors)) return false;
  out = value;
  return true;
}

bool read_number(const json::Node& node, const std::string& path, double& out, const Range& range,
                 SceneErrors& errors);
bool read_integer(const json::Node& node, const std::string& path, std::int64_t& out,
                  std::int64_t lo, std::int64_t hi, SceneErrors& errors);

// The members of one object. Keys outside the table and missing ones that are required are errors
// at once.
class Fields {
 public:
  Fields(const json::Node& node, std::string path, const FieldTable& table, SceneErrors& errors);

  const json::Node* find(std::string_view key) const;
  const json::Node& node() const { return node_; }
  const std::string& path() const { return path_; }
  std::string path(std::string_view key) const { return child_path(path_, key); }

  // Each leaves `out` as it is where the key is absent; returns whether it was set.
  template <class T>
  bool read(std::string_view key, T& out) const {
    const json::Node* node = find(key);
    return node && read_value(*node, path(key), out, errors_);
  }
  bool read_number(std::string_view key, double& out, const Range& range) const;
  bool read_integer(std::string_view key, std::int64_t& out, std::int64_t lo,
                    std::int64_t hi) const;

  // Calls f(item, path of it) for every element of an array.
  template <class F>
  void each(std::string_view key, F f) const {
    const json::Node* node = find(key);
    if (!node) return;
    if (!node->is(json::Node::Kind::array)) return errors_.wrong_type(*node, path(key), "an array");
    for (std::size_t i = 0; i < node->items.size(); ++i) f(node->items[i], item_path(path(key), i));
  }

 private:
  const json::Node& node_;
  std::string path_;
  const FieldTable& table_;
  SceneErrors& errors_;
};

// The table for the object's "type"; null after an error.
const FieldTable* table_of_type(const json::Node& node, const std::string& path,
                                const TypedTables& tables, SceneErrors& errors);

}  // namespace cairn::scene
