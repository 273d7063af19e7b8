// Checkpoints: what was saved is loaded bit for bit; no flipped bit, no cut and no foreign file is
// taken for one; a resumed recording is byte for byte that of an undisturbed run.
#include <cstring>

#include "bytes/bytes.hpp"
#include "bytes/crc32.hpp"
#include "cairn/trace.hpp"
#include "page/report.hpp"
#include "record/run/run.hpp"
#include "record/sample.hpp"
#include "record/trace/checkpoint.hpp"

namespace cairn::test_checkpoint {
namespace {

using sample::Folder;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The bytes of a checkpoint of the sample's state after step 7.
std::string saved(const Folder& folder, const Scene& scene) {
  const std::string path = folder.file("checkpoint.cairn");
  EXPECT_TRUE(save_checkpoint(path, scene.resolved, sample::state(scene, 7), 7,
                              {.interval = 5, .command = "cairn run disc.json"}));
  return sample::read(path);
}

// Where the sections begin, found by walking over their lengths; then the end of the file.
std::vector<std::size_t> section_starts(const std::string& bytes) {
  std::vector<std::size_t> starts;
  std::size_t at = record::checkpoint_head;
  while (at < bytes.size()) {
    starts.push_back(at);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, 8);
    at += 16 + static_cast<std::size_t>(length);
  }
  starts.push_back(at);
  return starts;
}

const char* section_at(const std::vector<std::size_t>& starts, std::size_t at) {
  return at < starts[0] ? "head" : at < starts[1] ? "run" : at < starts[2] ? "scene" : "state";
}

void put_u32(std::string& bytes, std::size_t at, std::uint32_t x) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(x >> (8 * i));
}

// Makes the checksums of head and sections right again, as a forger would.
std::string with_checksums(std::string bytes, const std::vector<std::size_t>& starts) {
  put_u32(bytes, record::checkpoint_head - 4,
          bytes::crc32(bytes_of(bytes).first(record::checkpoint_head - 4)));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::size_t size = starts[i + 1] - starts[i] - 4;
    put_u32(bytes, starts[i] + size, bytes::crc32(bytes_of(bytes).subspan(starts[i], size)));
  }
  return bytes;
}

Error refusal(const std::string& bytes) {
  const Result<Checkpoint> checkpoint = record::parse_checkpoint(bytes_of(bytes), "file");
  EXPECT_FALSE(checkpoint);
  return checkpoint ? Error{} : checkpoint.error().front();
}

constexpr ErrorCode damaged = ErrorCode::damaged, mismatch = ErrorCode::mismatch;

TEST(Checkpoint, ComesBackBitForBit) {
  const Folder folder;
  const Scene scene = sample::scene();
  saved(folder, scene);
  const Result<Checkpoint> loaded = load_checkpoint(folder.file("checkpoint.cairn"));
  ASSERT_TRUE(loaded) << loaded.error().front().text();
  const State state = sample::state(scene, 7);
  EXPECT_TRUE(loaded->state == state);
  EXPECT_EQ(hash(loaded->state), hash(state));  // equality does not see the sign of zero
  EXPECT_EQ(loaded->scene, scene.resolved);
  EXPECT_EQ(loaded->program, CAIRN_VERSION);
  EXPECT_EQ(loaded->steps, 7);
  EXPECT_EQ(loaded->run.interval, 5);
  EXPECT_EQ(loaded->run.command, "cairn run disc.json");
  EXPECT_TRUE(check_scene(*loaded, "file", scene));
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// A flipped bit is found by the check of its field, else by the checksum over it, which finds every
// single bit. A damaged length that fits into the file shifts the checksum to other bytes: those
// agree by chance in 1 of 2^32 cases, and this file is none of them.
TEST(Checkpoint, EveryFlippedBitIsFoundAndItsSectionNamed) {
  const Folder folder;
  const std::string whole = saved(folder, sample::scene());
  const std::vector<std::size_t> starts = section_starts(whole);
  ASSERT_EQ(starts.size(), 4u);
  ASSERT_EQ(starts.back(), whole.size());
  std::string bytes = whole;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] = static_cast<char>(whole[i] ^ (1 << bit));
      const Error error = refusal(bytes);
      ASSERT_EQ(error.path, section_at(starts, i)) << "byte " << i << ", bit " << bit;
      ASSERT_EQ(error.code, i < 8 ? ErrorCode::wrong_format : damaged) << i;
      bytes[i] = whole[i];
    }
  EXPECT_TRUE(record::parse_checkpoint(bytes_of(bytes), "file"));
}

TEST(Checkpoint, EveryCutIsFoundAndItsSectionNamed) {
  const Folder folder;
  const std::string whole = saved(folder, sample::scene());
  const std::vector<std::size_t> starts = section_starts(whole);
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const Error error = refusal(whole.substr(0, cut));
    ASSERT_EQ(error.path, section_at(starts, cut)) << cut;
    ASSERT_EQ(error.code, damaged) << cut;
  }
  EXPECT_EQ(refusal("").code, ErrorCode::wrong_format);
  const Error longer = refusal(whole + "x");
  EXPECT_EQ(longer.code, damaged);
}

// The same through the file system, where a cut is most likely to come from.
TEST(Checkpoint, CutFilesAreRefused) {
  const Folder folder;
  const std::string path = folder.file("checkpoint.cairn");
  for (std::size_t size = saved(folder, sample::scene()).size(); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    const Result<Checkpoint> loaded = load_checkpoint(path);
    ASSERT_FALSE(loaded) << size;
    ASSERT_EQ(loaded.error()[0].kind, ErrorKind::input);
    ASSERT_EQ(loaded.error()[0].file, path);
  }
}

TEST(Checkpoint, ForeignFilesAreRefusedWithTheReason) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string whole = saved(folder, scene);
  const std::vector<std::size_t> starts = section_starts(whole);

  std::string other = whole;
  put_u32(other, 12, checkpoint_version + 1);
  Error error = refusal(with_checksums(other, starts));
  EXPECT_EQ(error.code, ErrorCode::wrong_version);
  EXPECT_EQ(error.got, std::to_string(checkpoint_version + 1));
  EXPECT_EQ(error.allowed, std::to_string(checkpoint_version));
  put_u32(other, 12, 0);
  EXPECT_EQ(refusal(with_checksums(other, starts)).code, ErrorCode::wrong_version);

  other = whole;
  std::reverse(other.begin() + 8, other.begin() + 12);
  EXPECT_EQ(refusal(with_checksums(other, starts)).code, ErrorCode::wrong_version);

  ASSERT_TRUE(TraceWriter::create(folder.file("trace.cairn"), scene.resolved));
  const Result<Checkpoint> trace = load_checkpoint(folder.file("trace.cairn"));
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error()[0].code, ErrorCode::wrong_format);

  const Result<Checkpoint> missing = load_checkpoint(folder.file("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].code, ErrorCode::not_found);
  EXPECT_FALSE(load_checkpoint(folder.path()));
}

// A section of a later program, "NEWS", may stand anywhere; the head counts it.
TEST(Checkpoint, SectionsAreSkippedIfUnknownAndMandatoryOtherwise) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string whole = saved(folder, scene);
  const std::vector<std::size_t> starts = section_starts(whole);
  const std::string news = std::string("NEWS") + '\x03' + std::string(7, '\0') + "abc1234";
  const auto with_count = [](std::string bytes, std::uint32_t count) {
    put_u32(bytes, 16, count);
    return with_checksums(bytes, section_starts(bytes));
  };
  for (const std::size_t at : starts) {
    std::string bytes = whole;
    bytes.insert(at, news);
    const std::string longer = with_count(bytes, 4);
    const Result<Checkpoint> loaded = record::parse_checkpoint(bytes_of(longer), "file");
    ASSERT_TRUE(loaded) << loaded.error().front().text();
    EXPECT_EQ(loaded->scene, scene.resolved);
    EXPECT_EQ(hash(loaded->state), hash(sample::state(scene, 7)));
    EXPECT_EQ(loaded->run.command, "cairn run disc.json");
    EXPECT_FALSE(record::parse_checkpoint(bytes_of(with_count(bytes, 3)), "file")) << at;
  }
  EXPECT_FALSE(record::parse_checkpoint(bytes_of(with_count(whole, 2)), "file"));
  EXPECT_FALSE(record::parse_checkpoint(bytes_of(with_count(whole, 4)), "file"));
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::size_t size = starts[i + 1] - starts[i];
    std::string bytes = whole;
    bytes.erase(starts[i], size);
    EXPECT_EQ(refusal(with_count(bytes, 2)).path, section_at(starts, starts[i]));
    bytes = whole;
    bytes.insert(starts[i], whole.substr(starts[i], size));
    EXPECT_EQ(refusal(with_count(bytes, 4)).path, section_at(starts, starts[i]));
  }
}

// Counts of 2^56 and more behind a right checksum: they fail before anything is allocated.
TEST(Checkpoint, LengthsAreNotBelievedEvenWithARightChecksum) {
  const Folder folder;
  const std::string whole = saved(folder, sample::scene());
  const std::vector<std::size_t> starts = section_starts(whole);
  // The number of bytes of the version and of the scene, of the poses after time and step.
  for (const std::size_t at : {starts[0] + 12, starts[1] + 12, starts[2] + 12 + 16}) {
    std::string bytes = whole;
    bytes[at + 7] = 1;
    const Error error = refusal(with_checksums(bytes, starts));
    EXPECT_EQ(error.path, section_at(starts, at));
    EXPECT_EQ(error.code, damaged);
  }
  // Another state under a right checksum does not have the recorded hash.
  std::string bytes = whole;
  bytes[starts[2] + 12] ^= 1;
  EXPECT_EQ(refusal(with_checksums(bytes, starts)).code, damaged);
}

TEST(Checkpoint, OtherScenesAreRefused) {
  const Folder folder;
  const Scene scene = sample::scene();
  saved(folder, scene);
  const Result<Checkpoint> loaded = load_checkpoint(folder.file("checkpoint.cairn"));
  ASSERT_TRUE(loaded);
  Checkpoint checkpoint = *loaded;
  checkpoint.scene = "{\n  \"step\": 1\n}\n";
  Scene other = scene;
  other.resolved = "{\n  \"step\": 2\n}\n";
  const Result<void> refused = check_scene(checkpoint, "file", other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error()[0].code, mismatch);
  EXPECT_EQ(refused.error()[0].path, "scene");
  EXPECT_EQ(refused.error()[0].line, 2);
  EXPECT_EQ(refused.error()[0].got, "\"step\": 1");
  EXPECT_EQ(refused.error()[0].allowed, "\"step\": 2");

  // A state of another size would run over the end of the model's arrays.
  checkpoint = *loaded;
  checkpoint.state.poses.pop_back();
  EXPECT_FALSE(check_scene(checkpoint, "file", scene));
  checkpoint = *loaded;
  checkpoint.state.v.conservativeResize(2);
  EXPECT_FALSE(check_scene(checkpoint, "file", scene));
  checkpoint = *loaded;
  checkpoint.state.v_before.conservativeResize(2);
  EXPECT_FALSE(check_scene(checkpoint, "file", scene));
}

TEST(Checkpoint, AFailedSaveKeepsTheOldOne) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string before = saved(folder, scene);
  const Result<void> failed =
      save_checkpoint(folder.file("no/such/folder"), scene.resolved, *scene.initial, 0);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error()[0].kind, ErrorKind::io);
  EXPECT_EQ(sample::read(folder.file("checkpoint.cairn")), before);
}

// ---- Recordings that go on
// ----------------------------------------------------------------------------------------------------

constexpr int all_steps = 6, saved_steps = 4;
const std::vector<std::string> run_files = {"trace.cairn", "steps.csv", "summary.json",
                                            "report.html"};

void record(record::RunRecorder& recorder, const Scene& scene, int first, int last) {
  for (int n = first; n <= last; ++n)
    ASSERT_TRUE(recorder.record(sample::step(n), sample::state(scene, n)));
}

// The folder of a run that was killed in its last step, with a checkpoint after step 4.
void leave_unfinished(const Scene& scene, const std::string& folder) {
  Result<record::RunRecorder> recorder =
      record::RunRecorder::create(scene, {folder, "repeat", page::run_page});
  ASSERT_TRUE(recorder);
  record(*recorder, scene, 1, saved_steps);
  ASSERT_TRUE(recorder->save_checkpoint(2));
  record(*recorder, scene, saved_steps + 1, all_steps);
}

Result<record::RunRecorder> resume(const Scene& scene, const std::string& folder,
                                   int* replayed = nullptr) {
  const Result<Checkpoint> checkpoint = load_checkpoint(folder + "/checkpoint.cairn");
  EXPECT_TRUE(checkpoint);
  return record::RunRecorder::resume(scene, {folder, checkpoint->run.command, page::run_page},
                                     *checkpoint, [&](const StepReport&) {
                                       if (replayed) ++*replayed;
                                       return Result<void>();
                                     });
}

// The samples hold made-up CPU times, so that even those are the same.
TEST(Resume, FilesAreThoseOfAnUndisturbedRunWhereverTheTraceWasCut) {
  const Folder folder;
  const Scene scene = sample::scene();
  Result<record::RunRecorder> undisturbed =
      record::RunRecorder::create(scene, {folder.file("whole"), "repeat", page::run_page});
  ASSERT_TRUE(undisturbed);
  record(*undisturbed, scene, 1, all_steps);
  ASSERT_TRUE(undisturbed->finish());

  leave_unfinished(scene, folder.file("killed"));
  const std::string trace = sample::read(folder.file("killed/trace.cairn.part"));
  const std::string checkpoint = sample::read(folder.file("killed/checkpoint.cairn"));
  Result<TraceReader> reader = TraceReader::open(folder.file("killed/trace.cairn.part"));
  ASSERT_TRUE(reader);
  TraceFrame frame;
  for (int n = 0; n <= saved_steps; ++n) ASSERT_EQ(reader->next(frame), TraceEvent::frame);
  const std::size_t kept = reader->next_offset();

  const std::string out = folder.file("resumed");
  std::vector<std::size_t> cuts = {trace.size(), trace.size() - 1};
  for (std::size_t cut = kept; cut < trace.size(); cut += 61) cuts.push_back(cut);
  for (const std::size_t cut : cuts) {
    std::filesystem::remove_all(out);
    std::filesystem::create_directory(out);
    sample::write(out + "/trace.cairn.part", trace.substr(0, cut));
    sample::write(out + "/checkpoint.cairn", checkpoint);
    int replayed = 0;
    Result<record::RunRecorder> recorder = resume(scene, out, &replayed);
    ASSERT_TRUE(recorder) << cut << ": " << recorder.error().front().text();
    ASSERT_EQ(replayed, saved_steps);
    record(*recorder, scene, saved_steps + 1, all_steps);
    ASSERT_TRUE(recorder->finish());
    for (const std::string& name : run_files)
      ASSERT_EQ(sample::read(out + "/" + name), sample::read(folder.file("whole/" + name)))
          << name << " after a cut at " << cut;
    ASSERT_FALSE(std::filesystem::exists(out + "/checkpoint.cairn"));
  }
}

// An interrupted run closes its files; the trace is opened again without its end.
TEST(Resume, InterruptedRunsGoOnAfterACleanEnd) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string out = folder.file("out");
  {
    Result<record::RunRecorder> recorder =
        record::RunRecorder::create(scene, {out, "repeat", page::run_page});
    ASSERT_TRUE(recorder);
    record(*recorder, scene, 1, saved_steps);
    ASSERT_TRUE(recorder->save_checkpoint(2));
    ASSERT_TRUE(recorder->finish("interrupted"));
  }
  ASSERT_TRUE(std::filesystem::exists(out + "/trace.cairn"));
  Result<record::RunRecorder> recorder = resume(scene, out);
  ASSERT_TRUE(recorder) << recorder.error().front().text();
  EXPECT_FALSE(std::filesystem::exists(out + "/trace.cairn"));
  record(*recorder, scene, saved_steps + 1, all_steps);
  const Result<record::RunOutcome> outcome = recorder->finish();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, record::RunStatus::ok);

  Result<record::RunRecorder> undisturbed =
      record::RunRecorder::create(scene, {folder.file("whole"), "repeat", page::run_page});
  ASSERT_TRUE(undisturbed);
  record(*undisturbed, scene, 1, all_steps);
  ASSERT_TRUE(undisturbed->finish());
  for (const std::string& name : run_files)
    EXPECT_EQ(sample::read(out + "/" + name), sample::read(folder.file("whole/" + name))) << name;
}

TEST(Resume, TracesThatDoNotReachOrFitTheCheckpointAreRefused) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string out = folder.file("out"), part = out + "/trace.cairn.part";
  leave_unfinished(scene, out);
  const std::string trace = sample::read(part);
  const auto refused = [&](ErrorCode code) {
    const Result<record::RunRecorder> recorder = resume(scene, out);
    ASSERT_FALSE(recorder) << code_name(code);
    EXPECT_EQ(recorder.error()[0].code, code) << recorder.error()[0].text();
  };

  // Frames are of equal size here but the first: half of the file holds fewer than four steps.
  sample::write(part, trace.substr(0, trace.size() / 2));
  refused(mismatch);
  EXPECT_EQ(sample::read(part).size(), trace.size() / 2);  // and nothing was lost by asking
  std::string broken = trace;
  broken[trace.size() / 2] ^= 1;
  sample::write(part, broken);
  refused(ErrorCode::damaged);

  sample::write(part, trace);
  State other = sample::state(scene, saved_steps);
  other.v[0] += 1;
  ASSERT_TRUE(save_checkpoint(out + "/checkpoint.cairn", scene.resolved, other, saved_steps));
  refused(mismatch);
  ASSERT_TRUE(save_checkpoint(out + "/checkpoint.cairn", "{}", other, saved_steps));
  Scene other_scene = scene;
  other_scene.resolved = "{}";
  const Result<record::RunRecorder> recorder = resume(other_scene, out);
  ASSERT_FALSE(recorder);
  EXPECT_EQ(recorder.error()[0].code, mismatch);
}

// The checksums are right, but the scene has no such body, or fewer of them.
TEST(Resume, ForgedFramesAreRefused) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string out = folder.file("out");
  leave_unfinished(scene, out);
  const auto refused = [&](const StepReport& report, const State& state) {
    {
      Result<TraceWriter> writer = TraceWriter::create(out + "/trace.cairn.part", scene.resolved);
      ASSERT_TRUE(writer && writer->append_initial(*scene.initial));
      ASSERT_TRUE(writer->append(report, state));
    }
    const Result<record::RunRecorder> recorder = resume(scene, out);
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error()[0].code, mismatch);
  };
  const State state = sample::state(scene, 1);
  StepReport report = sample::step(1);
  report.solves[0].problem.constraints[0].key.contact.body_a = BodyId{99};
  refused(report, state);
  report = sample::step(1);
  report.solves[0].problem.bodies[0].model_body = -1;
  refused(report, state);
  State small = state;
  small.poses.pop_back();
  refused(sample::step(1), small);
}

TEST(Resume, ARunThatStillGoesOnIsLeftAlone) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string out = folder.file("out");
  Result<record::RunRecorder> running =
      record::RunRecorder::create(scene, {out, "repeat", page::run_page});
  ASSERT_TRUE(running);
  ASSERT_TRUE(running->save_checkpoint(2));
  for (const Result<record::RunRecorder>& second :
       {resume(scene, out), record::RunRecorder::create(scene, {out, "repeat", page::run_page})}) {
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error()[0].code, ErrorCode::in_use);
  }
  record(*running, scene, 1, all_steps);
  ASSERT_TRUE(running->finish());
  EXPECT_EQ(TraceReader::open(out + "/trace.cairn").has_value(), true);
  // To the very end of the first, and no longer.
  EXPECT_FALSE(record::RunRecorder::create(scene, {out, "repeat", page::run_page}));
  EXPECT_EQ(TraceReader::open(out + "/trace.cairn").has_value(), true);
  running = tl::unexpected(Errors{});
  EXPECT_TRUE(record::RunRecorder::create(scene, {out, "repeat", page::run_page}));
}

// A new run in an old folder must not be resumed from the old run's checkpoint.
TEST(Resume, ANewRunRemovesTheCheckpointOfAnEarlierOne) {
  const Folder folder;
  const Scene scene = sample::scene();
  leave_unfinished(scene, folder.file("out"));
  ASSERT_TRUE(std::filesystem::exists(folder.file("out/checkpoint.cairn")));
  ASSERT_TRUE(record::RunRecorder::create(scene, {folder.file("out"), "repeat", page::run_page}));
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/checkpoint.cairn")));
}

}  // namespace
}  // namespace cairn::test_checkpoint
