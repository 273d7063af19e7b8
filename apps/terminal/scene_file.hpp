// Scenes by name: those that are installed beside the program.
#pragma once

#include <string>
#include <vector>

#include "cairn/error.hpp"

namespace cairn::app {

// The file that `name` stands for: itself where it exists; else, where it is a bare name such as
// `cannonball66`, the installed scene of that name. Fails as check_input does.
Result<std::string> find_scene(const std::string& name, const std::string& kind = "scene file");

// Folder of the installed scenes; empty where there is none.
std::string scene_folder();

// Names of the installed scenes, sorted.
std::vector<std::string> installed_scenes();

}  // namespace cairn::app
