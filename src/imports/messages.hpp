// Errors and notes of one import, and typed values of attributes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error_list.hpp"
#include "cairn/math.hpp"
#include "cairn/scene.hpp"
#include "imports/xml.hpp"

namespace cairn::imports {

class Messages {
 public:
  explicit Messages(std::string file) { files_.push_back(std::move(file)); }

  const std::string& file(int number = 0) const { return files_[static_cast<std::size_t>(number)]; }
  int add_file(std::string file);

  void error(const Place& place, ErrorCode code, std::string path, std::string what,
             std::string got, std::string allowed, std::string fix);
  void append(const Errors& errors);
  bool ok() const { return errors_.empty(); }
  bool full() const { return errors_.full(); }
  Errors take_errors() { return errors_.take(); }

  // What is not taken over, or otherwise than the file says.
  void note(const Place& place, std::string element, std::string attribute, std::string text);
  // Every element and attribute below `root` that was not read.
  void note_unused(const Element& root);
  std::vector<ImportNote> take_notes() { return std::move(notes_); }

  // Folders of files that packages were found to have: the model names them, so they may be read.
  void found_in(std::string folder) { folders_.push_back(std::move(folder)); }
  std::vector<std::string> take_folders() { return std::move(folders_); }

  // Numbers of an attribute, separated by blanks; nothing if it is absent, or after an error.
  std::optional<std::vector<double>> numbers(const Element& element, std::string_view attribute,
                                             std::size_t least, std::size_t most);
  std::optional<double> number(const Element& element, std::string_view attribute);
  std::optional<Vec3> vector(const Element& element, std::string_view attribute);
  std::optional<bool> boolean(const Element& element, std::string_view attribute);

 private:
  std::vector<std::string> files_;
  base::ErrorList errors_;
  std::vector<ImportNote> notes_;
  std::vector<std::string> folders_;
};

// "link[arm]", "mass": an element for messages.
std::string label(const Element& element);

// A number with six digits.
std::string short_text(double x);

}  // namespace cairn::imports
