#include "imports/mjcf/defaults.hpp"

namespace cairn::imports {
namespace {

constexpr const char* main_class = "main";

}  // namespace

Merged::Merged(const Element& own, const std::map<std::string, const Attribute*>* inherited) {
  element_.name = own.name;
  element_.place = own.place;
  element_.text = own.text;
  for (const Attribute& a : own.attributes) {
    element_.attributes.push_back(a);
    element_.attributes.back().used = false;
    origins_.push_back(&a);
  }
  if (!inherited) return;
  const std::size_t count = element_.attributes.size();
  for (const auto& [name, attribute] : *inherited) {
    bool is_own = false;
    for (std::size_t i = 0; i < count; ++i) is_own |= element_.attributes[i].name == name;
    // What is overridden is known; whether it is taken over shows elsewhere.
    if (is_own) {
      attribute->used = true;
      continue;
    }
    element_.attributes.push_back(*attribute);
    element_.attributes.back().used = false;
    origins_.push_back(attribute);
  }
}

Merged::~Merged() {
  for (std::size_t i = 0; i < origins_.size(); ++i)
    if (element_.attributes[i].used) origins_[i]->used = true;
}

void MjcfDefaults::read(const Element& defaults, Messages& messages) {
  read_class(defaults, "", messages);
}

void MjcfDefaults::read_class(const Element& element, const std::string& parent,
                              Messages& messages) {
  element.used = true;
  std::string name = element.get("class");
  if (parent.empty()) {
    if (name.empty()) name = main_class;
  } else if (name.empty()) {
    messages.error(element.place, ErrorCode::missing_key, "default", "the class has no name", "",
                   "", "add class");
    return;
  }
  Class own = parent.empty() ? classes_[name] : classes_[parent];
  for (const Element& e : element.children) {
    if (e.name == "default") continue;
    e.used = true;
    for (const Attribute& a : e.attributes) own[e.name][a.name] = &a;
  }
  classes_[name] = std::move(own);
  for (const Element& e : element.children)
    if (e.name == "default") read_class(e, name, messages);
}

Merged MjcfDefaults::merged(const Element& element, const std::string& childclass,
                            Messages& messages) const {
  element.used = true;
  std::string name = element.get("class");
  const bool own = !name.empty();
  if (!own) name = childclass.empty() ? main_class : childclass;
  const auto found = classes_.find(name);
  if (found == classes_.end()) {
    if (own || !childclass.empty())
      messages.error(element.place, ErrorCode::unknown_name, label(element) + ".class",
                     "no class of defaults has this name", "\"" + name + "\"", "",
                     "add <default class=\"" + name + "\">, or correct the name");
    return {element, nullptr};
  }
  const auto attributes = found->second.find(element.name);
  return {element, attributes == found->second.end() ? nullptr : &attributes->second};
}

}  // namespace cairn::imports
