// The shortest contact impulses of one island with the same motion (E620 to E624), by Newton's
// method on the dual. Reads rows, faces and impulses; finds which contacts are unique, the shortest
// impulses, and the velocities y that prove them.
#pragma once

#include <span>
#include <vector>

#include "analyse/active_faces.hpp"
#include "analyse/block_matrix.hpp"

namespace cairn::analyse {

class ShortestImpulses {
 public:
  // `contacts`: faces of the contacts that are not open; `equalities`: constraints of the problem.
  // Both act on `bodies`. `lambda`: of the whole problem.
  void load(const Problem& problem, std::span<const int> bodies, std::vector<Face> contacts,
            std::span<const int> equalities, const VecX& lambda);

  // Whether every contact is unique (E624); unique() tells of each.
  bool find_unique();
  const std::vector<bool>& unique() const { return unique_; }  // beside the contacts

  // False: not reached (E625). After find_unique().
  bool minimise();

  // In the problem's units: of the contacts one after the other, of the equalities likewise, and y
  // body by body.
  VecX contact_impulses() const { return size_ * (kept_ + p_); }
  VecX equality_changes() const { return size_ * nu_.cwiseProduct(nu_scale_); }
  VecX velocities() const { return size_ * y_.cwiseProduct(scale_); }
  int iterations() const { return iterations_; }
  double rest() const { return rest_norm_; }  // of the motion, over the largest impulse

 private:
  using Weights = std::array<std::array<double, max_rows>, max_rows>;
  static constexpr double unique_share = 1e-6;  // (E624)
  struct Link {                            // a constraint between its bodies, in scaled unknowns
    int rows = 0, first = 0;               // its first row among those of its kind
    std::array<int, max_sides> at = {};    // first unknown of each body
    std::array<int, max_sides> size = {};  // their numbers
    std::array<int, max_sides> node = {-1, -1, -1, -1};   // of the matrix; -1: none
    std::array<int, max_sides> block = {-1, -1, -1, -1};  // contacts: of each body; equalities: to
                                                          // each body
    std::array<int, max_sides> own = {-1, -1, -1, -1};    // equalities: of each body
    double J[max_sides][max_rows][max_velocities] = {};
  };

  Link link_to(const Problem& problem, std::span<const int> bodies, int constraint,
               int& rows) const;
  void make_matrix(const Problem& problem, std::span<const int> bodies);
  void scale_unknowns();
  void take_impulses(const Problem& problem, const VecX& lambda);
  bool factor(const std::vector<Weights>& D, double delta);
  void add_between(const Link& link, const Weights& D);
  void solve(const VecX& top, const VecX& bottom, VecX& y, VecX& nu);
  void purify();
  bool rank_unique();  // false: unique_ is left as it is
  bool has_digits() const;
  double evaluate(const VecX& y, const VecX& nu);
  double slope(const VecX& z, const VecX& dz, double along_g, double t) const;
  double step_length(const VecX& dy);
  bool search(const VecX& dy, const VecX& dnu, double missing, double& value);

  std::vector<Face> faces_;
  std::vector<Link> contacts_, equalities_;
  std::vector<Weights> spans_, D_;
  BlockMatrix matrix_;
  VecX lambda_, kept_, g_;  // over size_: in their faces, outside of them; J^T lambda
  VecX scale_, nu_scale_;   // of the unknowns
  VecX y_, nu_, z_, p_, rest_, bottom_, right_;
  VecX answer_, missing_;  // of solve()
  double shift_ = 0;       // on the velocities in the factor, which solve() takes back
  std::vector<bool> unique_;
  double size_ = 0;  // largest impulse of a contact
  double rest_norm_ = 0;
  int velocities_ = 0, contact_rows_ = 0, equality_rows_ = 0, iterations_ = 0;
};

}  // namespace cairn::analyse
