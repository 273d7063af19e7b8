// The folder of a run's results: problems with it are told before the simulation starts.
#pragma once

#include <string>

#include "cairn/error.hpp"
#include "cairn/simulator.hpp"

namespace cairn::app {

// Makes the folder unless it is there, and removes failed problems of an earlier run. Its parent
// must exist.
Result<void> prepare_folder(const std::string& folder);

// Saves the worst problem of the step as folder/failed_problem_STEP.json and returns that name;
// empty where the step has no problem that a file can hold (none was assembled, or its numbers are
// not finite).
Result<std::string> save_failed_problem(const Model& model, const StepReport& report,
                                        const std::string& folder);

}  // namespace cairn::app
