#include "imports/mjcf/settings.hpp"

#include <cctype>
#include <numbers>

namespace cairn::imports {
namespace {

std::string one_of(const Element& e, const char* key, std::initializer_list<const char*> known,
                   Messages& messages) {
  const Attribute* a = e.find(key);
  if (!a) return {};
  std::string list;
  for (const char* word : known) {
    if (a->value == word) return a->value;
    list += (list.empty() ? "" : ", ") + std::string(word);
  }
  messages.error(a->place, ErrorCode::unknown_choice, e.name + "." + key, "unknown choice",
                 "\"" + a->value + "\"", list, "use one of them");
  return {};
}

Quat from_euler(const Vec3& angles, const std::string& sequence) {
  Quat R = Quat::Identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = sequence[static_cast<std::size_t>(i)];
    const bool fixed_axes = std::isupper(static_cast<unsigned char>(letter)) != 0;
    Vec3 axis = Vec3::Zero();
    axis[std::tolower(static_cast<unsigned char>(letter)) - 'x'] = 1;
    const Quat turn(Eigen::AngleAxisd(angles[i], axis));
    R = fixed_axes ? turn * R : R * turn;
  }
  return R;
}

void bad_direction(const Element& e, const char* key, Messages& messages) {
  messages.error(e.place, ErrorCode::zero_vector, label(e) + "." + key, "is no orientation",
                 e.get(key), "directions that are not zero or parallel", "correct it");
}

}  // namespace

double MjcfSettings::angle(double x) const {
  return degrees ? x * std::numbers::pi / 180 : x;
}

void read_compiler(const Element& e, MjcfSettings& s, Messages& messages) {
  e.used = true;
  if (const std::string w = one_of(e, "angle", {"degree", "radian"}, messages); !w.empty())
    s.degrees = w == "degree";
  if (const Attribute* a = e.find("eulerseq")) {
    bool good = a->value.size() == 3;
    for (const char c : a->value) {
      const int lower = std::tolower(static_cast<unsigned char>(c));
      good &= lower >= 'x' && lower <= 'z';
    }
    if (good)
      s.euler_sequence = a->value;
    else
      messages.error(a->place, ErrorCode::unknown_choice, "compiler.eulerseq",
                     "is no sequence of axes", "\"" + a->value + "\"",
                     "three letters out of x y z X Y Z", "write xyz");
  }
  if (const auto w = messages.boolean(e, "autolimits")) s.autolimits = *w;
  if (const auto w = messages.boolean(e, "balanceinertia")) s.balance_inertia = *w;
  if (const auto w = messages.number(e, "boundmass")) s.bound_mass = *w;
  if (const auto w = messages.number(e, "boundinertia")) s.bound_inertia = *w;
  if (const auto w = messages.number(e, "settotalmass")) s.total_mass = *w;
  if (const auto w = messages.numbers(e, "inertiagrouprange", 2, 2)) {
    s.first_group = static_cast<int>(std::clamp((*w)[0], -1e9, 1e9));
    s.last_group = static_cast<int>(std::clamp((*w)[1], -1e9, 1e9));
  }
  if (const std::string w = one_of(e, "inertiafromgeom", {"auto", "true", "false"}, messages);
      !w.empty())
    s.inertia = w == "auto"   ? InertiaFromGeom::automatic
                : w == "true" ? InertiaFromGeom::always
                              : InertiaFromGeom::never;
  if (e.has("coordinate") && e.get("coordinate") != "local")
    messages.error(e.find("coordinate")->place, ErrorCode::unsupported, "compiler.coordinate",
                   "only local coordinates are read", "\"" + e.get("coordinate") + "\"", "local",
                   "save the model with a MuJoCo up to 2.3.3, which writes local coordinates");
  if (const Attribute* a = e.find("assetdir")) s.mesh_folder = a->value;
  if (const Attribute* a = e.find("meshdir")) s.mesh_folder = a->value;
  // Without influence on what is simulated here.
  for (const char* key : {"texturedir", "discardvisual", "usethread", "fusestatic", "strippath",
                          "exactmeshinertia", "convexhull", "saveinertial"})
    (void)e.find(key);
}

Pose read_pose(const Element& e, const MjcfSettings& settings, Messages& messages) {
  Pose X;
  if (const auto p = messages.vector(e, "pos")) X.p = *p;
  if (const auto q = messages.numbers(e, "quat", 4, 4)) {
    const Quat R((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
    if (R.norm() > 1e-12)
      X.R = R.normalized();
    else
      bad_direction(e, "quat", messages);
  } else if (const auto a = messages.numbers(e, "axisangle", 4, 4)) {
    const Vec3 axis((*a)[0], (*a)[1], (*a)[2]);
    if (axis.norm() > 1e-12)
      X.R = Quat(Eigen::AngleAxisd(settings.angle((*a)[3]), axis.normalized()));
    else
      bad_direction(e, "axisangle", messages);
  } else if (const auto xy = messages.numbers(e, "xyaxes", 6, 6)) {
    const Vec3 x((*xy)[0], (*xy)[1], (*xy)[2]), y((*xy)[3], (*xy)[4], (*xy)[5]);
    Mat3 R;
    R.col(0) = x.normalized();
    R.col(1) = (y - R.col(0) * R.col(0).dot(y)).normalized();
    R.col(2) = R.col(0).cross(R.col(1));
    if (R.allFinite() && R.determinant() > 0.5)
      X.R = Quat(R);
    else
      bad_direction(e, "xyaxes", messages);
  } else if (const auto z = messages.vector(e, "zaxis")) {
    if (z->norm() > 1e-12)
      X.R = Quat::FromTwoVectors(Vec3::UnitZ(), z->normalized());
    else
      bad_direction(e, "zaxis", messages);
  } else if (const auto euler = messages.vector(e, "euler")) {
    Vec3 angles;
    for (int i = 0; i < 3; ++i) angles[i] = settings.angle((*euler)[i]);
    X.R = from_euler(angles, settings.euler_sequence);
  }
  return X;
}

}  // namespace cairn::imports
