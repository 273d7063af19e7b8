// A recording as one HDF5 file: columns that grow frame by frame (docs/export.md has the layout).
// The file is made in memory, compressed, and written when complete.
#include <memory>

#include "exports/export.hpp"
#include "problem/files/hdf5_image.hpp"
#include "record/run/files.hpp"

namespace cairn::exports {
namespace {

// A dataset of rows that is appended to; rows wait in a buffer until they are worth a write.
class Column {
 public:
  Column(hid_t file, const char* path, hid_t type, std::vector<hsize_t> row)
      : type_(type), row_(std::move(row)) {
    for (const hsize_t n : row_) width_ *= n;
    std::vector<hsize_t> now = {0}, most = {H5S_UNLIMITED}, chunk = {chunk_rows()};
    for (const hsize_t n : row_) {
      now.push_back(n);
      most.push_back(n);
      chunk.push_back(std::max<hsize_t>(n, 1));
    }
    const int rank = static_cast<int>(now.size());
    const problem::Hdf5Handle space(H5Screate_simple(rank, now.data(), most.data()), H5Sclose);
    const problem::Hdf5Handle settings(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const problem::Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_chunk(settings, rank, chunk.data());
    H5Pset_shuffle(settings);
    H5Pset_deflate(settings, 4);
    id_ = H5Dcreate2(file, path, type, space, links, settings, H5P_DEFAULT);
    ok_ = id_ >= 0;
  }
  ~Column() {
    if (id_ >= 0) H5Dclose(id_);
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  // A value of the row; width() of them make one.
  template <class T>
  void put(T x) {
    const auto* bytes = reinterpret_cast<const char*>(&x);
    buffer_.insert(buffer_.end(), bytes, bytes + sizeof x);
  }
  void put(const Vec3& v) {
    for (const double x : v) put(x);
  }
  void flush_if_full() {
    if (buffer_.size() >= (1u << 20)) flush();
  }
  void flush() {
    const hsize_t rows = buffer_.size() / (H5Tget_size(type_) * std::max<hsize_t>(width_, 1));
    if (!ok_ || rows == 0) return;
    std::vector<hsize_t> size = {rows_ + rows}, start = {rows_}, count = {rows};
    for (const hsize_t n : row_) {
      size.push_back(n);
      start.push_back(0);
      count.push_back(n);
    }
    ok_ = H5Dset_extent(id_, size.data()) >= 0;
    const problem::Hdf5Handle memory(
        H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    const problem::Hdf5Handle space(H5Dget_space(id_), H5Sclose);
    ok_ = ok_ && H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                     nullptr) >= 0;
    ok_ = ok_ && H5Dwrite(id_, type_, memory, space, H5P_DEFAULT, buffer_.data()) >= 0;
    rows_ += rows;
    buffer_.clear();
  }
  void unit(const char* text) { ok_ = ok_ && put_attribute(id_, "unit", text); }
  bool ok() const { return ok_; }

  static bool put_attribute(hid_t object, const char* name, const std::string& text) {
    const problem::Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, text.size() + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const problem::Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const problem::Hdf5Handle attribute(
        H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    return attribute.good() && H5Awrite(attribute, type, text.c_str()) >= 0;
  }

 private:
  // Chunks of about 64 kB.
  hsize_t chunk_rows() const {
    const hsize_t bytes = std::max<hsize_t>(1, width_ * H5Tget_size(type_));
    return std::clamp<hsize_t>((1u << 16) / bytes, 1, 1u << 13);
  }
  hid_t id_ = -1, type_;
  std::vector<hsize_t> row_;
  hsize_t width_ = 1, rows_ = 0;
  std::vector<char> buffer_;
  bool ok_ = false;
};

// Text of any length, one a row.
bool put_texts(hid_t file, const char* path, const std::vector<std::string>& texts) {
  const problem::Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const hsize_t count = texts.size();
  const problem::Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const problem::Hdf5Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const problem::Hdf5Handle data(
      H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  std::vector<const char*> rows;
  for (const std::string& text : texts) rows.push_back(text.c_str());
  return data.good() &&
         (count == 0 || H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()) >= 0);
}

// All columns of the file.
struct Columns {
  std::vector<std::unique_ptr<Column>> all;

  Column& add(hid_t file, const char* path, hid_t type, std::vector<hsize_t> row,
              const char* unit = "") {
    all.push_back(std::make_unique<Column>(file, path, type, std::move(row)));
    if (*unit) all.back()->unit(unit);
    return *all.back();
  }
  bool ok() const {
    return std::all_of(all.begin(), all.end(), [](const auto& c) { return c->ok(); });
  }

  Column *step, *time, *h, *status;
  Column *position, *orientation, *velocity, *angular_velocity, *pose, *v;
  std::vector<Column*> figures;
  Column *first, *body_a, *body_b, *feature_a, *feature_b, *point, *normal, *gap, *impulse, *force,
      *mode, *colliding, *kind;
  Column *joint_position = nullptr, *joint_velocity, *joint_force, *joint_torque, *joint_limit,
         *joint_drive, *joint_friction;
};

constexpr std::pair<const char*, const char*> energy_names[] = {
    {"kinetic", "J"}, {"potential", "J"}, {"friction", "J"}, {"impact", "J"}};

void make_columns(hid_t file, const Model& model, Columns& c) {
  const hsize_t bodies = model.bodies.size(), n = static_cast<hsize_t>(model.velocities);
  const hid_t real = H5T_NATIVE_DOUBLE, whole = H5T_NATIVE_INT32, byte = H5T_NATIVE_UINT8;
  c.step = &c.add(file, "/frames/step", H5T_NATIVE_INT64, {});
  c.time = &c.add(file, "/frames/time", real, {}, "s");
  c.h = &c.add(file, "/frames/h", real, {}, "s");
  c.status = &c.add(file, "/frames/status", byte, {});
  const auto add_figure = [&](const char* name, const char* unit) {
    c.figures.push_back(&c.add(file, ("/frames/" + std::string(name)).c_str(), real, {}, unit));
  };
  for (const auto& [name, unit] : energy_names) add_figure(name, unit);
  add_figure("cpu", "s");
  describe([&](const FigureText& figure) {
    add_figure(figure.key, figure.unit[0] == '-' ? "" : figure.unit);
  });
  c.position = &c.add(file, "/bodies/position", real, {bodies, 3}, "m");
  c.orientation = &c.add(file, "/bodies/orientation", real, {bodies, 4});
  c.velocity = &c.add(file, "/bodies/velocity", real, {bodies, 3}, "m/s");
  c.angular_velocity = &c.add(file, "/bodies/angular_velocity", real, {bodies, 3}, "rad/s");
  c.pose = &c.add(file, "/state/pose", real, {bodies, 7});
  c.v = n > 0 ? &c.add(file, "/state/v", real, {n}) : nullptr;
  c.first = &c.add(file, "/contacts/first", H5T_NATIVE_INT64, {});
  c.body_a = &c.add(file, "/contacts/body_a", whole, {});
  c.body_b = &c.add(file, "/contacts/body_b", whole, {});
  c.feature_a = &c.add(file, "/contacts/feature_a", H5T_NATIVE_UINT32, {});
  c.feature_b = &c.add(file, "/contacts/feature_b", H5T_NATIVE_UINT32, {});
  c.point = &c.add(file, "/contacts/point", real, {3}, "m");
  c.normal = &c.add(file, "/contacts/normal", real, {3});
  c.gap = &c.add(file, "/contacts/gap", real, {}, "m");
  c.impulse = &c.add(file, "/contacts/impulse", real, {3}, "N s");
  c.force = &c.add(file, "/contacts/force", real, {3}, "N");
  c.mode = &c.add(file, "/contacts/mode", byte, {});
  c.colliding = &c.add(file, "/contacts/colliding", byte, {});
  c.kind = &c.add(file, "/contacts/force_kind", byte, {});
  const hsize_t joints = model.joints.size();
  if (joints == 0) return;
  c.joint_position = &c.add(file, "/joints/position", real, {joints});
  c.joint_velocity = &c.add(file, "/joints/velocity", real, {joints});
  c.joint_force = &c.add(file, "/joints/force", real, {joints, 3}, "N");
  c.joint_torque = &c.add(file, "/joints/torque", real, {joints, 3}, "N m");
  c.joint_limit = &c.add(file, "/joints/limit", real, {joints});
  c.joint_drive = &c.add(file, "/joints/drive", real, {joints});
  c.joint_friction = &c.add(file, "/joints/friction", real, {joints});
}

void put_body_columns(const record::TraceWalk& walk, Columns& c) {
  const State& state = walk.frame().state;
  for (std::size_t i = 0; i < state.poses.size(); ++i) {
    const BodyMotion m = walk.motion(static_cast<BodyId>(i));
    const Quat& q = m.orientation;
    const Pose& X = state.poses[i];
    c.position->put(m.position);
    for (const double x : {q.w(), q.x(), q.y(), q.z()}) c.orientation->put(x);
    c.velocity->put(m.velocity);
    c.angular_velocity->put(m.angular_velocity);
    c.pose->put(X.p);
    for (const double x : {X.R.w(), X.R.x(), X.R.y(), X.R.z()}) c.pose->put(x);
  }
  for (const double x : state.v) c.v->put(x);
}

std::int64_t put_contact_columns(const record::TraceWalk& walk, Columns& c) {
  const StepReport& r = walk.frame().report;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < r.contacts.size(); ++i) {
    const ContactReport& k = r.contacts[i];
    if (is_limit(k.contact.key)) continue;
    ++count;
    c.body_a->put(static_cast<std::int32_t>(k.contact.key.body_a));
    c.body_b->put(static_cast<std::int32_t>(k.contact.key.body_b));
    c.feature_a->put(k.contact.key.feature.a);
    c.feature_b->put(k.contact.key.feature.b);
    c.point->put(k.contact.p_WC);
    c.normal->put(k.contact.n_W);
    c.gap->put(k.contact.gap);
    c.impulse->put(walk.forces().impulse(r, i));
    c.force->put(contact_force(walk, i));
    c.mode->put(static_cast<std::uint8_t>(k.mode));
    c.colliding->put(static_cast<std::uint8_t>(k.colliding));
    c.kind->put(static_cast<std::uint8_t>(walk.forces().kind(i)));
  }
  return count;
}

void put_joint_columns(const record::TraceWalk& walk, Columns& c) {
  if (!c.joint_position) return;
  for (const JointReport& j : walk.joints()) {
    c.joint_position->put(j.position);
    c.joint_velocity->put(j.velocity);
    c.joint_force->put(j.force);
    c.joint_torque->put(j.torque);
    c.joint_limit->put(j.limit);
    c.joint_drive->put(j.drive);
    c.joint_friction->put(j.friction);
  }
}

// Writes everything into an open file and closes all columns; false: the library failed.
bool put_all(hid_t file, record::TraceWalk& walk, const ExportOptions& options, Exported& done) {
  const Model& model = walk.model();
  bool ok = Column::put_attribute(file, "cairn", CAIRN_VERSION) &&
            Column::put_attribute(file, "name", walk.scene().name);
  std::vector<std::string> names;
  for (const Body& body : model.bodies) names.push_back(body.name);
  ok = ok && put_texts(file, "/scene", {walk.scene().resolved}) &&
       put_texts(file, "/bodies/name", names);
  std::vector<std::string> joints;
  for (const Joint& joint : model.joints) joints.push_back(joint.name);
  ok = ok && (joints.empty() || put_texts(file, "/joints/name", joints));
  Columns c;
  make_columns(file, model, c);
  Column& mass = c.add(file, "/bodies/mass", H5T_NATIVE_DOUBLE, {}, "kg");
  for (const Body& body : model.bodies) mass.put(body.mass);
  std::int64_t contacts = 0;
  while (ok && c.ok() && walk.next()) {
    if ((walk.frames() - 1) % options.every != 0) continue;
    ++done.frames;
    const TraceFrame& frame = walk.frame();
    c.step->put(static_cast<std::int64_t>(frame.state.step));
    c.time->put(frame.state.t);
    c.h->put(walk.frames() == 1 ? 0.0 : frame.report.h);
    c.status->put(static_cast<std::uint8_t>(frame.report.status));
    auto next = c.figures.begin();
    const StepReport& r = frame.report;
    for (const double energy :
         {r.ledger.kinetic_end, r.ledger.potential_end, r.ledger.friction, r.ledger.impact})
      (*next++)->put(energy);
    (*next++)->put(r.seconds.total);
    describe([&](const FigureText&, const auto& x) { (*next++)->put(static_cast<double>(x)); }, r);
    put_body_columns(walk, c);
    c.first->put(contacts);
    contacts += put_contact_columns(walk, c);
    put_joint_columns(walk, c);
    for (const auto& column : c.all) column->flush_if_full();
  }
  c.first->put(contacts);  // one more than there are frames: where the last one ends
  for (const auto& column : c.all) column->flush();
  return ok && c.ok();
}

}  // namespace

Result<Exported> export_hdf5(const std::string& trace, const std::string& path,
                             const ExportOptions& options) {
  Result<record::TraceWalk> walk = record::TraceWalk::open(trace);
  if (!walk) return tl::unexpected(walk.error());
  const problem::Hdf5Image image;
  Exported done;
  const bool ok = put_all(image.file(), *walk, options, done);
  done.ending = walk->ending();
  if (ok && done.frames == 0) return record::no_frames(trace, done.ending);
  const auto bytes = ok ? image.bytes() : std::optional<std::string>();
  if (!bytes)
    return fail({.kind = ErrorKind::limit,
                 .code = ErrorCode::out_of_memory,
                 .file = path,
                 .what = "the HDF5 library cannot make the file in memory",
                 .fix = "export fewer frames with --every, or use a machine with more memory"});
  if (Result<void> written = record::write_file(path, *bytes); !written)
    return tl::unexpected(written.error());
  done.files = {path};
  return done;
}

}  // namespace cairn::exports
