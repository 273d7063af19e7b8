"""The simulator: the compiled one with options by keyword, controllers, recordings and pages."""

import difflib
import math

import numpy as np

from . import _cairn
from ._live import LiveView
from ._page import Page
from ._scene import Scene, _path, as_scene


class _Recording:
    """Ends the recording at the end of a `with` block."""

    def __init__(self, sim):
        self._sim = sim

    def __enter__(self):
        return self._sim

    def __exit__(self, *_):
        self._sim.stop_recording()


# What users of other engines ask for.
_ELSEWHERE = {
    "t": "its time is `time`", "dt": "the length of a step is `h`", "timestep": "the length of a step is `h`",
    "qpos": "coordinates are `joint_positions`, poses `positions` and `orientations`",
    "qvel": "rates are `joint_velocities`, all velocities `state.v`", "ctrl": "motors have `motor_targets`, joints `joint_efforts`",
    "qfrc_applied": "efforts of joints are `joint_efforts`", "xfrc_applied": "forces on bodies are `external_forces`",
    "contact": "contacts are those of a step: `report.contacts`", "contacts": "contacts are those of a step: `report.contacts`",
    "bodies": "one body is `body(name)`, the names are `model.body_names`", "data": "the state is `state`",
    "verdict": "verdicts are those of a step: `report.verdict`", "accepted": "verdicts are those of a step: `report.accepted`",
    "ledger": "energies are those of a step: `report.ledger`", "gravity": "it belongs to the model: `model.gravity`",
    "render": "pages are `view()` and `live()`; `cairn render` makes pictures and films",
}


class Simulator(_cairn.Simulator):
    """A scene that moves: step() advances the state and reports on it.

        sim = cairn.Simulator("scenes/pendulum.json", step=0.01)
        report = sim.step(100)
        sim.body("bob").position, report.accepted

    scene: a cairn.Scene, a path, a dict of the scene format, or a cairn.Model. Options are those of Scene.with_options:
    step, duration, scheme, solver, verdict, and every option of theirs by its own name.

    One simulator belongs to one thread at a time. step() lets other Python threads run; whoever asks for anything of a
    simulator meanwhile gets a RuntimeError.
    """

    _controller = None

    def __init__(self, scene, **options):
        super().__init__(as_scene(scene).with_options(**options))

    def __setattr__(self, name, value):
        """Attributes of your own are welcome, misspelt ones and those of other engines are not."""
        if not hasattr(type(self), name) and not name.startswith("_"):
            near = difflib.get_close_matches(name, ("controller", "external_forces", "joint_efforts", "motor_targets", "state"), 1, 0.92)
            if near and not name.startswith(near[0]):
                raise AttributeError(f"a Simulator has no attribute '{name}'; did you mean '{near[0]}'?")
            if name in _ELSEWHERE:
                raise AttributeError(f"a Simulator has no attribute '{name}'; {_ELSEWHERE[name]}")
        super().__setattr__(name, value)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        hint = _ELSEWHERE.get(name) or _cairn.did_you_mean(name, _PUBLIC)
        raise AttributeError(f"a Simulator has no attribute '{name}'" + (f"; {hint}" if hint else ""), name=name, obj=self)

    def reset(self, state=None):
        """Back to the initial state of the scene, or to another one, without external forces; returns it."""
        state = self.scene.initial if state is None else state
        self._reset(state)
        return state

    @property
    def controller(self):
        """A function that is called with the simulator before each step, or None.

        It may read, set external forces and change the state. An exception of it passes through step(); state and forces are
        then those before it was called.
        """
        return self._controller

    @controller.setter
    def controller(self, function):
        if function is not None and not callable(function):
            raise TypeError(f"controller: expected a function or None, got {type(function).__name__}")
        self._controller = function

    def run(self, duration=None):
        """Steps of length h for `duration` [s] (default: up to the duration of the scene); the last one is shorter where that is
        no multiple of h. Returns the report of the last step, as `cairn run` would end."""
        if duration is None:
            duration = self.scene.duration - self.time
        duration = float(duration)
        if not math.isfinite(duration):
            raise ValueError(f"run: duration must be finite, it is {duration}")
        if duration <= 0:
            return self.report
        ratio = duration / self.h
        nearest = round(ratio)
        if abs(ratio - nearest) <= 1e-6:  # what is left is the rounding of decimal numbers
            return self.step(nearest)
        self.step(math.floor(ratio))
        return self.step(1, h=duration - math.floor(ratio) * self.h)

    def record(self, path=None):
        """Keeps the steps from now on, for view(), and in a recording if a path is given (docs/trace-format.md).

        With `with sim.record("run.cairn"):` the file is complete at the end of the block; else call stop_recording().
        """
        self._record("" if path is None else _path(path))
        return _Recording(self)

    def view(self):
        """A page that plays what was recorded since record(); without a recording it shows the state."""
        return Page(self._page(), self.scene.name)

    def live(self, port=0, speed=0.0, open=False):
        """A page in the browser that follows this simulator: a LiveView, whose `address` is to be opened.

            with sim.live(speed=1, open=True) as view:
                sim.step(1000)

        port: of 127.0.0.1; 0: a free one. speed: simulated seconds a second that steps keep to; 0: as fast as they are. open:
        show it in the browser at once.
        """
        return LiveView(self, port, speed, open)

    def to_html(self, path):
        """Writes the page of view(); returns its path."""
        return self.view().save(path)

    def distance(self, a, b, shape_a=-1, shape_b=-1):
        """How far two bodies are apart now: cairn.distance."""
        return _cairn._distance(self.model, self.state, a, b, shape_a, shape_b)

    def set_joints(self, positions=None, velocities=None):
        """Moves bodies so that joints have these coordinates and rates: State.set_joints of the state."""
        state = self.state
        state.set_joints(self.model, positions, velocities)
        self.state = state

    def joint_space(self, joints=None):
        """Independent velocities of the mechanism now: cairn.joint_space."""
        return _cairn._joint_space(self.model, self.state, joints)

    @classmethod
    def load(cls, path):
        """Goes on from a checkpoint, of save() or of `cairn run --checkpoint`, with the same bits."""
        scene, state = _cairn.load_checkpoint(_path(path))
        sim = cls(scene)
        sim.state = state
        return sim

    def save(self, path):
        """Writes a checkpoint: Simulator.load(path) goes on from it with the same bits."""
        super().save(_path(path))

    def copy(self):
        """Another simulator in the same state, with the same external forces and controller."""
        return _again(type(self), *self._pickled(), self._controller)

    __copy__ = copy

    def _pickled(self):
        return self.scene, self.state, self.h, self.external_forces.copy(), self.joint_efforts.copy(), self.motor_targets.copy(), self._points()

    def __reduce__(self):
        return _again, (type(self), *self._pickled(), self._controller)


_PUBLIC = [name for name in dir(Simulator) if not name.startswith("_")]


def _rotation(body):
    """Rotation matrix, body to world, (3, 3). A copy."""
    w, x, y, z = body.orientation
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


_cairn.Body.rotation = property(_rotation)


def _again(cls, scene, state, h, forces, efforts, targets, points, controller):
    sim = cls.__new__(cls)
    Simulator.__init__(sim, scene)
    sim.state = state
    sim.h = h
    sim.external_forces = forces
    sim.joint_efforts = efforts
    sim.motor_targets = targets
    if points:
        bodies, at, torques, where = zip(*points)
        sim.set_forces(bodies, at, torques, where)
    sim.controller = controller
    return sim


__all__ = ["Scene", "Simulator"]
