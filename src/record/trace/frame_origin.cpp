#include "record/trace/frame_origin.hpp"

#include <algorithm>

#include "record/trace/frame_problem.hpp"

namespace cairn::record {
namespace {

constexpr std::size_t least_origin_bytes = 4 + 3 * 8 + 5 * 8;

void write_poses(const std::vector<Pose>& poses, bytes::ByteWriter& out) {
  out.u64(poses.size());
  for (const Pose& X : poses) write_pose(X, out);
}

void read_poses(bytes::ByteReader& in, std::vector<Pose>& poses) {
  poses.resize(in.count(pose_bytes));
  for (Pose& X : poses) X = read_pose(in);
}

}  // namespace

bool origin_fits(const SolveOrigin& origin, const Problem& problem) {
  const auto beside = [&](const std::vector<Pose>& poses) {
    return poses.empty() || poses.size() == problem.bodies.size();
  };
  if (!origin.before.empty() && origin.before.size() != origin.contacts.size()) return false;
  return beside(origin.start) && beside(origin.rows) &&
         origin.v.size() == (origin.start.empty() ? 0 : problem.velocities());
}

void write_pose(const Pose& X, bytes::ByteWriter& out) {
  out.vec3(X.p);
  out.f64(X.R.w());
  out.vec3(X.R.vec());
}

Pose read_pose(bytes::ByteReader& in) {
  Pose X;
  X.p = in.vec3();
  X.R.w() = in.f64();
  X.R.vec() = in.vec3();
  return X;
}

void write_geometry(const Contact& c, bytes::ByteWriter& out) {
  write_key(c.key, out);
  out.vec3(c.p_WC);
  out.vec3(c.n_W);
  out.vec3(c.t1_W);
  out.vec3(c.t2_W);
  out.u8(static_cast<std::uint8_t>(c.rows));
  out.f64(c.gap);
  out.f64(c.friction);
  out.f64(c.stretch);
  out.f64(c.torsion);
  out.f64(c.rolling);
  out.f64(c.restitution);
  out.u8(static_cast<std::uint8_t>(c.restitution_law));
  out.f64(c.lever);
}

void read_geometry(bytes::ByteReader& in, Contact& c) {
  c.key = read_key(in);
  c.p_WC = in.vec3();
  c.n_W = in.vec3();
  c.t1_W = in.vec3();
  c.t2_W = in.vec3();
  c.rows = in.u8();
  if (c.rows < 1 || c.rows > max_rows) in.reject();
  c.gap = in.f64();
  c.friction = in.f64();
  c.stretch = in.f64();
  c.torsion = in.f64();
  c.rolling = in.f64();
  c.restitution = in.f64();
  c.restitution_law = in.choice(RestitutionLaw::stronge);
  c.lever = in.f64();
}

bool has_origins(const StepReport& report) {
  const auto solves = report.solved();
  return std::any_of(solves.begin(), solves.end(),
                     [](const SolveRecord& record) { return !record.origin.empty(); });
}

void write_origins(const StepReport& report, bytes::ByteWriter& out) {
  const auto solves = report.solved();
  out.u64(static_cast<std::uint64_t>(std::count_if(
      solves.begin(), solves.end(), [](const SolveRecord& r) { return !r.origin.empty(); })));
  for (std::size_t i = 0; i < solves.size(); ++i) {
    const SolveOrigin& origin = solves[i].origin;
    if (origin.empty()) continue;
    out.i32(static_cast<std::int32_t>(i));
    out.f64(origin.t);
    out.f64(origin.length);
    out.f64(origin.t_rows);
    write_poses(origin.start, out);
    out.vector(origin.v);
    write_poses(origin.rows, out);
    out.u64(origin.contacts.size());
    for (const Contact& c : origin.contacts) write_geometry(c, out);
    out.u64(origin.before.size());
    for (const Contact& c : origin.before) write_geometry(c, out);
  }
}

void clear_origins(StepReport& report) {
  for (int i = 0; i < report.solves.size(); ++i)
    report.solves[static_cast<std::size_t>(i)].origin.clear();
}

void read_origins(bytes::ByteReader& in, StepReport& report) {
  const std::size_t count = in.count(least_origin_bytes);
  int last = -1;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const int solve = in.i32();
    if (solve <= last || solve >= report.solves.size()) return in.reject();
    last = solve;
    SolveRecord& record = report.solves[static_cast<std::size_t>(solve)];
    SolveOrigin& origin = record.origin;
    origin.t = in.f64();
    origin.length = in.f64();
    origin.t_rows = in.f64();
    read_poses(in, origin.start);
    in.vector(origin.v);
    read_poses(in, origin.rows);
    origin.contacts.resize(in.count(geometry_bytes));
    for (Contact& c : origin.contacts) read_geometry(in, c);
    origin.before.resize(in.count(geometry_bytes));
    for (Contact& c : origin.before) read_geometry(in, c);
    if (!origin_fits(origin, record.problem)) return in.reject();
  }
}

}  // namespace cairn::record
