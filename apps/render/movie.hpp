// A film from pictures, through ffmpeg.
#pragma once

#include <string>

#include "cairn/error.hpp"

namespace cairn::app {

class Movie {
 public:
  // Fails where there is no ffmpeg. The film is written as path.part until finish().
  static Result<Movie> start(const std::string& path, double frames_per_second);
  ~Movie();
  Movie(Movie&& other) noexcept;
  Movie& operator=(Movie&&) = delete;

  Result<void> add(const std::string& jpeg);
  Result<void> finish();

 private:
  Movie() = default;
  std::string path_;
  int pid_ = -1, in_ = -1;
};

}  // namespace cairn::app
