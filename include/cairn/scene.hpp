// Scene files: a model, how to simulate it, and the facts expected of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/model.hpp"
#include "cairn/scheme.hpp"
#include "cairn/solver.hpp"
#include "cairn/state.hpp"
#include "cairn/verdict.hpp"

namespace cairn {

struct Expectation {
  std::string quantity;  // dotted path into summary.json, such as penetration.max or
                         // bodies.ball.position[1]
  std::optional<double> at_most, at_least, equals;
  double tolerance = 0;  // of equals
  int line = 0;          // in the scene file
};

struct SimulationSettings {
  SchemeOptions scheme = Euler{};
  SolverOptions solver = Auto{};
  VerdictOptions verdict = {};
  ForceOptions forces = {};
  RecordOptions record = {};
  double step = 0.01;   // [s]
  double duration = 1;  // [s]
};

struct Scene {
  std::string file;  // as given
  std::string name;
  ModelDescription description;  // generators expanded
  std::shared_ptr<const Model> model;
  std::shared_ptr<const State> initial;
  SimulationSettings simulation;
  std::vector<Expectation> expect;
  std::string resolved;  // canonical JSON text of the scene after --set and generators: reading it
                         // gives this scene again
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  // what was made of mesh files, with the measured errors
};

// Which files a scene may name, and where what was computed from them is kept.
struct FileAccess {
  std::vector<std::string> folders;  // beside the folder of the scene and those below it
  std::string cache;                 // folder for convex parts of meshes; empty: they are not kept
};

// `assignments` are texts "simulation.step=0.01" applied to the document before it is read.
Result<Scene> load_scene(const std::string& file, const std::vector<std::string>& assignments = {});
Result<Scene> parse_scene(const std::string& text, const std::string& file,
                          const std::vector<std::string>& assignments = {},
                          const FileAccess& access = {});

// The JSON Schema of the format.
std::string scene_schema();

// ---- Models of robots from files of other programs: URDF, MJCF, SDFormat

// Whether the root link of a robot can move: as the file says (docs/import.md), or as given.
enum class ImportBase : std::uint8_t { as_file, free, fixed };

struct ImportOptions {
  ImportBase base = ImportBase::as_file;
  // Folders of packages, name and path: where package://NAME/... is looked for first.
  std::vector<std::pair<std::string, std::string>> packages = {};
  double friction = 0.8;             // of what the file gives none [-]
  std::optional<double> floor = {};  // height of a floor that is added [m]
  bool balance_inertia = false;      // replaces impossible moments of inertia by their mean
  double bound_mass = 0;             // least mass of a body that moves [kg]
  double bound_inertia = 0;          // least principal moment of inertia of it [kg m^2]
  std::string keyframe = {};         // MJCF: name or number of the keyframe to start from
  std::string output_folder = {};    // names of mesh files are relative to it; empty: the file's
};

// What of a file was not taken over, or otherwise than it says.
struct ImportNote {
  std::string file;
  int line = 0, column = 0;        // 1-based; 0: unknown
  std::string element, attribute;  // attribute empty: the whole element
  std::string text;
};

struct ImportedModel {
  std::string format;  // "URDF", "MJCF", "SDFormat"
  std::string name;
  std::string base;   // how the base was chosen, in words
  std::string scene;  // JSON text of the scene format
  std::vector<ImportNote> notes;
};

// Whether a text is XML rather than a scene.
bool is_model_text(std::string_view text);

Result<ImportedModel> import_model(const std::string& file, const ImportOptions& options = {});

// As load_scene, with options for files that are no scenes; load_scene takes their defaults.
Result<Scene> load_scene(const std::string& file, const std::vector<std::string>& assignments,
                         const ImportOptions& options, const FileAccess& access = {});

// Notes with equal text once, with the number of places and the first of them.
std::vector<std::string> note_lines(const std::vector<ImportNote>& notes);

// The scene as URDF; an error where it has what URDF cannot say.
Result<std::string> urdf_text(const Scene& scene);

}  // namespace cairn
