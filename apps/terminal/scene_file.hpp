// Scenes by name: those that are installed beside the program.
#pragma once

#include <string>
#include <vector>

namespace cairn::app {

// Folder of the installed scenes; empty where there is none.
std::string scene_folder();

// Names of the installed scenes, sorted.
std::vector<std::string> installed_scenes();

// The file of the installed scene that a bare name such as `cannonball66` stands for where no file
// of that name exists; any other name as it is.
std::string scene_file(const std::string& name);

}  // namespace cairn::app
