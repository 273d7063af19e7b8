#include "imports/sdf/frames.hpp"

#include "base/suggestion.hpp"

namespace cairn::imports {

int SdfFrames::add_model(int parent, Frame frame, std::string placement_frame,
                         std::string canonical_link) {
  const int inner = static_cast<int>(scopes_.size());
  Scope& scope = scopes_.emplace_back();
  scope.parent = parent;
  scope.name = frame.name;
  scope.prefix = scopes_[number(parent)].prefix + frame.name + "::";
  scope.placement_frame = std::move(placement_frame);
  scope.canonical_link = std::move(canonical_link);
  frame.kind = Kind::model;
  frame.inner = inner;
  add(parent, std::move(frame));
  return inner;
}

void SdfFrames::add(int scope, Frame frame) {
  Scope& s = scopes_[number(scope)];
  const bool reserved =
      frame.name == "world" || (frame.name.starts_with("__") && frame.name.ends_with("__"));
  if (frame.name.empty() || reserved || frame.name.find("::") != std::string::npos)
    return messages_.error(frame.place, ErrorCode::invalid_name, s.prefix + frame.name,
                           frame.name.empty() ? "the name is missing" : "the name is reserved",
                           frame.name, "a name without \"::\" that is not world or __NAME__",
                           "rename it");
  if (!s.numbers.try_emplace(frame.name, s.frames.size()).second)
    return messages_.error(frame.place, ErrorCode::duplicate_name, s.prefix + frame.name,
                           "two elements of one model have the same name", frame.name,
                           "a name of its own", "rename one of them");
  s.frames.push_back(std::move(frame));
  ++frames_;
}

bool SdfFrames::is_scope_frame(int scope, const std::string& name) const {
  return name.empty() || name == model_frame || (scope == world && name == "world");
}

SdfFrames::Frame* SdfFrames::find(int scope, const std::string& name, const Place& place) {
  Scope& s = scopes_[number(scope)];
  const auto found = s.numbers.find(name);
  if (found != s.numbers.end()) return &s.frames[found->second];
  std::vector<std::string_view> known;
  for (const Frame& frame : s.frames) known.push_back(frame.name);
  messages_.error(place, ErrorCode::unknown_name, s.prefix + name,
                  "no link, joint, frame or model of this scope has this name", "\"" + name + "\"",
                  "", base::did_you_mean(name, known, "add it, or correct the name"));
  return nullptr;
}

void SdfFrames::circle(const Frame& frame) {
  messages_.error(frame.place, ErrorCode::conflict, frame.name,
                  "the frames that this one is relative or attached to form a cycle", frame.name,
                  "frames that end at their model", "change one of the references");
}

const std::string& SdfFrames::base_of(const Frame& frame) {
  const bool by_attachment = frame.kind == Kind::frame || frame.kind == Kind::joint;
  return frame.relative_to.empty() && by_attachment ? frame.attached_to : frame.relative_to;
}

// Each frame once: its pose is kept. Chains of references are followed without recursion: they may
// be as long as files are.
const Pose& SdfFrames::resolve(int scope, Frame& frame) {
  std::vector<Frame*> chain;
  for (Frame* f = &frame; f && f->state != Frame::State::done;) {
    if (f->state == Frame::State::busy) {
      circle(*f);
      break;
    }
    f->state = Frame::State::busy;
    chain.push_back(f);
    const std::string& base = base_of(*f);
    f = is_scope_frame(scope, base) ? nullptr
                                    : find(scope, base.substr(0, base.find("::")), f->place);
  }
  for (; messages_.ok() && !chain.empty(); chain.pop_back()) {
    Frame& f = *chain.back();
    f.X_SF = pose_in_scope(scope, base_of(f), f.place) * f.X_RF;
    if (f.kind == Kind::model) {
      // The pose of a model is that of its placement frame.
      const std::string& placed = scopes_[number(f.inner)].placement_frame;
      if (!placed.empty()) f.X_SF = f.X_SF * pose_in_scope(f.inner, placed, f.place).inverse();
    }
    f.state = Frame::State::done;
  }
  return frame.X_SF;
}

void SdfFrames::check() {
  for (std::size_t scope = 0; scope < scopes_.size(); ++scope)
    for (std::size_t i = 0; messages_.ok() && i < scopes_[scope].frames.size(); ++i) {
      Frame& frame = scopes_[scope].frames[i];
      resolve(static_cast<int>(scope), frame);
      if (messages_.ok()) link_of(static_cast<int>(scope), frame.name, frame.place);
    }
}

Pose SdfFrames::pose_in_scope(int scope, const std::string& name, const Place& place) {
  if (is_scope_frame(scope, name)) return {};
  const std::size_t colons = name.find("::");
  Frame* frame = find(scope, name.substr(0, colons), place);
  if (!frame || !messages_.ok()) return {};
  const Pose X = resolve(scope, *frame);
  if (colons == std::string::npos) return X;
  const std::string rest = name.substr(colons + 2);
  if (frame->inner >= 0) return X * pose_in_scope(frame->inner, rest, place);
  messages_.error(place, ErrorCode::unknown_name, name, "is not a model", "\"" + frame->name + "\"",
                  "MODEL::NAME", "correct the name");
  return {};
}

Pose SdfFrames::pose_in_world(int scope, const std::string& name, const Place& place) {
  Pose X = pose_in_scope(scope, name, place);
  for (int s = scope; s != world; s = parent(s))
    X = pose_in_scope(parent(s), scopes_[number(s)].name, place) * X;
  return X;
}

int SdfFrames::link_of(int scope, const std::string& name, const Place& place) {
  std::vector<Frame*> passed;
  const int link = follow(scope, name, place, passed);
  for (Frame* frame : passed) frame->carrier = link;
  return link;
}

// Frames are attached to others in turn, none of them twice.
int SdfFrames::follow(int scope, std::string name, const Place& place,
                      std::vector<Frame*>& passed) {
  for (int s = scope; messages_.ok();) {
    const Scope& here = scopes_[number(s)];
    if (s == world && is_scope_frame(s, name)) return world_body;
    if (is_scope_frame(s, name)) {
      // A model is attached to its canonical link: the first one, also of models in it.
      name = here.canonical_link;
      for (const Kind kind : {Kind::link, Kind::model})
        for (const Frame& frame : here.frames)
          if (name.empty() && frame.kind == kind) name = frame.name;
      if (name.empty()) break;
    }
    const std::size_t colons = name.find("::");
    Frame* frame = find(s, name.substr(0, colons), place);
    if (!frame) break;
    if (frame->kind == Kind::link) return frame->link;
    if (frame->inner >= 0) {
      name = colons == std::string::npos ? std::string(model_frame) : name.substr(colons + 2);
      s = frame->inner;
      continue;
    }
    if (frame->carrier) return *frame->carrier;
    if (passed.size() > frames_) {
      circle(*frame);
      break;
    }
    passed.push_back(frame);
    name = frame->attached_to;
  }
  return lost;
}

}  // namespace cairn::imports
