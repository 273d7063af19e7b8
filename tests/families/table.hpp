// Sums over the cases of a family, as a table of text and as JSON.
#pragma once

#include <map>

#include "families/generators.hpp"

namespace cairn::families {

struct Tally {
  int cases = 0, accepted_cases = 0, moderate = 0, accepted_moderate = 0;
  int passed = 0, unclear = 0, above = 0, faults = 0;
  std::int64_t steps = 0, accepted = 0, taken = 0, divided = 0, parts = 0;
  int most_parts = 1;
  double cpu = 0, longest = 0, deepest_accepted = 0;
  double work = 0, most_work = 0, slowest_unit = 0;
  std::map<std::string, double> figures;  // largest
  std::map<std::string, int> kinds;       // of faults

  void add(const Trial& trial, const Outcome& out);
};

// The rows: one for each scheme, step and shape, one for each target, one for all.
class Table {
 public:
  explicit Table(const Family& family) : family_(family) {}

  void add(const Trial& trial, const Outcome& out);
  void print() const;
  Json json() const;
  // What the family promises of all its cases together; empty if it holds.
  std::vector<std::string> broken() const;

 private:
  const Family& family_;
  std::map<std::string, Tally> rows_, targets_;
  Tally all_;
};

}  // namespace cairn::families
