// Traces: what was written is read back bit for bit; a cut loses only what it cuts; no flipped byte
// goes unseen.
#include <cstring>

#include "bytes/bytes.hpp"
#include "bytes/crc32.hpp"
#include "record/plain_frame.hpp"
#include "record/sample.hpp"

namespace cairn::test_trace {
namespace {

using sample::Folder;

std::string encoded(const StepReport& report, const State& state, std::uint64_t state_hash) {
  bytes::ByteWriter out;
  record::encode_frame(report, state, state_hash, out);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

// A trace of the initial state and `steps` steps.
void write_trace(const std::string& path, const Scene& scene, int steps) {
  Result<TraceWriter> writer = TraceWriter::create(path, scene.resolved);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append_initial(*scene.initial));
  for (int i = 1; i <= steps; ++i)
    ASSERT_TRUE(writer->append(sample::step(i), sample::state(scene, i)));
  ASSERT_TRUE(writer->finish());
}

struct Reading {
  bool opened = false;
  std::int64_t frames = 0;
  TraceEvent event = TraceEvent::corrupt;
  std::uint64_t dropped = 0;
};

Reading read_all(const std::string& path) {
  Reading reading;
  Result<TraceReader> reader = TraceReader::open(path);
  reading.opened = reader.has_value();
  if (!reader) return reading;
  TraceFrame frame;
  do reading.event = reader->next(frame);
  while (reading.event == TraceEvent::frame);
  reading.frames = reader->frames();
  reading.dropped = reader->dropped_bytes();
  return reading;
}

// The check value of the CRC catalogue: the checksum of the nine digits.
TEST(Crc32, MatchesTheStandardCheckValue) {
  const std::string digits = "123456789";
  const auto* data = reinterpret_cast<const std::uint8_t*>(digits.data());
  EXPECT_EQ(bytes::crc32({data, 9}), 0xCBF43926u);
  EXPECT_EQ(bytes::crc32({data + 4, 5}, bytes::crc32({data, 4})), 0xCBF43926u);
}

TEST(Bytes, AreLittleEndianAndReadersStopAtTheEnd) {
  bytes::ByteWriter out;
  out.u32(0x01020304);
  out.f64(1.0);
  ASSERT_EQ(out.size(), 12u);
  EXPECT_EQ(out.bytes()[0], 4);
  EXPECT_EQ(out.bytes()[11], 0x3F);
  bytes::ByteReader in(out.bytes());
  EXPECT_EQ(in.u32(), 0x01020304u);
  EXPECT_EQ(in.f64(), 1.0);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_FALSE(in.ok());
}

// A length of 2^60 must fail before anything is allocated.
TEST(Bytes, LengthIsCheckedAgainstWhatIsLeft) {
  bytes::ByteWriter out;
  out.u64(1ull << 60);
  out.f64(1.0);
  bytes::ByteReader in(out.bytes());
  VecX v;
  in.vector(v);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(v.size(), 0);
}

TEST(Trace, FramesComeBackBitForBit) {
  const Folder folder;
  const Scene scene = sample::scene();
  write_trace(folder.file("trace.cairn"), scene, 3);
  Result<TraceReader> reader = TraceReader::open(folder.file("trace.cairn"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().scene, scene.resolved);
  EXPECT_EQ(reader->header().program, CAIRN_VERSION);

  TraceFrame frame;
  ASSERT_EQ(reader->next(frame), TraceEvent::frame);
  EXPECT_EQ(frame.report.step, 0);
  EXPECT_TRUE(frame.state == *scene.initial);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_EQ(reader->next(frame), TraceEvent::frame);
    const State state = sample::state(scene, i);
    EXPECT_TRUE(frame.state == state);
    EXPECT_EQ(frame.state_hash, hash(state));
    ASSERT_EQ(frame.methods.size(), 1u);
    EXPECT_EQ(frame.methods[0], "by hand");
    // Writing what was read gives the same bytes: nothing is lost, negative zeros and all.
    frame.report.solves[0].solution.method = "by hand";
    EXPECT_EQ(encoded(frame.report, frame.state, frame.state_hash),
              encoded(sample::step(i), state, hash(state)));
  }
  EXPECT_EQ(reader->next(frame), TraceEvent::end);
  EXPECT_EQ(reader->next(frame), TraceEvent::end);
}

// Field by field for those whose mix-up would write and read alike.
TEST(Trace, FieldsLandWhereTheyBelong) {
  const Scene scene = sample::scene();
  const StepReport step = sample::step(5);
  const State state = sample::state(scene, 5);
  const std::string bytes = encoded(step, state, 42);
  TraceFrame frame;
  ASSERT_FALSE(record::decode_frame(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, frame));
  const StepReport& r = frame.report;
  EXPECT_EQ(r.ledger.work_motion, 6);
  EXPECT_EQ(r.ledger.solver, 11);
  EXPECT_EQ(r.penetration, step.penetration);
  EXPECT_EQ(r.guard_factor, 0.75);
  EXPECT_EQ(r.added_pairs, 2);
  EXPECT_EQ(r.collisions, 3);
  EXPECT_EQ(r.contact_projections, 7);
  EXPECT_EQ(r.uncertified_projections, 5);
  EXPECT_EQ(r.contact_projection_certificate, 2e-7);
  EXPECT_EQ(r.seconds.total, step.seconds.total);
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_EQ(r.events[0].kind, StepEvent::Kind::take_off);
  EXPECT_EQ(r.events[0].t, 0.125);
  EXPECT_EQ(r.events[0].contact, r.contacts.at(0).contact.key);
  EXPECT_EQ(r.events[0].speed, -0.5);
  ASSERT_EQ(r.impacts.size(), 1u);
  const ImpactReport& impact = r.impacts[0];
  EXPECT_EQ(impact.contact, r.contacts.at(0).contact.key);
  EXPECT_EQ(impact.t, 0.25);
  EXPECT_EQ(impact.approach, -4);
  EXPECT_EQ(impact.rebound, 2);
  EXPECT_EQ(impact.law, RestitutionLaw::stronge);
  EXPECT_EQ(impact.restitution, 0.5);
  EXPECT_EQ(impact.lost_restitution, 12);
  EXPECT_EQ(impact.lost_friction, 13);
  EXPECT_EQ(impact.put_in, 14);
  EXPECT_EQ(impact.group, 3);
  EXPECT_EQ(impact.kinetic_before, 16);
  EXPECT_EQ(impact.kinetic_after, 17);
  EXPECT_EQ(impact.other, 12);
  EXPECT_EQ(impact.guard, 18);
  EXPECT_EQ(r.parts, 4);
  EXPECT_EQ(r.error_estimate, 1e-6);
  ASSERT_EQ(r.contacts.size(), 1u);
  EXPECT_EQ(r.contacts[0].contact.t1_W, Vec3(1, 0, 0));
  EXPECT_EQ(r.contacts[0].impulse, Vec3(2, 0.25, 0));
  EXPECT_EQ(r.contacts[0].mode, ContactMode::slip);
  EXPECT_TRUE(r.contacts[0].colliding);
  ASSERT_EQ(r.solves.size(), 1);
  const Problem& p = r.solves[0].problem;
  EXPECT_EQ(p.units.time, 0.5);
  EXPECT_EQ(p.bodies[0].A[2][2], 1);
  EXPECT_EQ(p.constraints[0].J[0][1][2], 1);
  EXPECT_EQ(p.constraints[0].key.contact, step.solves[0].problem.constraints[0].key.contact);
  EXPECT_EQ(p.first_row, (std::vector<int>{0, 2}));
  EXPECT_EQ(frame.state_hash, 42u);
}

TEST(Trace, EveryCutKeepsAllCompleteFramesAndCountsTheRest) {
  const Folder folder;
  const Scene scene = sample::scene();
  write_trace(folder.file("whole"), scene, 2);
  const std::string whole = sample::read(folder.file("whole"));

  // Where chunks end, found by walking over their lengths.
  std::vector<std::size_t> ends;
  for (std::size_t at = 12; at < whole.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, whole.data() + at + 4, 8);
    at += 16 + static_cast<std::size_t>(length);
    ends.push_back(at);
  }
  ASSERT_EQ(ends.size(), 5u);  // scene, three frames, end
  ASSERT_EQ(ends.back(), whole.size());

  sample::write(folder.file("cut"), whole);
  for (std::size_t cut = whole.size(); cut-- > 0;) {
    std::filesystem::resize_file(folder.file("cut"), cut);
    const Reading reading = read_all(folder.file("cut"));
    ASSERT_EQ(reading.opened, cut >= ends[0]) << cut;
    if (!reading.opened) continue;
    std::size_t complete = 0;
    while (ends[complete + 1] <= cut) ++complete;
    ASSERT_EQ(reading.event, TraceEvent::truncated) << cut;
    ASSERT_EQ(reading.frames, static_cast<std::int64_t>(complete)) << cut;
    ASSERT_EQ(reading.dropped, cut - ends[complete]) << cut;
  }
  EXPECT_EQ(read_all(folder.file("whole")).event, TraceEvent::end);
}

TEST(Trace, EveryFlippedByteIsFound) {
  const Folder folder;
  const Scene scene = sample::scene();
  write_trace(folder.file("whole"), scene, 1);
  const std::string bytes = sample::read(folder.file("whole"));
  std::fstream file(folder.file("whole"), std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    put(i, static_cast<char>(bytes[i] ^ (1 << (i % 8))));
    const Reading reading = read_all(folder.file("whole"));
    ASSERT_FALSE(reading.opened && reading.event == TraceEvent::end) << "byte " << i;
    put(i, bytes[i]);
  }
}

TEST(Trace, BytesAfterTheEndAreNotSilentlyIgnored) {
  const Folder folder;
  write_trace(folder.file("trace"), sample::scene(), 1);
  sample::write(folder.file("longer"), sample::read(folder.file("trace")) + "x");
  EXPECT_EQ(read_all(folder.file("longer")).event, TraceEvent::corrupt);
}

// A frame can be read as soon as append() has returned, long before the trace is finished.
TEST(Trace, CanBeReadWhileItIsWritten) {
  const Folder folder;
  const Scene scene = sample::scene();
  Result<TraceWriter> writer = TraceWriter::create(folder.file("live"), scene.resolved);
  ASSERT_TRUE(writer);
  Result<TraceReader> reader = TraceReader::open(folder.file("live"));
  ASSERT_TRUE(reader);
  TraceFrame frame;
  EXPECT_EQ(reader->next(frame), TraceEvent::truncated);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(writer->append(sample::step(i), sample::state(scene, i)));
    ASSERT_EQ(reader->next(frame), TraceEvent::frame);
    EXPECT_EQ(frame.report.step, i);
  }
}

// Indices out of range are refused although the checksum of a forged frame could be right.
TEST(Trace, FramesWithIndicesOutOfRangeAreRefused) {
  const Scene scene = sample::scene();
  TraceFrame frame;
  const auto accepted = [&](const StepReport& step) {
    const std::string bytes = encoded(step, sample::state(scene, 1), 0);
    return !record::decode_frame(
        {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, frame);
  };
  EXPECT_TRUE(accepted(sample::step(1)));
  StepReport step = sample::step(1);
  step.solves[0].problem.bodies[0].first = 1;  // ends behind the last velocity
  EXPECT_FALSE(accepted(step));
  step = sample::step(1);
  step.solves[0].solution.lambda.resize(1);
  step.solves[0].solution.lambda.setZero();
  EXPECT_FALSE(accepted(step));
  step = sample::step(1);
  step.solves[0].solution.certificate.worst_constraint = 1;
  EXPECT_FALSE(accepted(step));
  step = sample::step(1);
  step.worst_solve = 1;
  EXPECT_FALSE(accepted(step));
}

TEST(Trace, FailuresOfTheSystemAreErrorsOfKindIo) {
  const Folder folder;
  const Result<TraceWriter> writer = TraceWriter::create(folder.file("no/such/folder"), "{}");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error()[0].kind, ErrorKind::io);
  EXPECT_EQ(writer.error()[0].code, ErrorCode::cannot_write);
  const Result<TraceReader> reader = TraceReader::open(folder.file("missing"));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error()[0].code, ErrorCode::not_found);
  // The device that is always full.
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_FALSE(TraceWriter::create("/dev/full", "{}"));
  }
}

}  // namespace
}  // namespace cairn::test_trace
