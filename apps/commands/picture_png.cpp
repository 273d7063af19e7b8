#include "commands/picture_png.hpp"

#ifdef CAIRN_HAS_CAIRO
#include <algorithm>
#include <cairo.h>
#include <cmath>
#include <memory>

namespace cairn::app {
namespace {

void draw(cairo_t* c, const Stroke& stroke, const Pen& pen) {
  if (stroke.points.empty()) return;
  cairo_set_line_width(c, pen.width);
  cairo_set_dash(c, &pen.dash, pen.dash > 0 ? 1 : 0, 0);
  cairo_set_line_cap(c, pen.dash > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  const auto& [x, y] = stroke.points.front();
  cairo_move_to(c, x, y);
  for (const auto& point : stroke.points) cairo_line_to(c, point[0], point[1]);
  cairo_stroke(c);
}

void draw(cairo_t* c, const Words& words, const Pen& pen) {
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         pen.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, pen.size);
  cairo_text_extents_t extents;
  cairo_text_extents(c, words.text.c_str(), &extents);
  cairo_move_to(c, words.x - extents.x_advance * static_cast<double>(words.anchor) / 2, words.y);
  cairo_show_text(c, words.text.c_str());
}

cairo_status_t append(void* out, const unsigned char* data, unsigned int size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Result<void> check_png_component() {
  return {};
}

Result<std::string> png_file(std::span<const Picture> pictures, double scale) {
  double width = 0, height = 0;
  for (const Picture& p : pictures) {
    width = std::max(width, p.width);
    height += p.height;
  }
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::lround(width * scale)),
                                 static_cast<int>(std::lround(height * scale))),
      cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(surface.get()),
                                                                   cairo_destroy);
  cairo_t* c = context.get();
  cairo_set_source_rgb(c, 1, 1, 1);
  cairo_paint(c);
  cairo_scale(c, scale, scale);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  for (const Picture& p : pictures) {
    for (const auto& mark : p.marks)
      std::visit(
          [&](const auto& m) {
            const Pen pen = pen_of(m.style);
            const auto part = [&](int shift) { return (pen.colour >> shift & 0xFF) / 255.0; };
            cairo_set_source_rgb(c, part(16), part(8), part(0));
            draw(c, m, pen);
          },
          mark);
    cairo_translate(c, 0, p.height);
  }
  std::string png;
  cairo_status_t status = cairo_status(c);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status == CAIRO_STATUS_SUCCESS) return png;
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::too_large;
  error.what = std::string("the picture cannot be drawn: ") + cairo_status_to_string(status);
  error.fix = "choose a smaller --size, fewer quantities, or a name that ends in .svg";
  return fail(error);
}

}  // namespace cairn::app
#else

namespace cairn::app {

Result<void> check_png_component() {
  Error error;
  error.kind = ErrorKind::usage;
  error.code = ErrorCode::unsupported;
  error.what = "PNG pictures need cairo, without which this program was built";
  error.allowed = "names that end in .svg";
  error.fix =
      "choose a name that ends in .svg with -o, or build with -DCAIRN_CAIRO=ON and the package "
      "libcairo2-dev";
  return fail(error);
}

Result<std::string> png_file(std::span<const page::Picture>, double) {
  return tl::unexpected(check_png_component().error());
}

}  // namespace cairn::app
#endif
