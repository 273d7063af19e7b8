#include "render/movie.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "record/run/files.hpp"
#include "render/child.hpp"

namespace cairn::app {
namespace {

constexpr int movie_limit_seconds = 600;  // to write the last frames

}  // namespace

Movie::~Movie() {
  if (in_ >= 0) ::close(in_);
  if (pid_ <= 0) return;
  end_child(pid_, 0);
  std::remove((path_ + ".part").c_str());
}

Movie::Movie(Movie&& other) noexcept
    : path_(std::move(other.path_)),
      pid_(std::exchange(other.pid_, -1)),
      in_(std::exchange(other.in_, -1)) {}

Result<Movie> Movie::start(const std::string& path, double frames_per_second) {
  const std::string program = find_program({"ffmpeg"});
  if (program.empty()) {
    Error error;
    error.kind = ErrorKind::io;
    error.code = ErrorCode::missing_program;
    error.file = path;
    error.what = "no ffmpeg here, which makes films of pictures";
    error.fix = "install ffmpeg, or write the pictures into a folder: -o frames/";
    return fail(error);
  }
  Movie movie;
  movie.path_ = path;
  // H.264 wants even sizes; yuv420p is what every browser plays.
  const Child child = start_child({program,       "-y",
                                   "-loglevel",   "error",
                                   "-f",          "image2pipe",
                                   "-c:v",        "mjpeg",
                                   "-framerate",  fmt::format("{}", frames_per_second),
                                   "-i",          "-",
                                   "-c:v",        "libx264",
                                   "-crf",        "20",
                                   "-vf",         "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                                   "-pix_fmt",    "yuv420p",
                                   "-movflags",   "+faststart",
                                   "-f",          "mp4",
                                   path + ".part"},
                                  {STDIN_FILENO}, {});
  if (child.pid < 0) return record::io_failure(program, "start");
  movie.pid_ = child.pid;
  movie.in_ = child.pipes[0];
  return movie;
}

Result<void> Movie::add(const std::string& jpeg) {
  return record::write_all(in_, {reinterpret_cast<const std::uint8_t*>(jpeg.data()), jpeg.size()},
                           path_ + ".part");
}

Result<void> Movie::finish() {
  ::close(std::exchange(in_, -1));
  if (end_child(std::exchange(pid_, -1), movie_limit_seconds) == 0)
    return record::rename_file(path_ + ".part", path_);
  std::remove((path_ + ".part").c_str());
  Error error;
  error.kind = ErrorKind::io;
  error.code = ErrorCode::program_failed;
  error.file = path_;
  error.what = "ffmpeg has failed";
  error.fix = "has it libx264, and may it write there? or write the pictures: -o frames/";
  return fail(error);
}

}  // namespace cairn::app
