// Looks for a scene in the working folder, then in share/cairn/scenes of the tree that the program
// is installed in.
#include "terminal/scene_file.hpp"

#include <algorithm>
#include <filesystem>

namespace cairn::app {

namespace fs = std::filesystem;

// The tree can be moved as a whole: the folder is found from the place of the program.
std::string scene_folder() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault) return "";
  const fs::path folder = program.parent_path().parent_path() / "share/cairn/scenes";
  return fs::is_directory(folder, fault) ? folder.string() : "";
}

std::vector<std::string> installed_scenes() {
  std::vector<std::string> names;
  const std::string folder = scene_folder();
  if (folder.empty()) return names;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string scene_file(const std::string& name) {
  std::error_code fault;
  if (name.empty() || name.find('/') != std::string::npos ||
      fs::symlink_status(name, fault).type() != fs::file_type::not_found)
    return name;
  const fs::path wanted(name);
  const std::string stem = wanted.extension() == ".json" ? wanted.stem().string() : name;
  const std::vector<std::string> names = installed_scenes();
  if (!std::binary_search(names.begin(), names.end(), stem)) return name;
  return (fs::path(scene_folder()) / (stem + ".json")).string();
}

}  // namespace cairn::app
