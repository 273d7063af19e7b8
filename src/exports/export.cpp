// What the exports share.
#include "exports/export.hpp"

#include <array>

namespace cairn::exports {

Vec3 contact_force(const record::TraceWalk& walk, std::size_t contact) {
  const StepReport& report = walk.frame().report;
  const Contact& c = report.contacts[contact].contact;
  const Vec3& l = walk.forces().impulse(report, contact);
  const double h = report.h;
  if (is_limit(c.key)) return Vec3::Zero();  // of a joint
  return h > 0 ? Vec3((c.n_W * l[0] + c.t1_W * l[1] + c.t2_W * l[2]) / h) : Vec3::Zero();
}

const char* name(ContactMode mode) {
  constexpr std::array names = {"open", "stick", "slip"};
  return names[static_cast<std::size_t>(mode)];
}

Result<TraceBounds> find_bounds(const std::string& trace) {
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  const Model& model = walk->model();
  Eigen::AlignedBox3d box;
  while (walk->next())
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& body = model.bodies[i];
      const Vec3& p = walk->frame().state.poses[i].p;
      if (body.kind == BodyKind::fixed || !p.allFinite()) continue;
      box.extend(p - Vec3::Constant(body.radius));
      box.extend(p + Vec3::Constant(body.radius));
    }
  if (walk->frames() == 0) return record::no_frames(trace, walk->ending());
  TraceBounds bounds;
  bounds.frames = walk->frames();
  if (!box.isEmpty()) {
    bounds.lo = box.min();
    bounds.hi = box.max();
  }
  return bounds;
}

}  // namespace cairn::exports
