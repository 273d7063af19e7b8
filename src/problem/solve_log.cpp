#include "cairn/step/solve_log.hpp"

#include "cairn/check.hpp"

namespace cairn {

SolveLog& SolveLog::operator=(const SolveLog& other) {
  if (this == &other) return *this;
  resize(other.size_);
  for (std::size_t i = 0; i < size_; ++i) records_[i] = other.records_[i];
  return *this;
}

SolveRecord& SolveLog::push(SolveRecord::Purpose purpose) {
  resize(size_ + 1);
  SolveRecord& record = back();
  record.purpose = purpose;
  record.length = record.taken = 0;
  record.origin.clear();
  return record;
}

void SolveLog::roll_back(int size) {
  CAIRN_DCHECK(size >= 0 && static_cast<std::size_t>(size) <= size_, size, size_);
  size_ = static_cast<std::size_t>(size);
}

void SolveLog::keep_last(int first) {
  make_last(first);
  roll_back(first + 1);
}

void SolveLog::make_last(int i) {
  CAIRN_DCHECK(i >= 0 && static_cast<std::size_t>(i) < size_, i, size_);
  std::swap((*this)[i], back());
}

void SolveLog::take(SolveLog& other) {
  for (SolveRecord& record : other) {
    resize(size_ + 1);
    std::swap(back(), record);
  }
  other.clear();
}

void SolveLog::resize(std::size_t size) {
  if (records_.size() < size) records_.resize(size);
  size_ = size;
}

}  // namespace cairn
