// What a step measures as one number each. Every figure is described once: recordings, tables,
// totals, summaries, plots and their help are made from the description.
#pragma once

#include <cstdint>

namespace cairn {

// What the figures of several steps are as one.
enum class Aggregate : std::uint8_t { last, largest, least, sum };

struct FigureText {
  const char* key;
  const char* unit;  // "-": a ratio, "": a count
  const char* text;
  Aggregate over = Aggregate::sum;
};

// `Count` is wider where figures of many steps are added.
template <class Count>
struct BasicStepFigures {
  double certificate = 0;
  double coulomb_residual = 0;
  double contact_projection_certificate = 0;
  double penetration = 0;
  double joint_error = 0;
  double joint_error_angle = 0;
  double projection = 0;
  double projection_angle = 0;
  double projection_slowing = 1;
  double projection_work = 0;
  double guard_factor = 1;
  double nonlinear_residual = 0;
  double error_estimate = 0;
  Count active_contacts = 0;
  Count filtered_contacts = 0;
  Count added_pairs = 0;
  Count revised_pairs = 0;
  Count collisions = 0;
  Count sequential_impacts = 0;
  Count unfinished_sequences = 0;
  Count guard_corrections = 0;
  Count nonlinear_iterations = 0;
  Count nonlinear_fallback = 0;
  Count discarded_solves = 0;
  Count corrections = 0;
  Count contact_projections = 0;
  Count uncertified_projections = 0;
  Count parts = 1;
};
using StepFigures = BasicStepFigures<int>;

// Calls visit(member, text) for each figure of one or more sets of figures: visit(text,
// members...).
template <class Visit, class... Figures>
void describe(const Visit& visit, Figures&... f) {
  using enum Aggregate;
#define CAIRN_FIGURE(member, key, unit, text, over) \
  visit(FigureText{key, unit, text, over}, f.member...)
  CAIRN_FIGURE(certificate, "certificate", "-", "worst scaled residual of the solves", largest);
  CAIRN_FIGURE(coulomb_residual, "coulomb_residual", "-",
               "residual of exact Coulomb friction, scheme relaxed (E93)", largest);
  CAIRN_FIGURE(contact_projection_certificate, "contact_projection_certificate", "-",
               "worst scaled residual of the solves that open overlaps (E84)", largest);
  CAIRN_FIGURE(penetration, "penetration", "m", "deepest penetration at the end", largest);
  CAIRN_FIGURE(joint_error, "joint_error", "m", "largest distance error of a joint at the end",
               largest);
  CAIRN_FIGURE(joint_error_angle, "joint_angle", "rad",
               "largest misalignment of a joint at the end", largest);
  CAIRN_FIGURE(projection, "projection", "m", "farthest that the projection moved a centre of mass",
               largest);
  CAIRN_FIGURE(projection_angle, "projection_angle", "rad",
               "farthest that the projection turned a body", largest);
  CAIRN_FIGURE(projection_slowing, "projection_slowing", "-",
               "least factor on velocities that pays for the work of the projection", least);
  CAIRN_FIGURE(projection_work, "projection_work", "J",
               "energy that the projection put in, part of the stabilisation", sum);
  CAIRN_FIGURE(guard_factor, "guard_factor", "-", "share of the restitution that is kept", least);
  CAIRN_FIGURE(nonlinear_residual, "nonlinear_residual", "m",
               "what is left of gaps and joints at the end (E83)", largest);
  CAIRN_FIGURE(error_estimate, "error_estimate", "m", "of a step divided to an accuracy (E182)",
               largest);
  CAIRN_FIGURE(active_contacts, "active_contacts", "", "contacts that carry an impulse", last);
  CAIRN_FIGURE(filtered_contacts, "filtered_contacts", "",
               "contacts left out because others imply them (E145)", last);
  CAIRN_FIGURE(added_pairs, "added_pairs", "",
               "contacts that verification added, other than of two polyhedra", sum);
  CAIRN_FIGURE(revised_pairs, "revised_pairs", "",
               "polyhedra whose axis or events verification changed (E143)", sum);
  CAIRN_FIGURE(collisions, "collisions", "", "contacts with restitution", sum);
  CAIRN_FIGURE(sequential_impacts, "sequential_impacts", "",
               "impacts of propagation one contact at a time (E226)", sum);
  CAIRN_FIGURE(unfinished_sequences, "unfinished_sequences", "",
               "of them, sequences that were cut short", sum);
  CAIRN_FIGURE(guard_corrections, "guard_corrections", "",
               "times that the energy guard reduced the restitution", sum);
  CAIRN_FIGURE(nonlinear_iterations, "nonlinear_iterations", "",
               "solves that linearised again; Newton steps of scheme penalty", sum);
  CAIRN_FIGURE(nonlinear_fallback, "nonlinear_fallback", "",
               "1 if they did not contract: the step is the linearised one", sum);
  CAIRN_FIGURE(discarded_solves, "discarded_solves", "",
               "problems solved before verification added contacts", sum);
  CAIRN_FIGURE(corrections, "corrections", "",
               "solves of scheme relaxed towards exact friction (E92)", sum);
  CAIRN_FIGURE(contact_projections, "contact_projections", "",
               "solves that pushed bodies out of overlaps (E84)", sum);
  CAIRN_FIGURE(uncertified_projections, "uncertified_projections", "",
               "of them, those that missed the tolerance", sum);
  CAIRN_FIGURE(parts, "parts", "", "into which a step was divided to an accuracy", largest);
#undef CAIRN_FIGURE
}

}  // namespace cairn
