// Which contact forces of a run are shown (docs/equations.md, E620 to E625).
#pragma once

namespace cairn {

// Scene key `simulation.forces`.
struct ForceOptions {
  bool least_norm = true;  // false: the solver's impulses, without marks
};

}  // namespace cairn
