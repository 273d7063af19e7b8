// A page from a trace: all of it, what is left of a cut one, and what is before the damage.
#include "page/trace_page.hpp"
#include "record/edit_trace.hpp"
#include "record/sample.hpp"

namespace cairn::test_trace_page {
namespace {

constexpr const char* falling = R"({
  "cairn": 1, "name": "falling", "gravity": [0, -9.81, 0],
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 1.01, 0],
     "shapes": [{"type": "disc", "radius": 1}]}],
  "simulation": {"step": 0.01, "duration": 0.2}
})";

std::string write_trace(const sample::Folder& folder) {
  const Result<Scene> scene = parse_scene(falling, "falling.json");
  EXPECT_TRUE(scene);
  const std::string path = folder.file("trace.cairn");
  Result<TraceWriter> writer = TraceWriter::create(path, scene->resolved);
  EXPECT_TRUE(writer);
  Simulator simulator(scene->model, *scene->initial);
  EXPECT_TRUE(writer->append_initial(simulator.state()));
  for (int i = 0; i < 20; ++i) {
    const StepReport& report = simulator.step(0.01);
    EXPECT_TRUE(writer->append(report, simulator.state()));
  }
  EXPECT_TRUE(writer->finish());
  return path;
}

TEST(TracePage, HoldsEveryStep) {
  const sample::Folder folder;
  const Result<page::TracePage> page = page::trace_page(write_trace(folder));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->frames, 21u);
  EXPECT_EQ(page->steps, 20);
  EXPECT_EQ(page->end, TraceEvent::end);
  EXPECT_EQ(page->name, "falling");
  // A fall of about 0.01 m in 65535 parts.
  EXPECT_LT(page->errors.position, 1e-6);
}

TEST(TracePage, TellsDecimation) {
  const sample::Folder folder;
  const Result<page::TracePage> page = page::trace_page(write_trace(folder), {.frames = 10});
  ASSERT_TRUE(page);
  EXPECT_LE(page->frames, 11u);
  EXPECT_EQ(page->steps, 20);
}

TEST(TracePage, ShowsWhatIsLeftOfACutTrace) {
  const sample::Folder folder;
  const std::string path = write_trace(folder), bytes = sample::read(path);
  sample::write(path, bytes.substr(0, bytes.size() * 2 / 3));
  const Result<page::TracePage> page = page::trace_page(path);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->end, TraceEvent::truncated);
  EXPECT_GT(page->frames, 1u);
  EXPECT_LT(page->frames, 21u);
}

TEST(TracePage, ShowsWhatIsBeforeTheDamage) {
  const sample::Folder folder;
  const std::string path = write_trace(folder);
  std::string bytes = sample::read(path);
  bytes[bytes.size() * 2 / 3] ^= 1;
  sample::write(path, bytes);
  const Result<page::TracePage> page = page::trace_page(path);
  ASSERT_TRUE(page);
  EXPECT_NE(page->end, TraceEvent::end);
  EXPECT_GT(page->frames, 1u);
  EXPECT_LT(page->frames, 21u);
}

TEST(TracePage, ATraceWithoutFramesIsAnError) {
  const sample::Folder folder;
  const std::string path = write_trace(folder), bytes = sample::read(path);
  // The chunk of the scene alone.
  sample::write(path, edit::with_chunks(bytes, {edit::chunks(bytes).front()}));
  const Result<page::TracePage> page = page::trace_page(path);
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().front().code, ErrorCode::empty);
}

}  // namespace
}  // namespace cairn::test_trace_page
