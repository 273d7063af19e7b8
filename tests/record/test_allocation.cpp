// After warm-up a frame is appended without a single allocation.

#include "counted_allocations.hpp"
#include "sample.hpp"

namespace cairn {
namespace {

TEST(Trace, AppendAllocatesNothingAfterWarmUp) {
  const sample::Folder folder;
  const Scene scene = sample::scene();
  const StepReport step = sample::step(1);
  const State state = sample::state(scene, 1);
  Result<TraceWriter> writer = TraceWriter::create(folder.file("trace"), scene.resolved);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(step, state));
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->append(step, state));
  EXPECT_EQ(allocations - before, 0u);
}

}  // namespace
}  // namespace cairn
