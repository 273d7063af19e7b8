// A browser without a screen, driven by its command line: opens a page and gives back what stands
// in it afterwards.
#pragma once

#include <string>
#include <vector>

namespace cairn {

// The browser's program, or "" where there is none. CAIRN_BROWSER names another one.
std::string find_browser();

// How Chromium is started: no screen, software rendering, a profile in `folder`, no network of its
// own.
std::vector<std::string> browser_words(const std::string& browser, const std::string& folder,
                                       int width, int height);

std::string read(const std::string& path);
int shell(const std::string& command);  // exit code

struct Visit {
  bool ended = false;   // before the time limit
  std::string dom;      // of the page, as markup
  std::string console;  // lines that the page wrote to the console
};

// `address` may end in #...; `width` of the window [px].
Visit open_page(const std::string& browser, const std::string& address, int width = 900);

// The text of the element with this id, entities resolved; "" if there is none.
std::string text_of(const std::string& dom, const std::string& id);

}  // namespace cairn
