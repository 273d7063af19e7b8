// Reads and writes "simulation" and "expect".
#include "scene/settings.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/suggestion.hpp"

namespace cairn::scene {
namespace {

constexpr Range step_range{1e-12, 1e3, true};  // [s]
constexpr double most_steps = 1e9;

// Visitor of describe(): takes from the document what is there.
class OptionReader {
 public:
  OptionReader(const json::Node& node, std::string path, SceneErrors& errors)
      : node_(node), path_(std::move(path)), errors_(errors) {}

  void number(const char* key, double& value, const Range& range, const char*, const char*) {
    if (const json::Node* found = find(key))
      read_number(*found, child_path(path_, key), value, range, errors_);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t lo, std::int64_t hi, const char*) {
    std::int64_t read = 0;
    const json::Node* found = find(key);
    if (found && read_integer(*found, child_path(path_, key), read, lo, hi, errors_))
      value = static_cast<Integer>(read);
  }
  void boolean(const char* key, bool& value, const char*) {
    if (const json::Node* found = find(key))
      read_value(*found, child_path(path_, key), value, errors_);
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char*) {
    const json::Node* found = find(key);
    std::string word;
    if (!found || !read_value(*found, child_path(path_, key), word, errors_)) return;
    const auto match = std::find(names.begin(), names.end(), word);
    if (match != names.end()) {
      value = static_cast<Enum>(match - names.begin());
      return;
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    std::string allowed;
    for (const std::string_view name : known)
      allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    errors_.add(*found, child_path(path_, key), ErrorCode::unknown_choice, "unknown choice",
                json::summary(*found), allowed, base::did_you_mean(word, known, "use one of them"));
  }

  void allow(const char* key) { known_.push_back(key); }
  void refuse_other_keys() {
    for (std::size_t i = 0; i < node_.keys.size(); ++i)
      if (std::find(known_.begin(), known_.end(), node_.keys[i].text) == known_.end())
        errors_.unknown_key(node_, i, path_, known_);
  }

 private:
  const json::Node* find(const char* key) {
    known_.push_back(key);
    return node_.find(key);
  }

  const json::Node& node_;
  std::string path_;
  SceneErrors& errors_;
  std::vector<std::string_view> known_;
};

// An object with options and no type.
template <class Options>
void read_plain_options(const json::Node& node, const std::string& path, Options& out,
                        SceneErrors& errors) {
  if (!node.is(json::Node::Kind::object)) return errors.wrong_type(node, path, "an object");
  OptionReader reader(node, path, errors);
  describe(reader, out);
  reader.refuse_other_keys();
}

// {"type": name, options...}, or the name alone; without a name the first alternative.
template <class Variant>
void read_options(const json::Node& node, const std::string& path, Variant& out,
                  SceneErrors& errors) {
  const json::Node* type = node.is(json::Node::Kind::object) ? node.find("type") : &node;
  if (type == &node && !node.is(json::Node::Kind::string))
    return errors.wrong_type(node, path, "an object or a name");
  const std::string type_path = type == &node ? path : child_path(path, "type");
  std::string name = option_type(std::variant_alternative_t<0, Variant>{});
  if (type && !read_value(*type, type_path, name, errors)) return;

  bool found = false;
  std::vector<std::string_view> known;
  std::string allowed;
  for_each_alternative<Variant>([&](auto options) {
    known.push_back(option_type(options));
    allowed += (allowed.empty() ? "" : ", ") + std::string(option_type(options));
    if (name != option_type(options)) return;
    found = true;
    OptionReader reader(node, path, errors);
    reader.allow("type");
    describe(reader, options);
    reader.refuse_other_keys();
    out = options;
  });
  if (!found)
    errors.add(*type, type_path, ErrorCode::unknown_choice, "unknown type", json::summary(*type),
               allowed, base::did_you_mean(name, known, "use one of them"));
}

// Visitor of describe(): the values as members of an object.
struct OptionWriter {
  json::Node object = json::Node::object();

  void number(const char* key, double& value, const Range&, const char*, const char*) {
    object.set(key, value);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t, std::int64_t, const char*) {
    object.set(key, static_cast<double>(value));
  }
  void boolean(const char* key, bool& value, const char*) {
    object.set(key, json::Node::of(value));
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char*) {
    object.set(key, names[static_cast<std::size_t>(value)]);
  }
};

template <class Options>
json::Node write_plain_options(Options options) {
  OptionWriter writer;
  describe(writer, options);
  return std::move(writer.object);
}

template <class Variant>
json::Node write_options(const Variant& variant) {
  return std::visit(
      [](auto options) {
        OptionWriter writer;
        writer.object.set("type", option_type(options));
        describe(writer, options);
        return writer.object;
      },
      variant);
}

}  // namespace

SimulationSettings read_simulation(const json::Node& node, const std::string& path,
                                   SceneErrors& errors) {
  const Fields fields(node, path, simulation_fields(), errors);
  SimulationSettings settings;
  if (const json::Node* scheme = fields.find("scheme"))
    read_options(*scheme, fields.path("scheme"), settings.scheme, errors);
  if (const json::Node* solver = fields.find("solver"))
    read_options(*solver, fields.path("solver"), settings.solver, errors);
  if (const json::Node* verdict = fields.find("verdict"))
    read_plain_options(*verdict, fields.path("verdict"), settings.verdict, errors);
  if (const json::Node* forces = fields.find("forces"))
    read_plain_options(*forces, fields.path("forces"), settings.forces, errors);
  if (const json::Node* record = fields.find("record"))
    read_plain_options(*record, fields.path("record"), settings.record, errors);
  fields.read_number("step", settings.step, step_range);
  fields.read_number("duration", settings.duration, {0});
  if (settings.duration / settings.step > most_steps) {
    const json::Node* culprit =
        fields.find("duration") ? fields.find("duration") : fields.find("step");
    errors.add(*culprit, {.kind = ErrorKind::limit,
                          .code = ErrorCode::too_many,
                          .path = fields.path("duration"),
                          .what = "run has too many steps",
                          .got = fmt::format("{:.3g} steps", settings.duration / settings.step),
                          .allowed = fmt::format("at most {:.0e} steps", most_steps),
                          .fix = "shorten the duration or lengthen the step"});
  }
  return settings;
}

Expectation read_expectation(const json::Node& node, const std::string& path, SceneErrors& errors) {
  const Fields fields(node, path, expectation_fields(), errors);
  Expectation expectation;
  expectation.line = node.line;
  fields.read("quantity", expectation.quantity);
  fields.read("at_most", expectation.at_most);
  fields.read("at_least", expectation.at_least);
  fields.read("equals", expectation.equals);
  const bool tolerance = fields.read_number("tolerance", expectation.tolerance, {0});
  if (!node.is(json::Node::Kind::object)) return expectation;
  if (fields.find("quantity") && expectation.quantity.empty())
    errors.add(*fields.find("quantity"), fields.path("quantity"), ErrorCode::empty,
               "quantity is empty", "\"\"", "a path into summary.json",
               "write penetration.max, for example");
  if (!fields.find("at_most") && !fields.find("at_least") && !fields.find("equals"))
    errors.add(node, path, ErrorCode::incomplete, "expectation expects nothing", "",
               "at_most, at_least or equals", "add one of them");
  if (tolerance && !fields.find("equals"))
    errors.add(*fields.find("tolerance"), fields.path("tolerance"), ErrorCode::incomplete,
               "tolerance belongs to \"equals\"", json::summary(*fields.find("tolerance")), "",
               "add \"equals\" or drop it");
  if (expectation.at_most && expectation.at_least && *expectation.at_most < *expectation.at_least)
    errors.add(node, path, ErrorCode::conflict,
               "no value meets the expectation: at_most is below at_least", "",
               "at_least <= at_most", "swap them");
  return expectation;
}

json::Node write_simulation(const SimulationSettings& settings) {
  json::Node node = json::Node::object();
  node.set("scheme", write_options(settings.scheme));
  node.set("solver", write_options(settings.solver));
  node.set("verdict", write_plain_options(settings.verdict));
  node.set("forces", write_plain_options(settings.forces));
  node.set("record", write_plain_options(settings.record));
  node.set("step", settings.step);
  node.set("duration", settings.duration);
  return node;
}

json::Node write_expectation(const Expectation& expectation) {
  json::Node node = json::Node::object();
  node.set("quantity", expectation.quantity);
  if (expectation.at_most) node.set("at_most", *expectation.at_most);
  if (expectation.at_least) node.set("at_least", *expectation.at_least);
  if (expectation.equals) node.set("equals", *expectation.equals);
  if (expectation.equals && expectation.tolerance != 0)
    node.set("tolerance", expectation.tolerance);
  return node;
}

}  // namespace cairn::scene
