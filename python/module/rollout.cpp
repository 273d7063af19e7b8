// Many runs of one model on several threads: a simulator a thread and a run, nothing shared but the
// model.
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <thread>

#include "module/arrays.hpp"
#include "module/efforts.hpp"
#include "module/errors.hpp"
#include "module/scene.hpp"
#include "module/signals.hpp"
#include "module/simulator.hpp"
#include "module/trace.hpp"

namespace cairn::python {
namespace {

struct Batch {
  SharedScene scene;
  std::vector<State> states;
  std::size_t steps = 0;
  double h = 0;
  const double* controls = nullptr;  // runs x steps x (6 a body of `on`)
  std::vector<BodyId> on;
  const double* efforts = nullptr;  // runs x steps x joints

  std::size_t bodies() const { return scene->model->bodies.size(); }
};

struct Results {
  std::vector<double> position, orientation, velocity, angular_velocity, certificate;
  std::vector<std::uint8_t> accepted;
  std::vector<std::int64_t> taken;  // steps of each run
};

using Stop = std::atomic<bool>;

bool is_set(void* stop) {
  return static_cast<Stop*>(stop)->load(std::memory_order_relaxed);
}

void run_one(const Batch& batch, std::size_t run, Stop& stop, State& state, Results& out) {
  const Scene& scene = *batch.scene;
  Simulator sim(scene.model, state, scene.simulation.scheme, scene.simulation.solver,
                scene.simulation.verdict);
  sim.set_interrupt({&is_set, &stop});
  const std::size_t n = batch.bodies();
  Controls controls;
  std::vector<ExternalForce>& forces = controls.forces;
  for (std::size_t step = 0; step < batch.steps && !stop; ++step) {
    const std::size_t at = run * batch.steps + step;
    if (batch.controls || batch.efforts) {
      forces.clear();
      const double* u = batch.controls ? batch.controls + at * 6 * batch.on.size() : nullptr;
      for (std::size_t i = 0; u && i < batch.on.size(); ++i, u += 6)
        if (!std::all_of(u, u + 6, [](double x) { return x == 0; }))
          forces.push_back({.body = batch.on[i], .force = Vec3(u), .torque = Vec3(u + 3)});
      const std::size_t joints = scene.model->joints.size();
      if (batch.efforts)
        add_efforts(*scene.model, sim.state(), {batch.efforts + at * joints, joints}, forces);
    }
    const StepReport& report = sim.step(batch.h, controls);
    const bool taken = !report.failed() && report.status != StepStatus::interrupted;
    // A run that stopped stays where it is.
    out.accepted[at] = taken && report.accepted();
    out.certificate[at] = report.certificate;
    out.taken[run] += taken;
    for (std::size_t i = 0; i < n; ++i) {
      const BodyMotion m = body_motion(*scene.model, sim.state(), static_cast<BodyId>(i));
      const std::size_t row = at * n + i;
      std::copy_n(m.position.data(), 3, &out.position[3 * row]);
      const double q[] = {m.orientation.w(), m.orientation.x(), m.orientation.y(),
                          m.orientation.z()};
      std::copy_n(q, 4, &out.orientation[4 * row]);
      std::copy_n(m.velocity.data(), 3, &out.velocity[3 * row]);
      std::copy_n(m.angular_velocity.data(), 3, &out.angular_velocity[3 * row]);
    }
  }
  state = sim.state();
}

// Runs are taken from a common counter; results have places of their own, so that threads decide
// nothing but the time.
void run_all(Batch& batch, std::size_t threads, Results& out, Stop& stop) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  const auto work = [&] {
    try {
      for (std::size_t run; !stop && (run = next++) < batch.states.size();)
        run_one(batch, run, stop, batch.states[run], out);
    } catch (...) {
      if (!failed.test_and_set()) failure = std::current_exception();
      stop = true;
    }
  };
  std::atomic<std::size_t> alive{threads};
  std::vector<std::thread> pool;
  try {
    for (std::size_t i = 0; i < threads; ++i)
      pool.emplace_back([&] {
        work();
        --alive;
      });
  } catch (...) {
    stop = true;
    for (std::thread& thread : pool) thread.join();
    throw;
  }
  // Signals arrive in the thread that called.
  bool signal = false;
  for (auto pause = std::chrono::microseconds(100); alive > 0;) {
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::microseconds(20000));
    if (Computation::ending) stop = true;
    if (signal || pause < std::chrono::microseconds(20000)) continue;
    const py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) signal = stop = true;
  }
  for (std::thread& thread : pool) thread.join();
  if (failure) std::rethrow_exception(failure);
}

py::dict rollout(const SharedScene& scene, const std::vector<std::shared_ptr<State>>& states,
                 std::int64_t steps, double h, const py::object& controls, const py::object& bodies,
                 const py::object& efforts, std::int64_t threads) {
  required(scene);
  if (steps < 0)
    throw py::value_error(fmt::format("rollout: steps is {}, it cannot be negative", steps));
  if (threads < 1 || threads > 1024)
    throw py::value_error(fmt::format("rollout: threads is {}, allowed are 1 to 1024", threads));
  if (!(h > 0 && std::isfinite(h)))
    throw py::value_error(fmt::format("rollout: h must be positive and finite, it is {}", h));
  Batch batch;
  batch.scene = scene;
  batch.steps = static_cast<std::size_t>(steps);
  batch.h = h;
  Core probe(scene);  // which knows what a state may hold
  for (const auto& state : states) {
    if (!state) throw py::type_error("rollout: states: expected cairn.State, got None");
    probe.set_state(*state);
    batch.states.push_back(*state);
  }
  const auto n = static_cast<py::ssize_t>(batch.bodies());
  if (bodies.is_none())
    for (py::ssize_t i = 0; i < n; ++i) batch.on.push_back(static_cast<BodyId>(i));
  else
    for (const py::handle body : py::list(bodies))
      batch.on.push_back(find_body(*scene->model, body));
  const auto runs = static_cast<py::ssize_t>(states.size());
  Doubles forces;
  if (!controls.is_none()) {
    forces = numbers(controls, "rollout: controls",
                     {runs, steps, static_cast<py::ssize_t>(batch.on.size()), 6});
    batch.controls = forces.data();
  }
  Doubles works;
  if (!efforts.is_none()) {
    works = numbers(efforts, "rollout: efforts",
                    {runs, steps, static_cast<py::ssize_t>(scene->model->joints.size())});
    batch.efforts = works.data();
  }

  Results out;
  const std::size_t frames = batch.states.size() * batch.steps, rows = frames * batch.bodies();
  out.position.resize(3 * rows);
  out.orientation.resize(4 * rows);
  out.velocity.resize(3 * rows);
  out.angular_velocity.resize(3 * rows);
  out.certificate.resize(frames);
  out.accepted.resize(frames);
  out.taken.resize(batch.states.size());
  Stop stop{false};
  const Computation computation;
  {
    const py::gil_scoped_release released;
    run_all(batch,
            std::min<std::size_t>(static_cast<std::size_t>(threads),
                                  std::max<std::size_t>(batch.states.size(), 1)),
            out, stop);
  }
  if (PyErr_Occurred()) throw py::error_already_set();
  if (stop) throw std::runtime_error("the interpreter is ending");

  py::dict d;
  py::list last;
  for (State& state : batch.states) last.append(std::make_shared<State>(std::move(state)));
  d["states"] = last;
  d["positions"] = moved(std::move(out.position), {runs, steps, n, 3});
  d["orientations"] = moved(std::move(out.orientation), {runs, steps, n, 4});
  d["velocities"] = moved(std::move(out.velocity), {runs, steps, n, 3});
  d["angular_velocities"] = moved(std::move(out.angular_velocity), {runs, steps, n, 3});
  d["certificate"] = moved(std::move(out.certificate), {runs, steps});
  d["accepted"] = moved(std::move(out.accepted), {runs, steps}).attr("astype")("bool");
  d["steps"] = moved(std::move(out.taken));
  return d;
}

}  // namespace

void bind_rollout(py::module_& m) {
  m.def("_rollout", rollout);
}

}  // namespace cairn::python
