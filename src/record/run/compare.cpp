// Adds up the runs of a comparison and measures them against the last one, exact Coulomb friction.
#include "record/run/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "cairn/distance.hpp"

namespace cairn::record {
namespace {

constexpr int pyramids[] = {4, 8, 16};

// Radius of the smallest body that moves and has one; where none has, points alone, the length
// unit.
double smallest_radius(const Model& model) {
  double radius = std::numeric_limits<double>::infinity();
  for (const Body& body : model.bodies)
    if (body.kind == BodyKind::dynamic && body.radius > 0) radius = std::min(radius, body.radius);
  return std::isfinite(radius) ? radius : model.length_unit;
}

// Zero over zero is zero.
double ratio(double part, double whole) {
  return part == 0 ? 0 : part / whole;
}

void compare_with(const Model& model, const FrictionVariant& exact, FrictionVariant& variant) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Pose &ours = variant.state.poses[i], &theirs = exact.state.poses[i];
    variant.position = std::max(variant.position, (ours.p - theirs.p).norm());
    variant.orientation = std::max(variant.orientation, ours.R.angularDistance(theirs.R));
  }
  const double ours = variant.totals.ledger.friction, theirs = exact.totals.ledger.friction;
  variant.position_off = ratio(variant.position, std::max(variant.way, exact.way));
  variant.dissipation_off = ratio(std::abs(ours - theirs), std::max(ours, theirs));
  variant.lift_off =
      ratio(std::max(0.0, variant.lift_gap - exact.lift_gap), smallest_radius(model));
}

// Sums the impulses of neighbouring contacts of one pair of bodies: how a face shares them between
// its corners is not unique, their sum is.
struct Resultant {
  ContactKey key;
  Vec3 normal = Vec3::Zero(), friction = Vec3::Zero();  // [N s]

  void add(const ContactReport& c, FrictionVariant& variant) {
    const ContactKey& next = c.contact.key;
    if (next.body_a != key.body_a || next.body_b != key.body_b) close(variant);
    key = next;
    normal += c.impulse[0] * c.contact.n_W;
    friction += c.impulse[1] * c.contact.t1_W + c.impulse[2] * c.contact.t2_W;
  }
  void close(FrictionVariant& variant) {
    variant.normal_impulse += normal.norm();
    variant.friction_impulse += friction.norm();
    normal = friction = Vec3::Zero();
  }
};

// What the contacts of a step say about a pair: it slips, sticks or bounces under force.
void follow_sliding(const StepReport& report, std::vector<SlidingPair>& sliding) {
  const auto all = [&](const ContactReport* first, const ContactReport* last) {
    const SlidingPair pair{first->contact.key.body_a, first->contact.key.body_b};
    const bool pressed =
        std::any_of(first, last, [](const ContactReport& c) { return c.impulse[0] > 0; });
    const bool slips = std::any_of(first, last, [](const ContactReport& c) {
      return c.impulse[0] > 0 && c.mode == ContactMode::slip;
    });
    const bool bounces =
        std::any_of(first, last, [](const ContactReport& c) { return c.colliding; });
    const auto at = std::lower_bound(sliding.begin(), sliding.end(), pair);
    const bool known = at != sliding.end() && *at == pair;
    if (slips && !bounces && !known) sliding.insert(at, pair);
    if (known && (bounces || (pressed && !slips))) sliding.erase(at);
  };
  // Contacts are sorted by their pairs of bodies.
  const ContactReport* const end = report.contacts.data() + report.contacts.size();
  for (const ContactReport* first = report.contacts.data(); first != end;) {
    const ContactKey& key = first->contact.key;
    const ContactReport* const last = std::find_if(first, end, [&](const ContactReport& c) {
      return c.contact.key.body_a != key.body_a || c.contact.key.body_b != key.body_b;
    });
    all(first, last);
    first = last;
  }
}

// Largest distance of the pairs; those that are farther apart than the smaller body's radius have
// left each other and are dropped.
double sliding_lift(const Model& model, const State& state, std::vector<SlidingPair>& sliding) {
  double lift = 0;
  std::erase_if(sliding, [&](const SlidingPair& pair) {
    const Result<Distance> d = measure_distance(model, state, {pair.a}, {pair.b});
    if (!d || d->gap > model.smaller_radius(pair.a, pair.b)) return true;
    lift = std::max(lift, d->gap);
    return false;
  });
  return lift;
}

bool is_relaxed(const FrictionVariant& variant) {
  return std::holds_alternative<Relaxed>(variant.scheme);
}

}  // namespace

Result<FrictionComparison> begin_comparison(const Scene& scene, double tolerance) {
  const Euler* step = euler_options(scene.simulation.scheme);
  if (!step) {
    Error error;
    error.code = ErrorCode::unsupported;
    error.file = scene.file;
    error.path = "simulation.scheme";
    error.what = "this scheme has no law of friction to exchange";
    error.got = name(scene.simulation.scheme);
    error.allowed = "euler, relaxed";
    error.fix = "--set simulation.scheme.type=euler";
    return fail(error);
  }
  FrictionComparison comparison{
      .scene = scene, .variants = {}, .tolerance = tolerance, .warnings = {}};
  auto add = [&](std::string name, const SchemeOptions& scheme) {
    FrictionVariant& variant = comparison.variants.emplace_back();
    variant.name = std::move(name);
    variant.scheme = scheme;
    variant.state = *scene.initial;
  };
  Euler exact = *step;
  exact.facets = 0;
  add("relaxed", Relaxed{.step = exact});
  if (const auto* asked = std::get_if<Relaxed>(&scene.simulation.scheme);
      asked && asked->corrections > 0)
    add("corrected", Relaxed{.step = exact,
                             .corrections = asked->corrections,
                             .correction_tolerance = asked->correction_tolerance});
  for (const int k : pyramids) {
    Euler pyramid = exact;
    pyramid.facets = k;
    add(fmt::format("k={}", k), pyramid);
  }
  add("exact", exact);
  return comparison;
}

void add_step(const Scene& scene, const StepReport& report, const State& after,
              FrictionVariant& variant) {
  add_step(*scene.model, report, variant.totals);
  if (report.failed()) return;
  double hover = 0, slip = 0;
  Resultant resultant;
  for (const ContactReport& c : report.contacts) {
    if (!(c.impulse[0] > 0)) continue;
    resultant.add(c, variant);
    slip = std::max(slip, c.velocity.tail<2>().norm());
    if (!c.colliding) hover = std::max(hover, c.contact.gap + report.h * c.velocity[0]);
  }
  resultant.close(variant);
  variant.slip += report.h * slip;
  follow_sliding(report, variant.sliding);
  const double lift = sliding_lift(*scene.model, after, variant.sliding);
  variant.lift_gap = std::max(variant.lift_gap, lift);
  variant.hover_gap = std::max(variant.hover_gap, hover);
  variant.time += report.h;
  variant.state = after;
  for (std::size_t i = 0; i < after.poses.size(); ++i)
    variant.way = std::max(variant.way, (after.poses[i].p - scene.initial->poses[i].p).norm());
  variant.lift.add(report.t, lift);
  variant.kinetic.add(report.t, report.ledger.kinetic_end);
  variant.dissipated.add(report.t, variant.totals.ledger.friction);
}

void finish_comparison(FrictionComparison& comparison) {
  const FrictionVariant& exact = comparison.variants.back();
  comparison.warnings.clear();
  for (FrictionVariant& variant : comparison.variants) {
    compare_with(*comparison.scene.model, exact, variant);
    const auto note = [&](const char* what, double off) {
      if (is_relaxed(variant) && off > comparison.tolerance)
        comparison.warnings.push_back(fmt::format("{}: {} is off by {:.3g}, tolerance {:.3g}",
                                                  variant.name, what, off, comparison.tolerance));
    };
    note("the gap under sliding bodies beyond that of exact friction, over the smallest radius,",
         variant.lift_off);
    note("the final position, over the longest way of a body,", variant.position_off);
    note("the energy dissipated by friction", variant.dissipation_off);
  }
}

}  // namespace cairn::record
