// All contacts between the shapes of a model that are closer than the bodies can move. Reads poses,
// writes contacts sorted by key.
#pragma once

#include <span>
#include <vector>

#include "cairn/contact.hpp"
#include "collide/broadphase.hpp"
#include "collide/narrowphase.hpp"

namespace cairn {

// How far the points of a body may move: `shift` plus, for rotating bodies without bound (moving
// halfspaces), `turn` times the distance from the centre of mass.
struct Reach {
  double shift = 0;  // [m]
  double turn = 0;   // [rad]
};

class ContactFinder {
 public:
  explicit ContactFinder(const Model& model);

  // Contacts with gap <= reach of both bodies. Frames and materials are filled in.
  void find(const Model& model, std::span<const Pose> poses, std::span<const Reach> reach,
            std::vector<Contact>& contacts);

  // The contact with this key at the given poses, however large its gap.
  bool find_one(const Model& model, std::span<const Pose> poses, const ContactKey& key,
                Contact& contact);

  // Two shapes that came close in the last find() although there is no contact function for them;
  // -1: none.
  std::pair<int, int> missing() const { return missing_; }

 private:
  void collide(const Model& model, std::span<const Pose> poses, ShapeId a, ShapeId b);
  Contact finish(const Model& model, ShapeId a, ShapeId b, const ShapeContact& raw) const;

  Broadphase broadphase_;
  std::vector<char> movable_;
  std::vector<int> body_of_shape_;
  std::vector<Aabb> boxes_;
  std::vector<std::pair<int, int>> pairs_;
  std::vector<ShapeContact> raw_;
  std::pair<int, int> missing_ = {-1, -1};
};

}  // namespace cairn
