// summary.json and the facts a scene expects of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cairn/scene.hpp"
#include "record/run/totals.hpp"

namespace cairn::record {

struct ExpectationResult {
  std::string quantity;
  double value = 0;   // not a number if the quantity is null in the summary
  std::string bound;  // such as "<= 1e-07"
  bool ok = false;
};

// The JSON text; `expect` becomes its last entry.
std::string summary_json(const Scene& scene, const RunTotals& totals, const State& state,
                         std::span<const ExpectationResult> expect);

// Looks up each quantity (dotted path, [i] for entries of lists). One that does not exist or is no
// number is an error that lists the known ones.
Result<std::vector<ExpectationResult>> evaluate(const std::vector<Expectation>& expectations,
                                                const std::string& summary,
                                                const std::string& scene_file = {});

}  // namespace cairn::record
