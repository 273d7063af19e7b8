// cairn export: a recording in formats of other programs.
#include <array>
#include <filesystem>
#include <fmt/format.h>

#include "base/suggestion.hpp"
#include "commands/commands.hpp"
#include "exports/export.hpp"
#include "record/run/files.hpp"
#include "runs/find_trace.hpp"
#include "runs/trace_ending.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

struct Format {
  std::string_view name;
  const char* place;  // beside the trace
  Result<exports::Exported> (*run)(const std::string&, const std::string&,
                                   const exports::ExportOptions&);
};
constexpr std::array formats = {
    Format{"csv", "csv", exports::export_csv}, Format{"gltf", "run.glb", exports::export_gltf},
    Format{"vtk", "vtk", exports::export_vtk}, Format{"hdf5", "run.h5", exports::export_hdf5}};

Result<Format> find_format(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Format& format : formats) {
    if (format.name == name) return format;
    known.push_back(format.name);
  }
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unknown_choice;
  error.what = "unknown format";
  error.got = name;
  known.push_back("urdf");
  error.allowed = "csv, gltf, vtk, hdf5, urdf";
  error.fix = base::did_you_mean(name, known, "see cairn export --help");
  return fail(error);
}

}  // namespace

int export_trace(const ExportCommand& options) {
  if (options.format == "urdf") return export_urdf(options);
  const Result<Format> format = find_format(options.format);
  if (!format) return report(format.error());
  const Result<std::string> trace = find_trace(options.input);
  if (!trace) return report(trace.error());
  const std::string out =
      options.out.empty() ? (fs::path(*trace).parent_path() / format->place).string() : options.out;
  if (const Result<void> kept = record::check_input_is_kept(*trace, out, "trace"); !kept)
    return report(kept.error());
  const Result<exports::Exported> done = format->run(
      *trace, out, {.every = options.every, .contact_geometry = options.contact_geometry});
  if (!done) return report(done.error());
  if (options.json) {
    print(text(Json{{"trace", *trace},
                    {"format", format->name},
                    {"files", done->files},
                    {"frames", done->frames},
                    {"complete", done->ending.event == TraceEvent::end}}));
  } else {
    std::string said;
    for (const std::string& file : done->files)
      said += fmt::format("{:<12} {}\n", said.empty() ? "written" : "", printable(file));
    print(said + fmt::format("frames       {}\n", done->frames));
  }
  return tell_ending(*trace, done->ending);
}

}  // namespace cairn::app
