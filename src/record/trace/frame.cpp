// Encodes and decodes frames. The two halves mirror each other line by line: docs/trace-format.md
// is their outline.
#include "record/trace/frame.hpp"

#include <cmath>

#include "bytes/compress.hpp"
#include "record/trace/chunk.hpp"
#include "record/trace/frame_attempts.hpp"
#include "record/trace/frame_forces.hpp"
#include "record/trace/frame_origin.hpp"
#include "record/trace/frame_problem.hpp"
#include "record/trace/frame_verdict.hpp"

namespace cairn::record {
// ---- State
// ----------------------------------------------------------------------------------------------------

void encode_state(const State& state, bytes::ByteWriter& out) {
  out.f64(state.t);
  out.i64(state.step);
  out.u64(state.poses.size());
  for (const Pose& X : state.poses) write_pose(X, out);
  out.vector(state.v);
  out.u64(state.impulses.size());
  for (const ImpulseMemory& memory : state.impulses) {
    write_key(memory.key, out);
    out.vec3(memory.impulse);
  }
  out.vector(state.v_before);
  out.u64(state.pending.size());
  for (const ContactKey& key : state.pending) write_key(key, out);
  if (state.contact_anchors.empty()) return;
  out.u64(state.contact_anchors.size());
  for (const ContactAnchor& anchor : state.contact_anchors) {
    write_key(anchor.key, out);
    out.vec3(anchor.p_A);
    out.vec3(anchor.p_B);
  }
}

void decode_state(bytes::ByteReader& in, State& state) {
  state.t = in.f64();
  state.step = in.i64();
  state.poses.resize(in.count(pose_bytes));
  for (Pose& X : state.poses) X = read_pose(in);
  in.vector(state.v);
  state.impulses.resize(in.count(constraint_key_bytes + 24));
  for (ImpulseMemory& memory : state.impulses) {
    memory.key = read_constraint_key(in);
    memory.impulse = in.vec3();
  }
  in.vector(state.v_before);
  state.pending.resize(in.count(key_bytes));
  for (ContactKey& key : state.pending) key = read_key(in);
  // The hash of the state ends the section. What is before it are anchors, if there are any.
  const bool anchors = in.left() > sizeof(std::uint64_t);
  state.contact_anchors.resize(anchors ? in.count(key_bytes + 48) : 0);
  for (ContactAnchor& anchor : state.contact_anchors) {
    anchor.key = read_key(in);
    anchor.p_A = in.vec3();
    anchor.p_B = in.vec3();
  }
}

namespace {

// ---- Report
// -----------------------------------------------------------------------------------------------------

void write_contact(const ContactReport& report, bytes::ByteWriter& out) {
  write_geometry(report.contact, out);
  out.vec3(report.impulse);
  out.vec3(report.velocity);
  out.vec3(report.torque);
  out.u8(static_cast<std::uint8_t>(report.mode));
  out.u8(report.colliding);
}
constexpr std::size_t contact_bytes = geometry_bytes + 3 * 24 + 2;

void read_contact(bytes::ByteReader& in, ContactReport& report) {
  read_geometry(in, report.contact);
  report.impulse = in.vec3();
  report.velocity = in.vec3();
  report.torque = in.vec3();
  report.mode = in.choice(ContactMode::slip);
  report.colliding = in.flag();
}

template <class Impact, class Visit>
void each_impact_number(Impact& i, Visit visit) {
  for (auto* x :
       {&i.t, &i.approach, &i.rebound, &i.restitution, &i.lost_restitution, &i.lost_friction,
        &i.put_in, &i.kinetic_before, &i.kinetic_after, &i.other, &i.guard})
    visit(*x);
}

void write_impact(const ImpactReport& impact, bytes::ByteWriter& out) {
  write_key(impact.contact, out);
  out.u8(static_cast<std::uint8_t>(impact.law));
  out.i32(impact.group);
  each_impact_number(impact, [&](const double& x) { out.f64(x); });
}
constexpr std::size_t impact_bytes = key_bytes + 1 + 4 + 11 * 8;

void read_impact(bytes::ByteReader& in, ImpactReport& impact) {
  impact.contact = read_key(in);
  impact.law = in.choice(RestitutionLaw::stronge);
  impact.group = in.i32();
  each_impact_number(impact, [&](double& x) { x = in.f64(); });
}

template <class Ledger_, class Visit>
void each_energy(Ledger_& l, Visit visit) {
  for (auto* x :
       {&l.kinetic_start, &l.potential_start, &l.kinetic_end, &l.potential_end, &l.work_applied,
        &l.work_motion, &l.friction, &l.impact, &l.stabilisation, &l.integrator, &l.solver})
    visit(*x);
}

struct FigureWriter {
  bytes::ByteWriter& out;
  void operator()(const FigureText&, const double& x) const { out.f64(x); }
  void operator()(const FigureText&, const int& n) const { out.i32(n); }
};
struct FigureReader {
  bytes::ByteReader& in;
  void operator()(const FigureText&, double& x) const { x = in.f64(); }
  void operator()(const FigureText&, int& n) const { n = in.i32(); }
};

template <class Report, class Visit>
void each_time(Report& r, Visit visit) {
  for (auto* x : {&r.seconds.detect, &r.seconds.solve, &r.seconds.total}) visit(*x);
}

void write_event(const StepEvent& event, bytes::ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(event.kind));
  out.f64(event.t);
  write_key(event.contact, out);
  out.f64(event.speed);
}
constexpr std::size_t event_bytes = 1 + 16 + key_bytes;

void read_event(bytes::ByteReader& in, StepEvent& event) {
  event.kind = in.choice(StepEvent::Kind::steady);
  event.t = in.f64();
  event.contact = read_key(in);
  event.speed = in.f64();
}

void write_solve(const SolveRecord& record, bytes::ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(record.purpose));
  out.f64(record.length);
  out.f64(record.taken);
  write_problem(record.problem, out);
  write_solution(record.solution, out);
}
constexpr std::size_t least_solve_bytes = 200;

void read_solves(bytes::ByteReader& in, TraceFrame& frame) {
  StepReport& report = frame.report;
  const std::size_t solves = in.count(least_solve_bytes);
  report.solves.resize(solves);
  frame.methods.resize(solves);
  for (std::size_t i = 0; i < solves && in.ok(); ++i) {
    SolveRecord& record = report.solves[i];
    record.purpose = in.choice(SolveRecord::Purpose::impact);
    record.length = in.f64();
    record.taken = in.f64();
    read_problem(in, record.problem);
    if (in.ok()) read_solution(in, record.problem, record.solution, frame.methods[i]);
  }
  // The section of measures, which names the worst solve, is read before this one.
  if (report.worst_solve < 0 || (solves > 0 && report.worst_solve >= report.solves.size()))
    in.reject();
}

void encode_state_section(const State& state, std::uint64_t state_hash, bytes::ByteWriter& out) {
  write_section(tags::state, out, [&] {
    encode_state(state, out);
    out.u64(state_hash);
  });
}

void write_controls(const Controls& controls, bytes::ByteWriter& out) {
  out.u64(controls.forces.size());
  for (const ExternalForce& f : controls.forces) {
    out.i32(static_cast<std::int32_t>(f.body));
    out.vec3(f.force);
    out.vec3(f.torque);
    out.vec3(f.point);
  }
  out.u64(controls.motors.size());
  for (const MotorTarget& m : controls.motors) {
    out.i32(static_cast<std::int32_t>(m.joint));
    out.f64(m.value);
  }
}

void read_controls(bytes::ByteReader& in, Controls& controls) {
  controls.forces.resize(in.count(4 + 3 * 24));
  for (ExternalForce& f : controls.forces) {
    f.body = static_cast<BodyId>(in.i32());
    f.force = in.vec3();
    f.torque = in.vec3();
    f.point = in.vec3();
  }
  controls.motors.resize(in.count(4 + 8));
  for (MotorTarget& m : controls.motors) {
    m.joint = static_cast<JointId>(in.i32());
    m.value = in.f64();
  }
}

// The sections of level `full` in place of the packed one.
void encode_plain(const StepReport& report, const State& state, std::uint64_t state_hash,
                  const ShownForces& forces, bytes::ByteWriter& out) {
  encode_state_section(state, state_hash, out);
  write_section(tags::contacts, out, [&] {
    out.u64(report.contacts.size());
    for (const ContactReport& contact : report.contacts) write_contact(contact, out);
  });
  if (!report.impacts.empty())
    write_section(tags::impacts, out, [&] {
      out.u64(report.impacts.size());
      for (const ImpactReport& impact : report.impacts) write_impact(impact, out);
    });
  if (!report.divided.empty()) write_section(tags::parts, out, [&] { write_parts(report, out); });
  write_section(tags::solves, out, [&] {
    out.u64(static_cast<std::uint64_t>(report.solves.size()));
    for (const SolveRecord& record : report.solved()) write_solve(record, out);
  });
  if (has_origins(report)) write_section(tags::origins, out, [&] { write_origins(report, out); });
  if (forces.known) write_section(tags::forces, out, [&] { write_forces(forces, out); });
}

// What level `full` has in place of the packed section.
void decode_plain(SectionReader& sections, TraceFrame& frame) {
  StepReport& report = frame.report;
  sections.mandatory(tags::state, [&](bytes::ByteReader& in) {
    decode_state(in, frame.state);
    frame.state_hash = in.u64();
  });
  sections.mandatory(tags::contacts, [&](bytes::ByteReader& in) {
    report.contacts.resize(in.count(contact_bytes));
    for (ContactReport& contact : report.contacts) read_contact(in, contact);
  });
  report.impacts.clear();
  sections.optional(tags::impacts, [&](bytes::ByteReader& in) {
    report.impacts.resize(in.count(impact_bytes));
    for (ImpactReport& impact : report.impacts) read_impact(in, impact);
  });
  sections.mandatory(tags::solves, [&](bytes::ByteReader& in) { read_solves(in, frame); });
  clear_origins(report);
  sections.optional(tags::origins, [&](bytes::ByteReader& in) { read_origins(in, report); });
  frame.forces = {};
  sections.optional(tags::forces,
                    [&](bytes::ByteReader& in) { read_forces(in, report, frame.forces); });
  report.divided.clear();
  sections.optional(tags::parts, [&](bytes::ByteReader& in) { read_parts(in, report); });
}

}  // namespace

// The state at the beginning of a step whose frame before does not have it.
void FrameWriter::write_before(bytes::ByteWriter& out) {
  plain_.clear();
  encode_state(before_, plain_);
  bytes::compress(plain_.bytes(), compressed_);
  write_section(tags::before, out, [&] {
    out.u64(plain_.size());
    out.raw(compressed_);
  });
  memory_.packed.state = before_;
}

static void read_before(bytes::ByteReader& in, TraceFrame& frame) {
  constexpr std::uint64_t most_ratio = 1100;  // of zlib
  const std::uint64_t size = in.u64();
  const std::span<const std::uint8_t> compressed = in.raw(in.left());
  std::vector<std::uint8_t> plain;
  if (!in.ok() || size > most_ratio * compressed.size() ||
      !bytes::decompress(compressed, static_cast<std::size_t>(size), plain))
    return in.reject();
  bytes::ByteReader state(plain);
  decode_state(state, frame.before);
  if (!state.ok() || state.left() > 0) in.reject();
}

bool FrameWriter::is_due(const StepReport& report) const {
  if (report.step % options_.every != 0) return false;
  if (options_.interval == 0) return true;
  // Times are sums of steps.
  const auto frames = [&](double t) { return std::floor(t / options_.interval + 0x1p-20); };
  return frames(report.t) > frames(report.t - report.h);
}

void FrameWriter::go_on(const FrameMemory& memory, const State& state) {
  memory_ = memory;
  before_ = state;
}

void FrameWriter::encode(const StepReport& report, const State& state, std::uint64_t state_hash,
                         const ShownForces& forces, bytes::ByteWriter& out, bool last) {
  const bool sparse = options_.every > 1 || options_.interval > 0;
  const bool slim = options_.level == RecordLevel::states ||
                    (sparse && !last && report.accepted() && !is_due(report));
  write_section(tags::step, out, [&] {
    out.i64(report.step);
    out.u8(static_cast<std::uint8_t>(report.status));
    out.f64(report.t);
    out.f64(report.h);
    out.text(report.message);
  });
  write_section(tags::measures, out, [&] {
    describe(FigureWriter{out}, report);
    out.i32(report.worst_solve);
  });
  write_section(tags::seconds, out,
                [&] { each_time(report, [&](const double& x) { out.f64(x); }); });
  write_section(tags::ledger, out,
                [&] { each_energy(report.ledger, [&](const double& x) { out.f64(x); }); });
  if (report.ledger.passive != 0)
    write_section(tags::passive, out, [&] { out.f64(report.ledger.passive); });
  if (!report.events.empty())
    write_section(tags::events, out, [&] {
      out.u64(report.events.size());
      for (const StepEvent& event : report.events) write_event(event, out);
    });
  write_section(tags::verdict, out, [&] { write_verdict(report.verdict, out); });
  if (!report.controls.empty())
    write_section(tags::controls, out, [&] { write_controls(report.controls, out); });
  if (has_attempts(report))
    write_section(tags::attempts, out, [&] { write_attempts(report, out); });
  if (!slim && !memory_.last_whole) write_before(out);
  memory_.last_whole = !slim;
  if (sparse) before_ = state;
  if (!slim && options_.level == RecordLevel::full)
    return encode_plain(report, state, state_hash, forces, out);
  if (slim) {
    write_section(tags::slim, out, [&] {
      const double resolution = options_.resolution > 0 ? options_.resolution : 0x1p-20;
      pack_slim(report, state, state_hash, forces, resolution, memory_.slim, pack_);
      pack_.finish(out);
    });
    if (options_.level == RecordLevel::states && state.step % options_.exact_every == 0)
      encode_state_section(state, state_hash, out);
    return;
  }
  write_section(tags::packed, out, [&] {
    pack_frame(report, state, state_hash, forces, memory_.packed, pack_);
    pack_.finish(out);
  });
  memory_.packed.remember(report, state);
}

SectionFault FrameReader::decode(std::span<const std::uint8_t> payload, TraceFrame& frame) {
  SectionReader sections(payload);
  StepReport& report = frame.report;
  sections.mandatory(tags::step, [&](bytes::ByteReader& in) {
    report.step = in.i64();
    report.status = in.choice(StepStatus::stopped);
    report.t = in.f64();
    report.h = in.f64();
    in.text(report.message);
  });
  sections.mandatory(tags::measures, [&](bytes::ByteReader& in) {
    describe(FigureReader{in}, report);
    report.worst_solve = in.i32();
  });
  sections.mandatory(tags::seconds, [&](bytes::ByteReader& in) {
    each_time(report, [&](double& x) { x = in.f64(); });
  });
  sections.mandatory(tags::ledger, [&](bytes::ByteReader& in) {
    each_energy(report.ledger, [&](double& x) { x = in.f64(); });
  });
  report.ledger.passive = 0;
  sections.optional(tags::passive,
                    [&](bytes::ByteReader& in) { report.ledger.passive = in.f64(); });
  report.events.clear();
  sections.optional(tags::events, [&](bytes::ByteReader& in) {
    report.events.resize(in.count(event_bytes));
    for (StepEvent& event : report.events) read_event(in, event);
  });
  report.verdict = {};
  report.verdict.attempts = 0;  // of recordings without verdicts
  sections.optional(tags::verdict,
                    [&](bytes::ByteReader& in) { read_verdict(in, report.verdict); });
  report.controls = {};
  sections.optional(tags::controls,
                    [&](bytes::ByteReader& in) { read_controls(in, report.controls); });
  report.candidates = 0;
  frame.has_before =
      sections.optional(tags::before, [&](bytes::ByteReader& in) { read_before(in, frame); });
  if (frame.has_before) memory_.packed.state = frame.before;
  const bool packed = sections.optional(tags::packed, [&](bytes::ByteReader& in) {
    pack_.begin(in);
    if (!unpack_frame(memory_.packed, pack_, frame)) in.reject();
  });
  frame.whole = packed || !sections.optional(tags::slim, [&](bytes::ByteReader& in) {
    pack_.begin(in);
    if (!unpack_slim(memory_.slim, pack_, frame)) in.reject();
  });
  memory_.last_whole = frame.whole;
  frame.exact = true;
  if (!frame.whole)
    frame.exact = sections.optional(tags::state, [&](bytes::ByteReader& in) {
      decode_state(in, frame.state);
      if (in.u64() != frame.state_hash) in.reject();
    });
  else if (!packed && (sections.has(tags::state) || sections.has(tags::solves)))
    decode_plain(sections, frame);
  else
    sections.mandatory(tags::packed, [](bytes::ByteReader& in) { in.raw(in.left()); });
  clear_attempts(report);
  sections.optional(tags::attempts, [&](bytes::ByteReader& in) { read_attempts(in, report); });
  if (packed && !sections.fault()) memory_.packed.remember(report, frame.state);
  return sections.fault();
}

}  // namespace cairn::record
