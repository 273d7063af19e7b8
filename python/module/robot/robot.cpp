// JointSpace: Jacobians, mass matrix and inverse dynamics of a model at the poses of a state (E961
// to E964), as arrays.
#include "module/robot/robot.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/robot/joint_values.hpp"
#include "module/rows.hpp"
#include "module/scene.hpp"
#include "module/simulator.hpp"

namespace cairn::python {
namespace {

// Never changes, so that threads may share it.
struct SpaceOfState {
  SharedScene scene;
  State state;
  JointSpace space;

  const Model& model() const { return *scene->model; }
  py::ssize_t columns() const { return space.columns(); }
};
using Shared = std::shared_ptr<SpaceOfState>;

py::array table_of(const Eigen::MatrixXd& matrix) {
  py::array_t<double> out(Extents{matrix.rows(), matrix.cols()});
  auto entries = out.mutable_unchecked<2>();
  for (py::ssize_t r = 0; r < matrix.rows(); ++r)
    for (py::ssize_t c = 0; c < matrix.cols(); ++c) entries(r, c) = matrix(r, c);
  return out;
}

// Linear algebra without the lock of the interpreter.
template <class Compute>
auto unlocked(Compute compute) {
  const py::gil_scoped_release released;
  return compute();
}

Shared make(const ModelOfScene& model, const State& state, const py::object& joints) {
  require_usable(model.get(), state);
  require_small(model.get());
  std::vector<JointId> wanted;
  if (!joints.is_none()) {
    if (py::isinstance<py::str>(joints) || !py::isinstance<py::iterable>(joints))
      throw py::type_error("joint_space: joints: expected a list of names or numbers");
    for (const py::handle joint : joints) wanted.push_back(find_joint(model.get(), joint));
    if (wanted.empty()) throw py::value_error("joint_space: joints: an empty list");
  }
  auto made = std::make_shared<SpaceOfState>(SpaceOfState{model.scene, state, {}});
  made->space = value_of(unlocked([&] { return joint_space(made->model(), state, wanted); }));
  return made;
}

py::array positions(const SpaceOfState& s) {
  std::vector<double> out;
  for (const JointId id : s.space.coordinates)
    out.push_back(joint_position(s.model(), s.state, id));
  return moved(std::move(out));
}

std::vector<std::string> joint_names(const SpaceOfState& s) {
  std::vector<std::string> names;
  for (const JointId id : s.space.coordinates) names.push_back(s.model().joints[index(id)].name);
  return names;
}

std::vector<std::string> floating_names(const SpaceOfState& s) {
  std::vector<std::string> names;
  for (const BodyId id : s.space.floating) names.push_back(s.model().body(id).name);
  return names;
}

py::array joint_ids(const SpaceOfState& s) {
  std::vector<std::int64_t> ids;
  for (const JointId id : s.space.coordinates) ids.push_back(static_cast<std::int64_t>(id));
  return moved(std::move(ids));
}

py::array jacobian_of_body(const SpaceOfState& s, const py::object& body, const py::object& point) {
  const BodyId id = find_body(s.model(), body);
  const Vec3 at = point.is_none() ? Vec3(Vec3::Zero()) : vector3(point, "body_jacobian: point");
  return table_of(body_jacobian(s.model(), s.state, s.space, id, at - s.model().body(id).p_Bcm));
}

// Rows of Report.contacts as contacts of bodies of the model.
std::vector<Contact> contacts_of(const SpaceOfState& s, const py::object& given) {
  const py::array array = py::module_::import("numpy").attr("atleast_1d")(given);
  if (!array.dtype().equal(py::dtype::of<ContactRow>()) || array.ndim() != 1)
    throw py::type_error("contact_jacobian: expected rows of Report.contacts");
  const auto rows = py::array_t<ContactRow, py::array::c_style | py::array::forcecast>(array);
  const auto vector = [](const double(&x)[3]) { return Vec3(x[0], x[1], x[2]); };
  const auto bodies = static_cast<std::int32_t>(s.model().bodies.size());
  std::vector<Contact> contacts;
  for (py::ssize_t i = 0; i < rows.size(); ++i) {
    const ContactRow& row = rows.data()[i];
    if (row.limit)
      throw py::value_error(fmt::format(
          "contact_jacobian: row {} is the end of the range of a joint: leave it out with "
          "contacts[~contacts['limit']]",
          i));
    Contact c;
    c.key.body_a = static_cast<BodyId>(row.body_a);
    c.key.body_b = static_cast<BodyId>(row.body_b);
    c.p_WC = vector(row.position);
    c.n_W = vector(row.normal);
    c.t1_W = vector(row.tangent1);
    c.t2_W = vector(row.tangent2);
    if (row.body_a < 0 || row.body_a >= bodies || row.body_b < 0 || row.body_b >= bodies)
      throw py::value_error(
          fmt::format("contact_jacobian: row {} is a contact of bodies {} and {}, the model has {}",
                      i, row.body_a, row.body_b, bodies));
    if (!c.p_WC.allFinite() || !c.n_W.allFinite() || !c.t1_W.allFinite() || !c.t2_W.allFinite())
      throw py::value_error(
          fmt::format("contact_jacobian: row {} has numbers that are not finite", i));
    contacts.push_back(c);
  }
  return contacts;
}

py::array jacobian_of_contacts(const SpaceOfState& s, const py::object& given) {
  const std::vector<Contact> contacts = contacts_of(s, given);
  py::array_t<double> out(Extents{static_cast<py::ssize_t>(contacts.size()), 3, s.columns()});
  auto entries = out.mutable_unchecked<3>();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::MatrixXd J = contact_jacobian(s.model(), s.state, s.space, contacts[i]);
    for (py::ssize_t r = 0; r < 3; ++r)
      for (py::ssize_t c = 0; c < J.cols(); ++c)
        entries(static_cast<py::ssize_t>(i), r, c) = J(r, c);
  }
  return out;
}

py::array efforts_for(const SpaceOfState& s, const py::object& accelerations) {
  VecX a = VecX::Zero(s.columns());
  if (!accelerations.is_none()) {
    const Doubles given = numbers(accelerations, "inverse_dynamics: accelerations", {s.columns()});
    std::copy_n(given.data(), a.size(), a.data());
  }
  return copied(unlocked([&] { return inverse_dynamics(s.model(), s.state, s.space, a); }));
}

}  // namespace

void bind_robot(py::module_& m) {
  py::class_<SpaceOfState, Shared>(
      m, "JointSpace",
      R"(Independent velocities u of a model at one state: rates of coordinates of joints, then the free velocities of bodies that
float. Made by Simulator.joint_space() and cairn.joint_space(); stays as it is when further steps are taken.

Efforts and columns are in the order of `joints`, then of `floating`, with six or fewer columns a body in the order of State.v.
Arrays are copies.)")
      .def_property_readonly("model", [](const SpaceOfState& s) { return ModelOfScene{s.scene}; })
      .def_property_readonly("joints", joint_names,
                             "Names of the joints whose rates are the first columns.")
      .def_property_readonly(
          "joint_ids", joint_ids,
          "Their rows in arrays over joints: sim.joint_efforts[space.joint_ids] = tau.")
      .def_property_readonly("floating", floating_names,
                             "Names of the bodies whose free velocities are the other columns.")
      .def_property_readonly(
          "size", [](const SpaceOfState& s) { return s.columns(); }, "Number of columns, n.")
      .def_property_readonly(
          "S", [](const SpaceOfState& s) { return table_of(s.space.S); }, "State.v = S u, (nv, n).")
      .def_property_readonly("positions", positions, "Coordinates of `joints`, [rad] or [m].")
      .def_property_readonly(
          "velocities", [](const SpaceOfState& s) { return copied(joint_rates(s.space, s.state)); },
          "u of the state, (n,) [rad/s], [m/s].")
      .def(
          "body_jacobian", jacobian_of_body, py::arg("body"), py::arg("point") = py::none(),
          R"(Velocity of a point of a body, then its angular velocity, both in the world, for each column: (6, n).

point: in the body frame, (3,) [m]; default: its origin.)")
      .def(
          "contact_jacobian", jacobian_of_contacts, py::arg("contacts"),
          R"(Velocity of body_b relative to body_a along normal, tangent1, tangent2 for each column: (contacts, 3, n).

contacts: rows of Report.contacts, without those of limits. J^T of their impulses over h are the efforts of contact.)")
      .def(
          "mass_matrix",
          [](const SpaceOfState& s) {
            return table_of(
                unlocked([&] { return joint_mass_matrix(s.model(), s.state, s.space); }));
          },
          "S^T M S with the rotors of the joints, (n, n) [kg, kg m, kg m^2].")
      .def("inverse_dynamics", efforts_for, py::arg("accelerations") = py::none(),
           R"(Efforts along the columns that give the accelerations u', (n,) [N m] or [N].

Under gravity, springs, dampers, forces that the scene gives in time, gyroscopic and centrifugal terms; without contact and
external forces. accelerations: (n,) [rad/s^2], [m/s^2]; default: zero.)")
      .def(
          "gravity_compensation",
          [](const SpaceOfState& s) {
            return copied(
                unlocked([&] { return VecX(gravity_compensation(s.model(), s.state, s.space)); }));
          },
          "Efforts that hold the mechanism at rest where it is, (n,) [N m] or [N].")
      .def("__repr__", [](const SpaceOfState& s) {
        return fmt::format("<cairn.JointSpace of '{}': {} joints, {} floating bodies, {} columns>",
                           s.scene->name, s.space.coordinates.size(), s.space.floating.size(),
                           s.columns());
      });
  m.def("_joint_space", make);
}

}  // namespace cairn::python
