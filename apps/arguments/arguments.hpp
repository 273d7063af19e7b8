// What may stand after a command: one function per command fills its options from the words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace cairn::app {

std::string needs_equals_sign(const std::string& text);
// An empty name is most often a shell variable that is not set: not the wish to write no files.
std::string needs_a_name(const std::string& text);
// --set KEY=VALUE, --allow-path DIR, and --json.
CLI::Option* add_assignments(CLI::App& command, std::vector<std::string>& assignments);
CLI::Option* add_allowed(CLI::App& command, std::vector<std::string>& folders);
void add_json(CLI::App& command, bool& json);
// How URDF and MJCF files are read.
void add_import_options(CLI::App& command, ImportOptions& options);
CLI::App* add_command(CLI::App& app, const char* name, const char* text, const char* examples);
CLI::App* add_file_command(CLI::App& app, FileOptions& options, const char* name, const char* text,
                           const char* argument, const char* argument_text, const char* examples);

void add_run(CLI::App& app, RunOptions& options);
void add_solve(CLI::App& app, SolveOptions& options);
void add_distance(CLI::App& app, DistanceCommand& options);
void add_order(CLI::App& app, OrderOptions& options);
void add_compare(CLI::App& app, CompareOptions& options);
void add_view(CLI::App& app, ViewOptions& options);
void add_plot(CLI::App& app, PlotCommand& options);
void add_export(CLI::App& app, ExportCommand& options);
void add_import(CLI::App& app, ImportCommand& options);
void add_render(CLI::App& app, RenderCommand& options);
void add_reproduce(CLI::App& app, ReproduceOptions& options);
void add_bench(CLI::App& app, BenchOptions& options, GrowthOptions& growth_options,
               DistanceOptions& distance_options, FilterOptions& filter_options,
               VerdictBenchOptions& verdict_options);

}  // namespace cairn::app
