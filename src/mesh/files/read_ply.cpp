// Reads PLY: points and polygons of ASCII and binary files in either order of bytes. Other elements
// and properties are passed over.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "mesh/files/read_mesh.hpp"
#include "mesh/files/text.hpp"

namespace cairn::mesh {
namespace {

enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<Type> type_of(std::string_view word) {
  constexpr std::array<std::array<std::string_view, 2>, 8> names = {{{"char", "int8"},
                                                                     {"uchar", "uint8"},
                                                                     {"short", "int16"},
                                                                     {"ushort", "uint16"},
                                                                     {"int", "int32"},
                                                                     {"uint", "uint32"},
                                                                     {"float", "float32"},
                                                                     {"double", "float64"}}};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (word == names[i][0] || word == names[i][1]) return static_cast<Type>(i);
  return std::nullopt;
}

std::size_t size_of(Type type) {
  constexpr std::array<std::size_t, 8> sizes = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

bool is_real(Type type) {
  return type == Type::f32 || type == Type::f64;
}

struct Property {
  std::string name;
  Type type = Type::f32;
  std::optional<Type> count;  // of a list
};

struct Element {
  std::string name;
  std::uint64_t count = 0;
  int line = 0;
  std::vector<Property> properties;
};

enum class Form : std::uint8_t { ascii, little, big };

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& file) : all_(bytes), file_(file) {}

  Result<MeshFile> read() {
    if (!header() || !counts_fit()) return fail(std::move(error_));
    for (const Element& element : elements_) {
      const bool points = element.name == "vertex", faces = element.name == "face";
      for (std::uint64_t i = 0; i < element.count; ++i)
        if (!(points ? read_point(element) : faces ? read_face(element) : skip(element)))
          return fail(std::move(error_));
    }
    if (form_ == Form::ascii)
      for (; at_ < all_.size() && is_blank(all_[at_]); ++at_) line_ += all_[at_] == '\n';
    if (at_ != all_.size()) {
      refuse(ErrorCode::wrong_size, "data follow the last element",
             fmt::format("{} bytes", all_.size() - at_), "none", "check the counts of the header");
      return fail(std::move(error_));
    }
    if (mesh_.points.empty()) {
      refuse(ErrorCode::empty, "file has no vertices", "", "an element \"vertex\"",
             "export the mesh again");
      return fail(std::move(error_));
    }
    for (const auto& t : mesh_.triangles)
      CAIRN_DCHECK(t[0] >= 0 && static_cast<std::size_t>(t[0]) < mesh_.points.size());
    constexpr std::array<const char*, 3> forms = {"ASCII", "binary, little-endian",
                                                  "binary, big-endian"};
    return MeshFile{std::move(mesh_),
                    fmt::format("PLY, {}", forms[static_cast<std::size_t>(form_)]), ""};
  }

 private:
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // Records an error here: a line of the header and of ASCII files, else a byte.
  bool refuse(ErrorCode code, std::string what, std::string got, std::string allowed,
              std::string fix) {
    const bool text = form_ == Form::ascii;
    if (!text) what += fmt::format(", byte {}", at_);
    error_ = mesh_error(file_, text ? line_ : 0, code, std::move(what), std::move(got),
                        std::move(allowed), std::move(fix));
    return false;
  }

  // ---- Header

  // A line without its end; nothing if there is none.
  std::optional<std::string_view> header_line() {
    const std::size_t end = all_.find('\n', at_);
    if (end == std::string_view::npos || end - at_ > 4096) return std::nullopt;
    std::string_view line = all_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  bool bad_line(std::string what, std::string_view got, std::string allowed) {
    form_ = Form::ascii;  // the place is a line
    return refuse(ErrorCode::syntax, std::move(what), shown(got), std::move(allowed),
                  "export the mesh again");
  }

  bool header() {
    Form form = Form::ascii;
    bool has_form = false;
    line_ = 0;
    if (const auto first = header_line(); !first || *first != "ply")
      return bad_line("file does not begin as PLY files do", first.value_or(""), "\"ply\"");
    while (true) {
      const auto line = header_line();
      if (!line) return bad_line("header has no end", "", "\"end_header\"");
      Words words(*line);
      const std::string_view word = words.next();
      if (word == "end_header") break;
      if (word == "comment" || word == "obj_info" || word.empty()) continue;
      if (word == "format") {
        const std::string_view name = words.next();
        if (name == "binary_little_endian")
          form = Form::little;
        else if (name == "binary_big_endian")
          form = Form::big;
        else if (name != "ascii")
          return bad_line("unknown format", name, "ascii, binary_little_endian, binary_big_endian");
        if (const std::string_view version = words.next(); version != "1.0")
          return bad_line("unknown version of the format", version, "1.0");
        has_form = true;
      } else if (word == "element") {
        if (!add_element(words)) return false;
      } else if (word == "property") {
        if (!add_property(words)) return false;
      } else {
        return bad_line("unknown word in the header", word, "format, element, property, comment");
      }
    }
    if (!has_form) return bad_line("header names no format", "", "\"format ascii 1.0\"");
    ++line_;
    form_ = form;
    return true;
  }

  bool add_element(Words& words) {
    if (elements_.size() >= 64)
      return bad_line("header has too many elements", words.next(), "at most 64");
    Element& e = elements_.emplace_back();
    e.name = std::string(words.next());
    e.line = line_;
    const std::string_view count = words.next();
    const char* end = count.data() + count.size();
    const auto [stop, status] = std::from_chars(count.data(), end, e.count);
    if (status != std::errc() || stop != end || e.name.empty() || count.empty())
      return bad_line("element has no count", count, "\"element NAME COUNT\"");
    for (std::size_t i = 0; i + 1 < elements_.size(); ++i)
      if (elements_[i].name == e.name)
        return bad_line("element is declared twice", e.name, "each element once");
    return true;
  }

  bool add_property(Words& words) {
    if (elements_.empty()) return bad_line("property before any element", words.next(), "element");
    if (elements_.back().properties.size() >= 256)
      return bad_line("element has too many properties", words.next(), "at most 256");
    Property p;
    std::string_view word = words.next();
    if (word == "list") {
      word = words.next();
      p.count = type_of(word);
      if (!p.count || is_real(*p.count))
        return bad_line("count of a list has no integer type", word, "uchar, int, ...");
      word = words.next();
    }
    const auto type = type_of(word);
    if (!type) return bad_line("unknown type", word, "char to double, int8 to float64");
    p.type = *type;
    p.name = std::string(words.next());
    if (p.name.empty()) return bad_line("property has no name", "", "\"property TYPE NAME\"");
    elements_.back().properties.push_back(std::move(p));
    return true;
  }

  // Whether the elements that the header declares can fit into the file at all.
  bool counts_fit() {
    double least = 0;
    for (const Element& e : elements_) {
      std::size_t bytes = 0;
      for (const Property& p : e.properties)
        bytes += form_ == Form::ascii ? 2 : size_of(p.count.value_or(p.type));
      if (bytes == 0 && e.count > 0) {
        line_ = e.line;
        return bad_line("element has no properties", e.name, "at least one");
      }
      const bool points = e.name == "vertex", faces = e.name == "face";
      const std::size_t most = points ? most_points : most_triangles;
      const auto left = static_cast<double>(all_.size() - at_) - least + 1;
      least += static_cast<double>(e.count) * static_cast<double>(bytes);
      if (static_cast<double>(e.count) * static_cast<double>(bytes) > left) {
        line_ = e.line;
        form_ = Form::ascii;
        return refuse(ErrorCode::damaged,
                      fmt::format("header declares {} elements \"{}\" of at least {} bytes",
                                  e.count, e.name, bytes),
                      fmt::format("{} bytes behind the header", all_.size() - at_),
                      "a count that the file holds", "export the mesh again");
      }
      if ((points || faces) && e.count > most) {
        line_ = e.line;
        form_ = Form::ascii;
        refuse(ErrorCode::too_many, "mesh is too large", std::to_string(e.count),
               fmt::format("at most {}", most), "simplify the mesh");
        error_.kind = ErrorKind::limit;
        return false;
      }
    }
    return true;
  }

  // ---- Values

  bool cut_short() {
    return refuse(ErrorCode::damaged, "file ends within the elements that its header declares",
                  fmt::format("{} bytes", all_.size()), "a longer file", "export the mesh again");
  }

  bool word(std::string_view& out) {
    for (; at_ < all_.size() && is_blank(all_[at_]); ++at_) line_ += all_[at_] == '\n';
    std::size_t end = at_;
    while (end < all_.size() && !is_blank(all_[end])) ++end;
    out = all_.substr(at_, end - at_);
    at_ = end;
    return !out.empty() || cut_short();
  }

  // Any value; `integer` says whether it must be one.
  bool value(Type type, double& out, bool integer) {
    if (form_ == Form::ascii) {
      std::string_view text;
      if (!word(text)) return false;
      if (integer) {
        long i = 0;
        if (!read_index(text, i) || std::abs(i) > 1'000'000'000'000L)
          return refuse(ErrorCode::syntax, "not an integer", shown(text), "an integer",
                        "export the mesh again");
        out = static_cast<double>(i);
        return true;
      }
      if (text.starts_with('+')) text.remove_prefix(1);
      const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), out);
      return (status == std::errc() && stop == text.data() + text.size()) ||
             refuse(ErrorCode::syntax, "not a number", shown(text), "a number",
                    "export the mesh again");
    }
    const std::size_t bytes = size_of(type);
    if (all_.size() - at_ < bytes) return cut_short();
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const std::size_t shift = form_ == Form::little ? i : bytes - 1 - i;
      x |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(all_[at_ + i])) << (8 * shift);
    }
    at_ += bytes;
    switch (type) {
      case Type::i8:
        out = static_cast<std::int8_t>(x);
        break;
      case Type::i16:
        out = static_cast<std::int16_t>(x);
        break;
      case Type::i32:
        out = static_cast<std::int32_t>(x);
        break;
      case Type::u8:
      case Type::u16:
      case Type::u32:
        out = static_cast<double>(x);
        break;
      case Type::f32:
        out = std::bit_cast<float>(static_cast<std::uint32_t>(x));
        break;
      case Type::f64:
        out = std::bit_cast<double>(x);
        break;
    }
    return true;
  }

  bool skip_property(const Property& p) {
    double count = 1, ignored = 0;
    if (p.count && !list_count(p, count)) return false;
    for (double i = 0; i < count; ++i)
      if (!value(p.type, ignored, false)) return false;
    return true;
  }

  bool skip(const Element& element) {
    return std::all_of(element.properties.begin(), element.properties.end(),
                       [&](const Property& p) { return skip_property(p); });
  }

  bool list_count(const Property& p, double& count) {
    if (!value(*p.count, count, true)) return false;
    return count >= 0 || refuse(ErrorCode::out_of_range, "negative number of elements in a list",
                                fmt::format("{}", count), "0 or more", "export the mesh again");
  }

  bool read_point(const Element& element) {
    Vec3 p = Vec3::Zero();
    int found = 0;
    for (const Property& property : element.properties) {
      const int k = property.name == "x"   ? 0
                    : property.name == "y" ? 1
                    : property.name == "z" ? 2
                                           : -1;
      if (k < 0 || property.count) {
        if (!skip_property(property)) return false;
        continue;
      }
      if (!value(property.type, p[k], false)) return false;
      if (!(std::abs(p[k]) <= largest_coordinate))
        return refuse(
            ErrorCode::not_finite,
            fmt::format("coordinate of vertex {} is not finite or too large", mesh_.points.size()),
            fmt::format("{}", p[k]), "finite numbers up to 1e30", "export the mesh again");
      found |= 1 << k;
    }
    if (found != 7)
      return refuse(ErrorCode::incomplete, "vertices lack a coordinate", "",
                    "properties x, y and z", "export the mesh again");
    mesh_.points.push_back(p);
    return true;
  }

  bool read_face(const Element& element) {
    bool found = false;
    for (const Property& property : element.properties) {
      const bool corners = property.count && !is_real(property.type) &&
                           (property.name == "vertex_indices" || property.name == "vertex_index");
      if (!corners) {
        if (!skip_property(property)) return false;
        continue;
      }
      found = true;
      double count = 0, index = 0;
      if (!list_count(property, count)) return false;
      loop_.clear();
      for (double i = 0; i < count; ++i) {
        if (!value(property.type, index, true)) return false;
        if (!(index >= 0 && index < static_cast<double>(mesh_.points.size())))
          return refuse(ErrorCode::out_of_range, "face names no vertex", fmt::format("{}", index),
                        fmt::format("0 to {}", static_cast<double>(mesh_.points.size()) - 1),
                        "put the vertices first, or export the mesh again");
        loop_.push_back(static_cast<std::int32_t>(index));
      }
      if (loop_.size() < 3)
        return refuse(ErrorCode::wrong_size, "face has fewer than three vertices",
                      std::to_string(loop_.size()), "3 or more", "export the mesh again");
      if (mesh_.triangles.size() + loop_.size() > most_triangles + 2) {
        refuse(ErrorCode::too_many, "mesh is too large", "more",
               fmt::format("at most {} triangles", most_triangles), "simplify the mesh");
        error_.kind = ErrorKind::limit;
        return false;
      }
      add_polygon(loop_, mesh_.points, mesh_.triangles);
    }
    return found || refuse(ErrorCode::incomplete, "faces have no list of vertices", "",
                           "property list ... vertex_indices", "export the mesh again");
  }

  std::string_view all_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0;
  Form form_ = Form::ascii;
  std::vector<Element> elements_;
  TriangleMesh mesh_;
  std::vector<std::int32_t> loop_;
  Error error_;
};

}  // namespace

Result<MeshFile> parse_ply(std::string_view bytes, const std::string& file) {
  return PlyReader(bytes, file).read();
}

}  // namespace cairn::mesh
