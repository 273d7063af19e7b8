// Plots of a recording: names are found, curves are where the numbers say.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "exports/quantities.hpp"
#include "exports/recorded.hpp"

namespace cairn::test_plot {
namespace {

// A free fall: z = 5 - 9.81 t (t + h) / 2, exactly what Euler gives, energy falls with the step.
TEST(Plot, CurvesHoldTheNumbersOfTheTrace) {
  const Recording recording(falling_ball);
  const std::string names[] = {"body:ball.z", "body:ball.vz", "body:ball.speed", "kinetic"};
  const Result<exports::TracePlot> plot = exports::read_quantities(recording.trace(), names);
  ASSERT_TRUE(plot.has_value()) << plot.error().front().text();
  ASSERT_EQ(plot->curves.size(), 4u);
  EXPECT_EQ(plot->frames, 21);
  const double h = 0.01;
  const auto& z = plot->curves[0].series.buckets();
  ASSERT_EQ(z.size(), 21u);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double n = static_cast<double>(i);
    EXPECT_NEAR(z[i].hi, 5 - 9.81 * h * h * n * (n + 1) / 2, 1e-14 * 5 * (n + 1));
    EXPECT_NEAR(plot->curves[1].series.buckets()[i].hi, -9.81 * h * n, 1e-14 * (n + 1));
    EXPECT_NEAR(plot->curves[2].series.buckets()[i].hi, 9.81 * h * n, 1e-14 * (n + 1));
  }
  const auto& kinetic = plot->curves[3].series.buckets();
  ASSERT_EQ(kinetic.size(), 20u);  // steps only
  EXPECT_NEAR(kinetic.back().hi, 0.5 * 3 * std::pow(9.81 * 0.2, 2), 1e-12);
  // Three units, three plots; velocity and speed share one.
  EXPECT_EQ(exports::draw_quantities(*plot, 400, 200).size(), 3u);
}

// 0.2 sin(5 t), recorded with steps of h: mean velocities within h 5^2 0.2 / 2 of its derivative.
TEST(Plot, PrescribedBodiesHaveTheVelocityOfTheirMotion) {
  const Recording recording(shaken);
  const std::string names[] = {"body:walls.vx", "body:turning.wz"};
  const Result<exports::TracePlot> plot = exports::read_quantities(recording.trace(), names);
  ASSERT_TRUE(plot.has_value()) << plot.error().front().text();
  const auto& v = plot->curves[0].series.buckets();
  const auto& w = plot->curves[1].series.buckets();
  for (std::size_t i = 1; i < v.size(); ++i) {
    EXPECT_NEAR(v[i].hi, std::cos(5 * v[i].t_last), 0.5 * 0.01 * 5 + 1e-12);
    EXPECT_NEAR(w[i].hi, 3, 1e-10);  // differences of angles near 1 over h
  }
}

TEST(Plot, ErrorsNameWhatIsAllowedAndNearest) {
  const Recording recording(falling_ball);
  const auto error = [&](const std::string& name) {
    const Result<exports::TracePlot> plot = exports::read_quantities(recording.trace(), {&name, 1});
    EXPECT_EQ(plot ? ErrorCode::none : plot.error().front().code, ErrorCode::unknown_name);
    return plot ? std::string() : plot.error().front().fix;
  };
  EXPECT_NE(error("penetraton").find("'penetration'"), std::string::npos);
  EXPECT_NE(error("body:bal.z").find("'ball'"), std::string::npos);
  EXPECT_NE(error("body:ball.sped").find("'speed'"), std::string::npos);
  EXPECT_NE(error("body:ball").find("body:ball.x"), std::string::npos);
  const std::vector<std::string> many(9, "kinetic");
  EXPECT_FALSE(exports::read_quantities(recording.trace(), many));
  const std::vector<std::string> energies(2, "energy");
  EXPECT_TRUE(exports::read_quantities(recording.trace(), energies));
}

// Names of users are text in the file, whatever they hold.
TEST(Plot, SvgFilesStandAloneAndEscapeNames) {
  const Recording recording(falling_ball);
  const std::string names[] = {"body:<b>&.z", "energy", "certificate"};
  const Result<exports::TracePlot> plot = exports::read_quantities(recording.trace(), names);
  ASSERT_TRUE(plot.has_value()) << plot.error().front().text();
  const std::string svg = page::svg_file(exports::draw_quantities(*plot, 720, 280));
  EXPECT_NE(svg.find("&lt;b&gt;&amp;.z"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (const char* label : {"total", "kinetic", "potential", "tolerance"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
}

}  // namespace
}  // namespace cairn::test_plot
