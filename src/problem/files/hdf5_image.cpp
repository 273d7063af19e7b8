#include "problem/files/hdf5_image.hpp"

namespace cairn::problem {
namespace {

constexpr std::size_t growth = std::size_t{1} << 20;  // of the image in memory [bytes]

hid_t in_memory() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access >= 0) H5Pset_fapl_core(access, growth, /*backing_store=*/0);
  return access;
}

}  // namespace

// The name is never used: nothing is backed by a file.
Hdf5Image::Hdf5Image()
    : access_(in_memory(), H5Pclose),
      file_(H5Fcreate("cairn", H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose) {}

std::optional<std::string> Hdf5Image::bytes() const {
  if (!file_.good() || H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) return std::nullopt;
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) return std::nullopt;
  std::string image(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file_, image.data(), image.size()) != size) return std::nullopt;
  return image;
}

}  // namespace cairn::problem
