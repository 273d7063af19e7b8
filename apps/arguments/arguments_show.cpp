// Words after `cairn view`, plot, export and render.
#include <span>

#include "arguments/arguments.hpp"
#include "exports/quantities.hpp"

namespace cairn::app {
namespace {

constexpr const char* view_examples = R"(Examples:
  cairn view out/pile
  cairn view out/pile/trace.cairn -o pile.html
  cairn view --serve scenes/tower10.json

With --serve the scene is simulated and shown live: open the printed address in a browser on this machine; there it is
started, changed and dragged about. Ctrl-C ends it. Without it the page needs no network and no installation; it can be mailed. `#t=2.5` behind its address opens it at that time.)";

constexpr const char* plot_examples = R"(Examples:
  cairn plot out/pile energy -o energy.svg
  cairn plot out/pile body:disc01.x body:disc01.y certificate -o disc.svg

)";

constexpr const char* export_examples = R"(Examples:
  cairn export out/pile --to gltf -o pile.glb        animated; opens in Blender and in browsers
  cairn export out/pile --to vtk -o pile             bodies.pvd and contacts.pvd for ParaView
  cairn export out/pile --to csv -o tables           bodies.csv, contacts.csv, joints.csv, steps.csv
  cairn export out/pile --to hdf5 -o pile.h5         all states and contacts
  cairn export scenes/arm.json --to urdf -o arm.urdf the robot of a scene, where it is a tree

Numbers of CSV and HDF5 read back to the same bits.)";

constexpr const char* render_examples = R"(Examples:
  cairn render out/pile -o pile.png --at 2.5 --size 960x600
  cairn render out/pile -o pile.mp4 --fps 30 --speed 0.5 --camera 35,20
  cairn render out/pile -o frames/ --from 1 --to 2 --on forces --dark

Pictures are drawn by the player in Chromium without a screen (CAIRN_BROWSER names another one), films by ffmpeg.)";

std::string words(std::span<const exports::QuantityName> quantities) {
  constexpr std::size_t width = 116;
  std::string text, line;
  for (const exports::QuantityName& q : quantities) {
    if (!line.empty() && line.size() + 1 + std::string_view(q.name).size() > width) {
      text += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "  " : " ") + std::string(q.name);
  }
  return text + line + "\n";
}

std::string plot_help() {
  return plot_examples +
         ("Of the scene: energy, which is total, kinetic and potential, and\n" +
          words(exports::scene_quantities())) +
         "Of a body, behind body:NAME.\n" + words(exports::body_quantities()) +
         "Of a joint, behind joint:NAME.\n" + words(exports::joint_quantities()) +
         "Of the contacts of two bodies, behind contact:A-B.\n" +
         words(exports::contact_quantities()) + "Quantities of one unit share a plot.";
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

}  // namespace

void add_view(CLI::App& app, ViewOptions& options) {
  CLI::App* command = add_command(
      app, "view", "Write one page that plays a recording, or show a scene live", view_examples);
  command->add_option("TRACE", options.input, "trace file, or the folder of a run; or a scene")
      ->required();
  CLI::Option* out =
      command->add_option("-o,--out", options.out, "the page; default: view.html beside the trace")
          ->type_name("FILE.html")
          ->check(needs_a_name, "", "");
  CLI::Option* frames =
      command
          ->add_option("--frames", options.frames,
                       "frames in the page at most, however large it gets; default: about 1000, "
                       "fewer where there are thousands of bodies")
          ->type_name("N")
          ->check(CLI::Range(2, 100000).name(""));
  CLI::Option* live =
      command->add_flag("--serve", options.serve, "simulate the scene and show it live")
          ->excludes(out)
          ->excludes(frames);
  command->add_option("--port", options.port, "of 127.0.0.1; default: a free one")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).name(""))
      ->needs(live);
  add_assignments(*command, options.assignments)->needs(live);
  add_allowed(*command, options.allowed)->needs(live);
  add_import_options(*command, options.import);
  add_json(*command, options.json);
}

void add_plot(CLI::App& app, PlotCommand& options) {
  CLI::App* command =
      add_command(app, "plot", "Draw quantities of a recording over time", plot_help().c_str());
  command->add_option("TRACE", options.input, "trace file, or the folder of a run")->required();
  command->add_option("QUANTITY", options.quantities, "what to draw, see below")->required();
  command->add_option("-o,--out", options.out, "the picture")
      ->type_name("FILE.svg|png")
      ->required()
      ->check(needs_a_name, "", "");
  add_size(*command, options.width, options.height,
           "of each plot (default 720x280); a PNG has twice as many pixels");
  add_json(*command, options.json);
}

void add_export(CLI::App& app, ExportCommand& options) {
  CLI::App* command =
      add_command(app, "export", "Write a recording for other programs", export_examples);
  command
      ->add_option("TRACE", options.input,
                   "trace file, or the folder of a run; for urdf also a scene")
      ->required();
  command->add_option("--to", options.format, "csv, gltf, vtk, hdf5 or urdf")
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
  command->add_flag("--contact-geometry", options.contact_geometry,
                    "gltf and vtk: the shapes that touch, in place of what bodies look like");
  add_json(*command, options.json);
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
  add_json(*command, options.json);
}

}  // namespace cairn::app
