// cairn plot: quantities of a recording over time, as SVG or PNG.
#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/picture_png.hpp"
#include "exports/quantities.hpp"
#include "record/run/files.hpp"
#include "runs/find_trace.hpp"
#include "runs/trace_ending.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

constexpr double png_scale = 2;  // pixels of a PNG to a unit of the sheet
constexpr int most_pixels = 8000;

Result<void> check_output(const PlotCommand& options) {
  Error error;
  error.kind = ErrorKind::usage;
  if (!options.out.ends_with(".svg") && !options.out.ends_with(".png")) {
    error.code = ErrorCode::unknown_choice;
    error.what = "what kind of picture?";
    error.got = options.out;
    error.allowed = "names that end in .svg or .png";
    error.fix = "choose another name with -o";
    return fail(error);
  }
  if (options.width > most_pixels || options.height > most_pixels) {
    error.code = ErrorCode::too_large;
    error.what = "the picture is too large";
    error.got = fmt::format("{}x{}", options.width, options.height);
    error.allowed = fmt::format("at most {}x{}", most_pixels, most_pixels);
    error.fix = "choose another --size";
    return fail(error);
  }
  return options.out.ends_with(".png") ? check_png_component() : Result<void>();
}

}  // namespace

int plot(const PlotCommand& options) {
  if (const Result<void> fine = check_output(options); !fine) return report(fine.error());
  const Result<std::string> trace = find_trace(options.input);
  if (!trace) return report(trace.error());
  if (const Result<void> kept = record::check_input_is_kept(*trace, options.out, "trace"); !kept)
    return report(kept.error());
  const Result<exports::TracePlot> read = exports::read_quantities(*trace, options.quantities);
  if (!read) return report(read.error());
  const std::vector<page::Picture> pictures =
      exports::draw_quantities(*read, options.width, options.height);
  const Result<std::string> drawn =
      options.out.ends_with(".png") ? png_file(pictures, png_scale) : page::svg_file(pictures);
  if (!drawn) return report(drawn.error());
  const Result<void> written = record::write_file(options.out, *drawn);
  if (!written) return report(written.error());
  Json curves = Json::array();
  for (const exports::PlottedCurve& c : read->curves) curves.push_back(c.label);
  if (options.json)
    print(text(Json{{"trace", *trace},
                    {"picture", options.out},
                    {"plots", pictures.size()},
                    {"curves", curves},
                    {"frames", read->frames}}));
  else
    print(fmt::format("picture      {}, {} {}, {} curves\n", printable(options.out),
                      pictures.size(), pictures.size() == 1 ? "plot" : "plots",
                      read->curves.size()));
  return tell_ending(*trace, read->ending);
}

}  // namespace cairn::app
