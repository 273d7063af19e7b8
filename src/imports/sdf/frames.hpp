// Frames of SDFormat: links, joints, nested models and <frame> elements name each other as what
// their poses are relative to, in scopes that nest as models do.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "imports/messages.hpp"
#include "imports/robot.hpp"

namespace cairn::imports {

constexpr const char* model_frame = "__model__";

class SdfFrames {
 public:
  enum class Kind { link, joint, frame, model };

  struct Frame {
    Kind kind = Kind::frame;
    std::string name;
    std::string relative_to;  // empty: the default of its kind
    Pose X_RF;                // in what it is relative to
    std::string attached_to;  // of frames; the child of joints
    int link = -1;            // number of a link
    int inner = -1;           // scope of a model
    Place place;
    enum class State { open, busy, done } state = State::open;
    Pose X_SF;                   // in its scope
    std::optional<int> carrier;  // link that it is attached to, once it is known
  };

  explicit SdfFrames(Messages& messages) : messages_(messages) { scopes_.emplace_back(); }

  static constexpr int world = 0;  // the outermost scope

  // A model named `name` in the scope `parent`; returns its own scope.
  int add_model(int parent, Frame frame, std::string placement_frame, std::string canonical_link);
  void add(int scope, Frame frame);

  // Whether all references lead to a frame, and none in a circle.
  void check();
  // Pose of a frame that is named in `scope`, in that scope and in the world.
  Pose pose_in_scope(int scope, const std::string& name, const Place& place);
  Pose pose_in_world(int scope, const std::string& name, const Place& place);
  // Number of the link that a frame is attached to, world_body: the world. `lost`: none.
  int link_of(int scope, const std::string& name, const Place& place);
  static constexpr int lost = -2;

  // "outer::inner::" in front of the names of a scope; empty in the outermost one.
  const std::string& prefix(int scope) const { return scopes_[number(scope)].prefix; }
  int parent(int scope) const { return scopes_[number(scope)].parent; }

 private:
  struct Scope {
    int parent = -1;
    std::string name, prefix;
    std::vector<Frame> frames;
    std::map<std::string, std::size_t> numbers;
    std::string placement_frame, canonical_link;
  };
  static std::size_t number(int scope) { return static_cast<std::size_t>(scope); }

  Frame* find(int scope, const std::string& name, const Place& place);
  bool is_scope_frame(int scope, const std::string& name) const;
  static const std::string& base_of(const Frame& frame);
  const Pose& resolve(int scope, Frame& frame);
  int follow(int scope, std::string name, const Place& place, std::vector<Frame*>& passed);
  void circle(const Frame& frame);

  Messages& messages_;
  std::vector<Scope> scopes_;
  std::size_t frames_ = 0;  // of all scopes
};

}  // namespace cairn::imports
