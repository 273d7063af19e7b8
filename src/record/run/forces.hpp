// The contact forces of one step over all solutions with its velocities (E108 to E111), for the
// summary and the report.
#pragma once

#include <string>
#include <vector>

#include "cairn/simulator.hpp"

namespace cairn::record {

struct ForceTable {
  struct Row {
    std::string name;
    const char* activity = "";
    double lo = 0, here = 0, hi = 0, gap = 0;  // normal force [N]
  };
  struct Resultant {
    std::string name;
    Vec3 force = Vec3::Zero();  // along the directions in which the body can move [N]
    bool unique = true;
  };
  std::int64_t step = 0;
  double t = 0;               // [s]
  std::string refusal;        // why there is no table; else empty
  int rows = 0, rank = 0;     // (E106)
  bool unique = true;         // all that follows
  std::vector<Row> contacts;  // that are not open
  std::vector<Resultant> bodies, pairs;
  std::vector<std::string> jammed;  // in words
};

ForceTable force_table(const Model& model, const StepReport& report);

// "body wedge by contact wedge-wall:0, contact wedge-wall:1", one for each stress that friction can
// hold by itself; none if it cannot, or the problem is too large to tell.
std::vector<std::string> jammed_bodies(const Model& model, const SolveRecord& solve);

}  // namespace cairn::record
