// A browser without a screen that takes pictures of a page: Chromium, spoken to through two pipes
// in its own protocol (JSON messages that end with a zero byte).
#pragma once

#include <memory>
#include <string>

#include "cairn/error.hpp"

namespace cairn::app {

class Browser {
 public:
  // Fails where there is no Chromium; CAIRN_BROWSER names another one.
  static Result<Browser> start(int width, int height);
  ~Browser();  // ends the browser and removes its folder
  Browser(Browser&&) noexcept;
  Browser& operator=(Browser&&) noexcept;

  // Opens a page and waits until `ready`, an expression of the page, is true.
  Result<void> open(const std::string& address, const std::string& ready);

  // Waits for the promise that the expression gives; its value as JSON text.
  Result<std::string> evaluate(const std::string& expression);

  // The window as "png", "jpeg" or "webp"; quality 0 to 100 of the latter two.
  Result<std::string> picture(const std::string& format, int quality);

 private:
  struct Process;
  explicit Browser(std::unique_ptr<Process> process);
  std::unique_ptr<Process> process_;
};

}  // namespace cairn::app
