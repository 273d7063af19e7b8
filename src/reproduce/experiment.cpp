#include "reproduce/experiment.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "reproduce/built_in_scenes.hpp"

namespace cairn::reproduce {
namespace {

constexpr std::array list = {
    Experiment{"anitescu-wall", "paper 000, III.D: a ball and a wall, restitution for any step",
               anitescu_wall},
    Experiment{"anitescu-cannonball66", "paper 000, V: the pile of 66 discs collapses",
               anitescu_cannonball66},
    Experiment{"anitescu-penalty",
               "paper 000, II: the stiff limits of penalty schemes, gamma to infinity",
               anitescu_penalty},
    Experiment{"hart-pendulum", "paper 001: drift of a pendulum's rod with and without correction",
               hart_pendulum},
    Experiment{"hart-ellipse", "paper 001: an elliptic body dropped on a table", hart_ellipse},
    Experiment{"hart-infeasibility",
               "paper 004: infeasibility of polyhedra against the step, gamma from 0 to 2",
               hart_infeasibility},
    Experiment{"hart-discs21", "paper 001: the pile of 21 discs, stabilised", hart_discs21},
    Experiment{"hart-brazil-nut", "paper 001: a large disc comes up among shaken small ones",
               hart_brazil_nut},
    Experiment{"hart-ratio-metric",
               "paper 004: the ratio metric against Minkowski's depth, and its cost",
               hart_ratio_metric},
    Experiment{"potra-table1", "paper 003, 10.1: the double pendulum with a wall", potra_table1},
    Experiment{"potra-table2", "paper 003, 10.2: the block on a rough table, scheme (70)",
               potra_table2},
    Experiment{"potra-table3", "paper 003, 10.2: the same with scheme (68)", potra_table3},
    Experiment{"potra-carts", "paper 003, 10.3: two carts, ever stiffer springs and dampers",
               potra_carts},
    Experiment{"potra-closing-walls", "paper 003, 7.1: a ball between walls that close in",
               potra_closing_walls},
    Experiment{"son-ball",
               "paper 002, Figure 4: a thrown ball, Mirtich's method against the hybrid", son_ball},
    Experiment{"restitution", "requested against measured rebounds, every law and scheme",
               restitution},
};

}  // namespace

const char* name(Verdict verdict) {
  constexpr std::array names = {"match", "close", "differs"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* name(Reading reading) {
  constexpr std::array names = {"=", "<=", ">="};
  return names[static_cast<std::size_t>(reading)];
}

Verdict ReproducedEntry::verdict() const {
  const double off = reading == Reading::value     ? std::abs(difference())
                     : reading == Reading::at_most ? difference()
                                                   : -difference();
  return off <= match ? Verdict::match : off <= close ? Verdict::close : Verdict::differs;
}

void Reproduction::draw(std::string file, const page::PlotOptions& plot,
                        std::vector<page::Curve> curves) {
  drawings.push_back({std::move(file), plot, std::move(curves)});
}

std::span<const Experiment> experiments() {
  return list;
}

const Experiment* find_experiment(std::string_view id) {
  for (const Experiment& e : list)
    if (id == e.id) return &e;
  return nullptr;
}

Scene built_in_scene(std::string_view name, const std::vector<std::string>& assignments) {
  for (const BuiltInScene& scene : built_in_scenes())
    if (scene.name == name)
      return parse_scene(std::string(scene.text), std::string(name) + ".json", assignments).value();
  return parse_scene("", std::string(name), {}).value();
}

double fitted_slope(std::span<const double> x, std::span<const double> y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0)) continue;
    const double a = std::log(x[i]), b = std::log(y[i]);
    n += 1;
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  if (n < 2) return std::numeric_limits<double>::quiet_NaN();
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace cairn::reproduce
