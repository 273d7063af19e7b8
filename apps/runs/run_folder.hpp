// The folder of a run's results: problems with it are told before the simulation starts.
#pragma once

#include <string>

#include "cairn/error.hpp"
#include "cairn/simulator.hpp"

namespace cairn::app {

// An error if results cannot be written into the folder, or if it is not there and cannot be made.
// Nothing is made yet: the scene may still turn out to be bad.
Result<void> check_folder(const std::string& folder);

// An error if a run of this scene would write over the scene file.
Result<void> check_scene_is_kept(const std::string& scene, const std::string& folder);

// Removes the failed problems of an earlier run. Only for who holds the folder: they might be those
// of a run that still goes on.
void remove_failed_problems(const std::string& folder);

// Saves the worst problem of the step as folder/failed_problem_STEP.json and returns that name;
// empty where the step has no problem that a file can hold (none was assembled, or its numbers are
// not finite).
Result<std::string> save_failed_problem(const Model& model, const StepReport& report,
                                        const std::string& folder);

}  // namespace cairn::app
