// The papers' experiments: what a paper says, what Cairn finds, and how far the two are apart
// (E150). One file per experiment; none of them reads a file or a clock.
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

// How a figure of a paper is to be read.
enum class Reading { value, at_most, at_least };
const char* name(Reading reading);

// One line of the comparison.
struct ReproducedEntry {
  std::string entry;  // what is compared, with its unit
  double paper = 0;   // what the paper gives, or its theory
  double ours = 0;
  Reading reading = Reading::value;
  double match = 0;  // |ours - paper| that is the paper's rounding, or ours
  double close = 0;  // and that still tells the same story

  double difference() const { return ours - paper; }
  Verdict verdict() const;
};

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
  void value(std::string entry, double paper, double ours, double match, double close) {
    entries.push_back({std::move(entry), paper, ours, Reading::value, match, close});
  }
  void at_most(std::string entry, double paper, double ours, double close) {
    entries.push_back({std::move(entry), paper, ours, Reading::at_most, 0, close});
  }
  void at_least(std::string entry, double paper, double ours, double close) {
    entries.push_back({std::move(entry), paper, ours, Reading::at_least, 0, close});
  }
};

struct ReproduceSetting {
  bool fast = false;               // fewer steps, phases and sizes: seconds
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

// Slope of the line through the points (log x, log y) that leaves the least squares (E151); points
// with y = 0 are left out. NaN with fewer than two.
double fitted_slope(std::span<const double> x, std::span<const double> y);

Reproduction anitescu_wall(const ReproduceSetting& setting);
Reproduction anitescu_cannonball66(const ReproduceSetting& setting);
Reproduction anitescu_penalty(const ReproduceSetting& setting);
Reproduction hart_pendulum(const ReproduceSetting& setting);
Reproduction hart_ellipse(const ReproduceSetting& setting);
Reproduction hart_infeasibility(const ReproduceSetting& setting);
Reproduction hart_discs21(const ReproduceSetting& setting);
Reproduction hart_brazil_nut(const ReproduceSetting& setting);
Reproduction hart_ratio_metric(const ReproduceSetting& setting);
Reproduction potra_table1(const ReproduceSetting& setting);
Reproduction potra_table2(const ReproduceSetting& setting);
Reproduction potra_table3(const ReproduceSetting& setting);
Reproduction potra_carts(const ReproduceSetting& setting);
Reproduction potra_closing_walls(const ReproduceSetting& setting);
Reproduction son_ball(const ReproduceSetting& setting);
Reproduction restitution(const ReproduceSetting& setting);

}  // namespace cairn::reproduce
