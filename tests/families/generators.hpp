// The families: each gives its scene number n, which depends on the seed and the number alone.
#pragma once

#include "families/trial.hpp"

namespace cairn::families {

struct Family {
  std::string name;
  std::vector<std::string> schemes;
  std::vector<double> steps;         // lengths of a step [s]
  std::int64_t cases = 0;            // by default
  std::vector<std::string> columns;  // figures of its own in the table
  double accepted_share = 1;         // of steps, over all cases
  Trial (*make)(const Family& family, const Settings& settings, std::int64_t number);
};

const std::vector<Family>& all_families();

Trial make_shot(const Family& family, const Settings& settings, std::int64_t number);
Trial make_bridge(const Family& family, const Settings& settings, std::int64_t number);
Trial make_ratio(const Family& family, const Settings& settings, std::int64_t number);
Trial make_flight(const Family& family, const Settings& settings, std::int64_t number);
Trial make_pile(const Family& family, const Settings& settings, std::int64_t number);
Trial make_drums(const Family& family, const Settings& settings, std::int64_t number);
Trial make_box_of_bouncers(const Family& family, const Settings& settings, std::int64_t number);
Trial make_rebound(const Family& family, const Settings& settings, std::int64_t number);

// Scheme and step of a case, in turn; the rest of the number counts the rounds.
struct Turn {
  std::string scheme;
  double h = 0;
  std::int64_t round = 0;
};
Turn turn_of(const Family& family, const Settings& settings, std::int64_t number);

}  // namespace cairn::families
