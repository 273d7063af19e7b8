// The commands of the program: what main.cpp reads from the command line, one function per command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/scene.hpp"

namespace cairn::app {

// What the shell sees (docs/conventions.md).
enum ExitCode : int {
  exit_ok = 0,
  exit_bug = 1,
  exit_usage = 2,
  exit_input = 3,
  exit_failed = 4,  // stopped, not certified, or an expectation not met
  exit_io = 5,
  exit_limit = 6,
  exit_signal = 128,  // plus the number of the signal
};

struct RunOptions {
  std::string scene;                     // may be empty with `resume`
  std::string out;                       // folder of the results; empty: none are written
  std::string resume;                    // folder of the run to go on with; empty: start a new one
  std::int64_t checkpoint = 0;           // steps from one checkpoint to the next; 0: none
  std::vector<std::string> assignments;  // "simulation.step=0.01"
  std::vector<std::string> allowed;      // folders of mesh files
  ImportOptions import;                  // of a scene that is a URDF or MJCF file
  bool intervals = false;                // of the contact forces of the last step
  bool quiet = false;
  bool json = false;
};
int run(const RunOptions& options);

struct SolveOptions {
  std::string problem;
  std::string solver = "auto";      // or "all"
  std::optional<double> tolerance;  // default: the solver's own [-]
  std::string write;                // file that gets the problem in another format; empty: none
  bool rank = false, least_norm = false, intervals = false, jamming = false;  // of the impulses
  bool json = false;
};
int solve(const SolveOptions& options);

struct FileOptions {
  std::string file;
  ImportOptions import = {};  // of info
  bool json = false;
  bool replay = false;               // of check
  std::vector<std::string> allowed;  // of info: folders of mesh files
};
int check(const FileOptions& options);
int info(const FileOptions& options);

struct ImportCommand {
  std::string file;  // URDF or MJCF
  std::string out;   // scene; empty: on stdout
  ImportOptions import;
  bool json = false;
};
int import_file(const ImportCommand& options);
// The options as words of a command line, each after a blank.
std::string import_words(const ImportOptions& options);

struct ViewOptions {
  std::string input;  // a trace, or the folder of a run; with `serve` a scene
  std::string out;    // the page; empty: view.html beside the trace
  int frames = 0;     // kept at most, whatever the page's size; 0: by the size
  bool serve = false;
  std::uint16_t port = 0;                // of `serve`; 0: the system chooses
  std::vector<std::string> assignments;  // of `serve`: "simulation.step=0.01"
  std::vector<std::string> allowed;      // folders of mesh files
  ImportOptions import;                  // of `serve`
  bool json = false;
};
int view(const ViewOptions& options);
int serve(const ViewOptions& options);

struct PlotCommand {
  std::string input;  // a trace, or the folder of a run
  std::vector<std::string> quantities;
  std::string out;                // FILE.svg or FILE.png
  int width = 720, height = 280;  // of each plot [px]; a PNG has twice as many
  bool json = false;
};
int plot(const PlotCommand& options);

struct ExportCommand {
  std::string input;       // a trace, or the folder of a run; for urdf also a scene
  std::string format;      // csv, gltf, vtk, hdf5, urdf
  std::string out;         // file or folder; empty: beside the trace
  std::int64_t every = 1;  // frames from one that is kept to the next
  bool contact_geometry = false;
  bool json = false;
};
int export_trace(const ExportCommand& options);
int export_urdf(const ExportCommand& options);

struct RenderCommand {
  std::string input;               // a trace, or the folder of a run
  std::string out;                 // FOLDER/, FILE.png|jpg|webp or FILE.mp4
  int width = 1280, height = 720;  // [px]
  double fps = 30;                 // pictures a second of film
  double speed = 1;                // seconds of the recording in a second of film
  std::optional<double> from, to;  // [s]; default: all
  std::optional<double> at;        // one picture at this time [s]
  std::string camera = "home";     // home, front, side, top or AZIMUTH,ELEVATION[,ZOOM]
  std::string on, off;             // switches of the player, with commas
  int quality = 85;                // of jpg, webp and films [percent]
  bool dark = false;
  bool json = false;
};
int render(const RenderCommand& options);

struct CompareOptions {
  std::string scene;
  std::vector<std::string> assignments;  // "simulation.step=0.01"
  std::vector<std::string> allowed;      // folders of mesh files
  std::string out;                       // page with plots; empty: none
  double tolerance = 0.01;               // how far the relaxation may be off without a warning [-]
  bool json = false;
};
int compare(const CompareOptions& options);

struct DistanceCommand {
  std::string scene;
  std::string a, b;                      // bodies, or shapes of them: NAME or NAME[i]
  std::vector<std::string> assignments;  // "bodies.box.position=[0,0,1]"
  std::vector<std::string> allowed;      // folders of mesh files
  double at = 0;                         // time to simulate before [s]
  bool json = false;
};
int distance(const DistanceCommand& options);

struct OrderOptions {
  std::string scene;
  std::vector<std::string> assignments;  // "simulation.step=0.01"
  std::vector<std::string> allowed;      // folders of mesh files
  int halvings = 4;                      // of the scene's step; at most, with an accuracy
  bool halvings_given = false;
  double accuracy_at_end = 0;  // [m]; 0: none is asked for
  std::string out;             // chart; empty: none
  bool json = false;
};
int order(const OrderOptions& options);

struct ReproduceOptions {
  std::vector<std::string> ids;  // "all" for all of them; empty: list them
  std::string out;               // folder for the plots; empty: none
  std::string html;              // folder for the gallery; empty: none
  bool fast = false, full = false;
  bool json = false;
};
int reproduce(const ReproduceOptions& options);

int schema();

struct BenchOptions {
  std::vector<std::string> cases, solvers;  // empty: all
  bool json = false;
};
int bench_solvers(const BenchOptions& options);

struct GrowthOptions {
  int most = 10000;  // growth: contacts of the largest packing, about
  int packings = 2;  // decades: that have settled
  std::string out;   // chart; empty: none
  bool json = false;
};
int bench_growth(const GrowthOptions& options);
int bench_decades(const GrowthOptions& options);

struct DistanceOptions {
  std::string out;  // chart; empty: none
  bool json = false;
};
int bench_distance(const DistanceOptions& options);

struct FilterOptions {
  bool json = false;
};
int bench_filter(const FilterOptions& options);

struct VerdictBenchOptions {
  std::vector<std::string> scenes;       // files
  std::vector<std::string> assignments;  // "simulation.step=0.01"
  std::vector<std::string> allowed;      // folders of mesh files
  int skip = 100, steps = 100;           // before the measurement, and in it
  bool json = false;
};
int bench_verdict(const VerdictBenchOptions& options);

}  // namespace cairn::app
