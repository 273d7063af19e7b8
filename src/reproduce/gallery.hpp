// The experiments as pages: a table of verdicts with the plots, and players of the runs. Each is
// one file without network.
#pragma once

#include <string>
#include <vector>

#include "reproduce/experiment.hpp"

namespace cairn::reproduce {

struct GalleryEntry {
  const Experiment* experiment = nullptr;
  Reproduction result;
};

// The page that lists everything; players are linked by their file names.
std::string gallery_page(const std::vector<GalleryEntry>& entries, bool fast);

// The name of the page that plays the i-th run of an experiment.
std::string player_file(const Experiment& experiment, std::size_t i);

// Runs a scene and packs it into a page that plays it; empty if it was interrupted.
std::string play_scene(const PlayedScene& played, const ReproduceSetting& setting);

}  // namespace cairn::reproduce
