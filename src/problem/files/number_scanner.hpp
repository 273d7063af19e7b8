// Reads white-space separated numbers from text and remembers the first fault with its line. After
// a fault every call fails, so that a reader can be written straight down.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cairn/error.hpp"
#include "cairn/math.hpp"

namespace cairn::problem {

class NumberScanner {
 public:
  NumberScanner(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

  // `what` names the number in messages, such as "number of contacts".
  bool integer(const std::string& what, int lo, int hi, int& out);
  bool number(const std::string& what, double& out);  // finite
  bool numbers(const std::string& what, int count, VecX& out);
  bool integers(const std::string& what, int lo, int hi, std::span<int> out);

  // `count` more numbers must fit into the rest of the text: asked before memory is taken for them.
  bool room(const std::string& what, double count);

  std::string_view word();  // the next word, or empty at the end
  bool expect(std::string_view word);
  void skip_line();

  bool ok() const { return error_.what.empty(); }
  // A fault at the last word read; false, so that it can be returned. Later faults are ignored.
  bool fault(ErrorCode code, const std::string& what, const std::string& got = "",
             const std::string& allowed = "", const std::string& fix = "");
  tl::unexpected<Errors> errors() const { return fail(error_); }

 private:
  void skip_space();

  std::string_view text_;
  std::string file_;
  std::size_t place_ = 0;
  int line_ = 1, column_ = 1;            // of place_
  int word_line_ = 1, word_column_ = 1;  // of the last word
  Error error_;
};

}  // namespace cairn::problem
