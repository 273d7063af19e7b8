#include "imports/packages.hpp"

#include <cstdlib>
#include <filesystem>

namespace cairn::imports {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code fault;
  return fs::is_regular_file(path, fault);
}

std::vector<std::string> folders_of(const char* variable) {
  std::vector<std::string> out;
  const char* value = std::getenv(variable);
  std::string text = value ? value : "";
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    if (const std::string folder = text.substr(0, colon); !folder.empty()) out.push_back(folder);
    if (colon == std::string::npos) break;
    text.erase(0, colon + 1);
  }
  return out;
}

// REST of package://NAME/REST, in the order in which it is looked for.
std::vector<fs::path> candidates(const std::string& package, const std::string& rest,
                                 const std::string& folder, const ImportOptions& options) {
  std::vector<fs::path> out;
  for (const auto& [name, path] : options.packages)
    if (name == package) out.push_back(fs::path(path) / rest);
  for (const std::string& root : folders_of("ROS_PACKAGE_PATH")) {
    out.push_back(fs::path(root) / package / rest);
    if (fs::path(root).filename() == package) out.push_back(fs::path(root) / rest);
  }
  for (const std::string& root : folders_of("AMENT_PREFIX_PATH"))
    out.push_back(fs::path(root) / "share" / package / rest);
  // Above the model: the folder of the package itself, or the one that holds it. What is left of
  // the path serves where the file was taken out of its package.
  std::error_code fault;
  fs::path up = fs::absolute(folder.empty() ? "." : folder, fault).lexically_normal();
  for (int level = 0; level < 32; ++level) {
    out.push_back(up / package / rest);
    if (up.filename() == package) out.push_back(up / rest);
    out.push_back(up / rest);
    if (!up.has_parent_path() || up == up.parent_path()) break;
    up = up.parent_path();
  }
  return out;
}

}  // namespace

std::string find_file(const std::string& name, const std::string& folder,
                      const ImportOptions& options, const Element& element,
                      const std::string& attribute, Messages& messages) {
  const Attribute* a = element.find(attribute);
  const Place place = a ? a->place : element.place;
  const std::string path = label(element) + "." + attribute;
  if (name.size() > 4096 || name.find('\0') != std::string::npos) {
    messages.error(place, ErrorCode::invalid_name, path, "the name of the file is too long",
                   std::to_string(name.size()) + " bytes", "at most 4096", "shorten it");
    return {};
  }
  for (const std::string_view scheme : {"package://", "model://"}) {
    if (!name.starts_with(scheme)) continue;
    const std::string tail = name.substr(scheme.size());
    const std::size_t slash = tail.find('/');
    const std::string package = tail.substr(0, slash);
    const std::string rest = slash == std::string::npos ? "" : tail.substr(slash + 1);
    for (const fs::path& candidate : candidates(package, rest, folder, options))
      if (is_file(candidate)) {
        messages.found_in(candidate.parent_path().string());
        return candidate.lexically_normal().string();
      }
    // A model that was taken out of its package, with its meshes beside it.
    const fs::path beside = fs::path(folder) / fs::path(rest).filename();
    if (!rest.empty() && is_file(beside)) {
      messages.note(
          place, element.name, attribute,
          "the file of the same name beside the model is taken: the package is not found");
      return beside.string();
    }
    messages.error(place, ErrorCode::not_found, path, "the file of the package is not found",
                   "\"" + name + "\"",
                   "a file below --package, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH or a folder above "
                   "the model",
                   "add --package " + package + "=DIR");
    return {};
  }
  const std::string local = name.starts_with("file://") ? name.substr(7) : name;
  const fs::path file = fs::path(folder) / local;
  if (is_file(file)) return file.string();
  messages.error(place, ErrorCode::not_found, path, "the file is not found", "\"" + name + "\"",
                 "a file relative to the folder of the model", "check the path");
  return {};
}

}  // namespace cairn::imports
