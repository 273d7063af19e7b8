// Pictures as PNG, drawn by cairo: an optional component of the program (CMake option CAIRN_CAIRO).
#pragma once

#include <span>
#include <string>

#include "cairn/error.hpp"
#include "page/picture.hpp"

namespace cairn::app {

// An error of kind usage if the program was built without the component.
Result<void> check_png_component();

// The pictures one below the other on white, `scale` pixels to a unit.
Result<std::string> png_file(std::span<const page::Picture> pictures, double scale);

}  // namespace cairn::app
