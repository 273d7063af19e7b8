// Pictures and the report: well-formed, escaped, self-contained, small.
#include <cmath>

#include "record/draw.hpp"
#include "record/html.hpp"
#include "record/plot.hpp"
#include "record/report.hpp"
#include "sample.hpp"

namespace cairn {
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
  EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape(std::string("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(Plot, TicksAreRoundAndInside) {
  EXPECT_EQ(round_ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const std::vector<double> ticks = round_ticks(-0.31, 0.87, 5);
  for (const double tick : ticks) {
    EXPECT_GE(tick, -0.31);
    EXPECT_LE(tick, 0.87);
    EXPECT_NEAR(std::remainder(tick, 0.5), 0, 1e-12);
  }
  EXPECT_EQ(ticks.size(), 2u);  // 0 and 0.5
}

TEST(Plot, IsWellFormedForEveryKindOfCurve) {
  Series empty, constant, tiny, wild;
  constant.add(0, 5);
  for (int i = 0; i < 5000; ++i) {
    tiny.add(1e-9 * i, 1e-12 * std::sin(i));
    wild.add(i, i % 3 == 0 ? 0.0 : std::pow(10, -(i % 40)));
  }
  wild.add(5001, std::nan(""));
  for (const Series* series : {&empty, &constant, &tiny, &wild})
    for (const bool logarithmic : {false, true}) {
      const Curve curves[] = {{series, "a <b> & \"c\""}, {series, "second"}};
      const std::string svg = plot_svg({.title = "t < 1 & more",
                                        .unit = "m",
                                        .logarithmic = logarithmic,
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

Scene shapes_scene(bool planar) {
  Scene scene = sample::scene();
  ModelDescription& d = scene.description;
  int number = 0;
  const auto add = [&](const Geometry& geometry) {
    BodyDescription body;
    body.name = "body" + std::to_string(number++);
    if (planar) body.dof = "x y rz";
    body.mass = 1;
    body.position = Vec3(3.0 * number, 2, 0);
    body.orientation =
        planar ? Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ())) : Quat(0.5, 0.5, -0.5, 0.5);
    body.shapes = {{.geometry = geometry, .X_BS = {}}};
    d.bodies.push_back(body);
  };
  if (planar) {
    add(Disc{.radius = 1});
    add(Ellipse{.radii = {2, 1}});
    add(Polygon{{{0, 0}, {1, 0}, {1, 2}}});
  } else {
    d.bodies.erase(d.bodies.begin() + 1);
    add(Sphere{.radius = 1});
    add(Ellipsoid{.radii = Vec3(1, 2, 3)});
    add(Box{.size = Vec3(1, 2, 3)});
    add(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    add(Capsule{.radius = 0.5, .length = 2});
  }
  const auto built = build(d);
  EXPECT_TRUE(built) << (built ? "" : built.error().front().text());
  scene.model = built->model;
  scene.initial = built->initial;
  return scene;
}

TEST(Draw, StillsAreWellFormedAndShowEveryShape) {
  for (const bool planar : {true, false}) {
    const Scene scene = shapes_scene(planar);
    Still still;
    still.poses = scene.initial->poses;
    still.h = 0.01;
    ContactReport contact = sample::step(1).contacts[0];
    still.contacts = {contact};
    const Still* stills[] = {&still};
    const View view = make_view(*scene.model, stills);
    EXPECT_EQ(view.planar, planar);
    EXPECT_NEAR(view.largest_force, contact.impulse.norm() / still.h, 1e-9);
    const std::string svg = draw_still(*scene.model, view, still, 0);
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_NE(svg.find("class=\"force\""), std::string::npos);
    EXPECT_NE(svg.find(planar ? "url(#hatch0)" : "class=\"floor\""), std::string::npos);
  }
}

// To scale: a disc of radius 1 is drawn with scale() pixels.
TEST(Draw, DiscsAreToScale) {
  const Scene scene = sample::scene();
  Still still;
  still.poses = scene.initial->poses;
  const Still* stills[] = {&still};
  const View view = make_view(*scene.model, stills);
  const std::string svg = draw_still(*scene.model, view, still, 0);
  const std::size_t at = svg.find(" r=\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NEAR(std::stod(svg.substr(at + 4)), view.scale(), 0.005);  // two digits are written
}

// The scale bar is a round length of at most a third of the picture, whatever the size of the
// scene.
TEST(Draw, ScaleBarFitsAtEverySize) {
  for (double width = 1e-6; width < 1e6; width *= 1.37) {
    const double bar = round_down(width / 3);
    EXPECT_LE(bar, width / 3);
    EXPECT_GT(bar, width / 3 / 2.5 * (1 - 1e-12));
    Scene scene = sample::scene();
    Still still;
    still.poses = scene.initial->poses;
    const Still* stills[] = {&still};
    View view = make_view(*scene.model, stills);
    view.x1 = view.x0 + width;
    EXPECT_EQ(xml_fault(draw_still(*scene.model, view, still, 0)), "");
  }
}

struct Made {
  Scene scene = sample::scene();
  RunTotals totals;
  Stills stills;
  std::string html(bool good, const Clip* clip = nullptr) {
    StepReport step = sample::step(1);
    if (!good) {
      step.status = StepStatus::uncertified;
      step.certificate = 0.5;
    }
    add_step(*scene.model, step, totals);
    stills.add(0, 0, 0, scene.initial->poses, {});
    stills.add(1, 0.01, 0.01, scene.initial->poses, step.contacts);
    const ExpectationResult expect[] = {{"penetration.max", 1, "<= 2", true}};
    return report_html({.scene = scene,
                        .totals = totals,
                        .stills = stills,
                        .state = *scene.initial,
                        .expect = expect,
                        .command = "cairn run \"a b\" --set x=<1>",
                        .clip = clip});
  }
};

TEST(Report, IsEscapedSelfContainedAndWithoutScripts) {
  Made made;
  const std::string html = made.html(true);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(1)"), std::string::npos);  // from the resolved scene
  EXPECT_NE(html.find("disc &amp; &lt;plank&gt;"), std::string::npos);
  EXPECT_NE(html.find("--set x=&lt;1&gt;"), std::string::npos);
  // The only address is the name of the SVG name space.
  std::string rest = html;
  const std::string name_space = "http://www.w3.org/2000/svg";
  for (std::size_t at; (at = rest.find(name_space)) != std::string::npos;)
    rest.erase(at, name_space.size());
  EXPECT_EQ(rest.find("http"), std::string::npos);
  EXPECT_EQ(rest.find("src="), std::string::npos);
  EXPECT_EQ(rest.find("@import"), std::string::npos);
  for (std::size_t at = html.find("<svg"); at != std::string::npos; at = html.find("<svg", at + 1))
    EXPECT_EQ(xml_fault(html.substr(at, html.find("</svg>", at) + 6 - at)), "");
}

// With a clip the page has the player, one script that runs, the policy that allows it alone, and
// links from the worst steps to their times.
TEST(Report, PlayerIsTheOnlyScript) {
  Made made;
  Clip clip(made.scene);
  clip.add_initial(*made.scene.initial);
  clip.add(sample::step(1), sample::state(made.scene, 1));
  const std::string html = made.html(true, &clip);
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
}  // namespace cairn
