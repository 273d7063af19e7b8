// What a scheme knows of the problem that it posed last, beside the problem: the constant terms of
// the rows by origin, and which constraint belongs to which contact.
#pragma once

#include <vector>

#include "cairn/problem.hpp"

namespace cairn::scheme {

// The constant term b of a row by origin (E970). Rows about axes and along angles are multiplied by
// the length unit [m/s].
struct RowTerms {
  double motion = 0;      // prescribed motion
  double correction = 0;  // of overlaps and of errors of joints
  double closing = 0;     // of a gap that is open at the beginning
  double bounce = 0;      // what an impact leaves behind, <= 0
  double slip = 0;        // slip that is allowed for (E92)
  double target = 0;      // rate that a drive aims at; enters b with the other sign
  double carried = 0;     // velocities that the scheme adds to those of the unknowns (E165)
  double drag = 0;        // no part of b: impulse per rate of a damper [kg]

  double sum(double weight) const {
    return weight * (motion + correction + closing + bounce + slip - target) + carried;
  }
};

class StepProblem {
 public:
  // The rows that are in the problem have their terms; what follows is appended. `weight`: how many
  // times all terms but `carried` are in b.
  void begin(const Problem& problem, double weight = 1);
  // The terms of the row that was appended to the problem.
  void add(const RowTerms& terms) { terms_.push_back(terms); }
  // The last constraint of the problem is that of the next contact.
  void add_contact(const Problem& problem) { contacts_.push_back(problem.constraints.size() - 1); }

  RowTerms& terms(std::size_t row) { return terms_[row]; }
  const RowTerms& terms(std::size_t row) const { return terms_[row]; }
  // Of the first row of a constraint; the others follow.
  const RowTerms* of(const Problem& problem, std::size_t constraint) const {
    return terms_.data() + problem.first_row[constraint];
  }
  RowTerms* of(const Problem& problem, std::size_t constraint) {
    return terms_.data() + problem.first_row[constraint];
  }
  std::size_t contacts() const { return contacts_.size(); }
  // The constraint of a contact, by its number among those of the problem.
  std::size_t constraint_of(std::size_t contact) const { return contacts_[contact]; }
  int first_row_of(const Problem& problem, std::size_t contact) const {
    return problem.first_row[contacts_[contact]];
  }

  bool corrects() const;  // some row closes or opens a gap or an error

  // Every row has terms, and their sum is b to rounding.
#ifdef CAIRN_DCHECKS
  void dcheck(const Problem& problem) const;
#else
  void dcheck(const Problem&) const {}
#endif

 private:
  std::vector<RowTerms> terms_;
  std::vector<std::size_t> contacts_;
  double weight_ = 1;
};

}  // namespace cairn::scheme
