// A page in the browser that follows a simulator of Python.
#pragma once

#include <pybind11/pybind11.h>

#include "module/simulator.hpp"
#include "serve/broadcast.hpp"
#include "serve/server.hpp"

namespace cairn::python {

// The server and what it shows. One thread of Python's calls serve(); all else is called with the
// interpreter's lock.
class LiveView {
 public:
  LiveView(SharedCore core, std::uint16_t port);
  ~LiveView();
  LiveView(const LiveView&) = delete;

  std::string address() const;
  // Serves for a time [s], without the lock.
  void serve(double seconds);
  // Shows what the last step left, where no page has seen it and nothing computes.
  void refresh();
  void close();
  bool is_open() const { return server_ != nullptr; }
  bool is_watched() const { return broadcast_->is_watched(); }
  void set_speed(double speed);
  serve::Broadcast& broadcast() { return *broadcast_; }

 private:
  SharedCore core_;
  std::shared_ptr<serve::Broadcast> broadcast_;
  std::unique_ptr<serve::Server> server_;
  std::atomic<bool> serving_ = false;
};

void bind_live(py::module_& m);

}  // namespace cairn::python
