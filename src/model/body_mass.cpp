// Reads mass, density, inertia and shapes of a description, writes the mass properties of the body.
#include "model/body_mass.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>

namespace cairn::model {
namespace {

// Relative room for the rounding of hand-written matrices.
constexpr double symmetry_tolerance = 1e-9;
constexpr double triangle_tolerance = 1e-9;  // a flat body has i1 + i2 = i3

bool has_mass(const ShapeDescription& shape) {
  return !std::holds_alternative<Point>(shape.geometry) &&
         !std::holds_alternative<Halfspace>(shape.geometry);
}

// All shapes together, at the given density.
MassProperties of_shapes(const std::vector<ShapeDescription>& shapes, double density,
                         PolyhedronTable& polyhedra) {
  std::vector<MassProperties> parts;
  for (const ShapeDescription& shape : shapes) {
    const bool box = std::holds_alternative<Box>(shape.geometry);  // its closed form is shorter
    const auto polyhedron = polyhedra.find(shape.geometry);
    const MassProperties part = polyhedron && *polyhedron && !box
                                    ? mass_properties(**polyhedron, density)
                                    : mass_properties(shape.geometry, density);
    parts.push_back(transformed(part, shape.X_BS));
  }
  return combine(parts);
}

std::string inertia_range() {
  return to_text(smallest_inertia) + " to " + to_text(largest_inertia) + " kg m^2";
}

Mat3 checked_inertia(const Mat3& inertia, const std::string& path, Checks& checks) {
  const double size = inertia.allFinite() ? inertia.cwiseAbs().maxCoeff() : 0;
  if (!(size > 0)) {
    checks.error(path, ErrorCode::invalid_inertia, "inertia must be finite and positive",
                 "a matrix without a finite positive element",
                 "symmetric positive definite matrices",
                 "give the inertia about the centre of mass");
    return Mat3::Identity();
  }
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > symmetry_tolerance * size) {
    checks.error(path, ErrorCode::invalid_inertia, "inertia is not symmetric",
                 to_text(Vec3(inertia(0, 1), inertia(0, 2), inertia(1, 2))) +
                     " above the diagonal, " +
                     to_text(Vec3(inertia(1, 0), inertia(2, 0), inertia(2, 1))) + " below",
                 "symmetric matrices", "make both halves equal");
    return Mat3::Identity();
  }
  const Mat3 symmetric = 0.5 * (inertia + inertia.transpose());
  const Vec3 i =
      Eigen::SelfAdjointEigenSolver<Mat3>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  // An eigenvalue below this is a zero with rounding.
  const double zero = 16 * std::numeric_limits<double>::epsilon() * i[2];
  if (!(i[0] > zero))
    checks.error(path, ErrorCode::invalid_inertia, "inertia is not positive definite",
                 "principal moments " + to_text(i), "three positive principal moments",
                 "check the signs of the products of inertia");
  else if (!(i[0] >= smallest_inertia && i[2] <= largest_inertia))
    checks.error(path, ErrorCode::out_of_range, "inertia is out of range",
                 "principal moments " + to_text(i) + " kg m^2", inertia_range(), "check the unit");
  else if (i[0] + i[1] < i[2] * (1 - triangle_tolerance))
    checks.error(
        path, ErrorCode::invalid_inertia,
        "no body has such an inertia: the largest principal moment exceeds the sum of the others",
        "principal moments " + to_text(i), "i1 + i2 >= i3",
        "check the moments about the centre of mass");
  return symmetric;
}

// The mass of the body; 0 after an error.
double checked_mass(const BodyDescription& body, const MassProperties& unit,
                    const std::string& path, Checks& checks) {
  if (body.mass && body.density) {
    checks.error(path + ".density", ErrorCode::conflict, "mass and density are both given",
                 to_text(*body.density), "one of them", "drop mass or density");
    return 0;
  }
  if (body.mass && *body.mass == 0) {
    checks.error(path + ".mass", ErrorCode::out_of_range, "must be positive and finite", "0 kg",
                 to_text(smallest_magnitude) + " to " + to_text(largest_magnitude) + " kg",
                 "give a positive mass, or \"fixed\": true for a body that does not move");
    return 0;
  }
  if (body.mass) return checks.positive(*body.mass, path + ".mass", "kg") ? *body.mass : 0;
  if (!body.density) {
    checks.error(path, ErrorCode::incomplete, "body that can move has no mass",
                 body.name.empty() ? "" : in_quotes(body.name), "mass, or density with shapes",
                 "give \"mass\" or \"density\", or \"fixed\": true");
    return 0;
  }
  if (!checks.positive(*body.density, path + ".density", "kg/m^3")) return 0;
  if (unit.mass == 0) {
    checks.error(path + ".density", ErrorCode::incomplete, "density needs a shape with a volume",
                 to_text(*body.density), "", "add a shape or give \"mass\"");
    return 0;
  }
  const double mass = *body.density * unit.mass;
  if (mass >= smallest_magnitude && mass <= largest_magnitude) return mass;
  checks.error(path + ".density", ErrorCode::out_of_range,
               "mass that comes from the density is out of range", to_text(mass) + " kg",
               "1e-30 to 1e+30 kg", "check the unit of the sizes");
  return 0;
}

}  // namespace

MassProperties body_mass(const BodyDescription& body, RotationKind rotation,
                         const std::string& path, PolyhedronTable& polyhedra, Checks& checks) {
  const MassProperties unit = of_shapes(body.shapes, 1, polyhedra);
  MassProperties result;
  result.mass = checked_mass(body, unit, path, checks);
  const bool rotates = rotation != RotationKind::none;

  // Planar shapes have mass per area, the others per volume: together they have no common density.
  const auto planar = [](const ShapeDescription& s) { return is_planar(s.geometry); };
  const auto solid = [](const ShapeDescription& s) {
    return has_mass(s) && !is_planar(s.geometry);
  };
  const bool mixture = std::any_of(body.shapes.begin(), body.shapes.end(), planar) &&
                       std::any_of(body.shapes.begin(), body.shapes.end(), solid);
  if (mixture && !(body.mass && body.center_of_mass && (body.inertia || !rotates)))
    checks.error(path + ".shapes", ErrorCode::wrong_dimension,
                 "planar and spatial shapes together give no mass distribution", "both kinds",
                 "one kind", "give mass, center_of_mass and inertia, or use shapes of one kind");

  result.center = body.center_of_mass.value_or(unit.mass > 0 ? unit.center : Vec3(Vec3::Zero()));
  if (body.center_of_mass) checks.magnitude(*body.center_of_mass, path + ".center_of_mass", "m");

  if (body.inertia) {
    result.inertia = checked_inertia(*body.inertia, path + ".inertia", checks);
  } else if (rotates && body.center_of_mass) {
    checks.error(path + ".center_of_mass", ErrorCode::incomplete,
                 "centre of mass is given, so the inertia cannot come from the shapes",
                 to_text(*body.center_of_mass), "center_of_mass with inertia",
                 "give \"inertia\" as well, or drop center_of_mass");
  } else if (rotates && unit.mass == 0 && result.mass > 0) {
    checks.error(path + ".inertia", ErrorCode::incomplete, "body can rotate but has no inertia", "",
                 "inertia, or shapes with a volume",
                 "give \"inertia\", or \"dof\": \"x y z\" for a point mass");
  } else if (unit.mass > 0) {
    result.inertia = unit.inertia * (result.mass / unit.mass);
    const Vec3 diagonal = result.inertia.diagonal();
    if (result.mass > 0 && rotates &&
        !(diagonal.maxCoeff() <= largest_inertia && diagonal.minCoeff() >= smallest_inertia))
      checks.error(path, ErrorCode::out_of_range,
                   "inertia that comes from mass and shapes is out of range",
                   to_text(diagonal) + " kg m^2", inertia_range(), "check the units");
  }
  return result;
}

}  // namespace cairn::model
