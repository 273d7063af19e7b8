// Edit distance with neighbouring letters swapped as one edit; reads names, writes nothing.
#include "base/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cairn::base {
namespace {

// Longer names are never compared: the work is the product of the lengths.
constexpr std::size_t longest_name = 64;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment distance, upper and lower case alike.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> d((a.size() + 1) * columns);
  for (std::size_t i = 0; i <= a.size(); ++i) d[i * columns] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      std::size_t best = d[(i - 1) * columns + j - 1] + (same ? 0 : 1);
      best = std::min({best, d[(i - 1) * columns + j] + 1, d[i * columns + j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) best = std::min(best, d[(i - 2) * columns + j - 2] + 1);
      d[i * columns + j] = best;
    }
  }
  return d.back();
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > longest_name) return {};
  // One edit for every three letters, so that short names are not likened to unrelated ones.
  const std::size_t limit = std::max<std::size_t>(1, (name.size() + 2) / 3);
  std::string_view best;
  std::size_t best_distance = limit + 1;
  for (const std::string_view candidate : known) {
    if (candidate.size() > name.size() + limit || name.size() > candidate.size() + limit) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known,
                         const std::string& otherwise) {
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? otherwise : "did you mean '" + nearest + "'?";
}

}  // namespace cairn::base
