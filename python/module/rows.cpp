// Contacts of a report as rows.
#include "module/rows.hpp"

#include <algorithm>

#include "module/arrays.hpp"

namespace cairn::python {

Vec3 force_of(const ContactReport& r, double h) {
  if (is_limit(r.contact.key) || !(h > 0)) return Vec3::Zero();
  return (r.contact.n_W * r.impulse[0] + r.contact.t1_W * r.impulse[1] +
          r.contact.t2_W * r.impulse[2]) /
         h;
}

ContactRow contact_row(const ContactReport& r, double h) {
  const Contact& c = r.contact;
  ContactRow row{};
  row.body_a = static_cast<std::int32_t>(c.key.body_a);
  row.body_b = static_cast<std::int32_t>(c.key.body_b);
  row.shape_a = static_cast<std::int32_t>(c.key.shape_a);
  row.shape_b = static_cast<std::int32_t>(c.key.shape_b);
  row.feature_a = c.key.feature.a;
  row.feature_b = c.key.feature.b;
  const auto put = [](const Vec3& x, double(&out)[3]) { std::copy_n(x.data(), 3, out); };
  put(c.p_WC, row.position);
  put(c.n_W, row.normal);
  put(c.t1_W, row.tangent1);
  put(c.t2_W, row.tangent2);
  row.gap = c.gap;
  row.friction = c.friction;
  row.restitution = c.restitution;
  put(r.impulse, row.impulse);
  put(force_of(r, h), row.force);
  put(r.velocity, row.velocity);
  put(r.torque, row.torque);
  row.mode = static_cast<std::uint8_t>(r.mode);
  row.colliding = r.colliding;
  row.limit = is_limit(c.key);
  return row;
}

JointRow joint_row(const JointReport& joint) {
  JointRow row{.position = joint.position,
               .velocity = joint.velocity,
               .force = {},
               .torque = {},
               .limit = joint.limit,
               .drive = joint.drive,
               .friction = joint.friction};
  std::copy_n(joint.force.data(), 3, row.force);
  std::copy_n(joint.torque.data(), 3, row.torque);
  return row;
}

py::array contact_rows(const StepReport& report) {
  std::vector<ContactRow> rows;
  rows.reserve(report.contacts.size());
  for (const ContactReport& c : report.contacts) rows.push_back(contact_row(c, report.h));
  return moved(std::move(rows));
}

}  // namespace cairn::python
