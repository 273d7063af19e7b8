// The program cairn: reads the command line and calls the command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "base/suggestion.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"

namespace cairn::app {
namespace {

constexpr std::string_view command_names[] = {"run",    "solve",   "check",    "info", "schema",
                                              "bench",  "compare", "order",    "view", "plot",
                                              "export", "render",  "reproduce"};

constexpr const char* overview = R"(Examples:
  cairn run scenes/cannonball66.json --out out/pile    simulate, write trace, table, summary, report
  cairn check out/pile/trace.cairn                     judge the recording again from the file alone
  cairn view out/pile                                  one page that plays the run in a browser
  cairn info scenes/cannonball66.json                  what is in a scene, a trace or a problem file

Exit codes: 0 ok, 1 bug, 2 usage, 3 bad input, 4 stopped, not certified or an expectation not met,
5 input/output, 6 limit, 130/143 interrupted after a clean end.)";

constexpr const char* run_examples = R"(Examples:
  cairn run scenes/cannonball66.json
  cairn run scenes/cannonball66.json --out out/pile --set simulation.step=0.01
  cairn run scenes/cannonball66.json --set simulation.solver.tolerance=1e-10 --json | jq .certificate
  cairn run scenes/cannonball66.json --out out/pile --checkpoint 50
  cairn run --resume out/pile

DIR gets trace.cairn, steps.csv, summary.json and report.html; the first problems that were not solved to the
tolerance go to DIR/failed_problem_STEP.json, for `cairn solve`. Ctrl-C ends the run cleanly after the step.)";

constexpr const char* solve_examples = R"(Examples:
  cairn solve out/pile/failed_problem_17.json
  cairn solve problem.json --solver lemke --tolerance 1e-12 --json
  cairn solve KaplasTower.dat --solver all
  cairn solve Capsules.hdf5 --write capsules.json
  cairn solve problem.json --least-norm --intervals --jamming)";

constexpr const char* check_examples = R"(Examples:
  cairn check out/pile/trace.cairn
  cairn check out/pile/trace.cairn --json)";

constexpr const char* view_examples = R"(Examples:
  cairn view out/pile
  cairn view out/pile/trace.cairn -o pile.html
  cairn view --serve scenes/tower10.json

With --serve the scene is simulated and shown live: open the printed address in a browser on this machine; there it is
started, changed and dragged about. Ctrl-C ends it. Without it the page needs no network and no installation; it can be mailed. `#t=2.5` behind its address opens it at that time.)";

constexpr const char* plot_examples = R"(Examples:
  cairn plot out/pile energy -o energy.svg
  cairn plot out/pile body:disc01.x body:disc01.y certificate -o disc.png

Of the scene: energy total kinetic potential friction impact penetration joint_error joint_angle certificate
coulomb contacts candidates collisions iterations cpu. Of a body: body:NAME. and x y z, vx vy vz, speed,
wx wy wz, spin, angle, force. Quantities of one unit share a plot.)";

constexpr const char* export_examples = R"(Examples:
  cairn export out/pile --to gltf -o pile.glb        animated; opens in Blender and in browsers
  cairn export out/pile --to vtk -o pile             bodies.pvd and contacts.pvd for ParaView
  cairn export out/pile --to csv -o tables           bodies.csv, contacts.csv, steps.csv
  cairn export out/pile --to hdf5 -o pile.h5         all states and contacts

Numbers of CSV and HDF5 read back to the same bits.)";

constexpr const char* render_examples = R"(Examples:
  cairn render out/pile -o pile.png --at 2.5 --size 960x600
  cairn render out/pile -o pile.mp4 --fps 30 --speed 0.5 --camera 35,20
  cairn render out/pile -o frames/ --from 1 --to 2 --on forces --dark

Pictures are drawn by the player in Chromium without a screen (CAIRN_BROWSER names another one), films by ffmpeg.)";

constexpr const char* info_examples = R"(Examples:
  cairn info scenes/cannonball66.json
  cairn info out/pile/trace.cairn --json)";

constexpr const char* schema_examples = R"(Example:
  cairn schema > scene.schema.json)";

constexpr const char* bench_examples = R"(Examples:
  cairn bench solvers
  cairn bench solvers --case stack10 --case packing_warm --solver auto --solver bb --json
  cairn bench growth --most 100000 --out growth.svg
  cairn bench decades --out decades.svg
  cairn bench distance --out distance.svg)";

constexpr const char* order_examples = R"(Examples:
  cairn order scenes/pendulum_wall.json
  cairn order scenes/slider_crank.json --set simulation.scheme.type=trapezoidal --halvings 5 --out order.svg)";

constexpr const char* compare_examples = R"(Examples:
  cairn compare scenes/sliding_block.json
  cairn compare scenes/sliding_block.json --set simulation.step=0.001 --tolerance 0.05 --out laws.html)";

constexpr const char* reproduce_examples = R"(Examples:
  cairn reproduce
  cairn reproduce hart-pendulum hart-ellipse --out plots
  cairn reproduce all --fast --json
  cairn reproduce all --html gallery)";

std::string needs_equals_sign(const std::string& text) {
  const std::size_t at = text.find('=');
  return at == std::string::npos || at == 0 ? "expected KEY=VALUE, got " + text : "";
}

// An empty name is most often a shell variable that is not set: not the wish to write no files.
std::string needs_a_name(const std::string& text) {
  return text.empty() ? "expected the name of a folder, got an empty one" : "";
}

CLI::App* add_command(CLI::App& app, const char* name, const char* text, const char* examples) {
  CLI::App* command = app.add_subcommand(name, text);
  command->footer(examples);
  return command;
}

CLI::App* add_file_command(CLI::App& app, FileOptions& options, const char* name, const char* text,
                           const char* argument, const char* argument_text, const char* examples) {
  CLI::App* command = add_command(app, name, text, examples);
  command->add_option(argument, options.file, argument_text)->required();
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
  return command;
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = add_command(app, "run", "Simulate a scene", run_examples);
  command->add_option("SCENE", options.scene, "scene file; --resume knows its own");
  CLI::Option* out =
      command->add_option("--out", options.out, "folder for the results")->type_name("DIR");
  out->check(needs_a_name, "", "");
  command
      ->add_option("--checkpoint", options.checkpoint,
                   "write DIR/checkpoint.cairn every N steps and when interrupted")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53).name(""));
  command
      ->add_option("--resume", options.resume,
                   "go on with the interrupted or killed run in DIR from its last checkpoint")
      ->type_name("DIR")
      ->check(needs_a_name, "", "")
      ->excludes(out);
  command
      ->add_option("--set", options.assignments,
                   "change a value of the scene before it is read; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(needs_equals_sign, "", "");
  command->add_flag("--intervals", options.intervals,
                    "[min, max] of the contact forces of the last step, in summary and report");
  command->add_flag("--quiet", options.quiet, "no progress line, no warnings");
  command->add_flag("--json", options.json, "print summary.json and nothing else");
}

void add_solve(CLI::App& app, SolveOptions& options) {
  CLI::App* command = add_command(app, "solve", "Solve one problem file", solve_examples);
  command->add_option("PROBLEM", options.problem, "problem file: JSON, FCLIB or Siconos text")
      ->required();
  command->add_option("--solver", options.solver, "method (default auto), or all for a table")
      ->type_name("NAME");
  command
      ->add_option("--tolerance", options.tolerance,
                   "scaled residual at or below which it is solved")
      ->type_name("X");
  command->add_option("--write", options.write, "write the problem to OUT.json or OUT.hdf5 (FCLIB)")
      ->type_name("OUT");
  command->add_flag("--rank", options.rank, "rank of the active rows: are the impulses unique?");
  command->add_flag("--least-norm", options.least_norm,
                    "answer with the shortest impulses that give the same velocities");
  command->add_flag("--intervals", options.intervals,
                    "[min, max] of each impulse over all solutions with these velocities");
  command->add_flag("--jamming", options.jamming,
                    "can friction hold a stress that nothing has put in?");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_order(CLI::App& app, OrderOptions& options) {
  CLI::App* command =
      add_command(app, "order", "Run a scene with h, h/2, h/4, ... and print the observed orders",
                  order_examples);
  command->add_option("SCENE", options.scene, "scene file")->required();
  command
      ->add_option("--set", options.assignments,
                   "change a value of the scene before it is read; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(needs_equals_sign, "", "");
  command
      ->add_option("--halvings", options.halvings,
                   "how often the scene's step is halved, 2 to 16 (default 4)")
      ->type_name("N")
      ->check(CLI::Range(2, 16).name(""));
  command->add_option("--out", options.out, "write a chart of the differences")
      ->type_name("FILE.svg")
      ->check(needs_a_name, "", "");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* command = add_command(
      app, "compare", "Run a scene under relaxed, pyramid and exact friction", compare_examples);
  command->add_option("SCENE", options.scene, "scene file")->required();
  command
      ->add_option("--set", options.assignments,
                   "change a value of the scene before it is read; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(needs_equals_sign, "", "");
  command
      ->add_option("--tolerance", options.tolerance,
                   "warn where the relaxation is off by more than this share (default 0.01)")
      ->type_name("T")
      ->check(CLI::Range(0.0, 1e300).name(""));
  command->add_option("--out", options.out, "write a page with plots")
      ->type_name("FILE.html")
      ->check(needs_a_name, "", "");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_view(CLI::App& app, ViewOptions& options) {
  CLI::App* command = add_command(
      app, "view", "Write one page that plays a recording, or show a scene live", view_examples);
  command->add_option("TRACE", options.input, "trace file, or the folder of a run; or a scene")
      ->required();
  CLI::Option* out =
      command->add_option("-o,--out", options.out, "the page; default: view.html beside the trace")
          ->type_name("FILE.html")
          ->check(needs_a_name, "", "");
  CLI::Option* live =
      command->add_flag("--serve", options.serve, "simulate the scene and show it live")
          ->excludes(out);
  command->add_option("--port", options.port, "of 127.0.0.1; default: a free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).name(""))
      ->needs(live);
  command
      ->add_option("--set", options.assignments,
                   "change a value of the scene before it is read; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(needs_equals_sign, "", "")
      ->needs(live);
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

// "720x280"
std::string needs_a_size(const std::string& text) {
  int width = 0, height = 0, end = 0;
  const bool read = std::sscanf(text.c_str(), "%5dx%5d%n", &width, &height, &end) == 2 &&
                    static_cast<std::size_t>(end) == text.size();
  return read && width >= 16 && height >= 16 ? ""
                                             : "expected WIDTHxHEIGHT such as 720x280, got " + text;
}

void add_size(CLI::App& command, int& width, int& height, const char* text) {
  command
      .add_option_function<std::string>(
          "--size",
          [&width, &height](const std::string& size) {
            std::sscanf(size.c_str(), "%5dx%5d", &width, &height);
          },
          text)
      ->type_name("WxH")
      ->check(needs_a_size, "", "");
}

void add_plot(CLI::App& app, PlotCommand& options) {
  CLI::App* command =
      add_command(app, "plot", "Draw quantities of a recording over time", plot_examples);
  command->add_option("TRACE", options.input, "trace file, or the folder of a run")->required();
  command->add_option("QUANTITY", options.quantities, "what to draw, see below")->required();
  command->add_option("-o,--out", options.out, "the picture")
      ->type_name("FILE.svg|png")
      ->required()
      ->check(needs_a_name, "", "");
  add_size(*command, options.width, options.height,
           "of each plot (default 720x280); a PNG has twice as many pixels");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_export(CLI::App& app, ExportCommand& options) {
  CLI::App* command =
      add_command(app, "export", "Write a recording for other programs", export_examples);
  command->add_option("TRACE", options.input, "trace file, or the folder of a run")->required();
  command->add_option("--to", options.format, "csv, gltf, vtk or hdf5")
      ->type_name("FORMAT")
      ->required();
  command
      ->add_option("-o,--out", options.out,
                   "file, or folder of csv and vtk; default: beside the trace")
      ->type_name("PATH")
      ->check(needs_a_name, "", "");
  command->add_option("--every", options.every, "keep each N-th frame")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53).name(""));
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

// "home", "front", "side", "top", or two or three numbers with commas
std::string needs_a_camera(const std::string& text) {
  for (const char* known : {"home", "front", "side", "top"})
    if (text == known) return "";
  double number = 0;
  int end = 0, count = 0;
  for (const char* at = text.c_str(); std::sscanf(at, "%lf%n", &number, &end) == 1; ++at) {
    ++count;
    at += end;
    if (*at == '\0')
      return count == 2 || (count == 3 && number > 0) ? "" : "wrong number of angles: " + text;
    if (*at != ',') break;
  }
  return "expected home, front, side, top or AZIMUTH,ELEVATION[,ZOOM] in degrees, got " + text;
}

// Names that may stand in an address.
std::string needs_switches(const std::string& text) {
  return text.find_first_not_of("abcdefghijklmnopqrstuvwxyz,") == std::string::npos
             ? ""
             : "expected names such as forces,trails, got " + text;
}

void add_render(CLI::App& app, RenderCommand& options) {
  CLI::App* command =
      add_command(app, "render", "Draw a recording as pictures or a film", render_examples);
  command->add_option("TRACE", options.input, "trace file, or the folder of a run")->required();
  command->add_option("-o,--out", options.out, "FOLDER/, FILE.png, .jpg, .webp or FILE.mp4")
      ->type_name("OUT")
      ->required()
      ->check(needs_a_name, "", "");
  add_size(*command, options.width, options.height, "of the pictures (default 1280x720)");
  command->add_option("--fps", options.fps, "pictures a second of film (default 30)")
      ->type_name("N")
      ->check(CLI::Range(0.01, 1000.0).name(""));
  command->add_option("--speed", options.speed, "of the film, 1 is real time")
      ->type_name("X")
      ->check(CLI::Range(1e-9, 1e9).name(""));
  command->add_option("--from", options.from, "first time [s]")->type_name("T");
  command->add_option("--to", options.to, "last time [s]")->type_name("T");
  command->add_option("--at", options.at, "one picture at this time [s]; FILE.png: default the end")
      ->type_name("T");
  command
      ->add_option("--camera", options.camera,
                   "home, front, side, top, or degrees around and above and a zoom")
      ->type_name("VIEW")
      ->check(needs_a_camera, "", "");
  command->add_option("--on", options.on, "switches of the player to turn on: forces,trails")
      ->type_name("NAMES")
      ->check(needs_switches, "", "");
  command->add_option("--off", options.off, "and off: shadows,contacts")
      ->type_name("NAMES")
      ->check(needs_switches, "", "");
  command->add_option("--quality", options.quality, "of jpg, webp and films, 1 to 100 (default 85)")
      ->type_name("Q")
      ->check(CLI::Range(1, 100).name(""));
  command->add_flag("--dark", options.dark, "the dark theme");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_reproduce(CLI::App& app, ReproduceOptions& options) {
  CLI::App* command =
      add_command(app, "reproduce", "Set the papers' figures beside our own", reproduce_examples);
  command->add_option("ID", options.ids, "experiments, or all; without one they are listed");
  command->add_option("--out", options.out, "folder for the plots")
      ->type_name("DIR")
      ->check(needs_a_name, "", "");
  command->add_option("--html", options.html, "folder for a page with tables, plots and players")
      ->type_name("DIR")
      ->check(needs_a_name, "", "");
  command->add_flag("--fast", options.fast, "fewer steps, phases and sizes: seconds");
  command->add_flag("--json", options.json, "print the result as JSON and nothing else");
}

void add_bench(CLI::App& app, BenchOptions& options, GrowthOptions& growth_options,
               DistanceOptions& distance_options, FilterOptions& filter_options) {
  CLI::App* command = add_command(app, "bench", "Measure this program", bench_examples);
  command->require_subcommand(1);
  CLI::App* solvers =
      add_command(*command, "solvers", "CPU time of every solver to each accuracy", bench_examples);
  solvers->add_option("--case", options.cases, "only this problem; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  solvers->add_option("--solver", options.solvers, "only this solver; may be given several times")
      ->type_name("NAME")
      ->allow_extra_args(false);
  solvers->add_flag("--json", options.json, "print the result as JSON and nothing else");
  CLI::App* growth = add_command(
      *command, "growth", "CPU time of a step of a packing against its size", bench_examples);
  growth->add_option("--most", growth_options.most, "contacts of the largest packing, about")
      ->type_name("N")
      ->check(CLI::Range(1000, 1000000));
  CLI::App* decades = add_command(
      *command, "decades", "CPU time of a step of 1000 spheres to each accuracy", bench_examples);
  for (CLI::App* each : {growth, decades}) {
    each->add_option("--out", growth_options.out, "write a chart")
        ->type_name("FILE.svg")
        ->check(needs_a_name, "", "");
    each->add_flag("--json", growth_options.json, "print the result as JSON and nothing else");
  }
  CLI::App* distance = add_command(
      *command, "distance", "CPU time of the ratio metric against the facets", bench_examples);
  distance->add_option("--out", distance_options.out, "write a chart")
      ->type_name("FILE.svg")
      ->check(needs_a_name, "", "");
  distance->add_flag("--json", distance_options.json, "print the result as JSON and nothing else");
  CLI::App* filter = add_command(*command, "filter", "CPU time with and without the contact filter",
                                 bench_examples);
  filter->add_flag("--json", filter_options.json, "print the result as JSON and nothing else");
}

int usage_error(const std::string& what, const std::string& got = "",
                const std::string& allowed = "",
                const std::string& fix = "see cairn --help or cairn COMMAND --help") {
  Error error;
  error.kind = ErrorKind::usage;
  error.what = what;
  error.got = got;
  error.allowed = allowed;
  error.fix = fix;
  return report({error});
}

// The first word of the command line where it is neither an option nor a command.
std::string unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return "";
  for (const std::string_view command : command_names)
    if (command == argv[1]) return "";
  return argv[1];
}

int start_run(RunOptions& options) {
  for (std::string* folder : {&options.out, &options.resume})
    while (folder->size() > 1 && folder->back() == '/') folder->pop_back();
  if (options.scene.empty() && options.resume.empty())
    return usage_error("SCENE is required", "", "", "name a scene file, or --resume DIR");
  if (options.scene.empty() && !options.assignments.empty())
    return usage_error("--set needs a SCENE", "", "",
                       "leave it out: --resume goes on with the scene as it was");
  if (options.checkpoint > 0 && options.out.empty() && options.resume.empty())
    return usage_error("--checkpoint needs a folder", "", "", "add --out DIR");
  return run(options);
}

int start(int argc, char** argv) {
  const std::string word = unknown_command(argc, argv);
  if (!word.empty())
    return usage_error(
        "unknown command", word,
        "run, solve, check, info, schema, bench, compare, order, view, plot, export, "
        "render, reproduce",
        did_you_mean(word, command_names, "see cairn --help"));

  CLI::App app("Cairn: rigid bodies in hard contact with friction, every step with a certificate.",
               "cairn");
  app.footer(overview);
  app.set_version_flag("--version", "cairn " CAIRN_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  RunOptions run_options;
  SolveOptions solve_options;
  FileOptions check_options, info_options;
  add_run(app, run_options);
  add_solve(app, solve_options);
  add_file_command(app, check_options, "check",
                   "Recompute every certificate, ledger and hash of a trace", "TRACE", "trace file",
                   check_examples);
  add_file_command(app, info_options, "info", "Say what is in a scene, a trace or a problem file",
                   "FILE", "scene, trace or problem file", info_examples);
  BenchOptions bench_options;
  GrowthOptions growth_options;
  DistanceOptions distance_options;
  FilterOptions filter_options;
  add_bench(app, bench_options, growth_options, distance_options, filter_options);
  CompareOptions compare_options;
  add_compare(app, compare_options);
  OrderOptions order_options;
  add_order(app, order_options);
  ViewOptions view_options;
  add_view(app, view_options);
  PlotCommand plot_options;
  add_plot(app, plot_options);
  ExportCommand export_options;
  add_export(app, export_options);
  RenderCommand render_options;
  add_render(app, render_options);
  ReproduceOptions reproduce_options;
  add_reproduce(app, reproduce_options);
  add_command(app, "schema", "Print the JSON Schema of scene files", schema_examples);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with exit code 0 that print themselves.
    if (error.get_exit_code() == 0) return app.exit(error);
    return usage_error(error.what());
  }
  if (app.got_subcommand("run")) return start_run(run_options);
  if (app.got_subcommand("solve")) return solve(solve_options);
  if (app.got_subcommand("check")) return check(check_options);
  if (app.got_subcommand("info")) return info(info_options);
  if (app.got_subcommand("compare")) return compare(compare_options);
  if (app.got_subcommand("order")) return order(order_options);
  if (app.got_subcommand("view")) return view(view_options);
  if (app.got_subcommand("plot")) return plot(plot_options);
  if (app.got_subcommand("export")) return export_trace(export_options);
  if (app.got_subcommand("render")) return render(render_options);
  if (app.got_subcommand("reproduce")) return reproduce(reproduce_options);
  if (app.got_subcommand("bench")) {
    const CLI::App* bench = app.get_subcommand("bench");
    if (bench->got_subcommand("growth")) return bench_growth(growth_options);
    if (bench->got_subcommand("decades")) return bench_decades(growth_options);
    if (bench->got_subcommand("distance")) return bench_distance(distance_options);
    if (bench->got_subcommand("filter")) return bench_filter(filter_options);
    return bench_solvers(bench_options);
  }
  return schema();
}

}  // namespace
}  // namespace cairn::app

int main(int argc, char** argv) {
  using namespace cairn::app;
  set_up_signals();
  try {
    return finish_output(start(argc, argv));
  } catch (const std::bad_alloc&) {
    warn("error: out of memory; fix: use a smaller scene or a machine with more memory");
    return exit_limit;
  } catch (const std::exception& fault) {
    warn(std::string("internal error: ") + fault.what() + "; please report this");
    return exit_bug;
  }
}
