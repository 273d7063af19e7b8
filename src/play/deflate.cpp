// The one file that knows zlib.
#include <zlib.h>

#include "cairn/error.hpp"
#include "play/text_form.hpp"

namespace cairn {

std::string deflated(const std::string& bytes) {
  // Level 6: level 9 takes five times as long for two percent.
  constexpr int level = 6;
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status = ::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 static_cast<uLong>(bytes.size()), level);
  CAIRN_CHECK(status == Z_OK);  // it can only fail for want of room or memory
  out.resize(size);
  return out;
}

}  // namespace cairn
