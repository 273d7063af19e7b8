// Parses with pugixml in place, so that names still point into the text and give lines and columns.
#include "imports/xml.hpp"

#include <algorithm>
#include <cstring>
#include <pugixml.hpp>

#include "base/json/utf8.hpp"

namespace cairn::imports {
namespace {

class Lines {
 public:
  Lines(std::string_view text, int file) : text_(text), file_(file) {
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % stride == 0) characters_.push_back(characters);
      characters += starts_character(i);
      if (text[i] == '\n') ends_.push_back(i);
    }
  }
  Place at(std::size_t offset) const {
    const auto line = std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin();
    const std::size_t start = line == 0 ? 0 : ends_[static_cast<std::size_t>(line) - 1] + 1;
    const std::size_t column = characters_before(offset) - characters_before(start) + 1;
    return {static_cast<int>(line) + 1, static_cast<int>(column), file_};
  }

 private:
  // Characters, not bytes. Lines may be as long as files are, so their number is kept at every
  // stride-th byte.
  static constexpr std::size_t stride = 256;
  bool starts_character(std::size_t i) const {
    return (static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80;
  }
  std::size_t characters_before(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    if (offset == 0) return 0;
    const std::size_t known = (offset - 1) / stride;
    std::size_t count = characters_[known];
    for (std::size_t i = known * stride; i < offset; ++i) count += starts_character(i);
    return count;
  }

  std::string_view text_;
  std::vector<std::size_t> ends_, characters_;
  int file_;
};

Error xml_error(const std::string& file, Place place, ErrorCode code, std::string what,
                std::string got, std::string allowed, std::string fix) {
  return {.kind = code == ErrorCode::too_large || code == ErrorCode::too_many ||
                          code == ErrorCode::too_deep
                      ? ErrorKind::limit
                      : ErrorKind::input,
          .code = code,
          .file = file,
          .line = place.line,
          .column = place.column,
          .what = std::move(what),
          .got = std::move(got),
          .allowed = std::move(allowed),
          .fix = std::move(fix)};
}

// Limits that can be seen without parsing: a text of n tags takes memory in proportion to n.
Result<void> check_text(const std::string& text, const std::string& file, const Lines& lines,
                        const XmlLimits& limits) {
  if (text.size() > limits.bytes)
    return fail(xml_error(
        file, {}, ErrorCode::too_large, "file is too large", std::to_string(text.size()) + " bytes",
        "at most " + std::to_string(limits.bytes) + " bytes", "split it into smaller files"));
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    return fail(xml_error(file, lines.at(zero), ErrorCode::encoding, "the text has a zero byte", "",
                          "XML in UTF-8", "save the file as UTF-8"));
  if (!json::is_utf8(text))
    return fail(xml_error(file, {}, ErrorCode::encoding, "the text is not valid UTF-8", "",
                          "XML in UTF-8", "save the file as UTF-8"));
  std::size_t tags = 0, attributes = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    tags += text[i] == '<' && text[i + 1] != '/' && text[i + 1] != '!' && text[i + 1] != '?';
    attributes += text[i] == '=';
  }
  const bool many_tags = tags > limits.elements;
  if (many_tags || attributes > 8 * limits.elements)
    return fail(
        xml_error(file, {}, ErrorCode::too_many,
                  many_tags ? "the file has too many elements" : "the file has too many attributes",
                  std::to_string(many_tags ? tags : attributes),
                  "at most " + std::to_string(many_tags ? limits.elements : 8 * limits.elements),
                  "split it into several models"));
  return {};
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

const char* reason(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_bad_start_element:
      return "a start tag is malformed";
    case pugi::status_bad_attribute:
      return "an attribute is malformed";
    case pugi::status_bad_end_element:
      return "an end tag is malformed";
    case pugi::status_end_element_mismatch:
      return "start and end tags do not match";
    case pugi::status_bad_comment:
      return "a comment does not end";
    case pugi::status_bad_cdata:
      return "a CDATA section does not end";
    case pugi::status_bad_doctype:
      return "the DOCTYPE is malformed";
    case pugi::status_bad_pi:
      return "a processing instruction is malformed";
    case pugi::status_unrecognized_tag:
      return "a tag is not recognised";
    default:
      return "the text is not well-formed XML";
  }
}

// Builds the tree of the parsed document; its names point into `data`.
class Builder {
 public:
  Builder(const char* data, const std::string& file, const Lines& lines, const XmlLimits& limits)
      : data_(data), file_(file), lines_(lines), limits_(limits) {}

  Result<Element> build(const pugi::xml_node& node, int depth) const {
    Element element;
    element.name = node.name();
    element.place = place(node.name());
    if (depth > limits_.depth)
      return fail(xml_error(file_, element.place, ErrorCode::too_deep,
                            "elements are nested too deeply", "<" + element.name + ">",
                            "at most " + std::to_string(limits_.depth) + " levels",
                            "flatten the file"));
    for (const pugi::xml_attribute& a : node.attributes()) {
      const Place at = place(a.name());
      for (const Attribute& other : element.attributes)
        if (other.name == a.name())
          return fail(xml_error(file_, at, ErrorCode::duplicate_key, "the attribute is given twice",
                                a.name(), "once", "remove one of them"));
      element.attributes.push_back({a.name(), a.value(), at});
      if (element.attributes.size() > 200)
        return fail(xml_error(file_, at, ErrorCode::too_many, "the element has too many attributes",
                              "<" + element.name + ">", "at most 200", "remove some of them"));
    }
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
        element.text += trimmed(child.value());
      } else if (child.type() == pugi::node_element) {
        Result<Element> built = build(child, depth + 1);
        if (!built) return built;
        element.children.push_back(std::move(*built));
      }
    }
    return element;
  }

 private:
  Place place(const char* name) const { return lines_.at(static_cast<std::size_t>(name - data_)); }

  const char* data_;
  const std::string& file_;
  const Lines& lines_;
  const XmlLimits& limits_;
};

}  // namespace

const Attribute* Element::find(std::string_view attribute) const {
  for (const Attribute& a : attributes)
    if (a.name == attribute) {
      a.used = true;
      return &a;
    }
  return nullptr;
}

bool Element::has(std::string_view attribute) const {
  return find(attribute) != nullptr;
}

const Element* Element::child(std::string_view child_name) const {
  for (const Element& c : children)
    if (c.name == child_name) {
      c.used = true;
      return &c;
    }
  return nullptr;
}

std::string Element::get(std::string_view attribute, std::string_view otherwise) const {
  const Attribute* a = find(attribute);
  return a ? a->value : std::string(otherwise);
}

void Element::set(std::string_view attribute, std::string value) {
  for (Attribute& a : attributes)
    if (a.name == attribute) {
      a.value = std::move(value);
      return;
    }
  attributes.push_back({std::string(attribute), std::move(value), place});
}

std::size_t element_count(const Element& e) {
  std::size_t n = 1;
  for (const Element& child : e.children) n += element_count(child);
  return n;
}

void mark_used(const Element& e) {
  for (const Attribute& a : e.attributes) a.used = true;
  for (const Element& child : e.children) {
    child.used = true;
    mark_used(child);
  }
}

bool looks_like_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

Result<Element> parse_xml(const std::string& text, const std::string& file, int file_number,
                          const XmlLimits& limits) {
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::string_view body = std::string_view(text).substr(mark);
  const Lines lines(body, file_number);
  if (const Result<void> good = check_text(text, file, lines, limits); !good)
    return tl::unexpected<Errors>(good.error());
  std::string data(body);
  pugi::xml_document document;
  const unsigned flags =
      (pugi::parse_default | pugi::parse_doctype) & ~static_cast<unsigned>(pugi::parse_eol);
  const pugi::xml_parse_result parsed =
      document.load_buffer_inplace(data.data(), data.size(), flags, pugi::encoding_utf8);
  if (parsed.status == pugi::status_no_document_element)
    return fail(xml_error(file, {}, ErrorCode::empty, "the file has no element", "", "",
                          "give a <robot> or a <mujoco> element"));
  if (!parsed)
    return fail(xml_error(file, lines.at(static_cast<std::size_t>(parsed.offset)),
                          ErrorCode::syntax, reason(parsed.status), "", "well-formed XML",
                          "repair the file, for instance with xmllint"));
  pugi::xml_node root;
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_doctype && std::strchr(node.value(), '['))
      return fail(xml_error(file, {1, 1, file_number}, ErrorCode::unsupported,
                            "the file declares entities", "a DOCTYPE with declarations",
                            "no declarations", "replace the entities by their text"));
    if (node.type() != pugi::node_element) continue;
    if (root)
      return fail(
          xml_error(file, lines.at(static_cast<std::size_t>(node.name() - data.data())),
                    ErrorCode::syntax, "the file has two root elements",
                    "<" + std::string(root.name()) + "> and <" + std::string(node.name()) + ">",
                    "one", "put the second one into a file of its own"));
    root = node;
  }
  return Builder(data.data(), file, lines, limits).build(root, 1);
}

}  // namespace cairn::imports
