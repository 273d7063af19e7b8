// The simulator behind the Python class: a Simulator with its scene, what pushes from outside,
// arrays that follow each step, and a recording.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "cairn/simulator.hpp"
#include "cairn/solution_set.hpp"
#include "cairn/trace.hpp"
#include "module/scene.hpp"
#include "module/signals.hpp"
#include "play/clip.hpp"
#include "serve/broadcast.hpp"

namespace cairn::python {

namespace py = pybind11;

class Core;
using SharedCore = std::shared_ptr<Core>;

// The report of one step. It reads the simulator's own until the next step is taken, then its own
// copy, which has no problems.
class ReportOfStep {
 public:
  ReportOfStep(std::shared_ptr<Core> core, const StepReport* live)
      : core_(std::move(core)), live_(live) {}

  const StepReport& get() const;
  const Model& model() const;
  // Problems are kept until the next step alone.
  const StepReport& with_problems() const;
  // Keeps a copy of what the next step overwrites.
  void detach();

 private:
  std::shared_ptr<Core> core_;
  const StepReport* live_;  // null: copy_
  StepReport copy_;
};

// A step that was not taken; becomes cairn.StepStopped.
struct StoppedStep {
  StepStatus status;
  std::string reason, message;
  std::int64_t step;
  double t;
};

class Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(SharedScene scene);
  Core(const Core&) = delete;

  const SharedScene& scene() const { return scene_; }
  const Model& model() const { return *scene_->model; }
  // Of calls from Python: throws while another thread steps.
  Simulator& sim() {
    require_idle();
    return sim_;
  }
  void require_idle() const;

  double h = 0;  // length of a step [s]

  // `self` is the Python object, for the controller that it may have.
  std::shared_ptr<ReportOfStep> step(const py::object& self, std::int64_t n, double length);
  std::shared_ptr<ReportOfStep> report();
  bool has_report() const { return has_report_; }
  // The last report belongs to the state: nothing has set it since.
  bool is_current() const { return is_current_; }
  std::int64_t rejected() const { return rejected_; }

  // What a state from outside may hold; throws ValueError.
  void set_state(const State& state);
  // Checked already, of this simulator's model.
  void put_state(const State& state);
  void reset(const State& state);

  // Arrays over bodies that follow the state: body frames in the world, (w, x, y, z).
  struct Arrays {
    std::vector<double> position, orientation, velocity, angular_velocity;
  };
  const Arrays& arrays();
  // Coordinates of the joints that have one, beside the joints; 0 of others.
  struct JointArrays {
    std::vector<double> position, velocity;
  };
  const JointArrays& joint_arrays();
  std::vector<double>& external() {
    return external_;
  }  // force and torque about the centre of mass, 6 a body
  std::vector<double>& efforts() { return efforts_; }  // beside the joints
  // Of motors beside the joints; not a number: what the scene says.
  std::vector<double>& targets() { return targets_; }
  void set_point_forces(std::vector<ExternalForce> forces) { at_points_ = std::move(forces); }
  std::vector<ExternalForce> point_forces() const { return at_points_; }

  void record(const std::string& path);  // empty: for pages alone
  void stop_recording();
  bool is_recording() const { return clip_ != nullptr && recording_; }
  bool is_writing() const { return writer_.has_value(); }
  const play::Clip* clip() const { return clip_.get(); }

  // Pages that follow the steps; null: none.
  void set_live(std::shared_ptr<serve::Broadcast> live) { live_ = std::move(live); }
  bool is_computing() const { return computing_.load(std::memory_order_acquire); }

 private:
  void take_forces();
  bool works() const {  // any joint has an effort
    return std::any_of(efforts_.begin(), efforts_.end(), [](double x) { return x != 0; });
  }
  // One step without the interpreter; false if it was not taken.
  bool advance(double length);
  void call(const py::object& controller, const py::object& self);
  void fill_arrays();
  void fill_joint_arrays();
  void follow() {  // the state is another one
    if (arrays_in_use_) fill_arrays();
    if (joint_arrays_in_use_) fill_joint_arrays();
  }
  void record_step();
  void show_step();

  SharedScene scene_;
  Simulator sim_;
  bool stepping_ = false;
  std::atomic<bool> computing_{false};
  bool has_report_ = false, is_current_ = false;
  std::int64_t rejected_ = 0;
  std::weak_ptr<ReportOfStep> report_;
  bool in_controller_ = false, state_changed_ = false;  // by the controller at hand
  State before_controller_;
  std::vector<double> external_before_, efforts_before_, targets_before_;

  bool arrays_in_use_ = false;
  Arrays arrays_;
  bool joint_arrays_in_use_ = false;
  JointArrays joint_arrays_;
  bool has_prescribed_ = false;
  std::vector<Pose> poses_before_;  // the step, where bodies have prescribed motion
  bool moved_by_step_ = false;      // poses_before_ belong to the state

  std::vector<double> external_, efforts_, targets_;
  std::vector<ExternalForce> at_points_;
  Controls taken_;  // by the next step

  std::unique_ptr<play::Clip> clip_;
  bool recording_ = false;
  std::optional<TraceWriter> writer_;
  std::optional<ForceDisplay> display_;

  std::shared_ptr<serve::Broadcast> live_;

  Signals signals_;
};

void bind_simulator(py::module_& m);
void bind_report(py::module_& m);

}  // namespace cairn::python
