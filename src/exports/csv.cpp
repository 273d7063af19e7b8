// Tables with the shortest digits that read back to the same bits (RFC 4180).
#include <fmt/format.h>

#include "exports/export.hpp"
#include "record/run/files.hpp"
#include "record/run/part_file.hpp"
#include "record/run/table.hpp"

namespace cairn::exports {
namespace {

// A field; in quotes where it holds a comma, a quote or an end of line.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

void put_bodies(const record::TraceWalk& walk, const std::vector<std::string>& names,
                record::PartFile& file) {
  const State& state = walk.frame().state;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const BodyMotion m = walk.motion(static_cast<BodyId>(i));
    const Quat& q = m.orientation;
    const Vec3 &p = m.position, &v = m.velocity, &w = m.angular_velocity;
    file.put("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", state.step, state.t, names[i],
             p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z(), v.x(), v.y(), v.z(), w.x(), w.y(),
             w.z());
  }
}

void put_contacts(const record::TraceWalk& walk, const std::vector<std::string>& names,
                  record::PartFile& file) {
  const StepReport& r = walk.frame().report;
  if (walk.frames() == 1) return;
  for (std::size_t i = 0; i < r.contacts.size(); ++i) {
    const ContactReport& c = r.contacts[i];
    const Contact& k = c.contact;
    if (is_limit(k.key)) continue;
    const Vec3 f = contact_force(walk, i);
    file.put("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.step, r.t,
             names[index(k.key.body_a)], names[index(k.key.body_b)], k.key.feature.a,
             k.key.feature.b, k.p_WC.x(), k.p_WC.y(), k.p_WC.z(), k.n_W.x(), k.n_W.y(), k.n_W.z(),
             k.gap, f.x(), f.y(), f.z(), name(c.mode), c.colliding ? 1 : 0,
             name(walk.forces().kind(i)));
  }
}

void put_joints(const record::TraceWalk& walk, const std::vector<std::string>& names,
                record::PartFile& file) {
  if (names.empty()) return;
  const State& state = walk.frame().state;
  const std::vector<JointReport> joints = walk.joints();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const JointReport& j = joints[i];
    file.put("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", state.step, state.t, names[i],
             j.position, j.velocity, j.force.x(), j.force.y(), j.force.z(), j.torque.x(),
             j.torque.y(), j.torque.z(), j.limit, j.drive, j.friction);
  }
}

}  // namespace

Result<Exported> export_csv(const std::string& trace, const std::string& folder,
                            const ExportOptions& options) {
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  if (Result<void> made = record::make_folder(folder); !made) return tl::unexpected(made.error());
  Exported done;
  std::vector<record::PartFile> files;
  for (const char* name : {"bodies.csv", "contacts.csv", "steps.csv", "joints.csv"}) {
    done.files.push_back(folder + "/" + name);
    if (Result<void> kept = record::check_input_is_kept(trace, done.files.back(), "trace"); !kept)
      return tl::unexpected(kept.error());
    Result<record::PartFile> file = record::PartFile::create(done.files.back());
    if (!file) return tl::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  files[0].put(
      "step,t [s],body,x [m],y [m],z [m],qw,qx,qy,qz,vx [m/s],vy [m/s],vz [m/s],wx [rad/s],wy "
      "[rad/s],wz [rad/s]\n");
  files[1].put(
      "step,t [s],body a,body b,feature a,feature b,x [m],y [m],z [m],nx,ny,nz,gap [m],fx on b "
      "[N],fy on b "
      "[N],fz on b [N],mode,colliding,force\n");
  files[2].put("{}\n", record::step_table_header());
  files[3].put(
      "step,t [s],joint,position [rad or m],velocity [rad/s or m/s],fx on b [N],fy on b [N],fz on "
      "b "
      "[N],tx on b [N m],ty on b [N m],tz on b [N m],limit [N m or N],drive [N m or N],friction [N "
      "m "
      "or N]\n");
  std::vector<std::string> names, joints;
  for (const Body& body : walk->model().bodies) names.push_back(field(body.name));
  for (const Joint& joint : walk->model().joints) joints.push_back(field(joint.name));
  while (walk->next()) {
    if ((walk->frames() - 1) % options.every != 0) continue;
    ++done.frames;
    put_bodies(*walk, names, files[0]);
    put_contacts(*walk, names, files[1]);
    put_joints(*walk, joints, files[3]);
    if (walk->frames() > 1) {
      record::append_step_row(walk->frame().report, files[2].buffer());
      files[2].put("\n");
    }
    for (record::PartFile& file : files)
      if (Result<void> flushed = file.flush_if_full(); !flushed)
        return tl::unexpected(flushed.error());
  }
  done.ending = walk->ending();
  if (done.frames == 0) return record::no_frames(trace, done.ending);
  // All tables are on the disk before the first one gets its name: a full disk leaves none of them.
  for (record::PartFile& file : files)
    if (Result<void> synced = file.sync(); !synced) return tl::unexpected(synced.error());
  for (record::PartFile& file : files)
    if (Result<void> finished = file.finish(); !finished) return tl::unexpected(finished.error());
  return done;
}

}  // namespace cairn::exports
