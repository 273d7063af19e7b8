#include "linear/front_elimination.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "base/conventions.hpp"
#include "base/index.hpp"

namespace cairn::linear {
namespace {

// A pivot may be smaller than the largest entry by this, so that of two equal rows the earlier one
// stays [-].
constexpr double preference = 0.5;

class Elimination {
 public:
  Elimination(std::vector<FrontRow> rows, int bodies, double threshold)
      : rows_(std::move(rows)),
        largest_(rows_.size(), 0),
        on_body_(base::at(bodies)),
        threshold_(threshold) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      largest_[i] = length(rows_[i]);
      for (const FrontRow::Part& part : rows_[i].parts)
        on_body_[base::at(part.body)].insert(static_cast<int>(i));
    }
  }

  // Bodies with few rows first: their fronts are small and fill in little.
  std::vector<int> run() {
    std::set<std::pair<std::size_t, int>> queue;
    for (std::size_t k = 0; k < on_body_.size(); ++k)
      queue.insert({on_body_[k].size(), static_cast<int>(k)});
    while (!queue.empty()) {
      const auto [size, body] = *queue.begin();
      queue.erase(queue.begin());
      if (size != on_body_[base::at(body)].size())
        queue.insert({on_body_[base::at(body)].size(), body});
      else
        eliminate(body);
    }
    std::sort(dependent_.begin(), dependent_.end());
    return dependent_;
  }

 private:
  static double length(const FrontRow& row) {
    double square = 0;
    for (const FrontRow::Part& part : row.parts)
      for (const double x : part.value) square += x * x;
    return std::sqrt(square);
  }
  FrontRow::Part* find(int row, int body) {
    for (FrontRow::Part& part : rows_[base::at(row)].parts)
      if (part.body == body) return &part;
    return nullptr;
  }
  void take_out(int row) {
    for (const FrontRow::Part& part : rows_[base::at(row)].parts)
      on_body_[base::at(part.body)].erase(row);
  }

  // The earliest row with an entry near the largest one in the columns of the body; -1: nothing but
  // rounding is left there.
  std::pair<int, std::size_t> pivot(int body) {
    double most = 0;
    const auto scan = [&](auto visit) {
      for (const int row : on_body_[base::at(body)]) {
        const FrontRow::Part& part = *find(row, body);
        for (std::size_t c = 0; c < max_velocities; ++c)
          if (std::abs(part.value[c]) > threshold_ * largest_[base::at(row)])
            if (visit(row, c, std::abs(part.value[c]))) return;
      }
    };
    scan([&](int, std::size_t, double x) {
      most = std::max(most, x);
      return false;
    });
    std::pair<int, std::size_t> found = {-1, 0};
    double best = 0;
    scan([&](int row, std::size_t c, double x) {
      if (x < preference * most) return false;
      if (found.first >= 0 && row != found.first) return true;
      if (x > best) {
        best = x;
        found = {row, c};
      }
      return false;
    });
    return found;
  }

  // row -= factor * pivot row.
  void subtract(int row, int pivot_row, double factor) {
    for (const FrontRow::Part& from : rows_[base::at(pivot_row)].parts) {
      FrontRow::Part* to = find(row, from.body);
      if (!to) {
        to = &rows_[base::at(row)].parts.emplace_back();
        to->body = from.body;
        on_body_[base::at(from.body)].insert(row);
      }
      for (std::size_t c = 0; c < max_velocities; ++c) to->value[c] -= factor * from.value[c];
    }
    // What has been large leaves rounding of its size behind.
    largest_[base::at(row)] = std::max(largest_[base::at(row)], length(rows_[base::at(row)]));
  }

  void eliminate(int body) {
    for (auto [p, c] = pivot(body); p >= 0; std::tie(p, c) = pivot(body)) {
      take_out(p);
      const double value = find(p, body)->value[c];
      const std::vector<int> others(on_body_[base::at(body)].begin(),
                                    on_body_[base::at(body)].end());
      for (const int row : others) {
        FrontRow::Part& part = *find(row, body);
        const double factor = part.value[c] / value;
        if (factor == 0) continue;
        subtract(row, p, factor);
        find(row, body)->value[c] = 0;
      }
    }
    // The rest is zero here. A row that is zero everywhere is a combination of pivot rows.
    const std::vector<int> rest(on_body_[base::at(body)].begin(), on_body_[base::at(body)].end());
    for (const int row : rest) {
      auto& parts = rows_[base::at(row)].parts;
      std::erase_if(parts, [&](const FrontRow::Part& part) { return part.body == body; });
      if (length(rows_[base::at(row)]) > threshold_ * largest_[base::at(row)]) continue;
      take_out(row);
      dependent_.push_back(row);
    }
    on_body_[base::at(body)].clear();
  }

  std::vector<FrontRow> rows_;
  std::vector<double> largest_;         // length that each row has had at the most
  std::vector<std::set<int>> on_body_;  // rows that are left, by body
  double threshold_;
  std::vector<int> dependent_;
};

}  // namespace

std::vector<int> dependent_rows(std::vector<FrontRow> rows, int bodies, double threshold) {
  CAIRN_DCHECK(bodies >= 0, bodies);
  CAIRN_DCHECK(threshold >= 0, threshold);
  return Elimination(std::move(rows), bodies, threshold).run();
}

}  // namespace cairn::linear
