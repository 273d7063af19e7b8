// "Did you mean": the known name nearest to a misspelt one, by edit distance.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cairn::base {

// The name of `known` nearest to `name`; empty if none is near enough to be a likely misspelling.
// Of equally near ones the first.
std::string nearest_name(std::string_view name, std::span<const std::string_view> known);

// "did you mean 'nearest'?", or `otherwise` where nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known,
                         const std::string& otherwise = {});

}  // namespace cairn::base
