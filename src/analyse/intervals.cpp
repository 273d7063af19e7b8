#include "analyse/intervals.hpp"

#include <cmath>
#include <numbers>

#include "base/index.hpp"
#include "base/infinity.hpp"

namespace cairn::analyse {
namespace {

// A dual that misses a cone by no more than this is feasible; one round of new rays divides what is
// missing by four or more.
constexpr double enough_at_first = 1e-8, enough_again = 1e-6;
constexpr int most_cut_rounds = 60;
constexpr int first_rays = 8;  // of an exact cone, besides the solution's own

double largest(const VecX& r) {
  const double size = r.size() > 0 ? r.cwiseAbs().maxCoeff() : 0;
  return size > 0 ? size : 1;
}

// The finite end from which a box is measured.
double anchor(const Face& face) {
  return std::isinf(face.lo) ? face.hi : face.lo;
}

VecX box_offset(const FaceGroup& group, double size) {
  VecX offset = VecX::Zero(group.r.size());
  for (const Face& face : group.faces)
    if (face.kind == Face::Kind::interval) offset[face.first] = anchor(face) / size;
  return offset;
}

}  // namespace

FaceProgram::FaceProgram(const FaceGroup& group, const GroupRank& rank)
    : group_(group),
      A_(rank.A),
      size_(largest(group.r)),
      offset_(box_offset(group, size_)),
      g_(A_ * (group.r / size_ - offset_)),
      simplex_(g_) {
  restart();
}

// The generators that every program has, at a first vertex.
void FaceProgram::restart() {
  pivots_ += simplex_.pivots();
  simplex_ = Simplex(g_);
  columns_.clear();
  for (int i = 0; i < static_cast<int>(group_.faces.size()); ++i) {
    const Face& face = group_.faces[base::at(i)];
    switch (face.kind) {
      case Face::Kind::free:
        for (const Ray& unit : span_of(face)) add(i, unit, base::infinity, true);
        break;
      case Face::Kind::interval:
        add(i, {std::isinf(face.lo) ? -1.0 : 1.0, 0, 0}, (face.hi - face.lo) / size_, false);
        break;
      case Face::Kind::rays:
        for (const Ray& ray : face.rays) add(i, ray, base::infinity, false);
        break;
      case Face::Kind::cone: {
        const double* r = group_.r.data() + face.first;
        const double t = std::hypot(r[1], r[2]);
        // The solution itself must be among the sums: its own direction, on the cone's surface, and
        // the one opposite to it.
        const double c = t > 0 ? r[1] / t : 1, s = t > 0 ? r[2] / t : 0;
        for (int k = 0; k < first_rays; ++k) {
          const double angle = 2 * std::numbers::pi * k / first_rays;
          const double x = std::cos(angle), y = std::sin(angle);
          add(i, {1, face.mu * (c * x - s * y), face.mu * (s * x + c * y)}, base::infinity, false);
        }
        break;
      }
    }
  }
  fixed_columns_ = simplex_.columns();
  ready_ = simplex_.start() == Simplex::Status::optimal;
}

void FaceProgram::add(int face, const Ray& direction, double upper, bool free) {
  const Face& f = group_.faces[base::at(face)];
  simplex_.add(A_.middleCols(f.first, f.rows) * Eigen::Map<const VecX>(direction.data(), f.rows),
               upper, free);
  columns_.push_back({face, direction});
}

VecX FaceProgram::costs(const VecX& c) const {
  VecX result(static_cast<Eigen::Index>(columns_.size()));
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Face& f = group_.faces[base::at(columns_[j].face)];
    result[static_cast<Eigen::Index>(j)] =
        c.segment(f.first, f.rows)
            .dot(Eigen::Map<const VecX>(columns_[j].direction.data(), f.rows));
  }
  return result;
}

// New rays where the dual leaves an exact cone: z = c - A^T y must have z_n >= mu |z_T|. Returns
// the most that is missing.
double FaceProgram::add_violated(const VecX& c, double enough, bool& added) {
  double missing = 0;
  added = false;
  const VecX z = c - A_.transpose() * simplex_.dual();
  for (int i = 0; i < static_cast<int>(group_.faces.size()); ++i) {
    const Face& face = group_.faces[base::at(i)];
    if (face.kind != Face::Kind::cone) continue;
    const double* part = z.data() + face.first;
    const double under = face.mu * std::hypot(part[1], part[2]) - part[0];
    missing = std::max(missing, under);
    if (under <= enough) continue;
    add(i, steepest_ray(face.mu, part), base::infinity, false);
    added = true;
  }
  return missing;
}

// min c . r, in units of size_; |c| of order one.
double FaceProgram::least(const VecX& c, double& excess) {
  // Rays of earlier functions that carry nothing now.
  if (simplex_.columns() > 3 * fixed_columns_) {
    const std::vector<int> number = simplex_.drop_idle(fixed_columns_);
    for (std::size_t j = 0; j < number.size(); ++j)
      if (number[j] >= 0) columns_[base::at(number[j])] = columns_[j];
    columns_.resize(base::at(simplex_.columns()));
  }
  // Rays that are hardly apart can make the basis singular: then again with fewer of them.
  for (const double enough : {enough_at_first, enough_again}) {
    for (int round = 0; round < most_cut_rounds && ready_; ++round) {
      const Simplex::Status status = simplex_.minimise(costs(c));
      if (status == Simplex::Status::unbounded) return -base::infinity;
      if (status == Simplex::Status::failed) break;
      const double value = c.dot(offset_) + costs(c).dot(simplex_.values());
      bool added = false;
      const double missing = add_violated(c, enough, added);
      if (added && round < most_cut_rounds - 1) continue;
      excess = std::max(excess, missing);
      return value;
    }
    restart();
  }
  // The solution itself is one; how far it is from the end nobody knows.
  excess = base::infinity;
  return c.dot(group_.r) / size_;
}

FaceProgram::Range FaceProgram::range(const VecX& c) {
  const double unit = largest(c), here = c.dot(group_.r);
  Range result{here, here, base::infinity};
  result.excess = 0;
  result.lo = std::min(here, unit * size_ * least(c / unit, result.excess));
  result.hi = std::max(here, -unit * size_ * least(-c / unit, result.excess));
  result.excess *= unit;
  return result;
}

}  // namespace cairn::analyse
