// Checkpoints (docs/trace-format.md): a state with the scene it belongs to, in a file. A simulator
// that starts from it takes the same steps, bit for bit, as one that was never interrupted.
#pragma once

#include <cstdint>
#include <string>

#include "cairn/error.hpp"
#include "cairn/scene.hpp"
#include "cairn/state.hpp"

namespace cairn {

inline constexpr std::uint32_t checkpoint_version = 3;

// How the run that wrote a checkpoint was started, so that it can go on in the same way.
struct CheckpointRun {
  std::int64_t interval = 0;  // steps from one checkpoint to the next; 0: none but this one
  std::string command = {};   // how to repeat the run from its start; may be empty
};

struct Checkpoint {
  std::string program;     // version of the program that wrote it
  std::string scene;       // resolved scene, JSON text
  State state;             // after `steps` steps
  std::int64_t steps = 0;  // done
  CheckpointRun run;
};

// Writes a file beside `path`, waits for the disk and renames: whatever happens, `path` is the old
// checkpoint or the new one, whole.
Result<void> save_checkpoint(const std::string& path, const std::string& resolved_scene,
                             const State& state, std::int64_t steps, const CheckpointRun& run = {});

// Every error names the section of the file and the check that it failed.
Result<Checkpoint> load_checkpoint(const std::string& path);

// That the checkpoint is one of this scene: the same resolved text, and a state of its size. `path`
// is for the error.
Result<void> check_scene(const Checkpoint& checkpoint, const std::string& path, const Scene& scene);

}  // namespace cairn
