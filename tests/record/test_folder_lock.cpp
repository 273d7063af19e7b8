// Locks: what the system answers becomes an error, a warning or a lock. This program has its own
// flock(), so that the answers of file systems that are not at hand can be tried.
#include <cerrno>
#include <sys/file.h>
#include <sys/syscall.h>

#include "record/run/folder_lock.hpp"
#include "record/run/run.hpp"
#include "record/sample.hpp"

namespace {

int flock_error = 0;  // 0: the call of the system
int calls_to_fail = 0;

}  // namespace

extern "C" int flock(int descriptor, int operation) {
  if (flock_error != 0 && calls_to_fail > 0) {
    --calls_to_fail;
    errno = flock_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

namespace cairn::test_folder_lock {
namespace {

using sample::Folder;

struct FailingLocks {
  explicit FailingLocks(int error, int calls = 1000) {
    flock_error = error;
    calls_to_fail = calls;
  }
  ~FailingLocks() { flock_error = calls_to_fail = 0; }
};

TEST(FolderLock, FailuresAreErrorsOfKindIoAndTouchNoFile) {
  const Folder folder;
  const Scene scene = sample::scene();
  for (const int error : {EIO, EBADF, EACCES}) {
    const FailingLocks failing(error);
    const Result<record::FolderLock> lock = record::FolderLock::take(folder.path());
    ASSERT_FALSE(lock) << error;
    EXPECT_EQ(lock.error()[0].kind, ErrorKind::io);
    EXPECT_EQ(lock.error()[0].file, folder.path());
    const Result<record::RunRecorder> recorder =
        record::RunRecorder::create(scene, {folder.path(), ""});
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error()[0].kind, ErrorKind::io);
    const Result<TraceWriter> trace = TraceWriter::create(folder.file("trace"), "{}");
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error()[0].kind, ErrorKind::io);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("trace.cairn.part")));
}

TEST(FolderLock, FileSystemsWithoutLocksGiveAWarning) {
  const Folder folder;
  const Scene scene = sample::scene();
  for (const int error : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
    const FailingLocks failing(error);
    const Result<record::FolderLock> lock = record::FolderLock::take(folder.path());
    ASSERT_TRUE(lock) << error;
    EXPECT_FALSE(lock->supported());
    const Result<record::RunRecorder> recorder =
        record::RunRecorder::create(scene, {folder.path(), ""});
    ASSERT_TRUE(recorder) << error;
    EXPECT_EQ(recorder->warnings().size(), 1u);
  }
  const Result<record::RunRecorder> recorder =
      record::RunRecorder::create(scene, {folder.path(), ""});
  ASSERT_TRUE(recorder);
  EXPECT_TRUE(recorder->warnings().empty());
  const Result<record::FolderLock> second = record::FolderLock::take(folder.path());
  ASSERT_FALSE(second);  // the recorder holds it
  EXPECT_EQ(second.error()[0].kind, ErrorKind::io);
}

TEST(FolderLock, AnInterruptedCallIsRepeated) {
  const Folder folder;
  const FailingLocks failing(EINTR, 2);
  const Result<record::FolderLock> lock = record::FolderLock::take(folder.path());
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->supported());
}

}  // namespace
}  // namespace cairn::test_folder_lock
