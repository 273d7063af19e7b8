// Words after `cairn run`, solve, order, distance and compare.
#include "arguments/arguments.hpp"

namespace cairn::app {
namespace {

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

constexpr const char* compare_examples = R"(Examples:
  cairn compare scenes/sliding_block.json
  cairn compare scenes/sliding_block.json --set simulation.step=0.001 --tolerance 0.05 --out laws.html)";

constexpr const char* distance_examples = R"(Examples:
  cairn distance scenes/dice3.json die1 floor
  cairn distance scenes/dice3.json die1 die2 --set bodies.die2.position=[0.03,0,0.06] --json
  cairn distance scenes/dice3.json die1 die2 --at 0.1

A and B are names of bodies; BODY[0] is the first shape of a body, BODY the one that is closest.)";

constexpr const char* order_examples = R"(Examples:
  cairn order scenes/pendulum_wall.json
  cairn order scenes/slider_crank.json --set simulation.scheme.type=trapezoidal --halvings 5 --out order.svg)";

}  // namespace

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = add_command(app, "run", "Simulate a scene", run_examples);
  command->add_option("SCENE", options.scene,
                      "scene file, or a URDF, MJCF or SDFormat file; --resume knows its own");
  CLI::Option* out =
      command->add_option("-o,--out", options.out, "folder for the results")->type_name("DIR");
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
  add_assignments(*command, options.assignments);
  add_allowed(*command, options.allowed);
  command->add_flag("--intervals", options.intervals,
                    "[min, max] of the contact forces of the last step, in summary and report");
  command->add_flag("--quiet", options.quiet, "no progress line, no warnings");
  command->add_flag("--json", options.json, "print summary.json and nothing else");
  add_import_options(*command, options.import);
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
  add_json(*command, options.json);
}

void add_distance(CLI::App& app, DistanceCommand& options) {
  CLI::App* command =
      add_command(app, "distance", "Measure the distance, depth and ratio metric of two bodies",
                  distance_examples);
  command->add_option("SCENE", options.scene, "scene file")->required();
  command->add_option("A", options.a, "body, or BODY[i] for one of its shapes")->required();
  command->add_option("B", options.b, "the other one")->required();
  add_assignments(*command, options.assignments);
  add_allowed(*command, options.allowed);
  command->add_option("--at", options.at, "simulate to this time first (default 0: as placed)")
      ->type_name("T")
      ->check(CLI::Range(0.0, 1e9).name(""));
  add_json(*command, options.json);
}

void add_order(CLI::App& app, OrderOptions& options) {
  CLI::App* command =
      add_command(app, "order", "Run a scene with h, h/2, h/4, ... and print the observed orders",
                  order_examples);
  command->add_option("SCENE", options.scene, "scene file")->required();
  add_assignments(*command, options.assignments);
  add_allowed(*command, options.allowed);
  command
      ->add_option("--halvings", options.halvings,
                   "how often the scene's step is halved, 2 to 16 (default 4, with "
                   "--accuracy-at-end at most 16)")
      ->type_name("N")
      ->check(CLI::Range(2, 16).name(""))
      ->each([&options](const std::string&) { options.halvings_given = true; });
  command
      ->add_option("--accuracy-at-end", options.accuracy_at_end,
                   "halve the step until the estimated error of all bodies at the end is below "
                   "this length [m]")
      ->type_name("A")
      ->check(CLI::Range(1e-300, 1e9).name(""));
  command->add_option("-o,--out", options.out, "write a chart of the differences")
      ->type_name("FILE.svg")
      ->check(needs_a_name, "", "");
  add_json(*command, options.json);
}

void add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* command = add_command(
      app, "compare", "Run a scene under relaxed, pyramid and exact friction", compare_examples);
  command->add_option("SCENE", options.scene, "scene file")->required();
  add_assignments(*command, options.assignments);
  add_allowed(*command, options.allowed);
  command
      ->add_option("--tolerance", options.tolerance,
                   "warn where the relaxation is off by more than this share (default 0.01)")
      ->type_name("T")
      ->check(CLI::Range(0.0, 1e300).name(""));
  command->add_option("-o,--out", options.out, "write a page with plots")
      ->type_name("FILE.html")
      ->check(needs_a_name, "", "");
  add_json(*command, options.json);
}

}  // namespace cairn::app
