// Values of SDFormat, which stand between tags: numbers, truth values, names, poses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "imports/messages.hpp"

namespace cairn::imports {

class SdfValues {
 public:
  explicit SdfValues(Messages& messages) : messages_(messages) {}

  // Of the child `name` of `parent`; nothing if it is absent, or after an error.
  std::optional<std::vector<double>> numbers(const Element& parent, const char* name,
                                             std::size_t least, std::size_t most);
  std::optional<double> number(const Element& parent, const char* name);
  std::optional<Vec3> vector(const Element& parent, const char* name);
  std::optional<bool> boolean(const Element& parent, const char* name);
  std::string word(const Element& parent, const char* name);
  // "inf", and numbers of 1e16 and more, are unbounded.
  double bound(const Element& parent, const char* name, double otherwise);
  // A number that must be positive; 0 after an error.
  double positive(const Element& parent, const char* name, const char* unit);

  struct PlacedPose {
    Pose X;
    std::string relative_to;  // empty: the default of the element
    Place place;
  };
  // The child <pose>; the identity where there is none.
  PlacedPose pose(const Element& parent);

 private:
  Messages& messages_;
};

}  // namespace cairn::imports
