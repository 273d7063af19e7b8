// Words after `cairn bench` and reproduce.
#include "arguments/arguments.hpp"

namespace cairn::app {
namespace {

constexpr const char* bench_examples = R"(Examples:
  cairn bench solvers
  cairn bench solvers --case stack10 --case packing_warm --solver auto --solver bb --json
  cairn bench growth --most 100000 --out growth.svg
  cairn bench decades --out decades.svg
  cairn bench distance --out distance.svg
  cairn bench verdict scenes/boxes1000.json scenes/pile1000.json)";

constexpr const char* reproduce_examples = R"(Examples:
  cairn reproduce
  cairn reproduce hart-pendulum hart-ellipse --out plots
  cairn reproduce all --fast --json
  cairn reproduce hart-brazil-nut --full
  cairn reproduce all --html gallery)";

}  // namespace

void add_reproduce(CLI::App& app, ReproduceOptions& options) {
  CLI::App* command =
      add_command(app, "reproduce", "Set the papers' figures beside our own", reproduce_examples);
  command->add_option("ID", options.ids, "experiments, or all; without one they are listed");
  command->add_option("-o,--out", options.out, "folder for the plots")
      ->type_name("DIR")
      ->check(needs_a_name, "", "");
  command->add_option("--html", options.html, "folder for a page with tables, plots and players")
      ->type_name("DIR")
      ->check(needs_a_name, "", "");
  CLI::Option* fast =
      command->add_flag("--fast", options.fast, "fewer steps, phases, seeds and sizes: seconds");
  command
      ->add_flag("--full", options.full,
                 "sizes of the papers where the default is smaller: the Brazil nut with 270 discs")
      ->excludes(fast);
  add_json(*command, options.json);
}

void add_bench(CLI::App& app, BenchOptions& options, GrowthOptions& growth_options,
               DistanceOptions& distance_options, FilterOptions& filter_options,
               VerdictBenchOptions& verdict_options) {
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
  add_json(*solvers, options.json);
  CLI::App* growth = add_command(
      *command, "growth", "CPU time of a step of a packing against its size", bench_examples);
  growth->add_option("--most", growth_options.most, "contacts of the largest packing, about")
      ->type_name("N")
      ->check(CLI::Range(1000, 1000000));
  CLI::App* decades = add_command(
      *command, "decades", "CPU time of a step of 1000 spheres to each accuracy", bench_examples);
  decades->add_option("--packings", growth_options.packings, "settled packings, seeds 1 to N")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  for (CLI::App* each : {growth, decades}) {
    each->add_option("-o,--out", growth_options.out, "write a chart")
        ->type_name("FILE.svg")
        ->check(needs_a_name, "", "");
    add_json(*each, growth_options.json);
  }
  CLI::App* distance = add_command(
      *command, "distance", "CPU time of the ratio metric against the facets", bench_examples);
  distance->add_option("-o,--out", distance_options.out, "write a chart")
      ->type_name("FILE.svg")
      ->check(needs_a_name, "", "");
  add_json(*distance, distance_options.json);
  CLI::App* filter = add_command(*command, "filter", "CPU time with and without the contact filter",
                                 bench_examples);
  add_json(*filter, filter_options.json);
  CLI::App* verdict =
      add_command(*command, "verdict", "CPU time of each check of the verdict", bench_examples);
  verdict->add_option("SCENE", verdict_options.scenes, "scene files")->required();
  verdict->add_option("--set", verdict_options.assignments, "change a value of the scenes")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_allowed(*verdict, verdict_options.allowed);
  verdict->add_option("--skip", verdict_options.skip, "steps before the measurement")
      ->type_name("N")
      ->check(CLI::Range(0, 1000000));
  verdict->add_option("--steps", verdict_options.steps, "steps that are measured")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_json(*verdict, verdict_options.json);
}

}  // namespace cairn::app
