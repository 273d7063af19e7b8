#include "record/trace/frame_verdict.hpp"

#include "record/trace/frame_origin.hpp"

namespace cairn::record {
namespace {

template <class Verdict_, class Visit>
void each_figure(Verdict_& v, Visit visit) {
  for (auto* x : {&v.overlap, &v.swept_overlap, &v.joint, &v.joint_angle, &v.momentum,
                  &v.momentum_others, &v.energy_error, &v.integrator})
    visit(*x);
}

template <class Verdict_, class Visit>
void each_part(Verdict_& v, Visit visit) {
  for (auto* part : {&v.solve, &v.motion, &v.energy}) visit(*part);
}

constexpr std::size_t least_part_bytes = 8 + 8 + 8 + 4 + 4 + 8 + 8 + 1;

}  // namespace

void write_verdict(const Verdict& verdict, bytes::ByteWriter& out) {
  each_part(verdict, [&](const VerdictPart& part) {
    out.u8(part.ok ? 1 : 0);
    out.f64(part.worst);
    out.text(part.sentence);
  });
  each_figure(verdict, [&](const double& x) { out.f64(x); });
  out.i32(verdict.parts);
  out.i32(verdict.attempts);
}

void read_verdict(bytes::ByteReader& in, Verdict& verdict) {
  each_part(verdict, [&](VerdictPart& part) {
    part.ok = in.flag();
    part.worst = in.f64();
    in.text(part.sentence);
  });
  each_figure(verdict, [&](double& x) { x = in.f64(); });
  verdict.parts = in.i32();
  verdict.attempts = in.i32();
}

void write_parts(const StepReport& report, bytes::ByteWriter& out) {
  out.u64(report.divided.size());
  for (const StepPart& part : report.divided) {
    out.f64(part.t);
    out.f64(part.length);
    out.i32(part.first_solve);
    out.i32(part.solves);
    out.u8(part.first_order ? 1 : 0);
    out.u64(part.bodies.size());
    for (std::size_t i = 0; i < part.bodies.size(); ++i) {
      out.i32(static_cast<std::int32_t>(part.bodies[i]));
      write_pose(part.poses[i], out);
    }
    out.u64(static_cast<std::uint64_t>(part.v.size()));
    for (const double x : part.v) out.f64(x);
  }
}

void read_parts(bytes::ByteReader& in, StepReport& report) {
  report.divided.resize(in.count(least_part_bytes));
  for (StepPart& part : report.divided) {
    part.t = in.f64();
    part.length = in.f64();
    part.first_solve = in.i32();
    part.solves = in.i32();
    part.first_order = in.flag();
    part.bodies.resize(in.count(4 + pose_bytes));
    part.poses.resize(part.bodies.size());
    for (std::size_t i = 0; i < part.bodies.size(); ++i) {
      part.bodies[i] = static_cast<BodyId>(in.i32());
      part.poses[i] = read_pose(in);
    }
    part.v.resize(static_cast<Eigen::Index>(in.count(8)));
    for (double& x : part.v) x = in.f64();
    if (part.first_solve < 0 || part.solves < 0 ||
        part.first_solve > report.solves.size() - part.solves)
      in.reject();
  }
}

}  // namespace cairn::record
