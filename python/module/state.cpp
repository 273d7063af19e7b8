// State: copy, compare, hash, pickle; its arrays are views of the state's own memory.
#include "module/state.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "cairn/joints.hpp"
#include "dynamics/kinematics.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/robot/joint_values.hpp"
#include "module/scene.hpp"
#include "record/trace/frame.hpp"

namespace cairn::python {
namespace {

using SharedState = std::shared_ptr<State>;

constexpr auto pose_stride = static_cast<py::ssize_t>(sizeof(Pose));
constexpr auto double_stride = static_cast<py::ssize_t>(sizeof(double));

py::ssize_t count(const State& state) {
  return static_cast<py::ssize_t>(state.poses.size());
}

// Of states without bodies too: no view needs memory then.
const double* first(const State& state, bool orientation) {
  static const Pose none;
  const Pose& pose = state.poses.empty() ? none : state.poses.front();
  return orientation ? pose.R.coeffs().data() : pose.p.data();
}

py::bytes to_bytes(const State& state) {
  bytes::ByteWriter out;
  record::encode_state(state, out);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

SharedState from_bytes(const std::string& text) {
  auto state = std::make_shared<State>();
  bytes::ByteReader in({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  record::decode_state(in, *state);
  if (!in.ok() || in.left() != 0)
    raise({.kind = ErrorKind::input,
           .code = ErrorCode::damaged,
           .what = "the bytes are not a state",
           .fix = "use bytes of State.to_bytes() of the same version"});
  return state;
}

void require_size(const Model& model, const State& state) {
  if (state.poses.size() != model.bodies.size() || state.v.size() != model.velocities)
    throw py::value_error("the state is not one of this model");
}

void require_dynamic(const Body& body, const char* what) {
  if (body.kind != BodyKind::dynamic)
    throw py::value_error(fmt::format("body '{}' is {}: its {} cannot be set", body.name,
                                      body.kind == BodyKind::fixed ? "fixed" : "moved by the scene",
                                      what));
}

// The part of a rotation that the body is not free to make must vanish.
void require_free_turn(const Body& body, const Quat& turn) {
  if (body.rotation == RotationKind::three) return;
  const Vec3 axis = turn.vec();
  const Vec3 locked =
      body.rotation == RotationKind::none ? axis : Vec3(axis - axis.dot(body.axis_W) * body.axis_W);
  if (locked.norm() > 1e-9)
    throw py::value_error(
        fmt::format("body '{}' cannot turn like that: its rotations are locked{}", body.name,
                    body.rotation == RotationKind::one ? " but for one axis" : ""));
}

// Free velocities of a motion of the centre of mass. Locked components must vanish, to rounding.
void set_motion(const Body& body, const Quat& R_WB, const Vec3& v_cm, const Vec3& w, double* v) {
  int n = 0;
  const double small = 1e-9 * (v_cm.norm() + w.norm());
  double free[6] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const double component = v_cm[static_cast<Eigen::Index>(i)];
    if (body.translations[i]) {
      free[n++] = component;
    } else if (std::abs(component) > small) {
      throw py::value_error(
          fmt::format("body '{}' cannot move along {}: that direction is locked, got {} m/s",
                      body.name, "xyz"[i], component));
    }
  }
  const Vec3 locked = body.rotation == RotationKind::three ? Vec3(Vec3::Zero())
                      : body.rotation == RotationKind::none
                          ? w
                          : Vec3(w - w.dot(body.axis_W) * body.axis_W);
  if (locked.norm() > small)
    throw py::value_error(fmt::format(
        "body '{}' cannot turn like that: rotations are locked, got [{}, {}, {}] rad/s too much",
        body.name, locked.x(), locked.y(), locked.z()));
  if (body.rotation == RotationKind::one) free[n++] = w.dot(body.axis_W);
  if (body.rotation == RotationKind::three) {
    const Vec3 w_B = R_WB.conjugate() * w;
    for (int i = 0; i < 3; ++i) free[n++] = w_B[i];
  }
  std::copy(free, free + n, v);
}

}  // namespace

void forget_contacts(BodyId id, State& state) {
  const auto about = [id](const ContactKey& key) { return key.body_a == id || key.body_b == id; };
  std::erase_if(state.impulses, [&](const ImpulseMemory& m) {
    return is_of_contact(m.key.role) && about(m.key.contact);
  });
  std::erase_if(state.contact_anchors, [&](const ContactAnchor& a) { return about(a.key); });
}

void forget_impacts(const Body& body, BodyId id, State& state) {
  std::erase_if(state.pending,
                [id](const ContactKey& key) { return key.body_a == id || key.body_b == id; });
  if (state.v_before.size() == state.v.size())
    state.v_before.segment(body.first_velocity, body.velocities) =
        state.v.segment(body.first_velocity, body.velocities);
}

Quat quaternion(const py::handle& value, const std::string& what) {
  const Doubles q = numbers(value, what, {4});
  const Quat given(q.data()[0], q.data()[1], q.data()[2], q.data()[3]);
  const double norm = given.norm();
  if (!(std::abs(norm - 1) <= 1e-6))
    throw py::value_error(
        fmt::format("{}: a quaternion [w, x, y, z] has norm 1, this one {}", what, norm));
  return given.normalized();
}

void change_body(const Model& model, BodyId id, const BodyChange& change, State& state) {
  const Body& body = model.body(id);
  const BodyMotion now = body_motion(model, state, id);
  if (change.position || change.orientation) {
    require_dynamic(body, "pose");
    const Quat R = change.orientation ? *change.orientation : now.orientation;
    const Vec3 p = change.position ? *change.position : now.position;
    if (change.orientation) require_free_turn(body, R * now.orientation.conjugate());
    Pose& X_WC = state.poses[index(id)];
    X_WC.R = R;
    X_WC.p = p + R * body.p_Bcm;
    forget_contacts(id, state);
  }
  if (change.velocity || change.angular_velocity || change.orientation) {
    require_dynamic(body, "velocity");
    const Vec3 w = change.angular_velocity ? *change.angular_velocity : now.angular_velocity;
    const Vec3 v = change.velocity ? *change.velocity : now.velocity;
    const Quat& R = state.poses[index(id)].R;
    set_motion(body, R, v + w.cross(R * body.p_Bcm), w, state.v.data() + body.first_velocity);
  }
  forget_impacts(body, id, state);
}

void bind_state(py::module_& m) {
  py::class_<State, SharedState>(
      m, "State",
      R"(Everything a run continues from, bit for bit: time, poses, velocities and what is
remembered of contacts. A value: copy it, compare it, pickle it.

Its arrays are views of its memory. They keep the state alive and follow its changes; call .copy() on them to keep values.)")
      .def_property(
          "time", [](const State& s) { return s.t; },
          [](State& s, const py::object& t) { s.t = number(t, "time"); }, "[s]")
      .def_property_readonly(
          "step", [](const State& s) { return s.step; }, "Steps taken.")
      .def_property_readonly(
          "v",
          [](const SharedState& self) {
            const SharedState& s = required(self);
            return view(s, s->v.data(), {static_cast<py::ssize_t>(s->v.size())}, {double_stride},
                        true);
          },
          "Free velocities of all dynamic bodies, (nv,) [m/s, rad/s]: of the centre of mass along "
          "free world axes, then\n"
          "angular ones in the body frame, or about the one free axis. A writable view.")
      .def_property_readonly(
          "com_positions",
          [](const SharedState& self) {
            const SharedState& s = required(self);
            return view(s, first(*s, false), {count(*s), 3}, {pose_stride, double_stride}, false);
          },
          "Centres of mass in the world, (bodies, 3) [m]. A read-only view; set poses with "
          "set_body.")
      .def_property_readonly(
          "com_orientations_xyzw",
          [](const SharedState& self) {
            const SharedState& s = required(self);
            return view(s, first(*s, true), {count(*s), 4}, {pose_stride, double_stride}, false);
          },
          "Orientations of the bodies as the engine stores them, scalar LAST, (bodies, 4). A "
          "read-only view.")
      .def_property_readonly(
          "hash", [](const State& s) { return fmt::format("{:016x}", hash(s)); },
          "Of every bit of the state, as `cairn run` prints it.")
      .def("copy", [](const State& s) { return std::make_shared<State>(s); })
      .def("__copy__", [](const State& s) { return std::make_shared<State>(s); })
      .def("__deepcopy__",
           [](const State& s, const py::dict&) { return std::make_shared<State>(s); })
      .def(
          "__eq__", [](const State& s, const State& other) { return s == other; },
          py::is_operator())
      .def(
          "set_body",
          [](State& s, const ModelOfScene& model, const py::object& body,
             const py::object& position, const py::object& orientation, const py::object& velocity,
             const py::object& angular_velocity) {
            require_size(model.get(), s);
            std::optional<Vec3> p, v, w;
            std::optional<Quat> q;
            if (!position.is_none()) p = vector3(position, "position");
            if (!orientation.is_none()) q = quaternion(orientation, "orientation");
            if (!velocity.is_none()) v = vector3(velocity, "velocity");
            if (!angular_velocity.is_none()) w = vector3(angular_velocity, "angular_velocity");
            State changed = s;
            change_body(model.get(), find_body(model.get(), body),
                        {.position = p ? &*p : nullptr,
                         .orientation = q ? &*q : nullptr,
                         .velocity = v ? &*v : nullptr,
                         .angular_velocity = w ? &*w : nullptr},
                        changed);
            s = changed;  // in place: views stay valid, since no length of theirs changes
          },
          py::arg("model"), py::arg("body"), py::kw_only(), py::arg("position") = py::none(),
          py::arg("orientation") = py::none(), py::arg("velocity") = py::none(),
          py::arg("angular_velocity") = py::none(),
          R"(Puts a body somewhere or makes it move; what is not given stays.

Of the body frame, in the world: position [m], orientation (w, x, y, z), velocity of its origin [m/s], angular_velocity [rad/s].
What the state remembers of contacts of a body that was moved is forgotten. Joints are not closed: see close_joints.)")
      .def(
          "body",
          [](const State& s, const ModelOfScene& model, const py::object& body) {
            require_size(model.get(), s);
            const BodyMotion now = body_motion(model.get(), s, find_body(model.get(), body));
            py::dict d;
            d["position"] = copied(now.position);
            d["orientation"] = copied(now.orientation);
            d["velocity"] = copied(now.velocity);
            d["angular_velocity"] = copied(now.angular_velocity);
            return d;
          },
          py::arg("model"), py::arg("body"),
          "A dict of position, orientation, velocity and angular_velocity. Copies.")
      .def(
          "set_joints",
          [](State& s, const ModelOfScene& model, const py::object& positions,
             const py::object& velocities) {
            State changed = s;
            const auto q = joint_values(model.get(), positions, "set_joints: positions");
            const auto u = joint_values(model.get(), velocities, "set_joints: velocities");
            {
              const py::gil_scoped_release released;
              set_joints(model.get(), q, u, changed);
            }
            s = changed;
          },
          py::arg("model"), py::arg("positions") = py::none(), py::arg("velocities") = py::none(),
          R"(Moves bodies so that joints have these coordinates and rates: forward kinematics.

positions [rad] or [m], velocities [rad/s] or [m/s]: a dict by name or number, or an array over all joints. Coordinates that are
not named keep their values where closed loops allow it, a mechanism that floats keeps the pose of its first body, rates that are
not named stay. Raises cairn.Error where the joints do not allow it.)")
      .def(
          "close_joints",
          [](State& s, const ModelOfScene& model) {
            require_size(model.get(), s);
            State changed = s;
            const StartProjection done = close_joints_at_start(model.get(), changed);
            if (!done.stuck.empty())
              raise({.kind = ErrorKind::input,
                     .code = ErrorCode::open_joint,
                     .what = "joints cannot be closed from here",
                     .fix = "put the bodies nearer to their joints"});
            s = changed;
            return done.open;
          },
          py::arg("model"),
          "Moves bodies onto their joints by the least motion; returns the error before [m].")
      .def("to_bytes", [](const State& s) { return to_bytes(s); })
      .def_static("from_bytes", [](const py::bytes& b) { return from_bytes(b); })
      .def(py::pickle([](const State& s) { return py::make_tuple(to_bytes(s)); },
                      [](const py::tuple& t) {
                        if (t.size() != 1) throw py::value_error("not a pickled cairn.State");
                        return from_bytes(t[0].cast<std::string>());
                      }))
      .def("__repr__", [](const State& s) {
        return fmt::format("<cairn.State at t = {} s after {} steps, {}>", s.t, s.step,
                           fmt::format("{:016x}", hash(s)));
      });
}

}  // namespace cairn::python
