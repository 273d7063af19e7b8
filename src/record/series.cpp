// Chooses which states a report keeps.
#include "record/series.hpp"

#include <cmath>

namespace cairn {

void Stills::add(std::int64_t step, double t, double h, const std::vector<Pose>& poses,
                 const std::vector<ContactReport>& contacts) {
  last_.t = t;
  last_.h = h;
  last_.step = step;
  last_.poses = poses;
  last_.contacts.clear();
  for (const ContactReport& contact : contacts)
    if (contact.impulse != Vec3::Zero()) last_.contacts.push_back(contact);
  any_ = true;

  if (step % stride_ != 0) return;
  if (used_ == capacity) {
    // Every second one goes to the back as spare memory.
    for (std::size_t i = 0; i < capacity / 2; ++i) std::swap(kept_[i], kept_[2 * i]);
    used_ = capacity / 2;
    stride_ *= 2;
    if (step % stride_ != 0) return;
  }
  if (used_ == kept_.size()) kept_.emplace_back();
  kept_[used_++] = last_;
}

std::vector<const Still*> Stills::pick(std::size_t count) const {
  std::vector<const Still*> picked;
  if (!any_) return picked;
  const auto n = static_cast<std::int64_t>(std::max<std::size_t>(count, 2)) - 1;
  const std::int64_t first = used_ > 0 ? kept_[0].step : last_.step;
  for (std::int64_t i = 0; i < n; ++i) {
    // The kept state next to the i-th of n equal parts.
    const double target = static_cast<double>(first) + static_cast<double>(last_.step - first) *
                                                           static_cast<double>(i) /
                                                           static_cast<double>(n);
    const Still* best = nullptr;
    double least = 0;
    for (std::size_t k = 0; k < used_; ++k) {
      const double distance = std::abs(static_cast<double>(kept_[k].step) - target);
      if (best && distance >= least) continue;
      best = &kept_[k];
      least = distance;
    }
    const bool fresh =
        best && best->step != last_.step && (picked.empty() || picked.back()->step < best->step);
    if (fresh) picked.push_back(best);
  }
  picked.push_back(&last_);
  return picked;
}

}  // namespace cairn
