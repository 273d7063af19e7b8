// The scenes of Rigid IPC (Ferguson et al. 2021) as scenes of Cairn, run and judged.
#pragma once

#include "families/trial.hpp"

namespace cairn::families {

struct Fixtures {
  std::vector<std::string> broken;  // promises
  Json json;
};
using KeepScene = void (*)(const Trial&, const Outcome&, const Settings&);

// Converts and runs all fixtures that can be converted, prints a table.
Fixtures run_rigid_ipc(const Settings& settings, KeepScene keep);

}  // namespace cairn::families
