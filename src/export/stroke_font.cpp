// The font: each letter is a list of strokes on a grid in which capitals are 9 high, small
// letters 6.
#include "export/stroke_font.hpp"

#include <algorithm>

namespace cairn {
namespace {

// Pairs of x and y without separators; y is 0 to 9, or z, y, x for -1, -2, -3 below the base line.
// A blank ends a stroke. Corners of strokes that begin with ~ are rounded.
constexpr std::string_view glyphs[] = {
    "",                                  // blank
    "0903 0000",                         // !
    "0906 2926",                         // "
    "1029 4059 0363 0666",               // #
    "~6769090564600002 3z39",            // $
    "0069 ~192927070919 ~526260404252",  // %
    "~601619494603004063",               // &
    "0906",                              // '
    "~2907012z",                         // (
    "~0927210z",                         // )
    "2824 0745 0547",                    // *
    "3137 0464",                         // +
    "110y",                              // ,
    "0444",                              // -
    "0000",                              // .
    "0059",                              // /
    "~040959500004",                     // 0
    "072920",                            // 1
    "~0709595500 0050",                  // 2
    "~0709595525 ~2555500002",           // 3
    "40490363",                          // 4
    "590905 ~053656500001",              // 5
    "~5859090050550503",                 // 6
    "095920",                            // 7
    "~070959550507 ~020555500002",       // 8
    "~0100505909045456",                 // 9
    "0505 0000",                         // :
    "1515 110y",                         // ;
    "570451",                            // <
    "0555 0252",                         // =
    "075401",                            // >
    "~070959562523 2020",                // ?
    "~60000878725256 ~545626225254",     // @
    "003960 1353",                       // A
    "0009 ~093959553505 ~053565603000",  // B
    "~676909006062",                     // C
    "0009 ~093969603000",                // D
    "59090050 0545",                     // E
    "590900 0545",                       // F
    "~676909006064 6434",                // G
    "0009 6069 0565",                    // H
    "0009",                              // I
    "~49400002",                         // J
    "0009 6903 2560",                    // K
    "090050",                            // L
    "0009438980",                        // M
    "00096069",                          // N
    "~040979700004",                     // O
    "0009 ~093969643404",                // P
    "~040979700004 427z",                // Q
    "0009 ~093969643404 3460",           // R
    "~6769090564600002",                 // S
    "0969 3930",                         // T
    "~090400606469",                     // U
    "093069",                            // V
    "0920486089",                        // W
    "0069 0960",                         // X
    "093569 3530",                       // Y
    "09690060",                          // Z
    "29090z2z",                          // [
    "0950",                              // backslash
    "09292z0z",                          // ]
    "062946",                            // ^
    "0z6z",                              // _
    "0927",                              // `
    "5650 ~545606005052",                // a
    "0900 ~040656500002",                // b
    "~555606005051",                     // c
    "5950 ~545606005052",                // d
    "0353 ~535606005051",                // e
    "~39191510 0636",                    // f
    "~56535x0x0y ~545606005052",         // g
    "0900 ~0406565350",                  // h
    "0600 0808",                         // i
    "~26202x0x 2828",                    // j
    "0900 4602 1340",                    // k
    "0900",                              // l
    "0600 ~0406464340 ~4446868380",      // m
    "0600 ~0406565350",                  // n
    "~030656500003",                     // o
    "060x ~040656500002",                // p
    "565x ~545606005052",                // q
    "0600 ~030636",                      // r
    "~5556060353500001",                 // s
    "~18131030 0636",                    // t
    "~0603005052 5650",                  // u
    "062046",                            // v
    "0620466086",                        // w
    "0650 0056",                         // x
    "0620 461x",                         // y
    "06560050",                          // z
    "39191504131z3z",                    // {
    "090y",                              // |
    "09292534232z0z",                    // }
    "~04164355",                         // ~
};
static_assert(std::size(glyphs) == 95);
constexpr std::string_view unknown = "0007474000";
constexpr double grid_capital = 9, gap = 2.6, blank = 3.2;

// Cuts every corner at a quarter of its sides, twice (Chaikin): a curve through the ends.
Polyline rounded(Polyline points) {
  for (int round = 0; round < 2; ++round) {
    Polyline cut = {points.front()};
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const auto &a = points[i], &b = points[i + 1];
      if (i > 0) cut.push_back({0.75 * a[0] + 0.25 * b[0], 0.75 * a[1] + 0.25 * b[1]});
      if (i + 2 < points.size())
        cut.push_back({0.25 * a[0] + 0.75 * b[0], 0.25 * a[1] + 0.75 * b[1]});
    }
    cut.push_back(points.back());
    points = std::move(cut);
  }
  return points;
}

double level(char c) {
  return c >= 'x' ? c - 'z' - 1 : c - '0';
}

// Appends the strokes of one letter; returns its width on the grid.
double write_glyph(std::string_view code, double x0, double scale, std::vector<Polyline>& strokes) {
  double width = 0;
  while (!code.empty()) {
    std::string_view stroke = code.substr(0, code.find(' '));
    code.remove_prefix(std::min(code.size(), stroke.size() + 1));
    const bool round = stroke.front() == '~';
    if (round) stroke.remove_prefix(1);
    Polyline points;
    for (std::size_t i = 0; i + 1 < stroke.size(); i += 2) {
      width = std::max(width, level(stroke[i]));
      points.push_back({(x0 + level(stroke[i])) * scale, level(stroke[i + 1]) * scale});
    }
    strokes.push_back(round ? rounded(std::move(points)) : std::move(points));
  }
  return width;
}

}  // namespace

WrittenText write_text(std::string_view text, double height) {
  WrittenText written;
  const double scale = height / grid_capital;
  double x = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 && byte < 0xC0) continue;  // the rest of a character that was drawn
    if (c == ' ') {
      x += blank + gap;
      continue;
    }
    const bool known = byte > 0x20 && byte < 0x7F;
    const double end =
        x + write_glyph(known ? glyphs[byte - 0x20] : unknown, x, scale, written.strokes);
    written.width = end * scale;
    x = end + gap;
  }
  return written;
}

}  // namespace cairn
