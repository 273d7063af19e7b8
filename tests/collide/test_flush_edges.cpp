// Which edges of a body's parts are edges of the body.
#include <algorithm>
#include <gtest/gtest.h>

#include "collide/ratio/flush_edges.hpp"

namespace cairn::test_flush_edges {
namespace {

std::shared_ptr<const Model> body_of_boxes(const std::vector<Vec3>& places, const Vec3& size) {
  ModelDescription d;
  BodyDescription body;
  body.name = "body";
  body.mass = 1;
  for (const Vec3& place : places) {
    ShapeDescription& shape = body.shapes.emplace_back();
    shape.geometry = Box{size};
    shape.X_BS.p = place;
  }
  d.bodies = {body};
  const auto built = build(d);
  EXPECT_TRUE(built);
  return built->model;
}

std::ptrdiff_t count(const std::vector<char>& flush) {
  return std::count(flush.begin(), flush.end(), 1);
}

// Of a box in the middle of a row all eight edges around its two inner faces are flush, of those at
// the ends four.
TEST(FlushEdges, RowOfBoxes) {
  const auto model = body_of_boxes({Vec3(-1, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0)}, Vec3(1, 2, 3));
  const auto flush = collide::flush_edges(*model);
  ASSERT_EQ(flush.size(), 3u);
  std::vector<std::ptrdiff_t> counts;
  for (const auto& edges : flush) counts.push_back(count(edges));
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts, (std::vector<std::ptrdiff_t>{4, 4, 8}));
}

// A step in the surface, a gap, and parts that only touch at an edge leave their edges.
TEST(FlushEdges, StepsAndGapsHaveEdges) {
  const Vec3 size(1, 1, 1);
  for (const Vec3& place : {Vec3(1, 0.01, 0.01), Vec3(1.01, 0, 0), Vec3(1, 1, 0), Vec3(0, 0, 2)}) {
    const auto flush = collide::flush_edges(*body_of_boxes({Vec3::Zero(), place}, size));
    EXPECT_EQ(count(flush[0]) + count(flush[1]), 0) << place.transpose();
  }
}

// Shifted along one axis only the faces across the other one go on.
TEST(FlushEdges, ShiftedBoxes) {
  const auto flush =
      collide::flush_edges(*body_of_boxes({Vec3::Zero(), Vec3(1, 0, 0.25)}, Vec3(1, 1, 1)));
  EXPECT_EQ(count(flush[0]) + count(flush[1]), 0);  // no edge is covered along its whole length
  const auto longer = collide::flush_edges(
      *body_of_boxes({Vec3::Zero(), Vec3(1, 0, 0), Vec3(1, 0, 1), Vec3(0, 0, 1)}, Vec3(1, 1, 1)));
  // Each box of the square of four has seven edges around its two inner faces. All are flush; the
  // one that both share too, since the box above continues the inner face.
  for (const auto& edges : longer) EXPECT_EQ(count(edges), 7);
}

// One body does not continue another.
TEST(FlushEdges, OtherBodiesDoNotCount) {
  ModelDescription d;
  for (const double x : {0.0, 1.0}) {
    BodyDescription& body = d.bodies.emplace_back();
    body.name = x > 0 ? "b" : "a";
    body.mass = 1;
    body.position = Vec3(x, 0, 0);
    body.shapes.emplace_back().geometry = Box{Vec3(1, 1, 1)};
  }
  for (const auto& edges : collide::flush_edges(*build(d)->model)) EXPECT_TRUE(edges.empty());
}

}  // namespace
}  // namespace cairn::test_flush_edges
