// cairn render: a recording as pictures or a film, drawn by the player in a browser without a
// screen.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "commands/commands.hpp"
#include "page/trace_page.hpp"
#include "record/run/files.hpp"
#include "render/browser.hpp"
#include "render/movie.hpp"
#include "runs/find_trace.hpp"
#include "runs/trace_ending.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/json.hpp"
#include "terminal/terminal.hpp"

namespace cairn::app {
namespace {

namespace fs = std::filesystem;

constexpr double most_frames = 100000;

enum class Kind { folder, still, film };

struct Plan {
  Kind kind = Kind::folder;
  std::string format = "png";  // of the pictures
  std::vector<double> times;   // [s]
};

Error render_usage(ErrorCode code, std::string what, std::string got, std::string allowed,
                   std::string fix) {
  Error error;
  error.kind = ErrorKind::usage;
  error.code = code;
  error.what = std::move(what);
  error.got = std::move(got);
  error.allowed = std::move(allowed);
  error.fix = std::move(fix);
  return error;
}

Result<Kind> kind_of_output(const std::string& out, std::string& format) {
  const std::string ending = fs::path(out).extension().string();
  if (ending == ".mp4") {
    format = "jpeg";
    return Kind::film;
  }
  if (ending.empty() || out.ends_with('/')) return Kind::folder;
  for (const auto& [name, what] : {std::pair{".png", "png"}, {".jpg", "jpeg"}, {".webp", "webp"}})
    if (ending == name) {
      format = what;
      return Kind::still;
    }
  return fail(render_usage(ErrorCode::unknown_choice, "what kind of picture?", out,
                           "FILE.png, FILE.jpg, FILE.webp, FILE.mp4, FOLDER/",
                           "choose another name with -o"));
}

// The times to show; `begin` and `end` are those of the recording.
Result<Plan> make_plan(const RenderCommand& options, double begin, double end) {
  Plan plan;
  const Result<Kind> kind = kind_of_output(options.out, plan.format);
  if (!kind) return tl::unexpected(kind.error());
  plan.kind = *kind;
  const double slack = 1e-9 * (end - begin);  // times of steps are sums, users' are round
  const double from = options.from.value_or(begin), to = options.to.value_or(end);
  for (const auto& [name, t] :
       {std::pair{"--at", options.at.value_or(begin)}, {"--from", from}, {"--to", to}})
    if (!(t >= begin - slack && t <= end + slack))
      return fail(render_usage(ErrorCode::out_of_range,
                               fmt::format("{} is outside the recording", name),
                               fmt::format("{}", t), fmt::format("{:.6g} to {:.6g} s", begin, end),
                               "choose another time"));
  if (plan.kind == Kind::still || options.at) {
    plan.times = {options.at.value_or(options.to.value_or(end))};
    return plan;
  }
  if (to < from)
    return fail(render_usage(ErrorCode::out_of_range, "--to lies before --from",
                             fmt::format("{}", to), fmt::format("at least {}", from),
                             "choose another time"));
  const double count = std::floor((to - from) * options.fps / options.speed * (1 + 1e-12)) + 1;
  if (count > most_frames)
    return fail(render_usage(ErrorCode::too_many, "too many pictures", fmt::format("{:.0f}", count),
                             fmt::format("at most {:.0f}", most_frames),
                             "raise --speed, or lower --fps"));
  for (double i = 0; i < count; i += 1)
    plan.times.push_back(std::min(to, from + i * options.speed / options.fps));
  return plan;
}

std::string address(const RenderCommand& options) {
  std::string text =
      fmt::format("bare&view={}&theme={}", options.camera, options.dark ? "dark" : "light");
  if (!options.on.empty()) text += "&on=" + options.on;
  if (!options.off.empty()) text += "&off=" + options.off;
  return text;
}

// Moves the player to a time and waits until that has been drawn.
std::string seek(double t) {
  return fmt::format(
      "new Promise((done) => {{ const later = () => requestAnimationFrame(() => "
      "requestAnimationFrame(() => done(document.querySelector('.cp-fault')?.textContent ?? ''))); "
      "window.addEventListener('hashchange', later, {{ once: true }}); location.hash = '#t={}'; "
      "}})",
      t);
}

// One line on a terminal, gone with the last picture.
void show_progress(std::size_t done, std::size_t all) {
  if (::isatty(STDERR_FILENO) == 0) return;
  const std::string line =
      done == all ? "\r\x1b[K" : fmt::format("\r\x1b[Kpicture {}/{}", done, all);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// Writes one picture after the other; the paths or the film.
Result<std::string> draw(const RenderCommand& options, const Plan& plan, const std::string& trace,
                         const std::string& page) {
  Result<Browser> browser = Browser::start(options.width, options.height);
  if (!browser) return tl::unexpected(browser.error());
  std::optional<Movie> movie;
  if (plan.kind == Kind::film) {
    Result<Movie> started = Movie::start(options.out, options.fps);
    if (!started) return tl::unexpected(started.error());
    movie.emplace(std::move(*started));
  }
  if (plan.kind == Kind::folder)
    if (Result<void> made = record::make_folder(options.out); !made)
      return tl::unexpected(made.error());
  const auto write_frame = [&](const std::string& file, const std::string& picture) {
    const Result<void> kept = record::check_input_is_kept(trace, file, "trace");
    return kept ? record::write_file(file, picture) : kept;
  };
  Result<void> done =
      browser->open("file://" + fs::absolute(page).string() + "#" + address(options),
                    "document.querySelector('.cp-canvas, .cp-fault') !== null");
  for (std::size_t i = 0; done && i < plan.times.size() && received_signal() == 0; ++i) {
    const Result<std::string> shown = browser->evaluate(seek(plan.times[i]));
    if (!shown) return tl::unexpected(shown.error());
    if (*shown != "\"\"")
      return fail({.kind = ErrorKind::io,
                   .code = ErrorCode::program_failed,
                   .what = "the player reports " + *shown});
    const Result<std::string> picture = browser->picture(plan.format, options.quality);
    if (!picture) return tl::unexpected(picture.error());
    if (movie)
      done = movie->add(*picture);
    else if (plan.kind == Kind::still)
      done = record::write_file(options.out, *picture);
    else
      done = write_frame((fs::path(options.out) / fmt::format("frame_{:05}.png", i)).string(),
                         *picture);
    show_progress(i + 1, plan.times.size());
  }
  if (done && movie && received_signal() == 0) done = movie->finish();
  if (!done) return tl::unexpected(done.error());
  return options.out;
}

// The page that the browser opens, in a folder of its own that goes away with it.
class TemporaryPage {
 public:
  Result<std::string> write(const std::string& html) {
    std::string folder = (fs::temp_directory_path() / "cairn_page_XXXXXX").string();
    if (!::mkdtemp(folder.data())) return record::io_failure(folder, "create the folder");
    folder_ = folder;
    const std::string path = folder + "/view.html";
    if (Result<void> written = record::write_file(path, html); !written)
      return tl::unexpected(written.error());
    return path;
  }
  ~TemporaryPage() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

 private:
  std::string folder_;
};

}  // namespace

int render(const RenderCommand& options) {
  std::string format;
  if (const Result<Kind> kind = kind_of_output(options.out, format); !kind)
    return report(kind.error());
  const Result<std::string> trace = find_trace(options.input);
  if (!trace) return report(trace.error());
  if (const Result<void> kept = record::check_input_is_kept(*trace, options.out, "trace"); !kept)
    return report(kept.error());
  const Result<page::TracePage> page = page::trace_page(*trace);
  if (!page) return report(page.error());
  const Result<Plan> plan = make_plan(options, page->t_first, page->t_last);
  if (!plan) return report(plan.error());
  TemporaryPage file;
  const Result<std::string> path = file.write(page->html);
  if (!path) return report(path.error());
  watch_signals();
  const Result<std::string> drawn = draw(options, *plan, *trace, *path);
  if (!drawn) return report(drawn.error());
  if (received_signal() != 0) return exit_signal + received_signal();
  if (options.json)
    print(text(Json{{"trace", *trace},
                    {"out", *drawn},
                    {"pictures", plan->times.size()},
                    {"size", {options.width, options.height}}}));
  else
    print(fmt::format("written      {}\npictures     {}, {} x {}\n", printable(*drawn),
                      plan->times.size(), options.width, options.height));
  return tell_ending(*trace, {page->end, page->dropped_bytes, page->reason});
}

}  // namespace cairn::app
