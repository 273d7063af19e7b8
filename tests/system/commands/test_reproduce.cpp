// The papers' experiments in their fast setting: no figure differs from what it is compared with;
// where these numbers come from, and how they are judged.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "reproduce/gallery.hpp"

namespace cairn::test_reproduce {
namespace {

class Reproduce : public ::testing::TestWithParam<const char*> {};

TEST_P(Reproduce, NoFigureDiffers) {
  const reproduce::Experiment* experiment = reproduce::find_experiment(GetParam());
  ASSERT_NE(experiment, nullptr);
  const reproduce::Reproduction result = experiment->run({.fast = true});
  EXPECT_FALSE(result.entries.empty());
  for (const reproduce::ReproducedEntry& e : result.entries)
    EXPECT_NE(e.verdict(), reproduce::Verdict::differs)
        << e.entry << ": " << reproduce::name(e.source) << ' ' << reproduce::name(e.reading) << ' '
        << e.expected << ", ours " << e.ours;
  for (const reproduce::ReproducedEntry& e : result.entries) {
    // Every number has its place; those of papers name the paper.
    EXPECT_FALSE(e.place.empty()) << e.entry;
    if (e.source == reproduce::Source::paper) {
      EXPECT_TRUE(e.place.starts_with("00")) << e.place;
    }
    EXPECT_TRUE(std::is_sorted(e.sample.begin(), e.sample.end())) << e.entry;
  }
  for (const reproduce::PlayedScene& played : result.players) {
    EXPECT_GT(played.duration, 0) << played.title;
    EXPECT_FALSE(reproduce::built_in_scene(played.scene, played.assignments).model->bodies.empty());
  }
  for (const reproduce::Drawing& d : result.drawings) {
    EXPECT_TRUE(d.file.starts_with(GetParam()) && d.file.ends_with(".svg")) << d.file;
    const std::string svg = page::plot_file(d.plot, d.curves);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << d.file;
    EXPECT_TRUE(svg.ends_with("</svg>\n")) << d.file;
  }
}

std::vector<const char*> ids() {
  std::vector<const char*> all;
  for (const reproduce::Experiment& e : reproduce::experiments()) all.push_back(e.id);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Reproduce, ::testing::ValuesIn(ids()), [](const auto& tested) {
  std::string word = tested.param;
  for (char& c : word)
    if (c == '-') c = '_';
  return word;
});

// (E150)
TEST(ReproduceVerdict, FollowsTheReading) {
  const auto verdict = [](reproduce::Reading reading, double ours) {
    return reproduce::ReproducedEntry{"",  "", reproduce::Source::reference, 1, ours, reading,
                                      0.1, 0.3}
        .verdict();
  };
  EXPECT_EQ(verdict(reproduce::Reading::value, 0.95), reproduce::Verdict::match);
  EXPECT_EQ(verdict(reproduce::Reading::value, 0.75), reproduce::Verdict::close);
  EXPECT_EQ(verdict(reproduce::Reading::value, 1.5), reproduce::Verdict::differs);
  EXPECT_EQ(verdict(reproduce::Reading::at_most, -5), reproduce::Verdict::match);
  EXPECT_EQ(verdict(reproduce::Reading::at_most, 1.2), reproduce::Verdict::close);
  EXPECT_EQ(verdict(reproduce::Reading::at_most, 1.4), reproduce::Verdict::differs);
  EXPECT_EQ(verdict(reproduce::Reading::at_least, 5), reproduce::Verdict::match);
  EXPECT_EQ(verdict(reproduce::Reading::at_least, 0.8), reproduce::Verdict::close);
  EXPECT_EQ(verdict(reproduce::Reading::at_least, 0.6), reproduce::Verdict::differs);
  EXPECT_EQ(verdict(reproduce::Reading::value, std::nan("")), reproduce::Verdict::differs);
  EXPECT_EQ(verdict(reproduce::Reading::about, std::nan("")), reproduce::Verdict::differs);
  EXPECT_EQ(verdict(reproduce::Reading::about, 1.09), reproduce::Verdict::match);
  EXPECT_EQ(verdict(reproduce::Reading::about, 0.6), reproduce::Verdict::close);
  EXPECT_EQ(verdict(reproduce::Reading::about, 1.9), reproduce::Verdict::close);
  EXPECT_EQ(verdict(reproduce::Reading::about, 0.4), reproduce::Verdict::differs);
}

// Printed numbers: to one and a half units of the last digit a match, to 20 % close. 845 is not
// "about 10^3", but close to it.
TEST(ReproduceVerdict, OfPrintedNumbers) {
  const auto verdict = [](auto add) {
    reproduce::Reproduction r;
    add(r);
    EXPECT_EQ(r.entries.back().source, reproduce::Source::paper);
    return r.entries.back().verdict();
  };
  using reproduce::Verdict;
  EXPECT_EQ(verdict([](auto& r) { r.printed_about("", "", 1e3, 845); }), Verdict::close);
  EXPECT_EQ(verdict([](auto& r) { r.printed_about("", "", 1e3, 950); }), Verdict::match);
  EXPECT_EQ(verdict([](auto& r) { r.printed("", "", 2.38e-3, 1e-5, 2.394e-3); }), Verdict::match);
  EXPECT_EQ(verdict([](auto& r) { r.printed("", "", 2.38e-3, 1e-5, 2.396e-3); }), Verdict::close);
  EXPECT_EQ(verdict([](auto& r) { r.printed("", "", 2.38e-3, 1e-5, 2.9e-3); }), Verdict::differs);
  EXPECT_EQ(verdict([](auto& r) { r.printed("", "", 270, 0, 269); }), Verdict::close);
  EXPECT_EQ(verdict([](auto& r) { r.printed_at_most("", "", 0.08, 0.01); }), Verdict::match);
  EXPECT_EQ(verdict([](auto& r) { r.printed_at_most("", "", 0.08, 0.095); }), Verdict::close);
  EXPECT_EQ(verdict([](auto& r) { r.printed_at_least("", "", 2, 1.5); }), Verdict::differs);
}

// Between two values in proportion; of the sample 1, 2, 3, 10 the median is 2.5.
TEST(ReproduceQuantile, OfSamples) {
  const double sample[] = {1, 2, 3, 10};
  EXPECT_EQ(reproduce::quantile(sample, 0.5), 2.5);
  EXPECT_EQ(reproduce::quantile(sample, 0.25), 1.75);
  EXPECT_EQ(reproduce::quantile(sample, 1), 10);
  EXPECT_EQ(reproduce::quantile({sample, 1}, 0.5), 1);
}

// (E151): exact on a power, zeros left out, nothing from a single point.
TEST(ReproduceSlope, OfAPower) {
  const double x[] = {1, 0.5, 0.25, 0.125}, y[] = {3, 3 * 0.125, 0, 3 * 0.125 * 0.015625};
  EXPECT_NEAR(reproduce::fitted_slope(x, y), 3, 1e-13);
  EXPECT_TRUE(std::isnan(reproduce::fitted_slope({x, 1}, {y, 1})));
}

// The gallery shows every figure with its verdict, every plot and a link to every player, and
// refers to nothing outside its folder.
TEST(ReproduceGallery, HoldsEverythingAndLoadsNothing) {
  const reproduce::Experiment* experiment = reproduce::find_experiment("anitescu-wall");
  ASSERT_NE(experiment, nullptr);
  reproduce::GalleryEntry entry{experiment, experiment->run({.fast = true})};
  entry.result.reference("a place", "a <b> & figure that is off", 1, 2, 0, 0);
  const std::string html = reproduce::gallery_page({entry}, true);
  EXPECT_NE(html.find("a &lt;b&gt; &amp; figure that is off"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"no\">differs</td>"), std::string::npos);
  EXPECT_NE(html.find("<th class=\"n\">paper</th><th class=\"n\">closed form</th>"),
            std::string::npos);
  EXPECT_NE(html.find("class=\"verdict missed\""), std::string::npos);
  for (const reproduce::Drawing& d : entry.result.drawings)
    EXPECT_NE(html.find(page::plot_svg(d.plot, d.curves)), std::string::npos) << d.file;
  ASSERT_EQ(entry.result.players.size(), 1u);
  EXPECT_NE(html.find("href=\"" + reproduce::player_file(*experiment, 0) + "\""),
            std::string::npos);
  for (std::size_t at = html.find("href=\""); at != std::string::npos;
       at = html.find("href=\"", at + 1)) {
    const std::string target = html.substr(at + 6, html.find('"', at + 6) - at - 6);
    EXPECT_EQ(target.find_first_of(":/"), std::string::npos) << target;
  }
  EXPECT_EQ(html.find("src="), std::string::npos);
  const std::string page = reproduce::play_scene(entry.result.players[0], {.fast = true});
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(page.find("id=\"cairn-clip\""), std::string::npos);
}

}  // namespace
}  // namespace cairn::test_reproduce
