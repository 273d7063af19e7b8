// The complementarity problems of a step in the order of solving, with their answers. A scheme
// pushes records, takes some of them back, and its report keeps the rest.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/model.hpp"
#include "cairn/problem.hpp"
#include "cairn/solution.hpp"

namespace cairn {

// Where a problem was posed, as far as the states at the ends of the step and of its parts do not
// tell: what it takes to build the problem again (E380). Poses stand beside Problem::bodies.
struct SolveOrigin {
  double t = 0;                   // when the part of the step began that the problem is for [s]
  double length = 0;              // of that part [s]
  double t_rows = 0;              // when prescribed bodies were where the rows have them [s]
  std::vector<Pose> start;        // at t; empty: those of the step or of its part
  VecX v;                         // at t, beside Problem::k; empty: likewise [m/s, rad/s]
  std::vector<Pose> rows;         // where the rows were taken; empty: at the beginning
  std::vector<Contact> contacts;  // in the order of the problem; empty: those of the report
  std::vector<Contact> before;    // the same at the beginning, where rows are of another pose

  bool empty() const { return start.empty() && rows.empty() && contacts.empty(); }
  void clear() {
    t = length = t_rows = 0;
    start.clear();
    v.resize(0);
    rows.clear();
    contacts.clear();
    before.clear();
  }
};

// One complementarity problem of the step.
struct SolveRecord {
  enum class Purpose : std::uint8_t {
    step,
    restitution,
    guard,
    nonlinear,      // linearised again where the solve before it ended (E82)
    correction,     // with the slip of the solve before it, towards exact friction (E92)
    compression,    // of an impact (E173)
    decompression,  // of an impact (E174)
    hold,           // takes the last rounding from a contact that begins to stick (E175)
    limited,        // a part of a step without events, at first order (E177)
    impact,         // impulses of a moment that were found by path, sequence or Newton's law (E213,
                    // E223)
  } purpose = Purpose::step;
  double length = 0;  // scheme trapezoidal: part of the step that the problem is for [s]
  double taken = 0;   // of it, up to the event at which the step went on [s]
  Problem problem;
  Solution solution;
  SolveOrigin origin;
};

// A vector of records that reuses the memory of those that were taken back: a problem owns large
// arrays, and a step that solves as often as the one before allocates nothing. Size, iteration,
// comparison by index and copies include the records of the step only. References are valid until
// the next push.
class SolveLog {
 public:
  SolveLog() = default;
  SolveLog(std::initializer_list<SolveRecord> records)
      : SolveLog(std::span(records.begin(), records.size())) {}
  explicit SolveLog(std::span<const SolveRecord> records)
      : records_(records.begin(), records.end()), size_(records.size()) {}
  SolveLog(const SolveLog& other) : SolveLog(std::span<const SolveRecord>(other)) {}
  SolveLog(SolveLog&& other) noexcept { swap(other); }
  SolveLog& operator=(const SolveLog& other);
  SolveLog& operator=(SolveLog&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SolveLog() = default;

  int size() const { return static_cast<int>(size_); }
  bool empty() const { return size_ == 0; }
  const SolveRecord* data() const { return records_.data(); }
  SolveRecord* begin() { return records_.data(); }
  SolveRecord* end() { return records_.data() + size_; }
  const SolveRecord* begin() const { return records_.data(); }
  const SolveRecord* end() const { return records_.data() + size_; }
  SolveRecord& operator[](std::integral auto i) { return records_[static_cast<std::size_t>(i)]; }
  const SolveRecord& operator[](std::integral auto i) const {
    return records_[static_cast<std::size_t>(i)];
  }
  SolveRecord& front() { return records_.front(); }
  const SolveRecord& front() const { return records_.front(); }
  SolveRecord& back() { return records_[size_ - 1]; }
  const SolveRecord& back() const { return records_[size_ - 1]; }
  operator std::span<const SolveRecord>() const { return {data(), size_}; }

  // Appends a record. Its problem and solution are those of an earlier record, to be overwritten.
  SolveRecord& push(SolveRecord::Purpose purpose);
  // Takes back all records from number `size` on.
  void roll_back(int size);
  void clear() { size_ = 0; }
  // Takes back all records from number `first` on except the last one, which becomes that number.
  void keep_last(int first);
  // Exchanges record i with the last one.
  void make_last(int i);
  // Appends all records of `other` in exchange for spare ones.
  void take(SolveLog& other);
  // Records that are added may hold what earlier ones held.
  void resize(std::size_t size);
  void swap(SolveLog& other) noexcept {
    records_.swap(other.records_);
    std::swap(size_, other.size_);
  }

 private:
  std::vector<SolveRecord> records_;  // the first size_ are of the step, the rest is spare memory
  std::size_t size_ = 0;
};

}  // namespace cairn
