// Joins the server of the live view to a simulator that a script drives.
#include "module/live.hpp"

#include <fmt/format.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"

namespace cairn::python {

LiveView::LiveView(SharedCore core, std::uint16_t port) : core_(std::move(core)) {
  Simulator& sim = core_->sim();
  server_ = value_of(serve::Server::start(
      [&](std::function<void()> wake) {
        broadcast_ = std::make_shared<serve::Broadcast>(*core_->scene(), sim, std::move(wake));
        return broadcast_;
      },
      port));
  core_->set_live(broadcast_);
}

LiveView::~LiveView() {
  close();
}

std::string LiveView::address() const {
  return server_ ? server_->gate().address() : "";
}

void LiveView::serve(double seconds) {
  if (!server_) throw std::runtime_error("the live view is closed");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  serving_ = true;
  {
    const py::gil_scoped_release released;
    server_->serve([&] {
      return broadcast_->is_ending() || Computation::ending ||
             std::chrono::steady_clock::now() >= end;
    });
  }
  serving_ = false;
}

void LiveView::refresh() {
  if (!server_ || !broadcast_->is_stale() || core_->is_computing()) return;
  const Simulator& sim = core_->sim();
  broadcast_->show(sim, core_->is_current());
}

// The simulator may be in the middle of steps: a flag is set, and it drops the view at the next
// look.
void LiveView::close() {
  if (!server_) return;
  broadcast_->end();
  if (serving_) throw std::runtime_error("the live view is serving in another thread");
  if (!core_->is_computing()) core_->set_live(nullptr);
  server_.reset();
}

void LiveView::set_speed(double speed) {
  if (core_->is_computing())
    throw std::runtime_error("the simulator is stepping in another thread");
  if (server_) broadcast_->set_speed(speed, core_->sim().state().t);
}

void bind_live(py::module_& m) {
  py::class_<LiveView>(m, "LiveView")
      .def(py::init([](const SharedCore& core, int port) {
             if (port < 0 || port > 65535)
               throw py::value_error(fmt::format("port must be 0 to 65535, it is {}", port));
             return std::make_unique<LiveView>(required(core), static_cast<std::uint16_t>(port));
           }),
           py::arg("simulator"), py::arg("port"))
      .def_property_readonly("address", [](const LiveView& view) { return view.address(); })
      .def(
          "serve",
          [](LiveView& view, double seconds) {
            if (!(seconds >= 0 && seconds <= 60))
              throw py::value_error(fmt::format("seconds must be 0 to 60, it is {}", seconds));
            view.serve(seconds);
          },
          py::arg("seconds"))
      .def("refresh", [](LiveView& view) { view.refresh(); })
      .def("end", [](LiveView& view) { view.broadcast().end(); })
      .def("close", [](LiveView& view) { view.close(); })
      .def_property_readonly("is_open", [](const LiveView& view) { return view.is_open(); })
      .def_property_readonly("is_watched", [](const LiveView& view) { return view.is_watched(); })
      // References refuse None.
      .def("set_speed", [](LiveView& view, const py::object& value) {
        const double speed = number(value, "speed");
        if (!(speed >= 0 && speed <= 1000))
          throw py::value_error(fmt::format("speed must be 0 to 1000, it is {}", speed));
        view.set_speed(speed);
      });
}

}  // namespace cairn::python
