#include "imports/sdf/tree.hpp"

#include <map>

#include "base/index.hpp"

namespace cairn::imports {
namespace {

using base::at;

constexpr std::size_t most_apart = 200'000;

class SdfTree {
 public:
  SdfTree(const SdfContext& context, std::vector<SdfLink>& links, std::vector<SdfJoint>& joints,
          Robot& robot, Messages& messages)
      : context_(context), links_(links), joints_(joints), robot_(robot), messages_(messages) {}

  void add() {
    for (SdfLink& link : links_)
      link.body.name = short_name(context_.frames.prefix(link.scope) + link.element->get("name"));
    for (std::size_t k = 0; k < joints_.size(); ++k) connect(k);
    for (Gear& gear : robot_.gears) {
      gear.name = short_name(gear.name);
      for (std::string& name : gear.joints) name = short_name(name);
    }
    place_links();
    for (const std::size_t k : loops_) add_loop(joints_[k]);
    add_no_contact();
  }

 private:
  std::string short_name(const std::string& name) const {
    const std::size_t colons = name.find("::");
    const bool whole = context_.names == SdfNames::whole || colons == std::string::npos;
    return whole ? name : name.substr(colons + 2);
  }

  void connect(std::size_t k) {
    SdfJoint& joint = joints_[k];
    joint.name = short_name(joint.name);
    for (TreeJoint& part : joint.parts) part.name = short_name(part.name);
    if (joint.type == "gearbox") return;
    SdfLink& child = links_[at(joint.child)];
    if (child.is_static) {
      messages_.note(joint.element->place, "joint", "", "not taken over: its child is static");
    } else if (child.above >= 0) {
      loops_.push_back(k);
    } else {
      child.above = static_cast<int>(k);
      if (joint.parent != world_body) links_[at(joint.parent)].below.push_back(static_cast<int>(k));
    }
  }

  // The links in the order of the tree. Of a cycle the first link of the file becomes a root, and
  // the joint above it closes a loop.
  void place_links() {
    order_.assign(links_.size(), -1);
    for (const bool roots : {true, false})
      for (std::size_t i = 0; i < links_.size(); ++i) {
        SdfLink& link = links_[i];
        const bool hangs = link.above >= 0 && joints_[at(link.above)].parent != world_body;
        if (order_[i] >= 0 || (roots && hangs)) continue;
        if (hangs) {
          loops_.push_back(at(link.above));
          link.above = -1;
        }
        push(i);
      }
  }

  // A root, or a link at the world, and all below it, depth first.
  void push(std::size_t root) {
    std::vector<std::pair<std::size_t, int>> open{{root, world_body}};
    while (!open.empty()) {
      const auto [i, parent] = open.back();
      open.pop_back();
      SdfLink& link = links_[i];
      TreeBody body = std::move(link.body);
      body.parent = parent;
      const Pose X_WP = parent == world_body ? Pose{} : context_.X_WL[link_of_[at(parent)]];
      body.X_PB = X_WP.inverse() * context_.X_WL[i];
      hang(link, body);
      order_[i] = static_cast<int>(robot_.bodies.size());
      robot_.bodies.push_back(std::move(body));
      link_of_.push_back(i);
      for (auto k = link.below.rbegin(); k != link.below.rend(); ++k) {
        const std::size_t child = at(joints_[at(*k)].child);
        if (links_[child].above == *k) open.emplace_back(child, order_[i]);
      }
    }
  }

  // What carries a body: joints, nothing, or the world.
  void hang(const SdfLink& link, TreeBody& body) {
    const ImportBase base = context_.options.base;
    if (link.is_static) return choose_base("fixed: the model is static");
    if (link.above < 0) {
      body.free = base != ImportBase::fixed;
      return choose_base("free: no joint connects its root to the world");
    }
    const SdfJoint& joint = joints_[at(link.above)];
    body.joints = joint.parts;
    if (joint.parent != world_body) return;
    choose_base("fixed: joints connect its root to the world");
    if (joint.type == "fixed" && base == ImportBase::free) body.free = true;
  }

  void choose_base(std::string text) {
    if (!robot_.base.empty()) return;
    if (context_.options.base == ImportBase::fixed) text = "fixed: --base fixed";
    if (context_.options.base == ImportBase::free) text = "free: --base free";
    robot_.base = std::move(text);
  }

  void add_loop(const SdfJoint& joint) {
    Loop loop;
    loop.name = joint.name;
    loop.place = joint.element->place;
    if (joint.type == "ball")
      loop.kind = LoopKind::ball;
    else if (joint.type == "fixed")
      loop.kind = LoopKind::fixed;
    else if (joint.parts.size() == 1)
      loop.kind = LoopKind::coordinate;
    else
      return messages_.error(loop.place, ErrorCode::unsupported, label(*joint.element) + ".type",
                             "a joint of this type cannot close a loop", joint.type,
                             "revolute, continuous, prismatic, ball, fixed",
                             "let another joint of the loop be the last one in the file");
    if (!joint.parts.empty()) loop.joint = joint.parts[0];
    loop.a = attachment(joint, joint.parent);
    loop.b = attachment(joint, joint.child);
    robot_.loops.push_back(std::move(loop));
  }

  Attachment attachment(const SdfJoint& joint, int link) const {
    if (link == world_body) return {world_body, joint.X_WJ};
    return {order_[at(link)], context_.X_WL[at(link)].inverse() * joint.X_WJ};
  }

  // Links of one model do not touch unless one of them says so.
  void add_no_contact() {
    std::map<int, std::vector<std::size_t>> models;
    for (std::size_t i = 0; i < links_.size(); ++i)
      if (!links_[i].is_static && !robot_.bodies[at(order_[i])].shapes.empty())
        models[links_[i].scope].push_back(i);
    for (const auto& [scope, members] : models) {
      const std::size_t before = robot_.no_contact.size();
      for (std::size_t a = 0; a < members.size(); ++a)
        for (std::size_t b = a + 1; b < members.size(); ++b) {
          if (links_[members[a]].touches_own || links_[members[b]].touches_own) continue;
          robot_.no_contact.push_back({order_[members[a]], order_[members[b]]});
          if (robot_.no_contact.size() > most_apart)
            return messages_.error(links_[members[a]].element->place, ErrorCode::too_many,
                                   "self_collide", "too many pairs of links do not touch",
                                   "more than " + std::to_string(most_apart),
                                   "at most " + std::to_string(most_apart),
                                   "set <self_collide> of the model, or split it");
        }
      if (robot_.no_contact.size() > before)
        messages_.note(links_[members[0]].element->place, "self_collide", "",
                       "false: links of one model do not touch each other");
    }
  }

  const SdfContext& context_;
  std::vector<SdfLink>& links_;
  std::vector<SdfJoint>& joints_;
  Robot& robot_;
  Messages& messages_;
  std::vector<std::size_t> loops_;    // numbers of joints
  std::vector<int> order_;            // of links: number in the tree
  std::vector<std::size_t> link_of_;  // of the tree
};

}  // namespace

void add_tree(const SdfContext& context, std::vector<SdfLink>& links, std::vector<SdfJoint>& joints,
              Robot& robot, Messages& messages) {
  SdfTree(context, links, joints, robot, messages).add();
}

}  // namespace cairn::imports
