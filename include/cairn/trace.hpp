// Recordings of runs (docs/trace-format.md): write one, read one, check one; and checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "cairn/solution_set.hpp"
#include "cairn/state.hpp"

namespace cairn {

// Version 10 packs frames by other guesses.
inline constexpr std::uint32_t trace_version = 10;

namespace record {
struct FrameMemory;
}

struct TraceHeader {
  std::uint32_t version = trace_version;  // of the format
  std::string program;                    // version of the program that wrote the trace
  std::string scene;                      // resolved scene, JSON text
};

// One step as the file holds it. Frame 0 is the initial state with an empty report.
struct TraceFrame {
  StepReport report;                 // Solution::method is empty, see `methods`
  State state;                       // at the end of the step
  std::uint64_t state_hash = 0;      // as recorded
  std::vector<std::string> methods;  // Solution::method of each solve
  ShownForces forces;                // empty: none recorded
  bool whole = true;  // false: of level `states`, without contacts, problems and velocities
  bool exact = true;  // the state is that of `state_hash`; false: rounded poses, no velocities
  bool has_before = false;  // whole frame after one that is not:
  State before;             // the state at the beginning of the step
};

// Appends chunk after chunk; every frame is handed to the operating system before append() returns,
// so that a kill loses at most the frame being written.
class TraceReader;

class TraceWriter {
 public:
  // Both fail if another process is writing the file.
  static Result<TraceWriter> create(const std::string& path, const std::string& resolved_scene,
                                    const RecordOptions& options = {});
  // keep() before the first append().
  static Result<TraceWriter> resume(const std::string& path, const RecordOptions& options = {});
  ~TraceWriter();
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;

  // Drops all that `reader` of the same file has not read yet, and goes on after it, from `state`.
  Result<void> keep(const TraceReader& reader, const State& state);

  Result<void> append_initial(const State& state);
  // Whether the next step will be a frame of the level of the recording, if it is accepted.
  bool is_due(const StepReport& report) const;
  // `last`: of the run, recorded as the level says.
  Result<void> append(const StepReport& report, const State& state, const ShownForces& forces = {},
                      bool last = false);
  Result<void> sync();    // waits for the disk
  Result<void> finish();  // writes the end chunk, waits for the disk, closes

 private:
  struct File;
  explicit TraceWriter(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

enum class TraceEvent : std::uint8_t {
  frame,      // a complete frame was read
  end,        // the end chunk: the trace is complete
  truncated,  // the file stops before its end chunk; dropped_bytes() follow the last complete chunk
  corrupt,    // offset() and reason() say where and what
};

class TraceReader {
 public:
  static Result<TraceReader> open(const std::string& path);
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  const TraceHeader& header() const;
  TraceEvent next(TraceFrame& frame);
  std::int64_t frames() const;          // read so far, the initial one included
  std::uint64_t dropped_bytes() const;  // after `truncated`
  std::uint64_t offset() const;       // of the chunk that was read last or that is corrupt [bytes]
  const std::string& reason() const;  // after `corrupt`
  std::uint64_t next_offset() const;  // where the next chunk begins [bytes]
  std::uint64_t last_hash() const;    // of the state in the frame that was read last

 private:
  struct File;
  friend class TraceWriter;
  explicit TraceReader(std::unique_ptr<File> file);
  const record::FrameMemory& memory() const;
  std::unique_ptr<File> file_;
};

// What a finding is about. Programs rely on these names; the wording may change.
enum class FindingCode : std::uint8_t {
  corrupt,        // the file is damaged
  size,           // the state does not fit the scene
  unknown_id,     // a body, shape or joint that the scene does not have
  hash,           // the state hash differs from the state
  not_finite,     // a figure is not finite
  time,           // the time differs
  step_number,    // steps do not follow each other
  stopped_state,  // a stopped step changed the state
  certificate,    // the certificate of the step is not the worst of its solves
  verdict,        // certified or uncertified against the residuals
  projection,     // counts and residuals of projections disagree
  residual,       // a recorded residual differs from the recomputed one
  velocity,       // a velocity differs from that of the last solve
  position,       // a body is not where its velocity takes it
  orientation,    // a body is not turned as its velocity turns it
  momentum,       // a flight changes the momentum
  energy,         // a recorded energy differs from the recomputed one
  ledger,         // the energies of the step do not add up
  impact,         // the energies of an impact are wrong
  joint_error,    // the recorded joint error differs
  penetration,    // the recorded penetration differs
  parts,          // the parts of the step do not make the step
  event,          // an event is at no end of a part
  mass,           // a mass matrix is not that of the scene
  force,          // the momentum without constraints does not follow from the scene's forces
  law,            // friction, restitution, law or facets are not those of the scene
  row,            // a row of a joint or contact does not follow from the scene and the state
  contact,        // point, normal or gap of a contact do not fit the shapes
  missing,        // bodies overlap without a contact between them
  reported,       // a reported contact differs from the last solve
  warm_start,     // a remembered impulse differs from the last solve
  count,          // a count of the frame is wrong
  forces,         // shown contact forces are not what they are marked as
};
const char* name(FindingCode code);

struct CheckFinding {
  std::int64_t step = 0;
  FindingCode code{};
  std::string what;
};

struct CheckReport {
  std::int64_t frames = 0;           // complete frames, the initial one included
  std::int64_t solves = 0;           // problems judged
  std::int64_t left_out = 0;         // frames without contacts and problems
  std::uint64_t dropped_bytes = 0;   // after the last complete frame
  bool complete = false;             // the end chunk was there
  bool penetrations_checked = true;  // false: too many shapes to compare all pairs
  std::int64_t projections = 0;      // solves of project_contacts: recorded, not judged again
  double worst = 0;                  // largest recomputed scaled residual [-]
  std::int64_t worst_step = 0;
  std::string worst_row;                // name of the constraint
  std::vector<std::string> unverified;  // what could not be rebuilt from the scene, sorted
  std::vector<CheckFinding> findings;   // the first `max_findings`
  std::int64_t finding_count = 0;       // all of them
  bool ok = false;                      // complete and without findings

  static constexpr std::size_t max_findings = 100;
};

// Recomputes certificates, hashes, motion, energies and penetrations from the file alone, with
// formulas of its own. Fails only if the file cannot be read as a trace at all; what is wrong
// inside it becomes a finding.
struct CheckOptions {
  // Computes the run again from its scene with the same program: states and verdicts must be the
  // recorded ones to the last bit, and every computed step is judged. For recordings of level
  // `states`.
  bool replay = false;
};
Result<CheckReport> check_trace(const std::string& path, const CheckOptions& options = {});

// ---- Checkpoints (docs/trace-format.md): a state with the scene it belongs to, in a file. A
// simulator that starts from it takes the same steps, bit for bit, as one that was never
// interrupted.

inline constexpr std::uint32_t checkpoint_version = 4;

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
