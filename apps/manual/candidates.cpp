// Finds what may stand at the end of a command line.
#include <algorithm>
#include <set>

#include "cairn/options.hpp"
#include "exports/quantities.hpp"
#include "manual/manual.hpp"
#include "reproduce/experiment.hpp"
#include "scene/settings.hpp"
#include "terminal/scene_file.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

using Candidates = std::vector<Candidate>;

// Visitor of describe(): what --set takes for the options of one kind.
struct SettingKeys {
  std::string place;  // "simulation.scheme."
  Candidates keys;    // "simulation.scheme.gamma="
  Candidates values;  // "simulation.scheme.restitution=completed", where the values have names

  void number(const char* key, double&, const Range&, const char*, const char* text) {
    add(key, text);
  }
  template <class Integer>
  void integer(const char* key, Integer&, std::int64_t, std::int64_t, const char* text) {
    add(key, text);
  }
  void boolean(const char* key, bool&, const char* text) {
    add(key, text);
    for (const char* word : {"false", "true"}) values.push_back({place + key + "=" + word, ""});
  }
  template <class Enum>
  void choice(const char* key, Enum&, Names names, const char* text) {
    add(key, text);
    for (const char* name : names) values.push_back({place + key + "=" + name, ""});
  }
  void add(const char* key, const char* text) { keys.push_back({place + key + "=", text}); }
};

template <class Options>
void add_settings(SettingKeys& all, const char* place, Options options) {
  all.place = place;
  describe(all, options);
}

template <class Variant>
void add_alternatives(SettingKeys& all, const std::string& place, const char* text) {
  all.keys.push_back({place + "type=", text});
  scene::for_each_alternative<Variant>([&](auto options) {
    all.values.push_back({place + "type=" + scene::option_type(options), ""});
    add_settings(all, place.c_str(), options);
  });
}

// Words for KEY=VALUE: keys until one is typed, then its values.
Candidates settings(const std::string& typed) {
  SettingKeys all;
  all.keys = {{"simulation.step=", "length of a step [s]"},
              {"simulation.duration=", "simulated time [s]"}};
  add_alternatives<SchemeOptions>(all, "simulation.scheme.", "how a step is taken");
  add_alternatives<SolverOptions>(all, "simulation.solver.", "how problems are solved");
  add_settings(all, "simulation.verdict.", VerdictOptions{});
  add_settings(all, "simulation.forces.", ForceOptions{});
  add_settings(all, "simulation.record.", RecordOptions{});
  return typed.find('=') == std::string::npos ? all.keys : all.values;
}

Candidates scenes() {
  Candidates words = {{"@files", ""}};
  for (const std::string& name : installed_scenes()) words.push_back({name, "installed scene"});
  return words;
}

Candidates solvers() {
  Candidates words;
  scene::for_each_alternative<SolverOptions>([&](auto options) {
    words.push_back({scene::option_type(options), ""});
  });
  words.push_back({"all", "all of them, in a table"});
  return words;
}

// What may stand for the value of an option: by the name of the value in its help, and by its own
// where that says more.
Candidates values(const CLI::Option& option, const std::string& typed) {
  const std::string name = option.get_name();
  const std::string kind = option.nonpositional() ? value_name(option) : name;
  if (kind == "DIR") return {{"@dirs", ""}};
  if (kind == "KEY=VALUE") return settings(typed);
  if (kind == "SCENE" || kind == "FILE") return scenes();
  if (kind == "FORMAT")
    return {{"csv", "tables"}, {"gltf", "animated scene"}, {"hdf5", ""}, {"vtk", "ParaView"}};
  if (kind == "VIEW") return {{"home", ""}, {"front", ""}, {"side", ""}, {"top", ""}};
  if (kind == "SHELL") return {{"bash", ""}, {"fish", ""}, {"zsh", ""}};
  if (name == "--solver") return solvers();
  Candidates words;
  if (kind == "ID") {
    for (const reproduce::Experiment& each : reproduce::experiments())
      words.push_back({each.id, each.text});
    words.push_back({"all", "all of them"});
    return words;
  }
  if (kind == "QUANTITY") {
    words.push_back({"energy", "total, kinetic and potential"});
    for (const exports::QuantityName& each : exports::scene_quantities())
      words.push_back({each.name, each.text});
    return words;
  }
  for (const char* file : {"FILE", "TRACE", "PROBLEM", "OUT", "PATH"})
    if (kind.rfind(file, 0) == 0) return {{"@files", ""}};
  return {};
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* each : commands_of(app))
    if (each->get_name() == name) return each;
  return nullptr;
}

const CLI::Option* option_named(const CLI::App& app, const std::string& word) {
  for (const CLI::Option* each : named_options(app)) {
    for (const std::string& name : each->get_lnames())
      if (word == "--" + name) return each;
    for (const std::string& name : each->get_snames())
      if (word == "-" + name) return each;
  }
  return nullptr;
}

Candidates option_names(const CLI::App& app) {
  Candidates words;
  for (const CLI::Option* each : named_options(app)) {
    for (const std::string& name : each->get_lnames())
      words.push_back({"--" + name, each->get_description()});
    for (const std::string& name : each->get_snames())
      words.push_back({"-" + name, each->get_description()});
  }
  return words;
}

Candidates command_names(const CLI::App& app) {
  Candidates words;
  for (const CLI::App* each : commands_of(app))
    words.push_back({each->get_name(), each->get_description()});
  return words;
}

}  // namespace

std::vector<Candidate> candidates(const CLI::App& program, std::span<const std::string> words) {
  if (words.empty()) return {};
  // Follow the words that are complete.
  const CLI::App* app = &program;
  const CLI::Option* pending = nullptr;  // its value comes next
  std::size_t placed = 0;                // words that are no options so far
  for (const std::string& word : words.first(words.size() - 1)) {
    if (pending) {
      pending = nullptr;
    } else if (word.size() > 1 && word[0] == '-') {
      const CLI::Option* option = option_named(*app, word);
      if (option && takes_value(*option)) pending = option;
    } else if (const CLI::App* command = command_named(*app, word); command && placed == 0) {
      app = command;
    } else {
      ++placed;
    }
  }
  const std::string& typed = words.back();
  Candidates found;
  std::string before;  // "--set=" of "--set=simulation.step"
  const std::size_t equals = typed.find('=');
  const CLI::Option* joined = typed.rfind("--", 0) == 0 && equals != std::string::npos
                                  ? option_named(*app, typed.substr(0, equals))
                                  : nullptr;
  if (pending) {
    found = values(*pending, typed);
  } else if (joined) {
    before = typed.substr(0, equals + 1);
    found = values(*joined, typed.substr(before.size()));
    for (Candidate& each : found)
      if (each.word[0] != '@') each.word.insert(0, before);
  } else if (!typed.empty() && typed[0] == '-') {
    found = option_names(*app);
  } else {
    found = command_names(*app);
    const std::vector<const CLI::Option*> places = placed_options(*app);
    if (!places.empty() && found.empty())
      found = placed < places.size()                        ? values(*places[placed], typed)
              : places.back()->get_items_expected_max() > 1 ? values(*places.back(), typed)
                                                            : Candidates{};
  }
  // Alternatives of a variant share options: each word once, the first text about it.
  std::set<std::string> seen;
  std::erase_if(found, [&](const Candidate& each) {
    const bool fits = each.word[0] == '@' || each.word.rfind(typed, 0) == 0;
    return !fits || !seen.insert(each.word).second;
  });
  return found;
}

int complete(const CLI::App& program, std::span<const std::string> words) {
  std::string text;
  for (const Candidate& each : candidates(program, words))
    text += each.word + "\t" + each.text + "\n";
  print(text);
  return 0;
}

}  // namespace cairn::app
