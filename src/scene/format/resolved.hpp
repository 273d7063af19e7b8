// The canonical text of a scene: generators expanded, options written out.
#pragma once

#include <string>

#include "cairn/scene.hpp"

namespace cairn::scene {

// Reading it again gives the same description, settings and expectations, bit for bit.
std::string resolved_text(const Scene& scene);

}  // namespace cairn::scene
