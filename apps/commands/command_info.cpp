// cairn info: what is in a file. Text and JSON are two prints of one JSON value.
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <unistd.h>

#include "arguments/option_list.hpp"
#include "base/input_file.hpp"
#include "cairn/joints.hpp"
#include "cairn/scene.hpp"
#include "cairn/trace.hpp"
#include "commands/commands.hpp"
#include "commands/mesh_info.hpp"
#include "mesh/files/read_mesh.hpp"
#include "problem/files/problem_formats.hpp"
#include "problem/files/text_file.hpp"
#include "runs/file_access.hpp"
#include "runs/start_warnings.hpp"
#include "runs/step_plan.hpp"
#include "terminal/input_file.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

enum class FileKind { scene, trace, problem, mesh };

// Scenes and problems are JSON text, traces are binary. What cannot be read counts as a scene: its
// reader says why.
FileKind kind_of_file(const std::string& file) {
  if (mesh::is_mesh_name(file)) return FileKind::mesh;
  const Result<int> opened = base::open_input(file);
  if (!opened) return FileKind::scene;
  std::string head(5, '\0');
  const ssize_t got = ::pread(*opened, head.data(), head.size(), 0);
  ::close(*opened);
  if (got == static_cast<ssize_t>(head.size()) && head == "CAIRN") return FileKind::trace;
  const Result<std::string> text = base::read_input(file, problem::largest_problem_file);
  return text && problem::is_any_problem(*text) ? FileKind::problem : FileKind::scene;
}

// What acts along the coordinates of joints, by joint.
Json coordinates_json(const Model& model) {
  Json json = Json::object();
  for (const Joint& joint : model.joints) {
    Json own = Json::object();
    if (std::isfinite(joint.limits.lower)) own["lower"] = joint.limits.lower;
    if (std::isfinite(joint.limits.upper)) own["upper"] = joint.limits.upper;
    if (joint.friction > 0) own["friction"] = joint.friction;
    if (const auto& motor = joint.motor) {
      own["motor"] = motor->velocity ? "velocity" : motor->position ? "position" : "effort";
      if (motor->keeps()) own["max_effort"] = motor->max_effort;
    }
    if (!own.empty()) json[joint.name] = std::move(own);
  }
  return json;
}

Json model_json(const Model& model) {
  static constexpr const char* kinds[] = {"dynamic", "fixed", "prescribed"};
  std::array<int, 3> count = {};
  double mass = 0;
  for (const Body& body : model.bodies) {
    ++count[static_cast<std::size_t>(body.kind)];
    if (body.kind == BodyKind::dynamic) mass += body.mass;
  }
  Json json;
  Json& bodies = json["bodies"];
  bodies["all"] = model.bodies.size();
  for (std::size_t i = 0; i < count.size(); ++i) bodies[kinds[i]] = count[i];
  json["degrees_of_freedom"] = model.velocities;
  json["mass"] = mass;
  std::map<std::string, int> shapes;  // sorted by name
  for (const Shape& shape : model.shapes) ++shapes[type_name(shape.geometry)];
  json["shapes"]["all"] = model.shapes.size();
  for (const auto& [type, number] : shapes) json["shapes"][type] = number;
  json["joints"] = model.joints.size();
  if (Json coordinates = coordinates_json(model); !coordinates.empty())
    json["coordinates"] = std::move(coordinates);
  json["forces"] = {{"springs", model.springs.size()}, {"applied", model.applied_forces.size()}};
  json["gravity"] = {model.gravity.x(), model.gravity.y(), model.gravity.z()};
  Json& materials = json["materials"] = Json::object();
  for (std::size_t i = 0; i < model.material_names.size(); ++i) {
    const Material& own = model.materials[i];
    Json& material = materials[model.material_names[i]];
    material = {
        {"friction", own.friction},
        {"restitution", own.restitution},
        {"restitution_law", restitution_law_names[static_cast<std::size_t>(own.restitution_law)]}};
    if (own.bounce_friction >= 0) material["bounce_friction"] = own.bounce_friction;
    if (own.rolling_friction > 0) material["rolling_friction"] = own.rolling_friction;
    if (own.torsional_friction > 0) material["torsional_friction"] = own.torsional_friction;
    if (own.anisotropic()) {
      const Vec3& f = own.friction_direction;
      if (own.elliptic())
        material["friction_across"] = own.friction_across;
      else
        material["friction_polygon"] = own.friction_polygon;
      material["friction_direction"] = {f.x(), f.y(), f.z()};
    }
  }
  return json;
}

// How many rows of the joints are independent at the start, and which joints have the others.
Json rank_json(const Scene& scene) {
  const JointRank rank = joint_rank(*scene.model, *scene.initial);
  Json json = {{"rows", rank.rows}, {"rank", rank.rank}, {"redundant", Json::object()}};
  for (const RedundantJoint& r : rank.redundant)
    json["redundant"][scene.model->joints[index(r.joint)].name] = r.rows;
  return json;
}

Json scene_json(const Scene& scene) {
  const SimulationSettings& settings = scene.simulation;
  Json json;
  json["name"] = scene.name;
  json.update(model_json(*scene.model));
  if (!scene.model->joints.empty()) json["joint_rank"] = rank_json(scene);
  json["scheme"] = option_list(settings.scheme);
  json["solver"] = option_list(settings.solver);
  json["step"] = settings.step;
  json["duration"] = settings.duration;
  json["steps"] = plan_steps(settings.step, settings.duration).steps;
  json["expectations"] = scene.expect.size();
  return json;
}

Result<Json> read_scene(const FileOptions& options) {
  const std::string& file = options.file;
  Result<Scene> scene = load_scene(file, {}, options.import, file_access(options.allowed));
  if (!scene) return tl::unexpected(scene.error());
  if (const Result<void> start = add_start_warnings(*scene); !start)
    scene->warnings.push_back(start.error().front().text());
  Json json = {{"file", file}, {"kind", "scene"}};
  json.update(scene_json(*scene));
  if (!scene->notes.empty()) json["notes"] = scene->notes;
  json["warnings"] = scene->warnings;
  return json;
}

Result<Json> read_trace(const std::string& file) {
  Result<TraceReader> reader = TraceReader::open(file);
  if (!reader) return tl::unexpected(reader.error());
  TraceFrame frame;
  double worst = 0, time = 0;
  std::int64_t uncertified = 0, steps = 0, solves = 0;
  TraceEvent event = reader->next(frame);
  for (; event == TraceEvent::frame; event = reader->next(frame)) {
    time = frame.state.t;
    steps = frame.state.step;
    solves += frame.report.solves.size();
    worst = std::max(worst, frame.report.certificate);
    if (frame.report.status != StepStatus::certified) ++uncertified;
  }
  const TraceHeader& header = reader->header();
  Json json = {{"file", file}, {"kind", "trace"}, {"version", header.version}};
  json["program"] = header.program;
  json["frames"] = reader->frames();
  json["complete"] = event == TraceEvent::end;
  if (event == TraceEvent::truncated) json["dropped_bytes"] = reader->dropped_bytes();
  if (event == TraceEvent::corrupt)
    json["corrupt"] = {{"offset", reader->offset()}, {"reason", reader->reason()}};
  json["steps"] = steps;
  json["time"] = time;
  json["solves"] = solves;
  json["certificate"] = {{"worst", worst}, {"uncertified_steps", uncertified}};
  const Result<Scene> scene = parse_scene(header.scene, file);
  if (!scene) return tl::unexpected(scene.error());
  json["scene"] = scene_json(*scene);
  return json;
}

// What problems of both forms have.
template <class AnyForm>
void add_sizes(const AnyForm& problem, Json& json) {
  json["rows"] = problem.rows();
  Json& constraints = json["constraints"];
  constraints["all"] = problem.constraints.size();
  for (const Law law :
       {Law::equality, Law::nonnegative, Law::box, Law::coulomb, Law::coulomb_relaxed, Law::disc})
    constraints[name(law)] = std::count_if(problem.constraints.begin(), problem.constraints.end(),
                                           [law](const auto& c) { return c.law == law; });
}

Result<Json> read_problem_file(const std::string& file) {
  const Result<problem::ProblemFile> read = problem::read_any_problem(file);
  if (!read) return tl::unexpected(read.error());
  Json json = {{"file", file}, {"kind", "problem"}, {"format", read->format}};
  if (const auto* reduced = std::get_if<ReducedProblem>(&read->problem)) {
    add_sizes(*reduced, json);
    json["blocks"] = reduced->blocks.size();
    return json;
  }
  const auto& problem = std::get<Problem>(read->problem);
  json["bodies"] = problem.bodies.size();
  json["velocities"] = problem.velocities();
  add_sizes(problem, json);
  const Units& u = problem.units;
  json["units"] = {{"mass", u.mass}, {"length", u.length}, {"time", u.time}};
  return json;
}

// A value on one line; inner objects as "key value, key value".
std::string line(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_number_float()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_object() && !value.is_array()) return value.dump();
  std::string result;
  for (const auto& item : value.items()) {
    if (!result.empty()) result += ", ";
    if (value.is_object()) result += printable(item.key()) + " ";
    result += item.value().is_object() ? "(" + line(item.value()) + ")" : line(item.value());
  }
  return result.empty() ? "none" : result;
}

// The unit of a figure, for people; JSON has the bare number in SI units.
std::string unit_of(const std::string& key) {
  static const std::map<std::string, std::string> units = {
      {"mass", " kg"}, {"gravity", " m/s^2"}, {"step", " s"}, {"duration", " s"}, {"time", " s"}};
  const auto found = units.find(key);
  return found == units.end() ? "" : found->second;
}

// One key per line; the scene inside a trace is indented below its key.
std::string lines(const Json& json, const std::string& indent = "") {
  std::string result;
  for (const auto& item : json.items()) {
    if (item.key() == "scene")
      result += indent + "scene\n" + lines(item.value(), indent + "  ");
    else
      result += fmt::format("{}{:<20} {}{}\n", indent, item.key(), line(item.value()),
                            unit_of(item.key()));
  }
  return result;
}

Result<Json> read(const FileOptions& options) {
  const std::string& file = options.file;
  switch (kind_of_file(file)) {
    case FileKind::mesh:
      return mesh_json(file);
    case FileKind::trace:
      return read_trace(file);
    case FileKind::problem:
      return read_problem_file(file);
    case FileKind::scene:
      break;
  }
  return read_scene(options);
}

}  // namespace

int info(const FileOptions& options) {
  const Result<void> input = check_input(options.file, "scene, trace, problem or mesh file");
  if (!input) return report(input.error());
  const Result<Json> json = read(options);
  if (!json) return report(json.error());
  print(options.json ? text(*json) : lines(*json));
  return exit_ok;
}

}  // namespace cairn::app
