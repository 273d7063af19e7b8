// All contacts between the shapes of a model that are closer than the bodies can move. Reads poses,
// writes contacts sorted by key.
#pragma once

#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"
#include "collide/broadphase.hpp"
#include "collide/known_pairs.hpp"
#include "collide/narrowphase.hpp"
#include "collide/pairs/poly_pair.hpp"
#include "collide/patch/patch.hpp"
#include "collide/patch/patch_cover.hpp"

namespace cairn::collide {

// How far the points of a body may move: `shift` plus, for rotating bodies without bound (moving
// halfspaces), `turn` times the distance from the centre of mass.
struct Reach {
  double shift = 0;  // [m]
  double turn = 0;   // [rad]
};

// Do the two meet as polyhedra, by events, instead of by a function of the table of pairs?
bool both_polyhedra(const Model& model, const Shape& a, const Shape& b);

class ContactFinder {
 public:
  explicit ContactFinder(const Model& model);

  // All limits of joints, then contacts with gap <= reach of both bodies. Frames and materials are
  // filled in. `ahead`: where the bodies are expected at the end of the step, by which polyhedra
  // choose among the ways to be kept apart. Leaves the polyhedra that are near each other in
  // pairs(). `memory`: the impulses of contacts of the last step, sorted by key.
  void find(const Model& model, std::span<const Pose> poses, std::span<const Pose> ahead,
            std::span<const Reach> reach, std::span<const ImpulseMemory> memory,
            std::vector<Contact>& contacts);

  // Contacts that overlap; of two polyhedra one, along the axis of least depth, whose feature is
  // `along_axis`.
  void find_overlaps(const Model& model, std::span<const Pose> poses,
                     std::vector<Contact>& contacts);
  static constexpr Features along_axis = {std::numeric_limits<std::uint32_t>::max(),
                                          std::numeric_limits<std::uint32_t>::max()};
  // Deepest overlap of each of the given pairs of shapes that overlap; each has a contact function.
  struct Depth {
    ShapeId a{}, b{};
    double depth = 0;  // > 0 [m]
  };
  void find_depths(const Model& model, std::span<const Pose> poses,
                   std::span<const std::pair<int, int>> pairs, std::vector<Depth>& depths);

  // The contacts of a pair under its present axis.
  void collect(const Model& model, std::span<const Pose> poses, std::span<const Pose> ahead,
               const PolyPair& pair, std::vector<Contact>& contacts);
  PlacedPair placed(const Model& model, std::span<const Pose> poses, const PolyPair& pair) const;
  std::vector<PolyPair>& pairs() { return poly_pairs_; }  // sorted by shapes
  // Is the pair left out since the contacts of other shapes of the two bodies imply its own?
  bool covered(ShapeId a, ShapeId b) const;
  AxisList& scratch() { return axes_; }

  EventOptions events = {};

  int filtered() const { return filtered_; }  // contacts that the last find() left out

  // The contact with this key at the given poses, however large its gap.
  bool find_one(const Model& model, std::span<const Pose> poses, const ContactKey& key,
                Contact& contact);

  // Two shapes that came close in the last find() although there is no contact function for them;
  // -1: none.
  std::pair<int, int> missing() const { return missing_; }

 private:
  void collide(const Model& model, std::span<const Pose> poses, ShapeId a, ShapeId b);
  double polyhedra_gap(const Model& model, std::span<const Pose> poses, ShapeId a, ShapeId b) const;
  Contact finish(const Model& model, ShapeId a, ShapeId b, const ShapeContact& raw) const;
  void near_pairs(const Model& model, std::span<const Pose> poses, std::span<const Reach> reach);
  void overlapping_pairs(const Model& model, std::span<const Pose> poses);
  void place_boxes(const Model& model, std::span<const Pose> poses, std::span<const Reach> reach);
  void erase_no_contact(const Model& model, std::size_t from);
  // What find() was asked.
  struct Query {
    const Model& model;
    std::span<const Pose> poses, ahead;
    std::span<const Reach> reach;
    std::span<const ImpulseMemory> memory;
  };
  void find_polyhedra(const Query& query, ShapeId a, ShapeId b, std::vector<Contact>& contacts);
  void search_polyhedra(const Query& query, const KnownPairs::Inputs& inputs,
                        KnownPairs::Answer& answer, std::vector<Contact>& contacts);
  RatioBasis last_basis(ShapeId a, ShapeId b) const;
  struct CompoundPair;
  static bool compound(const Model& model, BodyId a, BodyId b) {
    return model.body(a).shapes > 1 || model.body(b).shapes > 1;
  }
  void find_compounds(const Query& query, std::vector<Contact>& contacts);
  void find_compound(const Query& query, std::span<CompoundPair> group,
                     std::vector<Contact>& contacts);
  bool alike(const Model& model, std::span<const CompoundPair> group) const;
  void measure(const Model& model, std::span<const Pose> poses, const PolyPair& first,
               std::span<CompoundPair> group);
  void settle_postponed(const Query& query, std::vector<Contact>& contacts);
  void filter_patches(const Model& model, std::vector<Contact>& contacts);

  std::vector<std::vector<char>> flush_;  // edges of each shape (flush_edges.hpp)
  Broadphase broadphase_;
  std::vector<char> movable_;
  std::vector<int> body_of_shape_;
  std::vector<Aabb> boxes_;
  std::vector<std::pair<int, int>> pairs_;
  // Of the last find(): its boxes, grown by the reach, and the pairs of those that overlap.
  std::vector<Aabb> grown_;
  std::vector<std::pair<int, int>> grown_pairs_;
  std::vector<char> left_;      // by shape, 1: it is not inside its grown box
  std::vector<int> left_list_;  // the same as numbers
  std::vector<ShapeContact> raw_;
  std::vector<PolyPair> poly_pairs_, last_pairs_;
  KnownPairs known_;
  std::vector<std::size_t> postponed_;  // ambiguous ones among poly_pairs_
  struct Neighbour {
    BodyId a{}, b{};
    Vec3 n;
  };
  // Directions of pairs that are not ambiguous, of bodies with several shapes; sorted by body.
  std::vector<Neighbour> neighbours_;
  using Neighbours = std::vector<Neighbour>::const_iterator;
  std::pair<Neighbours, Neighbours> neighbours(BodyId a, BodyId b) const;
  struct CompoundPair {
    BodyId body_a{}, body_b{};
    ShapeId a{}, b{};
    PatchCover::Region region{};
    PatchCover::Plane separation;  // along the normal of the patch
    bool done = false;

    bool operator<(const CompoundPair& other) const {
      return std::tie(body_a, body_b, a, b) <
             std::tie(other.body_a, other.body_b, other.a, other.b);
    }
  };
  std::vector<CompoundPair> compound_;
  std::vector<PatchCover::Footprint> footprints_[2];
  std::vector<std::pair<ShapeId, ShapeId>> covered_;  // sorted
  PatchCover cover_;
  AxisList axes_;
  PatchFilter patches_;
  std::vector<char> keep_;
  std::vector<Contact> kept_;
  int filtered_ = 0;
  std::pair<int, int> missing_ = {-1, -1};
};

}  // namespace cairn::collide
