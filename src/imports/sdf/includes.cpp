#include "imports/sdf/includes.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/input_file.hpp"
#include "imports/packages.hpp"

namespace cairn::imports {
namespace {

namespace fs = std::filesystem;

constexpr XmlLimits bounds;

class Inclusion {
 public:
  Inclusion(const ImportOptions& options, Messages& messages)
      : options_(options), messages_(messages) {}

  void expand(Element& parent, const std::vector<std::string>& open) {
    for (Element& child : parent.children) {
      if (!messages_.ok()) return;
      if (child.name == "include")
        replace(child, open);
      else
        expand(child, open);
    }
  }

  std::map<int, std::string> take_versions() { return std::move(versions_); }

 private:
  // The file of a URI: itself, or the one of a folder.
  std::string file_of(const Element& include, const std::string& uri, const std::string& folder) {
    Element named;
    named.name = "include";
    named.place = include.place;
    const bool is_file = uri.ends_with(".sdf") || uri.ends_with(".world");
    std::string wanted = uri;
    while (wanted.ends_with('/')) wanted.pop_back();
    if (!is_file) wanted += "/model.sdf";
    named.attributes.push_back({"uri", wanted, include.place});
    return find_file(wanted, folder, options_, named, "uri", messages_);
  }

  void replace(Element& include, const std::vector<std::string>& open) {
    const Element* uri = include.child("uri");
    if (!uri || uri->text.empty())
      return messages_.error(include.place, ErrorCode::missing_key, "include",
                             "the file is missing", "", "", "add <uri>");
    const std::string file =
        file_of(include, uri->text, fs::path(open.back()).parent_path().string());
    if (file.empty()) return;
    if (std::find(open.begin(), open.end(), file) != open.end())
      return messages_.error(uri->place, ErrorCode::conflict, "include.uri",
                             "the file includes itself", "\"" + uri->text + "\"",
                             "files without a cycle", "remove the include");
    if (open.size() > bounds.includes)
      return messages_.error(
          uri->place, ErrorCode::too_deep, "include.uri", "includes are nested too deeply",
          uri->text, fmt::format("at most {} levels", bounds.includes), "put the files together");
    const Result<std::string> text = base::read_input(file, XmlLimits{}.bytes);
    if (!text) return messages_.append(text.error());
    Result<Element> root = parse_xml(*text, file, messages_.add_file(file));
    if (!root) return messages_.append(root.error());
    elements_ += element_count(*root);
    if (elements_ > bounds.elements)
      return messages_.error(include.place, ErrorCode::too_many, "",
                             "includes make too many elements", std::to_string(elements_),
                             fmt::format("at most {}", bounds.elements), "include fewer models");
    const Element* model = root->child("model");
    if (root->name != "sdf" || !model)
      return messages_.error(uri->place, ErrorCode::wrong_format, "include.uri",
                             "the file has no model", "\"" + uri->text + "\"",
                             "<sdf> with a <model>", "check the file");
    Element own = *model;
    versions_[own.place.file] = root->get("version");
    std::vector<std::string> inner = open;
    inner.push_back(file);
    expand(own, inner);
    adopt(include, own);
    include = std::move(own);
  }

  // What the include says takes the place of what the model says.
  static void adopt(const Element& include, Element& model) {
    if (const Element* name = include.child("name")) model.set("name", name->text);
    if (const Attribute* frame = include.find("placement_frame"))
      model.set("placement_frame", frame->value);
    if (const Element* frame = include.child("placement_frame"))
      model.set("placement_frame", frame->text);
    for (const char* part : {"pose", "static"}) {
      const Element* own = include.child(part);
      if (!own) continue;
      std::erase_if(model.children, [&](const Element& e) { return e.name == part; });
      model.children.push_back(*own);
    }
    for (const Element& part : include.children)
      if (part.name == "plugin") model.children.push_back(part);
  }

  const ImportOptions& options_;
  Messages& messages_;
  std::size_t elements_ = 0;
  std::map<int, std::string> versions_;
};

}  // namespace

std::map<int, std::string> include_models(Element& parent, const std::string& file,
                                          const ImportOptions& options, Messages& messages) {
  Inclusion inclusion(options, messages);
  inclusion.expand(parent, {file});
  return inclusion.take_versions();
}

}  // namespace cairn::imports
