#include "collide/sweep/sweep.hpp"
namespace cairn::collide {
Sweeper::Sweeper(const Model&) {}
SweepSummary Sweeper::check(const Model&, std::span<const BodyPath>, double,
                            std::vector<SweepFinding>& findings) {
  findings.clear();
  return {};
}
}  // namespace cairn::collide
