// The program cairn: reads the command line and calls the command.
#include <cstdio>
#include <cstdlib>

#include "arguments/arguments.hpp"
#include "base/boundary.hpp"
#include "base/suggestion.hpp"
#include "manual/manual.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/scene_file.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

constexpr std::string_view command_names[] = {
    "run",  "solve",  "check",  "info",      "schema",   "bench",  "compare", "order",     "view",
    "plot", "export", "render", "reproduce", "distance", "import", "manual",  "completion"};

constexpr const char* overview = R"(Examples:
  cairn run scenes/cannonball66.json --out out/pile    simulate, write trace, table, summary, report
  cairn check out/pile/trace.cairn                     judge the recording again from the file alone
  cairn view out/pile                                  one page that plays the run in a browser
  cairn info scenes/cannonball66.json                  what is in a scene, a trace or a problem file
  cairn run robot.urdf --floor -1                      a URDF, MJCF or SDFormat file; cairn import writes a scene

Exit codes: 0 ok, 1 bug, 2 usage, 3 bad input, 4 stopped, not certified or an expectation not met,
5 input/output, 6 limit, 130/143 interrupted after a clean end.)";

constexpr const char* check_examples = R"(Examples:
  cairn check out/pile/trace.cairn
  cairn check out/pile/trace.cairn --json
  cairn check out/long/trace.cairn --replay            a recording of level states)";

constexpr const char* info_examples = R"(Examples:
  cairn info scenes/cannonball66.json
  cairn info out/pile/trace.cairn --json)";

constexpr const char* manual_examples = R"(Examples:
  cairn manual run | man -l -
  cairn manual --out share/man/man1)";

constexpr const char* completion_examples = R"(Examples:
  . <(cairn completion bash)                           in ~/.bashrc, after PATH is set
  cairn completion zsh > ~/.zfunc/_cairn               in a folder of fpath
  cairn completion fish > ~/.config/fish/completions/cairn.fish)";

constexpr const char* schema_examples = R"(Example:
  cairn schema > scene.schema.json)";

int usage_error(ErrorCode code, const std::string& what, const std::string& got = "",
                const std::string& allowed = "",
                const std::string& fix = "see cairn --help or cairn COMMAND --help") {
  Error error;
  error.kind = ErrorKind::usage;
  error.code = code;
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

// `cairn complete -- WORD...`, which the scripts of `cairn completion` call.
bool asks_for_words(int argc, char** argv) {
  return argc > 3 && argv[1] == std::string_view("complete") && argv[2] == std::string_view("--");
}

int start_run(RunOptions& options) {
  for (std::string* folder : {&options.out, &options.resume})
    while (folder->size() > 1 && folder->back() == '/') folder->pop_back();
  if (options.scene.empty() && options.resume.empty())
    return usage_error(ErrorCode::incomplete, "SCENE is required", "", "",
                       "name a scene file, or --resume DIR");
  if (options.scene.empty() && !options.assignments.empty())
    return usage_error(ErrorCode::incomplete, "--set needs a SCENE", "", "",
                       "leave it out: --resume goes on with the scene as it was");
  if (options.checkpoint > 0 && options.out.empty() && options.resume.empty())
    return usage_error(ErrorCode::incomplete, "--checkpoint needs a folder", "", "",
                       "add --out DIR");
  return run(options);
}

int start(int argc, char** argv) {
  const std::string word = asks_for_words(argc, argv) ? "" : unknown_command(argc, argv);
  if (!word.empty())
    return usage_error(
        ErrorCode::unknown_choice, "unknown command", word,
        "run, solve, check, info, schema, bench, compare, order, view, plot, export, "
        "render, reproduce, distance, import, manual, completion",
        base::did_you_mean(word, command_names, "see cairn --help"));

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
                   check_examples)
      ->add_flag("--replay", check_options.replay,
                 "compute the run again from its scene: the same states and verdicts, bit for bit");
  CLI::App& info_command = *add_file_command(
      app, info_options, "info", "Say what is in a scene, a trace, a problem or a mesh file",
      "FILE", "scene, trace, problem or mesh file; or a URDF, MJCF or SDFormat file",
      info_examples);
  add_allowed(info_command, info_options.allowed);
  add_import_options(info_command, info_options.import);
  BenchOptions bench_options;
  GrowthOptions growth_options;
  DistanceOptions distance_options;
  FilterOptions filter_options;
  VerdictBenchOptions verdict_options;
  add_bench(app, bench_options, growth_options, distance_options, filter_options, verdict_options);
  CompareOptions compare_options;
  add_compare(app, compare_options);
  DistanceCommand distance_command;
  add_distance(app, distance_command);
  OrderOptions order_options;
  add_order(app, order_options);
  ViewOptions view_options;
  add_view(app, view_options);
  PlotCommand plot_options;
  add_plot(app, plot_options);
  ExportCommand export_options;
  add_export(app, export_options);
  ImportCommand import_options;
  add_import(app, import_options);
  RenderCommand render_options;
  add_render(app, render_options);
  ReproduceOptions reproduce_options;
  add_reproduce(app, reproduce_options);
  add_command(app, "schema", "Print the JSON Schema of scene files", schema_examples);
  ManualOptions manual_options;
  CLI::App* pages = add_command(app, "manual", "Print a manual page in roff, or write all of them",
                                manual_examples);
  CLI::Option* page = pages->add_option("COMMAND", manual_options.command,
                                        "command of the page; without one that of the program");
  pages->add_option("-o,--out", manual_options.out, "folder for the pages of all commands")
      ->type_name("DIR")
      ->check(needs_a_name, "", "")
      ->excludes(page);
  std::string shell;
  add_command(app, "completion", "Print a script that completes commands in a shell",
              completion_examples)
      ->add_option("SHELL", shell, "bash, zsh or fish")
      ->required();
  if (asks_for_words(argc, argv)) {
    const std::vector<std::string> words(argv + 3, argv + argc);
    return complete(app, words);
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Help and version are "errors" with exit code 0 that print themselves.
    if (error.get_exit_code() == 0) return app.exit(error);
    return usage_error(ErrorCode::invalid_argument, error.what());
  }
  for (std::string* scene : {&run_options.scene, &info_options.file, &compare_options.scene,
                             &distance_command.scene, &order_options.scene})
    *scene = scene_file(*scene);
  if (view_options.serve) view_options.input = scene_file(view_options.input);
  for (std::string& scene : verdict_options.scenes) scene = scene_file(scene);
  if (app.got_subcommand("run")) return start_run(run_options);
  if (app.got_subcommand("solve")) return solve(solve_options);
  if (app.got_subcommand("check")) return check(check_options);
  if (app.got_subcommand("info")) return info(info_options);
  if (app.got_subcommand("compare")) return compare(compare_options);
  if (app.got_subcommand("distance")) return distance(distance_command);
  if (app.got_subcommand("order")) return order(order_options);
  if (app.got_subcommand("view")) return view(view_options);
  if (app.got_subcommand("plot")) return plot(plot_options);
  if (app.got_subcommand("export")) return export_trace(export_options);
  if (app.got_subcommand("import")) return import_file(import_options);
  if (app.got_subcommand("render")) return render(render_options);
  if (app.got_subcommand("reproduce")) return reproduce(reproduce_options);
  if (app.got_subcommand("bench")) {
    const CLI::App* bench = app.get_subcommand("bench");
    if (bench->got_subcommand("growth")) return bench_growth(growth_options);
    if (bench->got_subcommand("decades")) return bench_decades(growth_options);
    if (bench->got_subcommand("distance")) return bench_distance(distance_options);
    if (bench->got_subcommand("filter")) return bench_filter(filter_options);
    if (bench->got_subcommand("verdict")) return bench_verdict(verdict_options);
    return bench_solvers(bench_options);
  }
  if (app.got_subcommand("manual")) return manual(app, manual_options);
  if (app.got_subcommand("completion")) return completion(shell);
  return schema();
}

// What it takes to find a fault of ours.
void ask_for_report(int argc, char** argv) {
  std::string command = "cairn";
  for (int i = 1; i < argc; ++i) command += " " + shell_word(argv[i]);
  warn("this is a fault of cairn " CAIRN_VERSION
       ", not of its input; please send us the files that the command reads, and the command:");
  warn("  " + printable(command));
}

int guarded_start(int argc, char** argv) {
  try {
    return finish_output(start(argc, argv));
  } catch (...) {
    return report({base::caught_error()});
  }
}

}  // namespace
}  // namespace cairn::app

int main(int argc, char** argv) {
  using namespace cairn::app;
  set_up_signals();
#ifdef CAIRN_DCHECKS
  // For tests: the check that is reached as the n-th fails.
  if (const char* n = std::getenv("CAIRN_FAIL_CHECK"))
    cairn::check_fault::countdown = std::strtoll(n, nullptr, 10);
#endif
  const int code = guarded_start(argc, argv);
  if (code == exit_bug) ask_for_report(argc, argv);
  return code;
}
