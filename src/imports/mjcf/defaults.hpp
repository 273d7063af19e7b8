// Classes of defaults: what an element has besides its own attributes.
#pragma once

#include <map>
#include <string>

#include "imports/messages.hpp"

namespace cairn::imports {

// An element with the attributes of its class. What is read of it counts as read of the element and
// of the class that it comes from.
class Merged {
 public:
  Merged(const Element& own, const std::map<std::string, const Attribute*>* inherited);
  ~Merged();
  Merged(const Merged&) = delete;
  Merged& operator=(const Merged&) = delete;

  const Element& operator*() const { return element_; }
  const Element* operator->() const { return &element_; }

 private:
  Element element_;
  std::vector<const Attribute*> origins_;
};

class MjcfDefaults {
 public:
  void read(const Element& defaults, Messages& messages);  // a <default> of the root

  // `childclass` holds where the element names no class; empty: the main one.
  Merged merged(const Element& element, const std::string& childclass, Messages& messages) const;

 private:
  using Attributes = std::map<std::string, const Attribute*>;
  using Class = std::map<std::string, Attributes>;  // by name of the element

  void read_class(const Element& element, const std::string& parent, Messages& messages);

  std::map<std::string, Class> classes_;
};

}  // namespace cairn::imports
