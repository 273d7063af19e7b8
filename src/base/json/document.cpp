// Parser of JSON with comments; reads a text, writes a tree with places.
#include "base/json/document.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "base/error_list.hpp"
#include "base/json/count_values.hpp"
#include "base/json/utf8.hpp"

namespace cairn::json {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Every rule returns false once the text cannot be read further; the callers unwind.
class DocumentParser {
 public:
  DocumentParser(std::string_view text, const std::string& file, const DocumentLimits& limits)
      : text_(text), file_(file), limits_(limits) {}

  Result<Node> run() {
    Node root;
    if (text_.size() > limits_.bytes) {
      fail_here(ErrorCode::too_large, "file is too large", fmt::format("{} bytes", text_.size()),
                fmt::format("at most {} bytes", limits_.bytes), "split the scene or use generators",
                ErrorKind::limit);
    } else if (text_.size() > 2 * limits_.nodes && count_values(text_) > limits_.nodes) {
      // A value takes two bytes at least, so that only large files are looked at twice. Nothing has
      // been allocated yet.
      too_many_values(fmt::format("{}", count_values(text_)));
    } else {
      if (text_.starts_with("\xEF\xBB\xBF")) pos_ = line_start_ = 3;
      if (blanks() && !empty() && value(root, 0) && blanks() && !at_end())
        fail_here(ErrorCode::syntax, "there is text after the end of the document", found(),
                  "one value", "remove it, or the bracket that ends too early");
    }
    if (!errors_.empty()) return tl::unexpected<Errors>(errors_.take());
    return root;
  }

 private:
  bool value(Node& node, int depth) {
    place(node.line, node.column);
    if (++nodes_ > limits_.nodes) return too_many_values("");
    if (depth > limits_.depth)
      return fail_here(ErrorCode::too_deep, "brackets are nested too deeply",
                       fmt::format("{} levels", depth),
                       fmt::format("at most {} levels", limits_.depth), "flatten the document",
                       ErrorKind::limit);
    const char c = peek();
    if (c == '{') return object(node, depth);
    if (c == '[') return array(node, depth);
    if (c == '"') {
      node.kind = Node::Kind::string;
      return string(node.string);
    }
    if (c == '-' || is_digit(c)) return number(node);
    return word(node);
  }

  bool object(Node& node, int depth) {
    node.kind = Node::Kind::object;
    ++pos_;
    if (!blanks()) return false;
    if (peek() == '}') return ++pos_, true;
    while (true) {
      Key key;
      place(key.line, key.column);
      if (peek() != '"')
        return fail_here(ErrorCode::syntax, "expected a key in double quotes", found(), "",
                         "write \"key\": value");
      if (!string(key.text) || !blanks()) return false;
      if (peek() != ':')
        return fail_here(ErrorCode::syntax,
                         "expected ':' after key \"" + shortened(key.text) + "\"", found(), "",
                         "write \"key\": value");
      ++pos_;
      node.keys.push_back(std::move(key));
      node.items.emplace_back();
      if (!blanks() || !value(node.items.back(), depth + 1) || !blanks()) return false;
      if (peek() == '}') break;
      if (!comma("object", '}')) return false;
    }
    ++pos_;
    report_duplicates(node);
    return true;
  }

  bool array(Node& node, int depth) {
    node.kind = Node::Kind::array;
    ++pos_;
    if (!blanks()) return false;
    if (peek() == ']') return ++pos_, true;
    while (true) {
      node.items.emplace_back();
      if (!value(node.items.back(), depth + 1) || !blanks()) return false;
      if (peek() == ']') break;
      if (!comma("array", ']')) return false;
    }
    ++pos_;
    return true;
  }

  // Between two members; a comma before the closing bracket is the most frequent slip.
  bool comma(const std::string& where, char closing) {
    if (peek() != ',')
      return fail_here(ErrorCode::syntax,
                       fmt::format("expected ',' or '{}' in the {}", closing, where), found(), "",
                       "add the missing comma or bracket");
    int line = 0, column = 0;
    place(line, column);
    ++pos_;
    if (!blanks()) return false;
    if (peek() != closing) return true;
    return fail_at(line, column, ErrorCode::syntax, "comma before the end of the " + where, "", "",
                   "remove the comma");
  }

  bool string(std::string& out) {
    int line = 0, column = 0;
    place(line, column);
    ++pos_;
    while (true) {
      if (at_end())
        return fail_at(line, column, ErrorCode::syntax, "string is not closed",
                       "the end of the file", "", "add the closing quote");
      if (out.size() > limits_.string_bytes)
        return fail_at(line, column, ErrorCode::too_large, "string is too long", "",
                       fmt::format("at most {} bytes", limits_.string_bytes), "shorten it",
                       ErrorKind::limit);
      const char c = text_[pos_];
      if (c == '"') return ++pos_, true;
      if (c == '\n' || c == '\r')
        return fail_at(line, column, ErrorCode::syntax, "string is not closed on its line", "", "",
                       "add the closing quote, or write \\n");
      if (static_cast<unsigned char>(c) < 0x20)
        return fail_here(ErrorCode::syntax, "control character in a string",
                         fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c)), "",
                         "write it as \\u00XX");
      if (c == '\\') {
        if (!escape(out)) return false;
        continue;
      }
      const std::size_t length = utf8_length(text_.substr(pos_));
      if (length == 0)
        return fail_here(ErrorCode::encoding, "text is not valid UTF-8",
                         fmt::format("byte 0x{:02X}", static_cast<unsigned char>(c)), "UTF-8",
                         "save the file as UTF-8");
      out.append(text_, pos_, length);
      pos_ += length;
      continuation_bytes_ += length - 1;
    }
  }

  bool escape(std::string& out) {
    constexpr std::string_view codes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    const char code = pos_ + 1 < text_.size() ? text_[pos_ + 1] : '\0';
    if (const std::size_t i = codes.find(code); i != std::string_view::npos) {
      out += meanings[i];
      pos_ += 2;
      return true;
    }
    std::uint32_t point = 0, low = 0;
    bool good = code == 'u' && hex4(pos_ + 2, point);
    std::size_t length = 6;
    const bool half = good && point >= 0xD800 && point < 0xE000;
    if (good && point >= 0xD800 && point < 0xDC00) {  // first half of a surrogate pair
      good = text_.substr(pos_ + 6, 2) == "\\u" && hex4(pos_ + 8, low) && low >= 0xDC00 &&
             low < 0xE000;
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      length = 12;
    } else if (point >= 0xDC00 && point < 0xE000) {
      good = false;
    }
    if (!good && half)
      return fail_here(ErrorCode::syntax, "half of a surrogate pair stands alone",
                       std::string(text_.substr(pos_, 6)),
                       "\\uD800 to \\uDBFF followed by \\uDC00 to \\uDFFF",
                       "write both halves, or the character itself");
    if (!good)
      return fail_here(ErrorCode::syntax, "unknown escape in a string", "",
                       "\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX", "write \\\\ for a backslash");
    append_utf8(point, out);
    pos_ += length;
    return true;
  }

  bool hex4(std::size_t at, std::uint32_t& out) const {
    if (at + 4 > text_.size()) return false;
    const char* first = text_.data() + at;
    return std::from_chars(first, first + 4, out, 16).ptr == first + 4;
  }

  bool number(Node& node) {
    // JSON's grammar is narrower than that of from_chars: no leading zeros, digits on both sides of
    // the point.
    std::size_t end = pos_ + (peek() == '-' ? 1 : 0);
    const auto digits = [&] {
      const std::size_t start = end;
      while (end < text_.size() && is_digit(text_[end])) ++end;
      return end - start;
    };
    const std::size_t first_digit = end;
    const std::size_t whole = digits();
    bool good = whole == 1 || (whole > 1 && text_[first_digit] != '0');
    if (end < text_.size() && text_[end] == '.') good &= (++end, digits() > 0);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      ++end;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      good &= digits() > 0;
    }
    const bool letter_behind = end < text_.size() && (is_letter(text_[end]) || text_[end] == '.');
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.'))
      ++end;
    const std::string got = shortened(text_.substr(pos_, end - pos_));
    if (!good || letter_behind)
      return fail_here(ErrorCode::syntax, "number is malformed", got, "numbers such as -1.5e-3",
                       "write it as JSON does: no leading zeros, no unit, no bare point");
    node.kind = Node::Kind::number;
    const auto status = std::from_chars(text_.data() + pos_, text_.data() + end, node.number).ec;
    if (status == std::errc::result_out_of_range) {
      // Too small rounds to zero; too large has no value.
      const std::size_t exponent = got.find_first_of("eE");
      if (exponent == std::string::npos || got[exponent + 1] != '-')
        return fail_here(ErrorCode::out_of_range, "number is too large", got, "-1.8e308 to 1.8e308",
                         "write a finite number");
      node.number = 0;
    }
    pos_ = end;
    return true;
  }

  bool word(Node& node) {
    std::size_t end = pos_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    const std::string_view name = text_.substr(pos_, end - pos_);
    if (name == "true" || name == "false") {
      node.kind = Node::Kind::boolean;
      node.boolean = name == "true";
    } else if (name == "NaN" || name == "nan" || name == "Infinity" || name == "inf") {
      return fail_here(ErrorCode::not_finite, "number is not finite", std::string(name),
                       "finite numbers", "write a finite number");
    } else if (name != "null") {
      const bool at_quote = peek() == '\'';
      if (peek() == '+' || peek() == '.')
        return fail_here(ErrorCode::syntax, "number is malformed", found(),
                         "numbers such as -1.5e-3",
                         "write it as JSON does: no plus sign, a digit before the point");
      return fail_here(
          ErrorCode::syntax, "expected a value", found(),
          "a number, a string in double quotes, true, false, null, [...] or {...}",
          at_quote ? "use double quotes"
                   : (name.empty() ? "add the missing value" : "put text into double quotes"));
    }
    pos_ = end;
    return true;
  }

  // White space and comments.
  bool blanks() {
    while (!at_end()) {
      const char c = text_[pos_];
      if (c == '\n') {
        next_line();
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++pos_;
      } else if (c == '/') {
        if (!comment()) return false;
      } else {
        break;
      }
    }
    return true;
  }

  bool comment() {
    int line = 0, column = 0;
    place(line, column);
    const std::string_view start = text_.substr(pos_, 2);
    const bool block = start == "/*";
    if (!block && start != "//")
      return fail_here(ErrorCode::syntax, "unexpected '/'", found(), "// comment or /* comment */",
                       "write // before a comment");
    pos_ += 2;
    while (!at_end()) {
      if (block && text_.substr(pos_, 2) == "*/") return pos_ += 2, true;
      if (text_[pos_] == '\n') {
        if (!block) return true;
        next_line();
        continue;
      }
      const std::size_t length = std::max<std::size_t>(1, utf8_length(text_.substr(pos_)));
      pos_ += length;
      continuation_bytes_ += length - 1;
    }
    return !block ||
           fail_at(line, column, ErrorCode::syntax, "comment is not closed", "", "", "add */");
  }

  void report_duplicates(const Node& node) {
    std::vector<std::size_t> order(node.keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return node.keys[a].text < node.keys[b].text;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
      const Key &first = node.keys[order[i - 1]], &second = node.keys[order[i]];
      if (first.text != second.text) continue;
      fail_at(second.line, second.column, ErrorCode::duplicate_key,
              fmt::format("key \"{}\" is given twice, first in line {}", shortened(first.text),
                          first.line),
              "", "each key once", "remove one of them");
    }
  }

  bool at_end() const { return pos_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[pos_]; }
  void next_line() {
    line_start_ = ++pos_;
    continuation_bytes_ = 0;
    ++line_;
  }
  void place(int& line, int& column) const {
    line = line_;
    column = static_cast<int>(pos_ - line_start_ - continuation_bytes_) + 1;
  }

  static std::string shortened(std::string_view text) {
    return std::string(text.substr(0, 40)) + (text.size() > 40 ? "..." : "");
  }
  std::string found() const {
    if (at_end()) return "the end of the file";
    std::size_t end = pos_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    if (end > pos_) return "'" + shortened(text_.substr(pos_, end - pos_)) + "'";
    const std::size_t length = utf8_length(text_.substr(pos_));
    const auto byte = static_cast<unsigned char>(text_[pos_]);
    return length == 0 || byte < 0x20 ? fmt::format("byte 0x{:02X}", byte)
                                      : "'" + std::string(text_.substr(pos_, length)) + "'";
  }

  bool empty() {
    if (!at_end()) return false;
    fail_here(ErrorCode::empty, "the document is empty", "", "one value",
              "write it, or name another file");
    return true;
  }
  bool too_many_values(std::string got) {
    return fail_here(ErrorCode::too_many, "document has too many values", std::move(got),
                     fmt::format("at most {}, which take {} MB of memory", limits_.nodes,
                                 limits_.nodes * sizeof(Node) >> 20),
                     "use generators", ErrorKind::limit);
  }
  bool fail_here(ErrorCode code, std::string what, std::string got, std::string allowed,
                 std::string fix, ErrorKind kind = ErrorKind::input) {
    int line = 0, column = 0;
    place(line, column);
    return fail_at(line, column, code, std::move(what), std::move(got), std::move(allowed),
                   std::move(fix), kind);
  }
  bool fail_at(int line, int column, ErrorCode code, std::string what, std::string got,
               std::string allowed, std::string fix, ErrorKind kind = ErrorKind::input) {
    errors_.add({kind, code, file_, line, column, "", std::move(what), std::move(got),
                 std::move(allowed), std::move(fix)});
    return false;
  }

  std::string_view text_;
  const std::string& file_;
  const DocumentLimits& limits_;
  base::ErrorList errors_;
  std::size_t pos_ = 0;
  std::size_t line_start_ = 0;
  std::size_t continuation_bytes_ = 0;  // of multi-byte characters since line_start_
  std::size_t nodes_ = 0;
  int line_ = 1;
};

}  // namespace

Result<Node> parse_document(std::string_view text, const std::string& file,
                            const DocumentLimits& limits) {
  return DocumentParser(text, file, limits).run();
}

}  // namespace cairn::json
