// Plots and the report: well-formed, escaped, self-contained, small.
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "page/html.hpp"
#include "page/plot.hpp"
#include "page/report.hpp"
#include "page/report_style.hpp"
#include "record/sample.hpp"

namespace cairn::test_report {
namespace {

// The name of a tag, or why the text is not well-formed XML: tags nest, attributes are quoted and
// unique, no bare markup.
std::string xml_fault(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t i = 0; i < xml.size();) {
    if (xml[i] == '&') {
      const std::size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 8) return "bare & at " + std::to_string(i);
      i = end + 1;
      continue;
    }
    if (xml[i] != '<') {
      if (xml[i] == '>') return "bare > at " + std::to_string(i);
      if (open.empty()) return "text outside the root";
      ++i;
      continue;
    }
    const std::size_t end = xml.find('>', i);
    if (end == std::string::npos) return "tag without end";
    std::string tag = xml.substr(i + 1, end - i - 1);
    if (tag.find('<') != std::string::npos) return "< inside a tag";
    i = end + 1;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return "unexpected </" + tag.substr(1) + ">";
      open.pop_back();
      if (open.empty() && i != xml.size()) return "text after the root";
      continue;
    }
    const bool closed = tag.back() == '/';
    if (closed) tag.pop_back();
    const std::size_t name_end = std::min(tag.find(' '), tag.size());
    if (!closed) open.push_back(tag.substr(0, name_end));
    std::vector<std::string> keys;
    for (std::size_t k = name_end; k < tag.size();) {
      if (tag[k] == ' ') {
        ++k;
        continue;
      }
      const std::size_t equal = tag.find("=\"", k);
      if (equal == std::string::npos) return "attribute without quotes in " + tag;
      const std::size_t quote = tag.find('"', equal + 2);
      if (quote == std::string::npos) return "open quote in " + tag;
      keys.push_back(tag.substr(k, equal - k));
      if (std::count(keys.begin(), keys.end(), keys.back()) > 1)
        return "repeated attribute in " + tag;
      k = quote + 1;
    }
  }
  return open.empty() ? "" : "unclosed " + open.back();
}

TEST(Html, EscapesMarkupAndControlCharacters) {
  EXPECT_EQ(page::escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(page::escape(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(Plot, TicksAreRoundAndInside) {
  EXPECT_EQ(page::round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const std::vector<double> ticks = page::round_ticks(-0.31, 0.87, 5);
  for (const double tick : ticks) {
    EXPECT_GE(tick, -0.31);
    EXPECT_LE(tick, 0.87);
    EXPECT_NEAR(std::remainder(tick, 0.5), 0, 1e-12);
  }
  EXPECT_EQ(ticks.size(), 2u);  // 0 and 0.5
}

TEST(Plot, IsWellFormedForEveryKindOfCurve) {
  record::Series empty, constant, tiny, wild;
  constant.add(0, 5);
  for (int i = 0; i < 5000; ++i) {
    tiny.add(1e-9 * i, 1e-12 * std::sin(i));
    wild.add(i, i % 3 == 0 ? 0.0 : std::pow(10, -(i % 40)));
  }
  wild.add(5001, std::nan(""));
  for (const record::Series* series : {&empty, &constant, &tiny, &wild})
    for (const bool log_x : {false, true})
      for (const bool log_y : {false, true}) {
        const page::Curve curves[] = {{"a <b> & \"c\"", series->points()},
                                      {"second", series->points()}};
        const std::string svg = page::plot_svg({.title = "t < 1 & more",
                                                .y = "m",
                                                .log_x = log_x,
                                                .log_y = log_y,
                                                .line = 1e-3,
                                                .line_label = "limit"},
                                               curves);
        EXPECT_EQ(xml_fault(svg), "");
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(svg.find("inf"), std::string::npos);
        // A column of pixels needs two points of about a dozen characters, on two curves.
        EXPECT_LT(svg.size(), 30000u);
      }
}

std::vector<page::Stroke> strokes(const page::Picture& picture, const std::string& style) {
  std::vector<page::Stroke> found;
  for (const auto& mark : picture.marks)
    if (const page::Stroke* s = std::get_if<page::Stroke>(&mark); s && s->style == style)
      found.push_back(*s);
  return found;
}

const page::Words* words(const page::Picture& picture, const std::string& text) {
  for (const auto& mark : picture.marks)
    if (const page::Words* w = std::get_if<page::Words>(&mark); w && w->text == text) return w;
  return nullptr;
}

// A power of x is a straight line on logarithmic axes, with a dot at each point; where x falls it
// is the mirror image.
TEST(Plot, PowersAreStraightOnLogarithmicAxes) {
  page::Curve curve{"x^2", {}};
  for (int k = -3; k <= 2; ++k) curve.points.emplace_back(std::pow(10, k), std::pow(10, 2 * k));
  page::PlotOptions options{.title = "t", .log_x = true, .log_y = true, .dots = true};
  const std::vector<page::Stroke> dots = strokes(page::draw_plot(options, {&curve, 1}), "dot s1");
  ASSERT_EQ(dots.size(), 6u);
  const auto [x0, y0] = dots.front().points.front();
  const auto [x5, y5] = dots.back().points.front();
  EXPECT_LT(x0, x5);
  EXPECT_GT(y0, y5);  // y points down
  for (std::size_t i = 0; i < 6; ++i) {
    const double share = static_cast<double>(i) / 5;
    EXPECT_NEAR(dots[i].points[0][0], x0 + share * (x5 - x0), 1e-9);
    EXPECT_NEAR(dots[i].points[0][1], y0 + share * (y5 - y0), 1e-9);
  }
  options.x_falls = true;
  const std::vector<page::Stroke> mirrored =
      strokes(page::draw_plot(options, {&curve, 1}), "dot s1");
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(mirrored[i].points[0][0], x0 + x5 - dots[i].points[0][0], 1e-9);
}

// Decades that do not fit are left out by whole steps, so that labels keep their distance.
TEST(Plot, DecadesHaveRoomForTheirLabels) {
  const page::Curve curve{"", {{1e-12, 1e-15}, {1e12, 1e3}}};
  for (const double width : {240.0, 480.0, 2000.0}) {
    const page::Picture p =
        page::draw_plot({.title = "t", .log_x = true, .log_y = true, .width = width}, {&curve, 1});
    std::vector<double> below, beside;  // places of labels
    for (const auto& mark : p.marks) {
      const page::Words* w = std::get_if<page::Words>(&mark);
      if (w && w->anchor == page::Anchor::middle) below.push_back(w->x);
      if (w && w->anchor == page::Anchor::end && w->x < 60) beside.push_back(w->y);
    }
    ASSERT_GT(below.size(), 1u);
    ASSERT_GT(beside.size(), 1u);
    for (std::size_t i = 1; i < below.size(); ++i) EXPECT_GE(std::abs(below[i] - below[i - 1]), 48);
    for (std::size_t i = 1; i < beside.size(); ++i)
      EXPECT_GE(std::abs(beside[i] - beside[i - 1]), 14);
  }
}

// Many points in a column of pixels: the line goes through points of the curve alone, among them
// the extremes.
TEST(Plot, ThinnedCurvesKeepTheirPoints) {
  page::Curve curve{"", {}};
  for (int i = 0; i <= 20000; ++i)
    curve.points.emplace_back(0.001 * i, i == 777 ? 5 : std::sin(0.001 * i));
  page::PlotOptions options{.title = "t"};
  const auto line = strokes(page::draw_plot(options, {&curve, 1}), "curve s1").front().points;
  EXPECT_LT(line.size(), 2 * options.width);
  options.dots = true;
  std::set<std::array<double, 2>> all;
  for (const page::Stroke& dot : strokes(page::draw_plot(options, {&curve, 1}), "dot s1"))
    all.insert(dot.points.front());
  for (const auto& point : line) EXPECT_TRUE(all.contains(point)) << point[0];
  const auto higher = [](const auto& a, const auto& b) { return a[1] < b[1]; };
  EXPECT_EQ(*std::min_element(line.begin(), line.end(), higher),
            *std::min_element(all.begin(), all.end(), higher));
}

// Zero has no place on a logarithmic axis: it is drawn below all of them.
TEST(Plot, ZeroLiesInABandBelowTheDecades) {
  const page::Curve curve{"", {{0, 1e-5}, {1, 0}, {2, 1}}};
  const page::Picture p = page::draw_plot({.title = "t", .log_y = true, .dots = true}, {&curve, 1});
  const std::vector<page::Stroke> dots = strokes(p, "dot s1");
  ASSERT_EQ(dots.size(), 3u);
  EXPECT_GT(dots[1].points[0][1], dots[0].points[0][1] + 5);
  ASSERT_NE(words(p, "0"), nullptr);
}

// Labels stay on the sheet, behind the label of the axis and above the curves; a curve without a
// label is not in the legend.
TEST(Plot, LegendWraps) {
  std::vector<page::Curve> curves(8);
  for (std::size_t i = 0; i < 7; ++i)
    curves[i].label = "a curve of some length " + std::to_string(i);
  for (page::Curve& c : curves) c.points = {{0, 0}, {1, 1}};
  const page::Picture p = page::draw_plot({.title = "t", .y = "difference to h/2"}, curves);
  double lowest = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    const page::Words* w = words(p, curves[i].label);
    ASSERT_NE(w, nullptr);
    EXPECT_GT(w->x, 100);  // 17 letters of 6 px
    EXPECT_LT(w->x + 6 * 24, p.width);
    lowest = std::max(lowest, w->y);
  }
  EXPECT_GT(lowest, 34 + 2 * 15);
  EXPECT_EQ(words(p, ""), nullptr);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto drawn = strokes(p, "curve s" + std::to_string(i + 1));
    ASSERT_EQ(drawn.size(), i < 7 ? 2u : 1u);  // in the legend and in the plot
    for (const auto& point : drawn.back().points) EXPECT_GT(point[1], lowest);
  }
}

// A file that stands alone has the colours of the light page.
TEST(Plot, FilesAndPagesHaveTheSameColours) {
  const std::string page = page::report_style;
  const std::string light = page.substr(0, page.find("@media"));
  for (const char* style : {"grid", "axis", "level", "title", "legend", "tick", "s1", "s2", "s3",
                            "s4", "s5", "s6", "s7", "s8"})
    EXPECT_NE(light.find(fmt::format("#{:06x}", page::pen_of(style).colour)), std::string::npos)
        << style;
  EXPECT_EQ(page::pen_of("curve s3").colour, page::pen_of("s3").colour);
  EXPECT_GT(page::pen_of("dot s3").width, page::pen_of("curve s3").width);
}

struct Made {
  Scene scene = sample::scene();
  record::RunTotals totals;
  std::string html(bool good) {
    StepReport step = sample::step(1);
    if (!good) {
      step.status = StepStatus::uncertified;
      step.certificate = 0.5;
    }
    record::add_step(*scene.model, step, totals);
    play::Clip clip(scene);
    clip.add_initial(*scene.initial);
    clip.add(step, sample::state(scene, 1));
    const record::ExpectationResult expect[] = {{"penetration.max", 1, "<= 2", true}};
    return page::report_html({.scene = scene,
                              .totals = totals,
                              .state = *scene.initial,
                              .expect = expect,
                              .command = "cairn run \"a b\" --set x=<1>",
                              .clip = clip});
  }
};

TEST(Report, IsEscapedAndSelfContained) {
  std::string html = Made().html(true);
  // The scripts are the player's, which has tests of its own.
  for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos;)
    html.erase(at, html.find("</script>", at) + 9 - at);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);  // from the resolved scene
  EXPECT_NE(html.find("disc &amp; &lt;plank&gt;"), std::string::npos);
  EXPECT_NE(html.find("--set x=&lt;1&gt;"), std::string::npos);
  // The only address is the name of the SVG name space.
  std::string rest = html;
  const std::string name_space = "http://www.w3.org/2000/svg";
  for (std::size_t at; (at = rest.find(name_space)) != std::string::npos;)
    rest.erase(at, name_space.size());
  EXPECT_EQ(rest.find("://"), std::string::npos);
  EXPECT_EQ(rest.find("src="), std::string::npos);
  EXPECT_EQ(rest.find("@import"), std::string::npos);
  for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1))
    EXPECT_EQ(xml_fault(html.substr(at, html.find("</svg>", at) + 6 - at)), "");
}

// The page has the player, one script that runs, the policy that allows it alone, and links from
// the worst steps to their times.
TEST(Report, PlayerIsTheOnlyScript) {
  const std::string html = Made().html(true);
  std::size_t scripts = 0;
  for (std::size_t at = 0; (at = html.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 2u);  // the clip, which is text, and the player
  EXPECT_LT(html.find("Content-Security-Policy"), html.find("<title>"));
  EXPECT_LT(html.find("class=\"verdict"), html.find("id=\"cairn-player\""));
  EXPECT_NE(html.find("<a href=\"#t=0.01\">"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);  // the resolved scene, as text
}

TEST(Report, VerdictIsHonest) {
  EXPECT_NE(Made().html(true).find("class=\"verdict held\""), std::string::npos);
  const std::string bad = Made().html(false);
  EXPECT_EQ(bad.find("class=\"verdict held\""), std::string::npos);
  EXPECT_NE(bad.find("class=\"verdict missed\""), std::string::npos);
}

}  // namespace
}  // namespace cairn::test_report
