// Sections: unknown ones are skipped; a missing, doubled, cut or overlong one is found and named.
#include "record/edit_trace.hpp"
#include "record/plain_frame.hpp"
#include "record/sample.hpp"

namespace cairn::test_sections {
namespace {

using Kind = record::SectionFault::Kind;
using sample::Folder;

std::string encoded(const StepReport& report, const State& state) {
  bytes::ByteWriter out;
  record::encode_frame(report, state, hash(state), out);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

// A frame with every section, optional ones included.
std::string sample_frame() {
  return encoded(sample::step(3), sample::state(sample::scene(), 3));
}

record::SectionFault decoded(const std::string& payload, TraceFrame& frame) {
  return record::decode_frame(
      {reinterpret_cast<const std::uint8_t*>(payload.data()), payload.size()}, frame);
}

record::SectionFault fault_of(const std::string& payload) {
  TraceFrame frame;
  return decoded(payload, frame);
}

bool is_optional(const std::string& tag) {
  return tag == "EVNT" || tag == "IMPC" || tag == "VERD" || tag == "PART" || tag == "PASV";
}

TEST(Sections, TagsOfAFrameAreTheDocumentedOnes) {
  std::vector<std::string> tags;
  for (const edit::Section& section : edit::sections(sample_frame())) tags.push_back(section.tag);
  EXPECT_EQ(tags, (std::vector<std::string>{"STEP", "MEAS", "TIME", "LEDG", "EVNT", "VERD", "STAT",
                                            "CONT", "IMPC", "SOLV"}));
}

TEST(Sections, UnknownOnesAreSkippedWhereverTheyStand) {
  const std::string whole = sample_frame();
  const std::vector<edit::Section> known = edit::sections(whole);
  for (std::size_t at = 0; at <= known.size(); ++at) {
    std::vector<edit::Section> longer = known;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), {"NEWS", "anything"});
    longer.insert(longer.begin(), {"NONE", ""});
    TraceFrame frame;
    ASSERT_FALSE(decoded(edit::joined(longer), frame)) << at;
    frame.report.solves[0].solution.method = "by hand";
    EXPECT_EQ(encoded(frame.report, frame.state), whole) << at;
  }
}

// The order carries no meaning.
TEST(Sections, MayComeInAnyOrder) {
  std::vector<edit::Section> reversed = edit::sections(sample_frame());
  std::reverse(reversed.begin(), reversed.end());
  TraceFrame frame;
  ASSERT_FALSE(decoded(edit::joined(reversed), frame));
  frame.report.solves[0].solution.method = "by hand";
  EXPECT_EQ(encoded(frame.report, frame.state), sample_frame());
}

TEST(Sections, MissingMandatoryOnesAreNamedAndMissingOptionalOnesAreEmpty) {
  const std::vector<edit::Section> known = edit::sections(sample_frame());
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::vector<edit::Section> fewer = known;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    TraceFrame frame;
    ASSERT_FALSE(decoded(sample_frame(), frame));  // what an earlier frame left must not stay
    const record::SectionFault fault = decoded(edit::joined(fewer), frame);
    if (is_optional(known[i].tag)) {
      EXPECT_FALSE(fault) << known[i].tag;
      EXPECT_EQ(frame.report.events.empty(), known[i].tag == "EVNT");
      EXPECT_EQ(frame.report.impacts.empty(), known[i].tag == "IMPC");
    } else {
      EXPECT_EQ(fault.kind, Kind::missing) << known[i].tag;
      EXPECT_EQ(record::text(fault.tag), known[i].tag);
    }
  }
}

TEST(Sections, DoubledOnesAreNamed) {
  std::vector<edit::Section> known = edit::sections(sample_frame());
  known.push_back({"NEWS", ""});
  for (const edit::Section& section : known) {
    std::vector<edit::Section> more = known;
    more.push_back(section);
    const record::SectionFault fault = fault_of(edit::joined(more));
    EXPECT_EQ(fault.kind, Kind::duplicate) << section.tag;
    EXPECT_EQ(record::text(fault.tag), section.tag);
  }
}

// A cut between sections loses mandatory ones, the last of all being one of them.
TEST(Sections, EveryCutIsFound) {
  const std::string whole = sample_frame();
  std::vector<std::size_t> ends = {0};
  for (const edit::Section& section : edit::sections(whole))
    ends.push_back(ends.back() + record::section_head + section.payload.size());
  ASSERT_EQ(ends.back(), whole.size());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::size_t begin = *(std::upper_bound(ends.begin(), ends.end(), cut) - 1);
    const Kind expected = cut == begin                         ? Kind::missing
                          : cut - begin < record::section_head ? Kind::cut
                                                               : Kind::too_long;
    ASSERT_EQ(fault_of(whole.substr(0, cut)).kind, expected) << cut;
  }
}

// Lengths of up to 2^64 - 1: sums with the place of the section would overflow.
TEST(Sections, LengthsBeyondTheFrameAreFound) {
  const std::string whole = sample_frame();
  for (const std::uint64_t length :
       {std::uint64_t{whole.size()}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    std::string bytes = whole;
    std::memcpy(bytes.data() + 4, &length, sizeof length);
    const record::SectionFault fault = fault_of(bytes);
    EXPECT_EQ(fault.kind, Kind::too_long) << length;
    EXPECT_EQ(record::text(fault.tag), "STEP");
  }
}

TEST(Sections, PayloadsOfAnotherShapeAreNamed) {
  const std::vector<edit::Section> known = edit::sections(sample_frame());
  for (std::size_t i = 0; i < known.size(); ++i)
    for (const bool longer : {true, false}) {
      std::vector<edit::Section> other = known;
      if (longer)
        other[i].payload += '\0';
      else
        other[i].payload.pop_back();
      const record::SectionFault fault = fault_of(edit::joined(other));
      EXPECT_EQ(fault.kind, Kind::malformed) << known[i].tag;
      EXPECT_EQ(record::text(fault.tag), known[i].tag);
    }
}

// ---- In files
// ----------------------------------------------------------------------------------------------------

std::string sample_trace(const Folder& folder, const Scene& scene) {
  const std::string path = folder.file("trace.cairn");
  Result<TraceWriter> writer = TraceWriter::create(path, scene.resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene.initial));
  for (int i = 1; i <= 3; ++i)
    EXPECT_TRUE(writer->append(sample::step(i), sample::state(scene, i)));
  EXPECT_TRUE(writer->finish());
  return sample::read(path);
}

TEST(Sections, UnknownOnesInEveryChunkChangeNothing) {
  const Folder folder;
  const Scene scene = sample::scene();
  const std::string longer = edit::with_unknown_sections(sample_trace(folder, scene));
  sample::write(folder.file("longer.cairn"), longer);
  Result<TraceReader> reader = TraceReader::open(folder.file("longer.cairn"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().scene, scene.resolved);
  EXPECT_EQ(reader->header().program, CAIRN_VERSION);
  TraceFrame frame;
  for (int i = 0; i <= 3; ++i) ASSERT_EQ(reader->next(frame), TraceEvent::frame);
  EXPECT_EQ(frame.state_hash, hash(sample::state(scene, 3)));
  EXPECT_EQ(reader->next(frame), TraceEvent::end);
}

// Chunk by chunk: scene, frames, end. The last section of each is mandatory.
TEST(Sections, MissingOnesMakeTheTraceCorruptFromTheirChunkOn) {
  const Folder folder;
  const std::string whole = sample_trace(folder, sample::scene());
  const std::vector<edit::Chunk> chunks = edit::chunks(whole);
  ASSERT_EQ(chunks.size(), 6u);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    std::vector<edit::Chunk> damaged = chunks;
    const std::string tag = damaged[i].sections.back().tag;
    damaged[i].sections.pop_back();
    const std::string path = folder.file("damaged.cairn");
    sample::write(path, edit::with_chunks(whole, damaged));
    Result<TraceReader> reader = TraceReader::open(path);
    EXPECT_EQ(reader.has_value(), i > 0);
    if (!reader) {
      EXPECT_EQ(reader.error()[0].kind, ErrorKind::input);
      EXPECT_NE(reader.error()[0].what.find(tag), std::string::npos);
      continue;
    }
    TraceFrame frame;
    TraceEvent event = reader->next(frame);
    while (event == TraceEvent::frame) event = reader->next(frame);
    EXPECT_EQ(event, TraceEvent::corrupt) << i;
    EXPECT_EQ(reader->frames(), static_cast<std::int64_t>(i) - 1);
    EXPECT_NE(reader->reason().find(tag), std::string::npos) << reader->reason();
  }
}

}  // namespace
}  // namespace cairn::test_sections
