// A browser that is driven while the page runs: mouse, keys and questions, through the pipe of its
// DevTools protocol.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cairn {

class Driver {
 public:
  using Json = nlohmann::json;

  Driver(const std::string& browser, int width, int height);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void open(const std::string& address);

  // The value of an expression in the page, a promise awaited; null if it throws.
  Json ask(const std::string& expression);

  // Whether the expression becomes true before a generous time is over.
  bool becomes(const std::string& expression);

  void mouse(const char* type, double x, double y, bool pressed);  // type: mouseMoved, ...
  void press(const std::string& key);
  Json call(const std::string& method, Json parameters);  // of the protocol, for this page
  void save_picture(const std::string& file);

  const std::vector<std::string>& complaints() const { return complaints_; }  // of the console

 private:
  Json send(Json message);
  bool receive(Json& message);
  void note(const Json& event);

  int to_ = -1, from_ = -1, child_ = -1;
  int number_ = 0;
  std::string session_, folder_, buffer_;
  std::vector<std::string> complaints_;
};

}  // namespace cairn
