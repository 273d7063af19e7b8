// Plots of a recording: names are found, curves are where the numbers say, PNG files are sound.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "export/quantities.hpp"
#include "export/raster.hpp"
#include "export/stroke_font.hpp"
#include "recorded.hpp"

namespace cairn {
namespace {

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t x = 0;
  for (std::size_t i = 0; i < 4; ++i) x = x << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return x;
}

// A free fall: z = 5 - 9.81 t (t + h) / 2, exactly what Euler gives, energy falls with the step.
TEST(Plot, CurvesHoldTheNumbersOfTheTrace) {
  const Recording recording(falling_ball);
  const std::string names[] = {"body:ball.z", "body:ball.vz", "body:ball.speed", "kinetic"};
  const Result<TracePlot> plot = read_quantities(recording.trace(), names);
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
  EXPECT_EQ(draw_quantities(*plot, 400, 200).size(), 3u);
}

// 0.2 sin(5 t), recorded with steps of h: mean velocities within h 5^2 0.2 / 2 of its derivative.
TEST(Plot, PrescribedBodiesHaveTheVelocityOfTheirMotion) {
  const Recording recording(shaken);
  const std::string names[] = {"body:walls.vx", "body:turning.wz"};
  const Result<TracePlot> plot = read_quantities(recording.trace(), names);
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
    const Result<TracePlot> plot = read_quantities(recording.trace(), {&name, 1});
    EXPECT_EQ(plot ? ErrorCode::none : plot.error().front().code, ErrorCode::unknown_name);
    return plot ? std::string() : plot.error().front().fix;
  };
  EXPECT_NE(error("penetraton").find("'penetration'"), std::string::npos);
  EXPECT_NE(error("body:bal.z").find("'ball'"), std::string::npos);
  EXPECT_NE(error("body:ball.sped").find("'speed'"), std::string::npos);
  EXPECT_NE(error("body:ball").find("body:ball.x"), std::string::npos);
  const std::vector<std::string> many(9, "kinetic");
  EXPECT_FALSE(read_quantities(recording.trace(), many));
  const std::vector<std::string> energies(2, "energy");
  EXPECT_TRUE(read_quantities(recording.trace(), energies));
}

// Signature, sizes and checksums of the chunks, and as many bytes as the pixels need.
TEST(Plot, PngFilesAreSound) {
  Pixels pixels(64, 40);
  const std::array<double, 2> line[] = {{4, 20}, {60, 20}};
  pixels.stroke(line, 3, {255, 0, 0});
  EXPECT_EQ(pixels.at(30, 20), (Colour{255, 0, 0}));  // its middle
  EXPECT_EQ(pixels.at(30, 30), (Colour{255, 255, 255}));
  // Three pixels of width cover three pixels of ink in each column, half covered edges included.
  double ink = 0;
  for (int y = 0; y < 40; ++y) ink += (255 - pixels.at(30, y)[1]) / 255.0;
  EXPECT_NEAR(ink, 3, 2.0 / 255);

  const std::string png = pixels.png();
  ASSERT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string data;
  std::vector<std::string> types;
  for (std::size_t at = 8; at < png.size();) {
    const std::uint32_t size = big_endian(png, at);
    types.push_back(png.substr(at + 4, 4));
    const auto* body = reinterpret_cast<const Bytef*>(png.data() + at + 4);
    EXPECT_EQ(::crc32(0, body, size + 4), big_endian(png, at + 8 + size)) << types.back();
    if (types.back() == "IHDR") {
      EXPECT_EQ(big_endian(png, at + 8), 64u);
      EXPECT_EQ(big_endian(png, at + 12), 40u);
    }
    if (types.back() == "IDAT") data += png.substr(at + 8, size);
    at += 12 + size;
  }
  EXPECT_EQ(types, (std::vector<std::string>{"IHDR", "IDAT", "IEND"}));
  std::string raw(40 * (1 + 3 * 64) + 1, '\0');
  uLongf size = raw.size();
  ASSERT_EQ(::uncompress(reinterpret_cast<Bytef*>(raw.data()), &size,
                         reinterpret_cast<const Bytef*>(data.data()), data.size()),
            Z_OK);
  ASSERT_EQ(size, 40u * (1 + 3 * 64));
  // Undone, the filter gives the pixels back.
  std::vector<unsigned char> row(3 * 64, 0);
  for (std::size_t y = 0; y < 40; ++y)
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<unsigned char>(row[i] + raw[y * 193 + 1 + i]);
      EXPECT_EQ(row[i], pixels.at(static_cast<int>(i / 3), static_cast<int>(y))[i % 3]);
    }
}

TEST(Plot, EveryLetterIsDrawnWithinItsLine) {
  for (char c = '!'; c < 0x7F; ++c) {
    const WrittenText text = write_text(std::string(1, c), 9);
    ASSERT_FALSE(text.strokes.empty()) << c;
    for (const Polyline& stroke : text.strokes)
      for (const auto& [x, y] : stroke) {
        EXPECT_TRUE(x >= 0 && x <= text.width && y >= -3 && y <= 9) << c << ' ' << x << ' ' << y;
      }
  }
  // A character of several bytes is one box.
  EXPECT_EQ(write_text("\xC3\xA9", 9).strokes.size(), 1u);
  EXPECT_GT(write_text("WW", 9).width, 2 * write_text("W", 9).width);
}

// Names of users are text in the file, whatever they hold.
TEST(Plot, SvgFilesStandAloneAndEscapeNames) {
  const Recording recording(falling_ball);
  const std::string names[] = {"body:<b>&.z", "energy", "certificate"};
  const Result<TracePlot> plot = read_quantities(recording.trace(), names);
  ASSERT_TRUE(plot.has_value()) << plot.error().front().text();
  const std::string svg = svg_file(draw_quantities(*plot, 720, 280));
  EXPECT_NE(svg.find("&lt;b&gt;&amp;.z"), std::string::npos);
  EXPECT_EQ(svg.find("<b>"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  for (const char* label : {"total", "kinetic", "potential", "tolerance"})
    EXPECT_NE(svg.find(label), std::string::npos) << label;
}

}  // namespace
}  // namespace cairn
