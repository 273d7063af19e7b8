// How a figure enters a part of the verdict.
#pragma once

#include "cairn/simulator.hpp"

namespace cairn::accept {

// Takes a figure into a part of the verdict. `sentence` is called if it is the worst beyond its
// limit so far.
template <class Sentence>
void take(double figure, double limit, VerdictPart& part, const Sentence& sentence) {
  const double share = figure == 0 ? 0 : figure / limit;
  const bool bad = !(figure <= limit);
  if (bad && (part.ok || !(share <= part.worst))) part.sentence = sentence();
  part.ok = part.ok && !bad;
  if (!(share <= part.worst)) part.worst = share;
}

}  // namespace cairn::accept
