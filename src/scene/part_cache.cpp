// A file: the mark, figures, corners of the parts, CRC-32. Damaged files are as good as none.
#include "scene/part_cache.hpp"

#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "base/input_file.hpp"
#include "bytes/bytes.hpp"
#include "bytes/crc32.hpp"

namespace cairn::scene {
namespace {

// Counts up when the method changes: earlier files are not found any more.
constexpr std::uint64_t parts_mark = 0x31'53'54'52'41'50'43'00;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

struct Hash {
  std::uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;
  void add(std::uint64_t x) {
    a = (a ^ x) * 0x100000001b3u;
    a ^= a >> 29;
    b = (b + x) * 0xbf58476d1ce4e5b9u;
    b ^= b >> 32;
  }
};

std::string file_of(const std::string& folder, const std::string& key) {
  return (std::filesystem::path(folder) / (key + ".parts")).string();
}

}  // namespace

std::string part_key(const mesh::TriangleMesh& mesh, const mesh::DecomposeOptions& options) {
  Hash hash;
  hash.add(parts_mark);
  hash.add(std::bit_cast<std::uint64_t>(options.max_volume_error));
  hash.add(std::bit_cast<std::uint64_t>(options.max_distance));
  hash.add(static_cast<std::uint64_t>(options.max_parts));
  hash.add(mesh.points.size());
  for (const Vec3& p : mesh.points)
    for (const double x : p) hash.add(std::bit_cast<std::uint64_t>(x));
  for (const mesh::Triangle& t : mesh.triangles)
    for (const std::int32_t i : t) hash.add(static_cast<std::uint64_t>(i));
  return fmt::format("{:016x}{:016x}", hash.a, hash.b);
}

std::optional<mesh::Decomposition> kept_parts(const std::string& folder, const std::string& key) {
  if (folder.empty()) return std::nullopt;
  const Result<std::string> text = base::read_input(file_of(folder, key), most_bytes);
  if (!text || text->size() < 4) return std::nullopt;
  const std::span<const std::uint8_t> all(reinterpret_cast<const std::uint8_t*>(text->data()),
                                          text->size());
  bytes::ByteReader in(all.first(all.size() - 4)), end(all.last(4));
  if (end.u32() != bytes::crc32(all.first(all.size() - 4)) || in.u64() != parts_mark)
    return std::nullopt;
  mesh::Decomposition parts;
  parts.volume_error = in.f64();
  parts.distance = in.f64();
  parts.parts.resize(in.count(8));
  for (std::vector<Vec3>& part : parts.parts) {
    part.resize(in.count(24));
    for (Vec3& p : part) p = in.vec3();
  }
  if (!in.ok() || in.left() != 0 || parts.parts.empty()) return std::nullopt;
  return parts;
}

bool keep_parts(const std::string& folder, const std::string& key,
                const mesh::Decomposition& parts) {
  if (folder.empty()) return true;
  bytes::ByteWriter out;
  out.u64(parts_mark);
  out.f64(parts.volume_error);
  out.f64(parts.distance);
  out.u64(parts.parts.size());
  for (const std::vector<Vec3>& part : parts.parts) {
    out.u64(part.size());
    for (const Vec3& p : part) out.vec3(p);
  }
  out.u32(bytes::crc32(out.bytes()));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const std::string file = file_of(folder, key), fresh = file + ".new";
  std::ofstream stream(fresh, std::ios::binary | std::ios::trunc);
  stream.write(reinterpret_cast<const char*>(out.bytes().data()),
               static_cast<std::streamsize>(out.size()));
  stream.close();
  if (stream) std::filesystem::rename(fresh, file, failed);
  if (stream && !failed) return true;
  std::filesystem::remove(fresh, failed);
  return false;
}

}  // namespace cairn::scene
