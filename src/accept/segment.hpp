// The stretch between two knots of a path, as the swept test takes it (E302).
#pragma once

#include "cairn/model.hpp"
#include "collide/sweep/body_path.hpp"
#include "scheme/common/step_path.hpp"

namespace cairn::accept {

// Knots of the same time are a projection: straight, with the shorter turn.
void make_segment(const Model& model, const scheme::PathKnot& from, const scheme::PathKnot& to,
                  collide::PathSegment& segment);

// The path of a body with prescribed motion from t on: the chord of its motion with full turns
// counted, and how far the motion leaves it, from its expressions (E304).
collide::BodyPath prescribed_path(const Body& body, double t, double length);

// Into how many pieces of equal length a stretch is cut, so that no prescribed body leaves its
// chord by more than `tolerance` in any of them; a power of two.
int pieces_of(const Model& model, const collide::PathSegment& segment, double tolerance);

// Piece i of n of a stretch.
void make_piece(const Model& model, const collide::PathSegment& segment, int i, int n,
                collide::PathSegment& piece);

}  // namespace cairn::accept
