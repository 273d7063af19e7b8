// check, rebuilding problems: rows along the coordinates of joints (E763, E871 to E874), in
// formulas of the judge.
#pragma once

#include "record/check/rebuild/rows.hpp"

namespace cairn::record {

// Of the gears that can move at `poses`.
std::vector<GearRow> gear_rows_at(const Segment& segment, const Place& place,
                                  const std::vector<Pose>& poses);

// Velocity of a gear's row by the motion of prescribed bodies [m/s].
double gear_motion(const Model& model, const Gear& gear, const std::vector<Pose>& poses,
                   const std::vector<Pose>& other, double h, bool screw = false);

// The parts of match_rows for gears, b left out, and for what acts along coordinates, all included.
void match_gears(const Segment& segment, std::size_t solve, const Problem& problem,
                 const Place& place, MatchedRows& out);
void match_drives(const Segment& segment, std::size_t solve, const Problem& problem,
                  const Place& place, MatchedRows& out);

// Energies of the springs and rotors of joints [J].
struct CoordinateEnergies {
  double stored = 0, turning = 0;
};
CoordinateEnergies coordinate_energies(const Model& model, const State& state);

// How far a gear is from the sum of its start, whole turns apart, and what that rounds with [rad]
// or [m].
struct GearError {
  double error = 0, rounding = 0;
};
GearError gear_error_of(const Model& model, const std::vector<Pose>& poses, const Gear& gear);

}  // namespace cairn::record
