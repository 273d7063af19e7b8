// Motion of prescribed bodies in the rows of contacts, and what anchors of the state change about
// it (E440, E600, E601). Shares nothing with the engine.
#pragma once

#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// Whether something is known from the state at the beginning of the segment. Parts of a step begin
// where no anchors are recorded.
enum class Known : std::uint8_t { no, yes, unclear };

// The scheme projects positions.
bool projects(const Segment& segment);

// One of two bodies is in a group that joints, anchors and contacts with impulses connect and that
// has an anchor; one on the other body, which is prescribed.
Known ride(const Segment& segment, BodyId a, BodyId b);
Known ride_on(const Segment& segment, BodyId a, BodyId b);

// Velocity of a point in the screw motion from X to X_end, of chords beyond a quarter of a radian.
Vec3 screw_velocity_of(const Pose& X, const Pose& X_end, const Vec3& point, double h);

// Velocity of b relative to a along n, t1 and the stretched t2 by the motion of prescribed bodies
// from `poses` to `other` [m/s]. Where it depends on anchors that are not known, the one is taken
// whose component along n is nearest to `recorded`.
Vec3 contact_motion_with(const Segment& segment, const Contact& c, const std::vector<Pose>& poses,
                         const std::vector<Pose>& other, double h, double recorded);
// The same without anchors.
Vec3 contact_motion_apart(const Segment& segment, const Contact& c, const std::vector<Pose>& poses,
                          const std::vector<Pose>& other, double h);

}  // namespace cairn::record
