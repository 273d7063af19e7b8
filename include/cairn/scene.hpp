// Scene files: a model, how to simulate it, and the facts expected of it.
#pragma once

#include <optional>
#include <string>
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
Result<Scene> load_scene(const std::string& file, const std::vector<std::string>& assignments = {},
                         const FileAccess& access = {});
Result<Scene> parse_scene(const std::string& text, const std::string& file,
                          const std::vector<std::string>& assignments = {},
                          const FileAccess& access = {});

// The JSON Schema of the format.
std::string scene_schema();

}  // namespace cairn
