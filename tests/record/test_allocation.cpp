// After warm-up a frame is appended without a single allocation.
#include <atomic>
#include <cstdlib>
#include <new>

#include "sample.hpp"

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
// std::stable_sort asks in this way; a sanitizer would bring its own, which does not go with
// free().
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

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
  const long before = allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->append(step, state));
  EXPECT_EQ(allocations - before, 0);
}

}  // namespace
}  // namespace cairn
