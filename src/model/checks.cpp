// Reads single values of a description, writes errors and warnings.
#include "model/checks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace cairn::model {
namespace {

constexpr std::size_t longest_name = 256;    // [bytes]
constexpr double quaternion_error = 1e-3;    // of the norm: more is no rounding but a mistake [-]
constexpr double quaternion_warning = 1e-9;  // more than the digits that people write [-]

std::string with_unit(std::string text, const std::string& unit) {
  return unit.empty() ? text : text + " " + unit;
}

}  // namespace

std::string to_text(double value) {
  return fmt::format("{}", value);
}

std::string to_text(const Vec3& value) {
  return fmt::format("[{}, {}, {}]", value.x(), value.y(), value.z());
}

std::string to_text(const Quat& value) {
  return fmt::format("[{}, {}, {}, {}]", value.w(), value.x(), value.y(), value.z());
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown = 60;
  const std::string end = text.size() > shown ? "..." : "";
  return "\"" + std::string(text.substr(0, shown)) + end + "\"";
}

void Checks::error(std::string path, ErrorCode code, std::string what, std::string got,
                   std::string allowed, std::string fix) {
  errors_.add({.code = code,
               .path = std::move(path),
               .what = std::move(what),
               .got = std::move(got),
               .allowed = std::move(allowed),
               .fix = std::move(fix)});
}

void Checks::limit(std::string path, ErrorCode code, std::string what, std::string got,
                   std::string allowed, std::string fix) {
  errors_.add({.kind = ErrorKind::limit,
               .code = code,
               .path = std::move(path),
               .what = std::move(what),
               .got = std::move(got),
               .allowed = std::move(allowed),
               .fix = std::move(fix)});
}

void Checks::contradiction(std::string path, std::string what, std::string got, std::string allowed,
                           std::string fix) {
  errors_.add({.kind = ErrorKind::stopped,
               .code = ErrorCode::contradiction,
               .path = std::move(path),
               .what = std::move(what),
               .got = std::move(got),
               .allowed = std::move(allowed),
               .fix = std::move(fix)});
}

bool Checks::positive(double value, const std::string& path, const std::string& unit) {
  if (value >= smallest_magnitude && value <= largest_magnitude) return true;
  const bool beyond = value > 0 && std::isfinite(value);
  error(path, std::isfinite(value) ? ErrorCode::out_of_range : ErrorCode::not_finite,
        beyond ? "number is out of range" : "must be positive and finite",
        with_unit(to_text(value), unit),
        with_unit(fmt::format("{} to {}", smallest_magnitude, largest_magnitude), unit),
        beyond ? "check the unit" : "give a positive number");
  return false;
}

bool Checks::nonnegative(double value, const std::string& path, const std::string& unit) {
  if (value >= 0 && value <= largest_magnitude) return true;
  const bool beyond = value > 0;
  error(path, std::isfinite(value) ? ErrorCode::out_of_range : ErrorCode::not_finite,
        beyond ? "number is out of range" : "must not be negative", with_unit(to_text(value), unit),
        with_unit(fmt::format("0 to {}", largest_magnitude), unit),
        beyond ? "check the unit" : "give zero or a positive number");
  return false;
}

bool Checks::magnitude(const Vec3& value, const std::string& path, const std::string& unit,
                       double most) {
  if (value.allFinite() && value.cwiseAbs().maxCoeff() <= most) return true;
  const bool beyond = value.allFinite();
  error(path, beyond ? ErrorCode::out_of_range : ErrorCode::not_finite,
        beyond ? "number is out of range" : "must be finite", with_unit(to_text(value), unit),
        with_unit(fmt::format("-{0} to {0}", most), unit),
        beyond ? "check the unit" : "give finite numbers");
  return false;
}

bool Checks::finite_at_start(const TimeFunction& function, const std::string& path, double most) {
  const double value = function(0);
  if (std::abs(value) <= most) return true;
  const std::string text = function.text().empty() ? "" : " for " + in_quotes(function.text());
  if (std::isfinite(value))
    error(path, ErrorCode::out_of_range, "number is out of range at t = 0", to_text(value) + text,
          fmt::format("-{0} to {0}", most), "check the unit");
  else
    error(path, ErrorCode::not_finite, "must be finite at t = 0", to_text(value) + text,
          "finite values", "change the expression so that it has a value at t = 0");
  return false;
}

Vec3 Checks::direction(const Vec3& value, const std::string& path) {
  const double size = value.allFinite() ? value.cwiseAbs().maxCoeff() : 0;
  if (size > 0) return (value / size).normalized();
  error(path, ErrorCode::zero_vector, "is not a direction", to_text(value),
        "any finite vector but zero", "give a vector such as [0, 0, 1]");
  return Vec3::UnitZ();
}

Quat Checks::rotation(const Quat& value, const std::string& path) {
  const double norm = value.norm();
  const double off = std::abs(norm - 1);
  if (!(off <= quaternion_error)) {
    error(path, ErrorCode::not_normalised,
          norm == 0 ? "quaternion has norm zero" : "quaternion does not have norm 1",
          to_text(value) + " with norm " + to_text(norm), "[w, x, y, z] with norm 1",
          "divide it by its norm; no rotation is [1, 0, 0, 0]");
    return Quat::Identity();
  }
  if (off > quaternion_warning)
    warn(path, "quaternion of norm " + to_text(norm) + " was normalised");
  return norm == 1 ? value : value.normalized();
}

bool Checks::name(const std::string& text, const std::string& path) {
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 32 && c != 127;
  });
  if (!text.empty() && text.size() <= longest_name && printable) return true;
  const std::string got =
      text.size() > longest_name ? fmt::format("{} bytes", text.size()) : in_quotes(text);
  error(path, ErrorCode::invalid_name, text.empty() ? "name is missing" : "name is not usable", got,
        fmt::format("1 to {} bytes without control characters", longest_name),
        "give a short plain name");
  return false;
}

}  // namespace cairn::model
