// Trace: a recording as arrays, frame by frame; its page, its curves and its judge.
#include "cairn/trace.hpp"

#include <fmt/format.h>
#include <optional>
#include <pybind11/stl.h>

#include "exports/quantities.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/rows.hpp"
#include "module/scene.hpp"
#include "module/trace.hpp"
#include "page/trace_page.hpp"
#include "record/trace/trace_walk.hpp"

namespace cairn::python {
namespace {

struct Recording {
  std::string path;
  SharedScene scene;
  std::vector<double> time, position, orientation, velocity,
      angular_velocity;  // frame by frame, body by body
  std::vector<double> kinetic, potential, certificate, penetration, joint_error;
  std::vector<double> joint_position, joint_velocity, joint_force, joint_torque;
  std::vector<std::int64_t> step;
  std::vector<std::uint8_t> accepted;
  std::vector<std::uint64_t> hash;
  bool complete = false, whole = true;
  std::string ending;

  // Contacts take far more room than all the rest: those of one frame are kept, and where to go on
  // reading.
  std::optional<record::TraceWalk> walk;
  py::ssize_t at = -1;  // the frame that `contacts` are of
  std::vector<ContactRow> contacts;

  py::ssize_t frames() const { return static_cast<py::ssize_t>(time.size()); }
  py::ssize_t bodies() const { return static_cast<py::ssize_t>(scene->model->bodies.size()); }
  py::ssize_t joints() const { return static_cast<py::ssize_t>(scene->model->joints.size()); }
};

void append(const Vec3& x, std::vector<double>& out) {
  out.insert(out.end(), x.data(), x.data() + 3);
}

void add_frame(const record::TraceWalk& walk, Recording& r) {
  const TraceFrame& frame = walk.frame();
  const StepReport& report = frame.report;
  r.time.push_back(frame.state.t);
  r.step.push_back(frame.state.step);
  r.hash.push_back(frame.state_hash);
  r.accepted.push_back(report.accepted());
  r.kinetic.push_back(report.ledger.kinetic_end);
  r.potential.push_back(report.ledger.potential_end);
  r.certificate.push_back(report.certificate);
  r.penetration.push_back(report.penetration);
  r.joint_error.push_back(report.joint_error);
  for (std::size_t i = 0; i < walk.model().bodies.size(); ++i) {
    const BodyMotion m = walk.motion(static_cast<BodyId>(i));
    append(m.position, r.position);
    for (const double x :
         {m.orientation.w(), m.orientation.x(), m.orientation.y(), m.orientation.z()})
      r.orientation.push_back(x);
    append(m.velocity, r.velocity);
    append(m.angular_velocity, r.angular_velocity);
  }
  for (const JointReport& joint : walk.joints()) {
    r.joint_position.push_back(joint.position);
    r.joint_velocity.push_back(joint.velocity);
    append(joint.force, r.joint_force);
    append(joint.torque, r.joint_torque);
  }
  r.whole = r.whole && frame.whole;
}

// False at the end.
bool next_contacts(Recording& r) {
  if (!r.walk->next()) return false;
  ++r.at;
  r.contacts.clear();
  const StepReport& report = r.walk->frame().report;
  for (const ContactReport& c : report.contacts) r.contacts.push_back(contact_row(c, report.h));
  return true;
}

record::TraceWalk opened(const std::string& path) {
  return value_of(record::TraceWalk::open(path));
}

std::shared_ptr<Recording> read_recording(const std::string& path) {
  auto r = std::make_shared<Recording>();
  r->path = path;
  r->walk.emplace(opened(path));
  record::TraceWalk& walk = *r->walk;
  r->scene = std::make_shared<Scene>(walk.scene());
  while (next_contacts(*r)) {
    add_frame(walk, *r);
    // The frame before the first step has no report.
    if (r->time.size() == 1) {
      const Simulator start(r->scene->model, walk.frame().state);
      r->kinetic.front() = start.kinetic_energy();
      r->potential.front() = start.potential_energy();
      r->accepted.front() = true;
    }
  }
  if (r->time.empty()) throw Failure{record::no_frames(path, walk.ending()).value()};
  r->complete = walk.ending().event == TraceEvent::end;
  r->ending = walk.ending().reason;
  return r;
}

using SharedRecording = std::shared_ptr<Recording>;

// Rows of `columns` numbers, (frames,) or (frames, things, columns).
py::array whole(const SharedRecording& r, const std::vector<double>& values, const Extents& shape) {
  Extents strides(shape.size());
  auto step = static_cast<py::ssize_t>(sizeof(double));
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return view(r, values.data(), shape, strides, false);
}

py::array contacts_of(Recording& r, const py::object& frame) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(frame.ptr()));
  if (!index) throw py::error_already_set();
  Py_ssize_t i = PyNumber_AsSsize_t(index.ptr(), nullptr);
  if (i < 0) i += r.frames();
  if (i < 0 || i >= r.frames())
    throw py::index_error(
        fmt::format("frame {} is not in 0 to {}", std::string(py::str(frame)), r.frames() - 1));
  if (i < r.at) {
    r.walk.emplace(opened(r.path));
    r.at = -1;
  }
  while (r.at < i)
    if (!next_contacts(r))
      raise({.kind = ErrorKind::io,
             .code = ErrorCode::damaged,
             .file = r.path,
             .what = fmt::format("frame {} is no longer in the file", i),
             .fix = "open the trace again"});
  return moved(std::vector<ContactRow>(r.contacts));
}

py::list curves_of(const Recording& r, const std::vector<std::string>& names) {
  const exports::TracePlot plot = value_of(exports::read_quantities(r.path, names));
  py::list list;
  for (const exports::PlottedCurve& curve : plot.curves) {
    std::vector<double> t, y;
    for (const auto& [x, value] : curve.series.points()) {
      t.push_back(x);
      y.push_back(value);
    }
    py::dict d;
    d["label"] = curve.label;
    d["unit"] = curve.unit;
    d["logarithmic"] = curve.logarithmic;
    d["time"] = moved(std::move(t));
    d["value"] = moved(std::move(y));
    list.append(d);
  }
  return list;
}

py::dict check_of(const Recording& r, bool replay) {
  const CheckReport report = [&] {
    Result<CheckReport> checked = [&] {
      const py::gil_scoped_release released;
      return check_trace(r.path, {.replay = replay});
    }();
    return value_of(std::move(checked));
  }();
  py::list findings;
  for (const CheckFinding& f : report.findings) {
    py::dict d;
    d["step"] = f.step;
    d["code"] = name(f.code);
    d["what"] = f.what;
    findings.append(d);
  }
  py::dict d;
  d["ok"] = report.ok;
  d["complete"] = report.complete;
  d["frames"] = report.frames;
  d["solves"] = report.solves;
  d["worst"] = report.worst;
  d["findings"] = findings;
  d["finding_count"] = report.finding_count;
  d["unverified"] = report.unverified;
  return d;
}

template <class F>
py::cpp_function over_bodies(F member, py::ssize_t columns) {
  return py::cpp_function([=](const SharedRecording& self) {
    const SharedRecording& r = required(self);
    return whole(r, (*r).*member, {r->frames(), r->bodies(), columns});
  });
}

template <class F>
py::cpp_function over_frames(F member) {
  return py::cpp_function([=](const SharedRecording& self) {
    const SharedRecording& r = required(self);
    return whole(r, (*r).*member, {r->frames()});
  });
}

}  // namespace

void bind_trace(py::module_& m) {
  using R = Recording;
  py::class_<R, SharedRecording>(
      m, "Trace",
      R"(A recording as arrays; frame 0 is the initial state, frame i the state after step i.

Arrays are read-only views of memory that belongs to the trace; they are read when it is opened, contacts when they are asked for.)")
      .def(py::init([](const py::object& path) {
             const std::string file =
                 py::module_::import("cairn._scene").attr("_path")(path).cast<std::string>();
             const py::gil_scoped_release released;
             return read_recording(file);
           }),
           py::arg("path"))
      .def_readonly("path", &R::path)
      .def_readonly("scene", &R::scene)
      .def_readonly("complete", &R::complete,
                    "The recording was ended; false: it was cut off or is damaged.")
      .def_readonly("whole", &R::whole,
                    "Contacts and exact states are there; false: of record level 'states'.")
      .def_readonly("damage", &R::ending, "Where and what is damaged; empty: nothing.")
      .def_property_readonly("model", [](const R& r) { return ModelOfScene{r.scene}; })
      .def("__len__", [](const R& r) { return r.time.size(); })
      .def_property_readonly("time", over_frames(&R::time), "(frames,) [s]")
      .def_property_readonly(
          "step", [](const R& r) { return moved(std::vector<std::int64_t>(r.step)); },
          "(frames,). A copy.")
      .def_property_readonly("positions", over_bodies(&R::position, 3),
                             "Of the body frames' origins, (frames, bodies, 3) [m].")
      .def_property_readonly("orientations", over_bodies(&R::orientation, 4),
                             "(w, x, y, z), (frames, bodies, 4).")
      .def_property_readonly("velocities", over_bodies(&R::velocity, 3),
                             "Of the origins, (frames, bodies, 3) [m/s].")
      .def_property_readonly("angular_velocities", over_bodies(&R::angular_velocity, 3),
                             "In the world, (frames, bodies, 3) [rad/s].")
      .def_property_readonly("kinetic_energy", over_frames(&R::kinetic), "(frames,) [J]")
      .def_property_readonly("potential_energy", over_frames(&R::potential), "(frames,) [J]")
      .def_property_readonly("certificate", over_frames(&R::certificate),
                             "Worst scaled residual of each step, (frames,).")
      .def_property_readonly("penetration", over_frames(&R::penetration),
                             "Deepest of each step, (frames,) [m].")
      .def_property_readonly("joint_error", over_frames(&R::joint_error),
                             "Largest of each step, (frames,) [m].")
      .def_property_readonly(
          "accepted",
          [](const R& r) {
            return moved(std::vector<std::uint8_t>(r.accepted)).attr("astype")("bool");
          },
          "Verdict of each step, (frames,). A copy.")
      .def_property_readonly("state_hash",
                             [](const R& r) {
                               std::vector<std::string> out;
                               for (const std::uint64_t h : r.hash)
                                 out.push_back(fmt::format("{:016x}", h));
                               return out;
                             })
      .def_property_readonly(
          "joint_positions",
          [](const SharedRecording& self) {
            const SharedRecording& r = required(self);
            return whole(r, r->joint_position, {r->frames(), r->joints()});
          },
          "Coordinates, (frames, joints) [rad] or [m].")
      .def_property_readonly(
          "joint_velocities",
          [](const SharedRecording& self) {
            const SharedRecording& r = required(self);
            return whole(r, r->joint_velocity, {r->frames(), r->joints()});
          },
          "(frames, joints) [rad/s] or [m/s]")
      .def_property_readonly(
          "joint_forces",
          [](const SharedRecording& self) {
            const SharedRecording& r = required(self);
            return whole(r, r->joint_force, {r->frames(), r->joints(), 3});
          },
          "Reactions on the second bodies, (frames, joints, 3) [N].")
      .def_property_readonly(
          "joint_torques",
          [](const SharedRecording& self) {
            const SharedRecording& r = required(self);
            return whole(r, r->joint_torque, {r->frames(), r->joints(), 3});
          },
          "About the anchors, (frames, joints, 3) [N m].")
      .def("contacts", contacts_of, py::arg("frame"),
           "Contacts of a frame, as Report.contacts. A copy, read from the file: cheap for frames "
           "one "
           "after the other.")
      .def("_curves", curves_of)
      .def("check", check_of, py::arg("replay") = false,
           "Judges the recording from the file alone, as `cairn check` does.")
      .def("_page", [](const R& r) { return value_of(page::trace_page(r.path)).html; })
      .def("__repr__", [](const R& r) {
        return fmt::format("<cairn.Trace '{}': {} frames, {:.6g} s>", r.scene->name, r.time.size(),
                           r.time.back());
      });
}

}  // namespace cairn::python
