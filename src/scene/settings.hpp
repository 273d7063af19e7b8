// The simulation part of a scene: scheme, solver, step, duration; and the expectations. Options of
// schemes and solvers are known through describe() only.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "base/json/document.hpp"
#include "cairn/options.hpp"
#include "cairn/scene.hpp"
#include "scene/fields.hpp"

namespace cairn::scene {

// The value of "type" that selects each alternative.
constexpr const char* option_type(const Euler&) {
  return "euler";
}
constexpr const char* option_type(const Relaxed&) {
  return "relaxed";
}
constexpr const char* option_type(const Trapezoidal&) {
  return "trapezoidal";
}
constexpr const char* option_type(const Hybrid&) {
  return "hybrid";
}
constexpr const char* option_type(const Penalty&) {
  return "penalty";
}
constexpr const char* option_type(const Auto&) {
  return "auto";
}
constexpr const char* option_type(const Nsgs&) {
  return "nsgs";
}
constexpr const char* option_type(const Newton&) {
  return "newton";
}
constexpr const char* option_type(const Lemke&) {
  return "lemke";
}
constexpr const char* option_type(const Admm&) {
  return "admm";
}
constexpr const char* option_type(const Ipm&) {
  return "ipm";
}
constexpr const char* option_type(const Apgd&) {
  return "apgd";
}
constexpr const char* option_type(const Bb&) {
  return "bb";
}

// Calls f with a default-constructed value of every alternative, in order.
template <class Variant, class F, std::size_t... I>
void for_each_alternative(F f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, Variant>{}), ...);
}
template <class Variant, class F>
void for_each_alternative(F f) {
  for_each_alternative<Variant>(f, std::make_index_sequence<std::variant_size_v<Variant>>{});
}

SimulationSettings read_simulation(const json::Node& node, const std::string& path,
                                   SceneErrors& errors);
Expectation read_expectation(const json::Node& node, const std::string& path, SceneErrors& errors);

// With every option, so that a later change of defaults does not change what was recorded.
json::Node write_simulation(const SimulationSettings& settings);
json::Node write_expectation(const Expectation& expectation);

}  // namespace cairn::scene
