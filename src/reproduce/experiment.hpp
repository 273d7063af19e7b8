// The papers' experiments: what a paper prints, what a closed form or another computation says,
// what Cairn finds, and how far the two are apart (E150). One file per experiment; none of them
// reads a file or a clock.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/scene.hpp"
#include "page/plot.hpp"

namespace cairn::reproduce {

// The papers' figures are of fixed steps: no step is divided.
inline const VerdictOptions fixed_step = {.split = false};

enum class Verdict { match, close, differs };
const char* name(Verdict verdict);

// Where the number that ours is compared with comes from: printed in a paper, exact by a formula
// or a theorem, or found by this project, by another computation or as a requirement of its own.
enum class Source { paper, closed_form, reference };
const char* name(Source source);

// How that number is to be read: "x", "about x", "at most x", "at least x".
enum class Reading { value, about, at_most, at_least };
const char* name(Reading reading);

// One line of the comparison.
struct ReproducedEntry {
  std::string entry;  // what is compared, with its unit
  std::string place;  // where the number is printed, which formula, which computation
  Source source = Source::paper;
  double expected = 0;
  double ours = 0;
  Reading reading = Reading::value;
  double match = 0;                 // distance that is the rounding of the number, or of ours
  double close = 0;                 // and that still supports the same statement
  std::vector<double> sample = {};  // sorted, where `ours` is taken from several seeds

  double difference() const { return ours - expected; }
  Verdict verdict() const;
};

// Distances up to which a number of a paper is close, over the number (E150).
inline constexpr double close_share = 0.2;
inline constexpr double about_share = 0.1;  // and up to which "about" is a match

struct Drawing {
  std::string file;  // its name, without a folder
  page::PlotOptions plot;
  std::vector<page::Curve> curves;
};

// A run to watch beside the figures; the gallery makes a page of it.
struct PlayedScene {
  std::string title;  // of the link
  std::string scene;  // of built_in_scene()
  std::vector<std::string> assignments;
  double duration = 0;  // [s]
};

struct Reproduction {
  std::vector<ReproducedEntry> entries;
  std::vector<Drawing> drawings;
  std::vector<std::string> notes;  // what a reader should know of the figures
  std::vector<PlayedScene> players;

  void play(std::string title, std::string scene, std::vector<std::string> assignments,
            double duration) {
    players.push_back({std::move(title), std::move(scene), std::move(assignments), duration});
  }
  void draw(std::string file, const page::PlotOptions& plot, std::vector<page::Curve> curves);
  // Printed in a paper. `unit`: of the last printed digit; 0 for counts.
  void printed(std::string place, std::string entry, double paper, double unit, double ours);
  void printed_about(std::string place, std::string entry, double paper, double ours);
  void printed_at_most(std::string place, std::string entry, double paper, double ours);
  void printed_at_least(std::string place, std::string entry, double paper, double ours);
  // Exact by a formula or theorem, named by `place`.
  void closed_form(std::string place, std::string entry, double exact, double ours, double match,
                   double close);
  // Known from another computation, named by `place`.
  void reference(std::string place, std::string entry, double known, double ours, double match,
                 double close);
  void about(std::string place, std::string entry, double known, double ours);
  // Required of this program.
  static constexpr const char* own = "requirement of this program";
  void at_most(std::string entry, double limit, double ours, double close, std::string place = own);
  void at_least(std::string entry, double limit, double ours, double close,
                std::string place = own);
};

struct ReproduceSetting {
  bool fast = false;               // fewer steps, phases, seeds and sizes: seconds
  bool full = false;               // sizes of the papers where the default has smaller ones
  int (*interrupted)() = nullptr;  // not zero: end at once, nobody reads the result

  bool stopped() const { return interrupted && interrupted() != 0; }
};

struct Experiment {
  const char* id;
  const char* text;  // one line
  Reproduction (*run)(const ReproduceSetting&);
};

std::span<const Experiment> experiments();
const Experiment* find_experiment(std::string_view id);

// A scene of the folder scenes, as it was when the program was built.
Scene built_in_scene(std::string_view name, const std::vector<std::string>& assignments = {});

// The median of a sorted sample that is not empty, and its quartiles with share 0.25 and 0.75
// (E151): between two values the one in proportion.
double quantile(std::span<const double> sorted, double share);

// Slope of the line through the points (log x, log y) that leaves the least squares (E151); points
// with y = 0 are left out. NaN with fewer than two.
double fitted_slope(std::span<const double> x, std::span<const double> y);

Reproduction anitescu_wall(const ReproduceSetting& setting);
Reproduction anitescu_cannonball66(const ReproduceSetting& setting);
Reproduction anitescu_penalty(const ReproduceSetting& setting);
Reproduction damped_springs(const ReproduceSetting& setting);
Reproduction hart_pendulum(const ReproduceSetting& setting);
Reproduction hart_ellipse(const ReproduceSetting& setting);
Reproduction hart_infeasibility(const ReproduceSetting& setting);
Reproduction hart_discs21(const ReproduceSetting& setting);
Reproduction hart_brazil_nut(const ReproduceSetting& setting);
Reproduction hart_brazil_polyhedra(const ReproduceSetting& setting);
Reproduction hart_ratio_metric(const ReproduceSetting& setting);
Reproduction hart_relaxed_limit(const ReproduceSetting& setting);
Reproduction hart_restitution(const ReproduceSetting& setting);
Reproduction potra_table1(const ReproduceSetting& setting);
Reproduction potra_table2(const ReproduceSetting& setting);
Reproduction potra_table3(const ReproduceSetting& setting);
Reproduction potra_carts(const ReproduceSetting& setting);
Reproduction potra_closing_walls(const ReproduceSetting& setting);
Reproduction son_ball(const ReproduceSetting& setting);
Reproduction restitution(const ReproduceSetting& setting);

}  // namespace cairn::reproduce
