// FCLIB files, read and written with the HDF5 library; its own messages are switched off, ours take
// their place.
#include "problem/files/fclib_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "problem/files/hdf5_image.hpp"
#include "problem/files/text_file.hpp"
#include "problem/reduced_view.hpp"
#include "problem/sparse.hpp"

namespace cairn::problem {
namespace {

constexpr int most_fclib_rows = 1 << 24;

// Reads datasets and remembers the first fault.
class Reader {
 public:
  Reader(hid_t file, std::string name) : file_(file), name_(std::move(name)) {}

  bool has(const std::string& path) const {
    // Each group on the way has to be there, or the library complains.
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      if (H5Lexists(file_, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  // All numbers of a dataset; `count` of them if it is not negative.
  template <class T>
  bool values(const std::string& path, std::int64_t count, std::vector<T>& out) {
    if (!ok()) return false;
    if (!has(path)) return fault(path, ErrorCode::missing_key, "dataset is missing");
    const Hdf5Handle data(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data.good()) return fault(path, ErrorCode::wrong_type, "is no dataset");
    const Hdf5Handle space(H5Dget_space(data), H5Sclose);
    const Hdf5Handle type(H5Dget_type(data), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type);
    if (kind != H5T_INTEGER && kind != H5T_FLOAT)
      return fault(path, ErrorCode::wrong_type, "does not hold numbers");
    const std::int64_t size = H5Sget_simple_extent_npoints(space);
    if (size < 0 || size > std::int64_t{most_fclib_rows} * 16 || (count >= 0 && size != count))
      return fault(path, ErrorCode::wrong_size, "wrong number of entries", fmt::format("{}", size),
                   count >= 0 ? fmt::format("{}", count) : "");
    // A dataset that claims more than the file holds is damaged; nothing is allocated for it.
    // Compression gains at the most a factor of a thousand.
    hsize_t bytes = 0;
    const hsize_t stored = H5Dget_storage_size(data);
    if (H5Fget_filesize(file_, &bytes) < 0 || stored > bytes ||
        static_cast<hsize_t>(size) > 2000 * stored)
      return fault(path, ErrorCode::wrong_size, "claims more data than the file holds",
                   fmt::format("{} entries", size));
    out.resize(static_cast<std::size_t>(size));
    const hid_t memory = std::is_same_v<T, int> ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    if (size > 0 && H5Dread(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
      return fault(path, ErrorCode::damaged, "cannot be read");
    for (const T x : out)
      if (!std::isfinite(static_cast<double>(x)))
        return fault(path, ErrorCode::not_finite, "holds a number that is not finite",
                     fmt::format("{}", x));
    return true;
  }

  bool vector(const std::string& path, int count, VecX& out) {
    std::vector<double> numbers;
    if (!values(path, count, numbers)) return false;
    out = VecX::Map(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
    return true;
  }

  bool integer(const std::string& path, int lo, int hi, int& out) {
    std::vector<int> number;
    if (!values(path, 1, number)) return false;
    out = number[0];
    if (out >= lo && out <= hi) return true;
    return fault(path, ErrorCode::unknown_choice, "not an allowed value", fmt::format("{}", out),
                 fmt::format("an integer from {} to {}", lo, hi));
  }

  bool matrix(const std::string& path, SparseMatrix& out);

  bool ok() const { return error_.what.empty(); }
  bool fault(const std::string& path, ErrorCode code, const std::string& what,
             const std::string& got = "", const std::string& allowed = "") {
    if (ok())
      error_ = {ErrorKind::input,
                code,
                name_,
                0,
                0,
                path,
                what,
                got,
                allowed,
                "the file may be damaged; see docs/problem-files.md"};
    return false;
  }
  tl::unexpected<Errors> errors() const { return fail(error_); }

 private:
  bool compressed(const std::string& path, bool by_columns, SparseMatrix& out);
  bool triplets(const std::string& path, int count, SparseMatrix& out);

  hid_t file_;
  std::string name_;
  Error error_;
};

// nz: -1 compressed columns, -2 compressed rows, else the number of triplets.
bool Reader::matrix(const std::string& path, SparseMatrix& out) {
  int nz = 0;
  if (!integer(path + "/m", 0, most_fclib_rows, out.rows) ||
      !integer(path + "/n", 0, most_fclib_rows, out.columns) ||
      !integer(path + "/nz", -2, most_fclib_rows * 16, nz))
    return false;
  return nz < 0 ? compressed(path, nz == -1, out) : triplets(path, nz, out);
}

bool Reader::compressed(const std::string& path, bool by_columns, SparseMatrix& out) {
  const int lines = by_columns ? out.columns : out.rows,
            across = by_columns ? out.rows : out.columns;
  std::vector<int> first, index;
  std::vector<double> value;
  if (!values(path + "/p", lines + std::int64_t{1}, first) || !values(path + "/i", -1, index) ||
      !values(path + "/x", -1, value))
    return false;
  const int count = first.empty() ? 0 : first.back();
  if (first.front() != 0 || !std::is_sorted(first.begin(), first.end()) ||
      static_cast<std::size_t>(count) > std::min(index.size(), value.size()))
    return fault(path + "/p", ErrorCode::wrong_size, "is no list of starts into i and x");
  for (int line = 0; line < lines; ++line)
    for (int k = first[static_cast<std::size_t>(line)];
         k < first[static_cast<std::size_t>(line) + 1]; ++k) {
      const int other = index[static_cast<std::size_t>(k)];
      if (other < 0 || other >= across)
        return fault(path + "/i", ErrorCode::out_of_range, "index out of range",
                     fmt::format("{}", other), fmt::format("0 to {}", across - 1));
      out.entries.push_back({by_columns ? other : line, by_columns ? line : other,
                             value[static_cast<std::size_t>(k)]});
    }
  return true;
}

// Written as in CSparse: i counts rows, p columns. The layout's description has them the other way
// round, so that reading is taken where only it fits the sizes.
bool Reader::triplets(const std::string& path, int count, SparseMatrix& out) {
  std::vector<int> i, p;
  std::vector<double> value;
  if (!values(path + "/i", -1, i) || !values(path + "/p", -1, p) || !values(path + "/x", -1, value))
    return false;
  const auto size = static_cast<std::size_t>(count);
  if (size > i.size() || size > p.size() || size > value.size())
    return fault(path + "/nz", ErrorCode::wrong_size, "more entries than data",
                 fmt::format("{}", count));
  const auto within = [&](const std::vector<int>& list, int limit) {
    return std::all_of(list.begin(), list.begin() + count,
                       [&](int x) { return x >= 0 && x < limit; });
  };
  const bool usual = within(i, out.rows) && within(p, out.columns);
  if (!usual && !(within(p, out.rows) && within(i, out.columns)))
    return fault(path + "/i", ErrorCode::out_of_range, "index out of range", "",
                 fmt::format("rows below {}, columns below {}", out.rows, out.columns));
  for (std::size_t k = 0; k < size; ++k)
    out.entries.push_back({usual ? i[k] : p[k], usual ? p[k] : i[k], value[k]});
  return true;
}

bool read_fclib_friction(Reader& reader, const std::string& path, int contacts, VecX& mu) {
  if (!reader.vector(path, contacts, mu)) return false;
  if (mu.size() > 0 && mu.minCoeff() < 0)
    return reader.fault(path, ErrorCode::out_of_range, "negative friction coefficient",
                        fmt::format("{}", mu.minCoeff()), "numbers >= 0");
  return true;
}

Result<ReducedProblem> read_local(Reader& reader) {
  const std::string root = "/fclib_local";
  int dimension = 0;
  SparseMatrix W;
  VecX q, mu;
  if (!reader.integer(root + "/spacedim", 2, 3, dimension) || !reader.matrix(root + "/W", W))
    return reader.errors();
  if (reader.has(root + "/V") || reader.has(root + "/R"))
    reader.fault(root + "/V", ErrorCode::unsupported,
                 "local problems with equality rows V and R are not read");
  if (W.rows != W.columns || W.rows % dimension != 0 || W.rows == 0)
    reader.fault(root + "/W", ErrorCode::wrong_size, "wrong size",
                 fmt::format("{} x {}", W.rows, W.columns),
                 fmt::format("square, a multiple of {}", dimension));
  if (!reader.vector(root + "/vectors/q", W.rows, q) ||
      !read_fclib_friction(reader, root + "/vectors/mu", W.rows / dimension, mu))
    return reader.errors();
  return make_reduced(contacts(dimension, mu), W, q);
}

// M v = f + G lambda + H r, u = H^T v + w, 0 = G^T v + b: contacts first, then the bilateral rows.
Result<ReducedProblem> read_global(Reader& reader) {
  const std::string root = "/fclib_global";
  int dimension = 0;
  SparseMatrix M, H, G;
  VecX f, w, b, mu;
  if (!reader.integer(root + "/spacedim", 2, 3, dimension) || !reader.matrix(root + "/M", M) ||
      !reader.matrix(root + "/H", H))
    return reader.errors();
  if (M.rows != M.columns || H.rows != M.rows || H.columns % dimension != 0 || H.columns == 0)
    reader.fault(root + "/H", ErrorCode::wrong_size, "wrong size",
                 fmt::format("{} x {}", H.rows, H.columns),
                 fmt::format("{} rows, columns a multiple of {}", M.rows, dimension));
  if (!reader.vector(root + "/vectors/f", M.rows, f) ||
      !reader.vector(root + "/vectors/w", H.columns, w) ||
      !read_fclib_friction(reader, root + "/vectors/mu", H.columns / dimension, mu))
    return reader.errors();
  std::vector<ReducedConstraint> constraints = contacts(dimension, mu);
  if (reader.has(root + "/G")) {
    if (!reader.matrix(root + "/G", G) || !reader.vector(root + "/vectors/b", G.columns, b))
      return reader.errors();
    if (G.rows != M.rows) {
      reader.fault(root + "/G", ErrorCode::wrong_size, "wrong number of rows",
                   fmt::format("{}", G.rows), fmt::format("{}", M.rows));
      return reader.errors();
    }
    for (SparseMatrix::Entry e : G.entries) {
      e.column += H.columns;
      H.entries.push_back(e);
    }
    H.columns += G.columns;
    w.conservativeResize(H.columns);
    w.tail(b.size()) = b;
    constraints.insert(constraints.end(), static_cast<std::size_t>(G.columns),
                       {.law = Law::equality});
  }
  const Eliminated local = eliminate_velocities(M, H, f, w);
  if (!local.fault.empty()) {
    reader.fault(root + "/M", ErrorCode::invalid_matrix, local.fault);
    return reader.errors();
  }
  return make_reduced(std::move(constraints), local.W, local.q);
}

// Writes datasets and remembers whether all went well.
class Writer {
 public:
  explicit Writer(hid_t file) : file_(file) {}

  void group(const char* path) {
    const Hdf5Handle made(H5Gcreate2(file_, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    good_ = good_ && made.good();
  }
  void integers(const char* path, const std::vector<int>& x) {
    write(path, H5T_STD_I32LE, H5T_NATIVE_INT, x.size(), x.data());
  }
  void numbers(const char* path, const std::vector<double>& x) {
    write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, x.size(), x.data());
  }
  bool good() const { return good_; }

 private:
  void write(const char* path, hid_t stored, hid_t memory, std::size_t count, const void* x) {
    const hsize_t size = count;
    const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Hdf5Handle data(
        H5Dcreate2(file_, path, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    good_ = good_ && data.good() &&
            (count == 0 || H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
  }

  hid_t file_;
  bool good_ = true;
};

bool write_local(const ReducedProblem& problem, hid_t file) {
  const auto n = static_cast<int>(problem.constraints.size());
  const int dimension = problem.constraints.front().rows;
  std::vector<int> first = {0}, index;
  std::vector<double> value, mu, q(problem.q.begin(), problem.q.end());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    mu.push_back(problem.constraints[i].mu);
    for (int r = 0; r < dimension; ++r) {
      for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
        const auto& block = problem.blocks[static_cast<std::size_t>(k)];
        for (int c = 0; c < dimension; ++c) {
          if (block.value[r][c] == 0) continue;
          index.push_back(dimension * block.column + c);
          value.push_back(block.value[r][c]);
        }
      }
      first.push_back(static_cast<int>(index.size()));
    }
  }
  Writer out(file);
  out.group("/fclib_local");
  out.integers("/fclib_local/spacedim", {dimension});
  out.group("/fclib_local/W");
  out.integers("/fclib_local/W/nzmax", {static_cast<int>(index.size())});
  out.integers("/fclib_local/W/m", {dimension * n});
  out.integers("/fclib_local/W/n", {dimension * n});
  out.integers("/fclib_local/W/nz", {-2});
  out.integers("/fclib_local/W/p", first);
  out.integers("/fclib_local/W/i", index);
  out.numbers("/fclib_local/W/x", value);
  out.group("/fclib_local/vectors");
  out.numbers("/fclib_local/vectors/mu", mu);
  out.numbers("/fclib_local/vectors/q", q);
  return out.good();
}

}  // namespace

bool is_hdf5(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\x89HDF\r\n\x1a\n", 8));
}

Result<ReducedProblem> read_fclib(const std::string& name) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our messages take the place of the library's
  const Hdf5Handle file(H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  Reader reader(file, name);
  if (!file.good()) {
    reader.fault("", ErrorCode::damaged, "is a damaged HDF5 file");
    return reader.errors();
  }
  if (reader.has("/fclib_local")) return read_local(reader);
  if (reader.has("/fclib_global")) return read_global(reader);
  reader.fault("", ErrorCode::wrong_format, "is HDF5 but no FCLIB problem", "",
               "a group fclib_local or fclib_global");
  return reader.errors();
}

Result<void> write_fclib(const ReducedProblem& problem, const std::string& name) {
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const ReducedConstraint& c = problem.constraints[i];
    if (c.law == Law::coulomb && c.facets == 0 && !c.section &&
        c.rows == problem.constraints.front().rows)
      continue;
    return fail({.code = ErrorCode::unsupported,
                 .file = name,
                 .path = fmt::format("constraints[{}]", i),
                 .what = "FCLIB holds contacts of one dimension with exact friction cones only",
                 .got = fmt::format("{}, {} rows, {} facets", cairn::name(c.law), c.rows, c.facets),
                 .fix = "write JSON instead: a name that ends in .json"});
  }
  if (problem.constraints.empty())
    return fail(
        {.code = ErrorCode::empty, .file = name, .what = "the problem has no contacts to write"});
  const Hdf5Image image;
  const auto bytes =
      write_local(problem, image.file()) ? image.bytes() : std::optional<std::string>();
  if (!bytes)
    return fail({.kind = ErrorKind::limit,
                 .code = ErrorCode::out_of_memory,
                 .file = name,
                 .what = "the HDF5 library cannot make the file in memory",
                 .fix = "use a machine with more memory"});
  return write_text(*bytes, name);
}

}  // namespace cairn::problem
