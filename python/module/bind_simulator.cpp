// The classes Simulator, and Body and Joint of one.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/robot/joint_values.hpp"
#include "module/rows.hpp"
#include "module/simulator.hpp"
#include "module/state.hpp"
#include "play/player.hpp"

namespace cairn::python {
namespace {

struct BodyOfSimulator {
  SharedCore core;
  BodyId id;

  const Body& body() const { return core->model().body(id); }
  std::size_t row() const { return index(id); }
};

struct JointOfSimulator {
  SharedCore core;
  JointId id;

  const Joint& joint() const { return core->model().joints[index(id)]; }
};

constexpr auto stride = static_cast<py::ssize_t>(sizeof(double));

// Rows of an array over bodies.
py::array table(const SharedCore& core, const std::vector<double>& values, py::ssize_t columns,
                bool writable = false) {
  return view(core, values.data(), {static_cast<py::ssize_t>(core->model().bodies.size()), columns},
              {columns * stride, stride}, writable);
}
py::array list(const SharedCore& core, const std::vector<double>& values) {
  return view(core, values.data(), {static_cast<py::ssize_t>(values.size())}, {stride}, false);
}
py::array row(const BodyOfSimulator& b, const std::vector<double>& values, std::size_t columns) {
  return view(b.core, values.data() + b.row() * columns, {static_cast<py::ssize_t>(columns)},
              {stride}, false);
}

void change(const BodyOfSimulator& b, const BodyChange& what) {
  State state = b.core->sim().state();
  change_body(b.core->model(), b.id, what, state);
  b.core->put_state(state);
}

JointReport reaction(const JointOfSimulator& j) {
  const StepReport& report = j.core->sim().report();
  if (j.core->is_current() && index(j.id) < report.joints.size()) return report.joints[index(j.id)];
  JointReport none;
  none.position = joint_position(j.core->model(), j.core->sim().state(), j.id);
  none.velocity = joint_velocity(j.core->model(), j.core->sim().state(), j.id);
  return none;
}

// Sets the coordinate or its rate.
void move(const JointOfSimulator& j, const py::object& value, bool is_position) {
  State state = j.core->sim().state();
  py::dict one;
  one[py::str(j.joint().name)] = value;
  const Model& model = j.core->model();
  const auto values = joint_values(model, one, is_position ? "position" : "velocity");
  set_joints(model, is_position ? values : std::vector<JointValue>{},
             is_position ? std::vector<JointValue>{} : values, state);
  j.core->put_state(state);
}

py::array joint_rows(Core& core) {
  std::vector<JointRow> rows;
  const auto shared = core.shared_from_this();
  for (std::size_t i = 0; i < core.model().joints.size(); ++i)
    rows.push_back(joint_row(reaction({shared, static_cast<JointId>(i)})));
  return moved(std::move(rows));
}

const State& a_state(const py::object& given, const char* what) {
  if (!py::isinstance<State>(given))
    throw py::type_error(
        fmt::format("{}: expected a cairn.State, got {}", what,
                    std::string(py::str(py::type::handle_of(given).attr("__name__")))));
  return given.cast<const State&>();
}

std::int64_t whole_number(const py::object& n) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(n.ptr()));
  if (!index) {
    PyErr_Clear();
    throw py::type_error(
        fmt::format("step: n is a number of steps, got {}; run(duration) takes seconds",
                    std::string(py::repr(n)).substr(0, 40)));
  }
  const std::int64_t value = PyLong_AsLongLong(index.ptr());
  if (value == -1 && PyErr_Occurred()) throw py::error_already_set();
  return value;
}

void set_forces(Core& core, const py::object& bodies, const py::object& forces,
                const py::object& torques, const py::object& points) {
  core.require_idle();
  std::vector<ExternalForce> list;
  if (!bodies.is_none()) {
    std::vector<int> ids;
    const bool is_one = py::isinstance<py::str>(bodies) || py::isinstance<py::int_>(bodies);
    if (is_one) {
      ids.push_back(static_cast<int>(find_body(core.model(), bodies)));
    } else if (py::isinstance<py::sequence>(bodies) && py::len(bodies) > 0 &&
               py::isinstance<py::str>(py::object(bodies[py::int_(0)]))) {
      for (const py::handle name : bodies)
        ids.push_back(static_cast<int>(find_body(core.model(), name)));
    } else {
      ids = indices(bodies, "set_forces: bodies",
                    static_cast<py::ssize_t>(core.model().bodies.size()));
    }
    const auto n = static_cast<py::ssize_t>(ids.size());
    const Extents shape = is_one ? Extents{3} : Extents{n, 3};
    const Doubles f = numbers(forces, "set_forces: forces", shape);
    const Doubles t =
        torques.is_none() ? Doubles() : numbers(torques, "set_forces: torques", shape);
    const Doubles p = points.is_none() ? Doubles() : numbers(points, "set_forces: points", shape);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ExternalForce force{.body = static_cast<BodyId>(ids[i]), .force = Vec3(f.data() + 3 * i)};
      if (!torques.is_none()) force.torque = Vec3(t.data() + 3 * i);
      if (!points.is_none())
        force.point = Vec3(p.data() + 3 * i) - core.model().body(force.body).p_Bcm;
      list.push_back(force);
    }
  }
  core.set_point_forces(std::move(list));
}

std::string page_of(Core& core) {
  core.require_idle();
  const auto page = [](const play::Clip& clip) {
    return play::player_page(play::player_parts(clip));
  };
  if (core.clip()) return page(*core.clip());
  play::Clip clip(*core.scene());
  clip.add_initial(core.sim().state());
  return page(clip);
}

void bind_body(py::module_& m) {
  py::class_<BodyOfSimulator>(
      m, "Body",
      R"(A body of a simulator. Its arrays are read-only views that follow the steps: .copy() keeps values.

Assign to position, orientation, velocity and angular_velocity to change the state.)")
      .def_property_readonly("name", [](const BodyOfSimulator& b) { return b.body().name; })
      .def_property_readonly("id", [](const BodyOfSimulator& b) { return b.row(); })
      .def_property_readonly(
          "mass", [](const BodyOfSimulator& b) { return b.body().mass; }, "[kg]")
      .def_property(
          "position", [](const BodyOfSimulator& b) { return row(b, b.core->arrays().position, 3); },
          [](const BodyOfSimulator& b, const py::object& value) {
            const Vec3 p = vector3(value, "position");
            change(b, {.position = &p});
          },
          "Of the body frame's origin in the world, (3,) [m].")
      .def_property(
          "orientation",
          [](const BodyOfSimulator& b) { return row(b, b.core->arrays().orientation, 4); },
          [](const BodyOfSimulator& b, const py::object& value) {
            const Quat q = quaternion(value, "orientation");
            change(b, {.orientation = &q});
          },
          "Quaternion (w, x, y, z), body to world, (4,).")
      .def_property(
          "velocity", [](const BodyOfSimulator& b) { return row(b, b.core->arrays().velocity, 3); },
          [](const BodyOfSimulator& b, const py::object& value) {
            const Vec3 v = vector3(value, "velocity");
            change(b, {.velocity = &v});
          },
          "Of the body frame's origin in the world, (3,) [m/s].")
      .def_property(
          "angular_velocity",
          [](const BodyOfSimulator& b) { return row(b, b.core->arrays().angular_velocity, 3); },
          [](const BodyOfSimulator& b, const py::object& value) {
            const Vec3 w = vector3(value, "angular_velocity");
            change(b, {.angular_velocity = &w});
          },
          "In the world, (3,) [rad/s].")
      .def_property(
          "external_force",
          [](const BodyOfSimulator& b) {
            return view(b.core, b.core->external().data() + 6 * b.row(), {6}, {stride}, true);
          },
          [](const BodyOfSimulator& b, const py::object& value) {
            const Doubles f = numbers(value, "external_force", {6});
            std::copy_n(f.data(), 6, b.core->external().data() + 6 * b.row());
          },
          "Force [N] and torque about the centre of mass [N m], in the world, (6,), in every step "
          "until it is changed.\n"
          "A writable view of the row of Simulator.external_forces.")
      .def("__repr__", [](const BodyOfSimulator& b) {
        return fmt::format("<cairn.Body '{}'>", b.body().name);
      });
}

void bind_joint(py::module_& m) {
  py::class_<JointOfSimulator>(m, "Joint", "A joint of a simulator. Values are copies.")
      .def_property_readonly("name", [](const JointOfSimulator& j) { return j.joint().name; })
      .def_property_readonly("id", [](const JointOfSimulator& j) { return index(j.id); })
      .def_property_readonly("type",
                             [](const JointOfSimulator& j) { return type_name(j.joint().type); })
      .def_property(
          "position", [](const JointOfSimulator& j) { return reaction(j).position; },
          [](const JointOfSimulator& j, const py::object& value) { move(j, value, true); },
          "Coordinate, 0 at the start of the run; revolute [rad], prismatic [m], 0 of joints "
          "without one.\nAssigning moves the bodies; other coordinates stay (State.set_joints).")
      .def_property(
          "velocity", [](const JointOfSimulator& j) { return reaction(j).velocity; },
          [](const JointOfSimulator& j, const py::object& value) { move(j, value, false); },
          "Of the coordinate [rad/s] or [m/s]. Assigning changes the velocities of the bodies.")
      .def_property_readonly(
          "force", [](const JointOfSimulator& j) { return copied(reaction(j).force); },
          "Reaction on the second body at its anchor in the last step, in the world, (3,) [N].")
      .def_property_readonly(
          "torque", [](const JointOfSimulator& j) { return copied(reaction(j).torque); },
          "Reaction on the second body about its anchor, in the world, (3,) [N m].")
      .def_property_readonly(
          "limit", [](const JointOfSimulator& j) { return reaction(j).limit; },
          "Of the limits along the coordinate, > 0 from the lower one [N m] or [N].")
      .def_property_readonly(
          "drive", [](const JointOfSimulator& j) { return reaction(j).drive; },
          "Effort of the motor along the coordinate in the last step [N m] or [N].")
      .def_property_readonly(
          "friction", [](const JointOfSimulator& j) { return reaction(j).friction; },
          "Effort of dry friction along the coordinate in the last step [N m] or [N].")
      .def_property(
          "target",
          [](const JointOfSimulator& j) -> py::object {
            const double target = j.core->targets()[index(j.id)];
            return std::isnan(target) ? py::object(py::none()) : py::object(py::float_(target));
          },
          [](const JointOfSimulator& j, const py::object& value) {
            j.core->require_idle();
            if (!value.is_none() && !j.joint().motor)
              throw py::value_error(fmt::format("target: joint '{}' has no motor", j.joint().name));
            j.core->targets()[index(j.id)] = value.is_none()
                                                 ? std::numeric_limits<double>::quiet_NaN()
                                                 : number(value, "target");
          },
          "Velocity [rad/s], [m/s] or effort [N m], [N] of the motor that the scene gives the "
          "joint, "
          "in every\nstep until it is changed; None: its function of time.")
      .def_property(
          "effort", [](const JointOfSimulator& j) { return j.core->efforts()[index(j.id)]; },
          [](const JointOfSimulator& j, const py::object& value) {
            j.core->require_idle();
            j.core->efforts()[index(j.id)] = number(value, "effort");
          },
          "On the second body along the coordinate and its opposite on the first, in every\nstep "
          "until "
          "it is changed; of angles [N m], of lengths [N].")
      .def("__repr__", [](const JointOfSimulator& j) {
        return fmt::format("<cairn.Joint '{}'>", j.joint().name);
      });
}

}  // namespace

void bind_simulator(py::module_& m) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const StoppedStep& stop) {
      py::dict d;
      d["what"] = stop.message;
      d["code"] = stop.reason;
      d["kind"] = stop.status == StepStatus::internal_error ? "internal" : "stopped";
      d["step"] = stop.step;
      d["t"] = stop.t;
      set_python_error("StepStopped", d);
    }
  });
  bind_body(m);
  bind_joint(m);
  py::class_<Core, SharedCore>(m, "Simulator")
      .def(py::init([](const SharedScene& self) {
             const SharedScene& scene = required(self);
             return std::make_shared<Core>(scene);
           }),
           py::arg("scene"))
      .def_property_readonly("scene", [](const Core& c) { return c.scene(); })
      .def_property_readonly("model", [](const Core& c) { return ModelOfScene{c.scene()}; })
      .def_property_readonly(
          "time", [](Core& c) { return c.sim().state().t; }, "[s]")
      .def_property_readonly(
          "steps", [](Core& c) { return c.sim().state().step; },
          "Steps taken since the initial state.")
      .def_property(
          "h", [](const Core& c) { return c.h; },
          [](Core& c, const py::object& value) {
            const double h = number(value, "h");
            if (!(h > 0)) throw py::value_error(fmt::format("h must be positive, it is {}", h));
            c.h = h;
          },
          "Length of a step [s]; at first that of the scene.")
      .def(
          "step",
          [](const py::object& self, const py::object& n, const py::object& h) {
            Core& core = self.cast<Core&>();
            return core.step(self, whole_number(n), h.is_none() ? core.h : number(h, "step: h"));
          },
          py::arg("n") = 1, py::arg("h") = py::none(),
          R"(Takes n steps of length h [s] (default: self.h) and returns the report of the last one.

The controller, if there is one, is called before each of them. Other Python threads run meanwhile. A step that cannot be taken
raises cairn.StepStopped and leaves the state unchanged; report.accepted says whether the verdict of a step is good.)")
      .def_property_readonly(
          "report", [](Core& c) { return c.report(); }, "The report of the last step.")
      .def_property_readonly(
          "rejected_steps",
          [](Core& c) {
            c.require_idle();
            return c.rejected();
          },
          "Steps since the start or reset whose verdict was not good.")
      .def_property(
          "state", [](Core& c) { return std::make_shared<State>(c.sim().state()); },
          [](Core& c, const py::object& s) { c.set_state(a_state(s, "state")); },
          "All that a run continues from. Reading copies, assigning sets.")
      .def(
          "_reset", [](Core& c, const py::object& s) { c.reset(a_state(s, "reset")); },
          py::arg("state"))
      .def_property_readonly("state_hash",
                             [](Core& c) { return fmt::format("{:016x}", hash(c.sim().state())); })
      .def(
          "body",
          [](const SharedCore& self, const py::object& name) {
            const SharedCore& c = required(self);
            return BodyOfSimulator{c, find_body(c->model(), name)};
          },
          py::arg("name"), "A body by its name or number.")
      .def(
          "joint",
          [](const SharedCore& self, const py::object& name) {
            const SharedCore& c = required(self);
            return JointOfSimulator{c, find_joint(c->model(), name)};
          },
          py::arg("name"), "A joint by its name or number.")
      .def_property_readonly(
          "positions",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return table(c, c->arrays().position, 3);
          },
          "Origins of the body frames in the world, (bodies, 3) [m]. A read-only view that follows "
          "the steps.")
      .def_property_readonly(
          "orientations",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return table(c, c->arrays().orientation, 4);
          },
          "Quaternions (w, x, y, z), body to world, (bodies, 4). A read-only view that follows the "
          "steps.")
      .def_property_readonly(
          "velocities",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return table(c, c->arrays().velocity, 3);
          },
          "Of the origins, in the world, (bodies, 3) [m/s]. A read-only view that follows the "
          "steps.")
      .def_property_readonly(
          "angular_velocities",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return table(c, c->arrays().angular_velocity, 3);
          },
          "In the world, (bodies, 3) [rad/s]. A read-only view that follows the steps.")
      .def_property_readonly(
          "joint_positions",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return list(c, c->joint_arrays().position);
          },
          "Coordinates of the joints, 0 at the start of the run, (joints,), [rad] or [m]; 0 of "
          "joints "
          "without one. A read-only view that follows the steps.")
      .def_property_readonly(
          "joint_velocities",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return list(c, c->joint_arrays().velocity);
          },
          "Of the coordinates, (joints,) [rad/s] or [m/s]. A read-only view that follows the "
          "steps.")
      .def_property_readonly("joints", joint_rows,
                             "Structured array, a row a joint: position, velocity, force, torque, "
                             "limit, drive and friction, as of Joint. A copy.")
      .def_property(
          "external_forces",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return table(c, c->external(), 6, true);
          },
          [](Core& c, const py::object& value) {
            c.require_idle();
            const Doubles f = numbers(value, "external_forces",
                                      {static_cast<py::ssize_t>(c.model().bodies.size()), 6});
            std::copy_n(f.data(), f.size(), c.external().data());
          },
          "Force [N] and torque about the centre of mass [N m] on each body, in the world, "
          "(bodies, 6). A writable view; what\n"
          "it holds acts in every step until it is changed.")
      .def_property(
          "joint_efforts",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return view(c, c->efforts().data(), {static_cast<py::ssize_t>(c->efforts().size())},
                        {stride}, true);
          },
          [](Core& c, const py::object& value) {
            c.require_idle();
            const Doubles e = numbers(value, "joint_efforts",
                                      {static_cast<py::ssize_t>(c.model().joints.size())});
            std::copy_n(e.data(), e.size(), c.efforts().data());
          },
          "Applied along the coordinates of joints, (joints,), of angles [N m], of lengths [N]. A "
          "writable view; what it\nholds acts in every step until it is changed.")
      .def_property(
          "motor_targets",
          [](const SharedCore& self) {
            const SharedCore& c = required(self);
            return view(c, c->targets().data(), {static_cast<py::ssize_t>(c->targets().size())},
                        {stride}, true);
          },
          [](Core& c, const py::object& value) {
            c.require_idle();
            const auto n = static_cast<py::ssize_t>(c.model().joints.size());
            // Not a number is welcome here, so that `numbers` would not do.
            const py::array given = py::array::ensure(value);
            if (!given ||
                std::string_view("fiu").find(given.dtype().kind()) == std::string_view::npos) {
              PyErr_Clear();
              throw py::type_error("motor_targets: expected real numbers");
            }
            const Doubles t = Doubles::ensure(given);
            if (!t || t.ndim() != 1 || t.shape(0) != n)
              throw py::value_error(
                  fmt::format("motor_targets: expected numbers of shape ({},)", n));
            std::copy_n(t.data(), n, c.targets().data());
          },
          "Velocities or efforts of the motors of the scene, (joints,); nan: the function of time. "
          "A "
          "writable view; what it\nholds acts in every step until it is changed.")
      .def(
          "set_forces", set_forces, py::arg("bodies") = py::none(), py::arg("forces") = py::none(),
          py::arg("torques") = py::none(), py::arg("points") = py::none(),
          R"(Forces at points of bodies, beside external_forces, in every step until they are set again; without arguments: none.

bodies: names or numbers, n of them. forces: (n, 3) [N], in the world. torques: (n, 3) [N m]. points: (n, 3) [m], where the
forces act, in the body frames; default: the centres of mass. Of one name or number: (3,) each.)")
      .def_property_readonly(
          "kinetic_energy", [](Core& c) { return c.sim().kinetic_energy(); }, "[J]")
      .def_property_readonly(
          "potential_energy", [](Core& c) { return c.sim().potential_energy(); },
          "Of gravity, zero at the origin, and springs [J].")
      .def_property_readonly(
          "energy", [](Core& c) { return c.sim().kinetic_energy() + c.sim().potential_energy(); },
          "[J]")
      .def_property_readonly(
          "penetration", [](Core& c) { return c.sim().penetration(); }, "The deepest overlap [m].")
      .def_property_readonly(
          "joint_error", [](Core& c) { return c.sim().joint_error(); },
          "The largest of all joints [m].")
      .def(
          "_record", [](Core& c, const std::string& path) { c.record(path); }, py::arg("path"))
      .def(
          "stop_recording", [](Core& c) { c.stop_recording(); },
          "Completes the file of a recording; its frames stay for view().")
      .def_property_readonly("is_recording", [](const Core& c) { return c.is_recording(); })
      .def("_page", page_of)
      .def(
          "save",
          [](Core& c, const std::string& path) {
            value_of(
                save_checkpoint(path, c.scene()->resolved, c.sim().state(), c.sim().state().step));
          },
          py::arg("path"),
          "Writes a checkpoint: Simulator.load(path) goes on from it with the same bits.")
      .def("_points",
           [](const Core& c) {
             py::list list;
             for (const ExternalForce& f : c.point_forces())
               list.append(py::make_tuple(static_cast<int>(f.body), copied(f.force),
                                          copied(f.torque),
                                          copied(Vec3(f.point + c.model().body(f.body).p_Bcm))));
             return list;
           })
      .def("__repr__", [](Core& c) {
        return fmt::format("<cairn.Simulator of '{}' at t = {:.6g} s>", c.scene()->name,
                           c.sim().state().t);
      });
  m.def("load_checkpoint", [](const std::string& path) {
    Checkpoint checkpoint = value_of(load_checkpoint(path));
    auto scene = std::make_shared<Scene>(value_of(parse_scene(checkpoint.scene, path)));
    value_of(check_scene(checkpoint, path, *scene));
    return py::make_tuple(scene, std::make_shared<State>(std::move(checkpoint.state)));
  });
}

}  // namespace cairn::python
