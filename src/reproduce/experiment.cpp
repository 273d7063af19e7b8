#include "reproduce/experiment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reproduce/built_in_scenes.hpp"

namespace cairn::reproduce {
namespace {

constexpr std::array list = {
    Experiment{"anitescu-wall", "Anitescu 2003, III.D: a ball and a wall, restitution for any step",
               anitescu_wall},
    Experiment{"anitescu-cannonball66", "Anitescu 2003, V: the pile of 66 discs collapses",
               anitescu_cannonball66},
    Experiment{"anitescu-penalty",
               "Anitescu 2003, II: the stiff limits of penalty schemes, gamma to infinity",
               anitescu_penalty},
    Experiment{"damped-springs",
               "Anitescu 2003; Anitescu and Hart 2004: springs with damping and friction against "
               "hard contact",
               damped_springs},
    Experiment{"hart-pendulum",
               "Anitescu and Hart 2004: drift of a pendulum's rod with and without correction",
               hart_pendulum},
    Experiment{"hart-ellipse", "Anitescu and Hart 2004: an elliptic body dropped on a table",
               hart_ellipse},
    Experiment{"hart-infeasibility",
               "Hart 2007: infeasibility of polyhedra against the step, gamma from 0 to 2",
               hart_infeasibility},
    Experiment{"hart-discs21", "Anitescu and Hart 2004: the pile of 21 discs, stabilised",
               hart_discs21},
    Experiment{"hart-brazil-nut",
               "Anitescu and Hart 2004: a large disc comes up among shaken small ones",
               hart_brazil_nut},
    Experiment{"hart-brazil-polyhedra",
               "Hart 2007, future research: a large polyhedron among shaken small ones",
               hart_brazil_polyhedra},
    Experiment{"hart-ratio-metric",
               "Hart 2007: the ratio metric against Minkowski sums, values and cost",
               hart_ratio_metric},
    Experiment{
        "hart-relaxed-limit",
        "Anitescu and Hart 2004, open question: convergence of the relaxation as h goes to zero",
        hart_relaxed_limit},
    Experiment{"hart-restitution",
               "Anitescu and Hart 2004, open question: stabilisation with restitution above zero",
               hart_restitution},
    Experiment{"potra-table1", "Potra et al. 2006, 10.1: the double pendulum with a wall",
               potra_table1},
    Experiment{"potra-table2", "Potra et al. 2006, 10.2: the block on a rough table, scheme (70)",
               potra_table2},
    Experiment{"potra-table3", "Potra et al. 2006, 10.2: the same with scheme (68)", potra_table3},
    Experiment{"potra-carts",
               "Potra et al. 2006, 10.3: two carts, ever stiffer springs and dampers", potra_carts},
    Experiment{"potra-closing-walls", "Potra et al. 2006, 7.1: a ball between walls that close in",
               potra_closing_walls},
    Experiment{
        "son-ball",
        "Son, Trinkle and Amato 2004, Figure 4: a thrown ball, Mirtich's method against the hybrid",
        son_ball},
    Experiment{"restitution", "requested against measured rebounds, every law and scheme",
               restitution},
};

}  // namespace

const char* name(Verdict verdict) {
  constexpr std::array names = {"match", "close", "differs"};
  return names[static_cast<std::size_t>(verdict)];
}

const char* name(Source source) {
  constexpr std::array names = {"paper", "closed_form", "reference"};
  return names[static_cast<std::size_t>(source)];
}

const char* name(Reading reading) {
  constexpr std::array names = {"=", "about", "<=", ">="};
  return names[static_cast<std::size_t>(reading)];
}

// (E150)
Verdict ReproducedEntry::verdict() const {
  if (reading == Reading::about) {
    const double ratio = ours / expected;
    return std::abs(ratio - 1) <= about_share ? Verdict::match
           : ratio >= 0.5 && ratio <= 2       ? Verdict::close
                                              : Verdict::differs;
  }
  const double off = reading == Reading::value     ? std::abs(difference())
                     : reading == Reading::at_most ? difference()
                                                   : -difference();
  return off <= match ? Verdict::match : off <= close ? Verdict::close : Verdict::differs;
}

void Reproduction::printed(std::string place, std::string entry, double paper, double unit,
                           double ours) {
  // The last digit may be off by one, and has been rounded.
  entries.push_back({std::move(entry), std::move(place), Source::paper, paper, ours, Reading::value,
                     1.5 * unit, close_share * std::abs(paper)});
}
void Reproduction::printed_about(std::string place, std::string entry, double paper, double ours) {
  entries.push_back(
      {std::move(entry), std::move(place), Source::paper, paper, ours, Reading::about, 0, 0});
}
void Reproduction::printed_at_most(std::string place, std::string entry, double paper,
                                   double ours) {
  entries.push_back({std::move(entry), std::move(place), Source::paper, paper, ours,
                     Reading::at_most, 0, close_share * std::abs(paper)});
}
void Reproduction::printed_at_least(std::string place, std::string entry, double paper,
                                    double ours) {
  entries.push_back({std::move(entry), std::move(place), Source::paper, paper, ours,
                     Reading::at_least, 0, close_share * std::abs(paper)});
}
void Reproduction::closed_form(std::string place, std::string entry, double exact, double ours,
                               double match, double close) {
  entries.push_back({std::move(entry), std::move(place), Source::closed_form, exact, ours,
                     Reading::value, match, close});
}
void Reproduction::reference(std::string place, std::string entry, double known, double ours,
                             double match, double close) {
  entries.push_back({std::move(entry), std::move(place), Source::reference, known, ours,
                     Reading::value, match, close});
}
void Reproduction::about(std::string place, std::string entry, double known, double ours) {
  entries.push_back(
      {std::move(entry), std::move(place), Source::reference, known, ours, Reading::about, 0, 0});
}
void Reproduction::at_most(std::string entry, double limit, double ours, double close,
                           std::string place) {
  entries.push_back({std::move(entry), std::move(place), Source::reference, limit, ours,
                     Reading::at_most, 0, close});
}
void Reproduction::at_least(std::string entry, double limit, double ours, double close,
                            std::string place) {
  entries.push_back({std::move(entry), std::move(place), Source::reference, limit, ours,
                     Reading::at_least, 0, close});
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

double quantile(std::span<const double> sorted, double share) {
  CAIRN_CHECK(!sorted.empty());
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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
