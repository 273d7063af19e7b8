#include "imports/mjcf/expand.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "base/input_file.hpp"

namespace cairn::imports {
namespace {

constexpr XmlLimits limits;

class Expansion {
 public:
  explicit Expansion(Messages& messages) : messages_(messages) {}

  void include(Element& parent, const std::string& folder, std::vector<std::string> open) {
    std::vector<Element> children = std::move(parent.children);
    parent.children.clear();
    for (Element& child : children) {
      if (child.name != "include") {
        include(child, folder, open);
        parent.children.push_back(std::move(child));
      } else {
        add_included(parent, child, folder, open);
      }
    }
  }

  // Each copy in a frame of its own, which lies in the one before.
  void replicate(Element& parent) {
    std::vector<Element> children = std::move(parent.children);
    parent.children.clear();
    for (Element& child : children) {
      replicate(child);
      if (child.name != "replicate")
        parent.children.push_back(std::move(child));
      else
        add_copies(parent, child);
    }
  }

  void follow(Element& root) {
    for (Element& section : root.children) {
      if (section.name != "tendon" && section.name != "equality" && section.name != "actuator" &&
          section.name != "contact" && section.name != "sensor")
        continue;
      std::vector<Element> children = std::move(section.children);
      section.children.clear();
      for (Element& child : children) follow_one(section, std::move(child));
    }
  }

 private:
  void add_included(Element& parent, const Element& include_element, const std::string& folder,
                    std::vector<std::string> open) {
    namespace fs = std::filesystem;
    const Attribute* name = include_element.find("file");
    if (!name || name->value.empty())
      return messages_.error(include_element.place, ErrorCode::missing_key, "include",
                             "the file is missing", "", "", "add file");
    const std::string file = (fs::path(folder) / name->value).lexically_normal().string();
    if (std::find(open.begin(), open.end(), file) != open.end())
      return messages_.error(name->place, ErrorCode::conflict, "include.file",
                             "the file includes itself", "\"" + name->value + "\"",
                             "files without a cycle", "remove the include");
    if (open.size() > limits.includes)
      return messages_.error(
          name->place, ErrorCode::too_deep, "include.file", "includes are nested too deeply",
          name->value, fmt::format("at most {} levels", limits.includes), "put the files together");
    const Result<std::string> text = base::read_input(file, XmlLimits{}.bytes);
    if (!text)
      return messages_.error(name->place, text.error().front().code, "include.file",
                             text.error().front().what, "\"" + name->value + "\"", "",
                             "check the path");
    Result<Element> root = parse_xml(*text, file, messages_.add_file(file));
    if (!root) return messages_.append(root.error());
    elements_ += element_count(*root);
    if (elements_ > limits.elements) return too_many(include_element.place);
    open.push_back(file);
    // MuJoCo takes names in included files relative to the main one.
    include(*root, folder, open);
    for (Element& child : root->children) parent.children.push_back(std::move(child));
  }

  void too_many(const Place& place) {
    messages_.error(place, ErrorCode::too_many, "", "includes and replicas make too many elements",
                    std::to_string(elements_), fmt::format("at most {}", limits.elements),
                    "use fewer copies");
  }

  void add_copies(Element& parent, const Element& source) {
    source.used = true;
    const double wanted = messages_.number(source, "count").value_or(0);
    if (!(wanted >= 1 && wanted <= 1e6)) {
      return messages_.error(source.place, ErrorCode::out_of_range, "replicate.count",
                             "number of copies is out of range", source.get("count"),
                             "1 to 1000000", "choose a value in the range");
    }
    const auto n = static_cast<std::size_t>(wanted);
    const std::size_t size = element_count(source);
    elements_ += n * size;
    if (elements_ > limits.elements) return too_many(source.place);
    const Vec3 offset = messages_.vector(source, "offset").value_or(Vec3::Zero());
    const Vec3 euler = messages_.vector(source, "euler").value_or(Vec3::Zero());
    const std::string separator = source.get("sep");
    const std::size_t width = std::to_string(n - 1).size();
    std::vector<std::string> suffixes;
    for (std::size_t i = 0; i < n; ++i) {
      Element frame;
      frame.name = "frame";
      frame.place = source.place;
      frame.used = true;
      // Read by the frames; angles and their sequence are the compiler's matter.
      const auto text = [&](const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); };
      frame.set("cairn:copy", std::to_string(i));
      frame.set("cairn:offset", text(offset));
      frame.set("euler", text(static_cast<double>(i) * euler));
      frame.set("cairn:euler", text(euler));
      if (source.has("childclass")) frame.set("childclass", source.get("childclass"));
      frame.children = source.children;
      const std::string suffix = separator + fmt::format("{:0{}}", i, width);
      for (Element& child : frame.children) rename(child, suffix);
      suffixes.push_back(suffix);
      parent.children.push_back(std::move(frame));
    }
    for (const Element& child : source.children) remember(child, suffixes);
  }

  static void rename(Element& e, const std::string& suffix) {
    for (Attribute& a : e.attributes)
      if (a.name == "name") a.value += suffix;
    for (Element& child : e.children) rename(child, suffix);
  }

  // Names of `e` have got these suffixes; those of an inner replica had others before.
  void remember(const Element& e, const std::vector<std::string>& suffixes) {
    for (const Attribute& a : e.attributes)
      if (a.name == "name") copies_[a.value] = suffixes;
    for (const Element& child : e.children) remember(child, suffixes);
  }

  // The replicated names that an element or its children mention.
  const std::vector<std::string>* suffixes_of(const Element& e) const {
    for (const Attribute& a : e.attributes)
      if (is_reference(a))
        if (const auto found = copies_.find(a.value); found != copies_.end()) return &found->second;
    for (const Element& child : e.children)
      if (const auto* found = suffixes_of(child)) return found;
    return nullptr;
  }

  static bool is_reference(const Attribute& a) {
    return a.name != "name" && a.name != "class" && a.name != "file" && a.name != "material";
  }

  void follow_one(Element& section, Element element) {
    const std::vector<std::string>* suffixes = suffixes_of(element);
    if (!suffixes) {
      section.children.push_back(std::move(element));
      return;
    }
    for (const std::string& suffix : *suffixes) {
      Element copy = element;
      rename(copy, suffix);
      redirect(copy, *suffixes, suffix);
      // Of nested replicas the outer suffix comes last.
      follow_one(section, std::move(copy));
    }
    elements_ += suffixes->size() * element_count(element);
    if (elements_ > limits.elements) too_many(element.place);
  }

  void redirect(Element& e, const std::vector<std::string>& suffixes, const std::string& suffix) {
    for (Attribute& a : e.attributes) {
      if (!is_reference(a)) continue;
      const auto found = copies_.find(a.value);
      if (found != copies_.end() && found->second == suffixes) a.value += suffix;
    }
    for (Element& child : e.children) redirect(child, suffixes, suffix);
  }

  Messages& messages_;
  std::size_t elements_ = 0;
  std::map<std::string, std::vector<std::string>> copies_;
};

}  // namespace

void expand_mjcf(Element& root, const std::string& file, Messages& messages) {
  namespace fs = std::filesystem;
  Expansion expansion(messages);
  const std::string main = fs::path(file).lexically_normal().string();
  expansion.include(root, fs::path(file).parent_path().string(), {main});
  if (!messages.ok()) return;
  expansion.replicate(root);
  if (messages.ok()) expansion.follow(root);
}

}  // namespace cairn::imports
