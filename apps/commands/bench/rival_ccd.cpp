#include "commands/bench/rival_ccd.hpp"

#ifdef CAIRN_HAS_CCD
#include <ccd/ccd.h>
#include <memory>

namespace cairn::app {
namespace {

// A body as libccd sees it: a support function. Large bodies climb from corner to corner, beginning
// at the last answer, which is as favourable as what the ratio metric does with faces.
struct CcdBody {
  const Polyhedron* shape = nullptr;
  Pose X;
  std::vector<int> first, next;  // neighbours of corner v: next[first[v]] to next[first[v + 1]]
  mutable int last = 0;

  explicit CcdBody(const Polyhedron& p) : shape(&p) {
    std::vector<std::vector<int>> lists(p.vertices.size());
    for (const Polyhedron::Edge& e : p.edges) {
      lists[static_cast<std::size_t>(e.tail)].push_back(e.head);
      lists[static_cast<std::size_t>(e.head)].push_back(e.tail);
    }
    for (const std::vector<int>& list : lists) {
      first.push_back(static_cast<int>(next.size()));
      next.insert(next.end(), list.begin(), list.end());
    }
    first.push_back(static_cast<int>(next.size()));
  }

  Vec3 support(const Vec3& direction) const {
    const Vec3 n = X.R.conjugate() * direction;
    const std::vector<Vec3>& v = shape->vertices;
    if (v.size() <= 24) {
      std::size_t best = 0;
      double top = n.dot(v[0]);
      for (std::size_t i = 1; i < v.size(); ++i)
        if (const double value = n.dot(v[i]); value > top) top = value, best = i;
      return X * v[best];
    }
    double top = n.dot(v[static_cast<std::size_t>(last)]);
    for (int from = -1; from != last;) {
      from = last;
      for (int k = first[static_cast<std::size_t>(from)];
           k < first[static_cast<std::size_t>(from) + 1]; ++k) {
        const int w = next[static_cast<std::size_t>(k)];
        if (const double value = n.dot(v[static_cast<std::size_t>(w)]); value > top)
          top = value, last = w;
      }
    }
    return X * v[static_cast<std::size_t>(last)];
  }
};

void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* result) {
  const Vec3 p = static_cast<const CcdBody*>(object)->support(
      {direction->v[0], direction->v[1], direction->v[2]});
  ccdVec3Set(result, p.x(), p.y(), p.z());
}

void center(const void* object, ccd_vec3_t* result) {
  const CcdBody& body = *static_cast<const CcdBody*>(object);
  const Vec3 p = body.X * body.shape->center;
  ccdVec3Set(result, p.x(), p.y(), p.z());
}

using Penetration = int (*)(const void*, const void*, const ccd_t*, ccd_real_t*, ccd_vec3_t*,
                            ccd_vec3_t*);

DistanceRival rival(const char* name, Penetration penetration) {
  return {name, [penetration](const Polyhedron& a, const Polyhedron& b) {
            return DistanceRival::Query([penetration, A = std::make_shared<CcdBody>(a),
                                         B = std::make_shared<CcdBody>(b)](const Pose& X_WA,
                                                                           const Pose& X_WB) {
              A->X = X_WA, B->X = X_WB;
              ccd_t ccd;
              CCD_INIT(&ccd);
              ccd.support1 = ccd.support2 = support;
              ccd.center1 = ccd.center2 = center;
              ccd.max_iterations = 100;
              ccd_real_t depth = 0;
              ccd_vec3_t direction, position;
              return penetration(A.get(), B.get(), &ccd, &depth, &direction, &position) == 0 ? depth
                                                                                             : 0;
            });
          }};
}

}  // namespace

std::vector<DistanceRival> ccd_rivals() {
  return {rival("libccd MPR", ccdMPRPenetration), rival("libccd EPA", ccdGJKPenetration)};
}

}  // namespace cairn::app

#else

namespace cairn::app {

std::vector<bench::DistanceRival> ccd_rivals() {
  return {};
}

}  // namespace cairn::app
#endif
