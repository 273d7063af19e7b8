// After warm-up a frame is appended without a single allocation, and the figures of a run take no
// more memory however long it is.

#include "counted_allocations.hpp"
#include "record/run/totals.hpp"
#include "record/sample.hpp"

namespace cairn::test_allocation {
namespace {

TEST(Trace, AppendAllocatesNothingAfterWarmUp) {
  const sample::Folder folder;
  const Scene scene = sample::scene();
  const StepReport step = sample::step(1);
  const State state = sample::state(scene, 1);
  Result<TraceWriter> writer = TraceWriter::create(folder.file("trace"), scene.resolved);
  ASSERT_TRUE(writer);
  // The second frame is the first one that is packed against another.
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(writer->append(step, state));
  const std::size_t before = allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->append(step, state));
  EXPECT_EQ(allocations - before, 0u);
}

TEST(RunTotals, TakeNoMoreMemoryInALongRun) {
  const Scene scene = sample::scene();
  StepReport step = sample::step(1);
  record::RunTotals totals;
  const auto add = [&](int count) {
    for (int i = 0; i < count; ++i) {
      step.t += step.h;
      record::add_step(*scene.model, step, totals);
    }
  };
  add(100);
  const std::size_t before = allocations;
  add(20000);
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(totals.steps, 20100);
}

}  // namespace
}  // namespace cairn::test_allocation
