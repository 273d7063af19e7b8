// Words of other engines and the keys of the scene format that they stand for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::scene {

// What to write instead of a key that an object with the keys `known` does not have; empty where
// the word is nobody's.
std::string advice_for_key(std::string_view word, const std::vector<std::string_view>& known);

// The same of a "type" that is none of `known`.
std::string advice_for_type(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace cairn::scene
