// Manual pages and completion of a command line, made from its description: CLI::App and the
// options of scenes (cairn/options.hpp). Nothing of them is written by hand.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"

namespace cairn::app {

// A page for `man`: of the program, or of one of its commands with those below it. In roff.
std::string manual_page(const CLI::App& program, const CLI::App& command);

struct ManualOptions {
  std::string command;  // empty: the program
  std::string out;      // folder that gets all pages as NAME.1; empty: print one
};
int manual(const CLI::App& program, const ManualOptions& options);

// A word that may stand where the last of `words` does, with a text about it. The word `@files`
// stands for files, `@dirs` for folders.
struct Candidate {
  std::string word, text;
};
// `words` follow the name of the program; the last one is being typed and may be empty.
std::vector<Candidate> candidates(const CLI::App& program, std::span<const std::string> words);

// cairn complete WORD...: the candidates, a line each, word and text with a tab between. The
// scripts of `cairn completion SHELL` call it.
int complete(const CLI::App& program, std::span<const std::string> words);
int completion(const std::string& shell);

// Commands of a program or a command, in the order of their description.
std::vector<const CLI::App*> commands_of(const CLI::App& app);
// Its options, with or without those that are named by their place.
std::vector<const CLI::Option*> named_options(const CLI::App& app);
std::vector<const CLI::Option*> placed_options(const CLI::App& app);
// "-o, --out"; "SCENE".
std::string names_of(const CLI::Option& option);
// Whether a word follows the option, and what the help calls it: "DIR".
bool takes_value(const CLI::Option& option);
std::string value_name(const CLI::Option& option);

}  // namespace cairn::app
