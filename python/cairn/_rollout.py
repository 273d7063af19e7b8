"""Many runs at once."""

import os
from dataclasses import dataclass

import numpy as np

from . import _cairn
from ._errors import Error
from ._scene import as_scene


@dataclass
class Rollout:
    """What rollout() found; arrays over runs and steps, after each step."""

    states: list  # the last state of each run
    positions: np.ndarray  # of the body frames' origins, (runs, steps, bodies, 3) [m]
    orientations: np.ndarray  # (w, x, y, z), (runs, steps, bodies, 4)
    velocities: np.ndarray  # of the origins, (runs, steps, bodies, 3) [m/s]
    angular_velocities: np.ndarray  # in the world, (runs, steps, bodies, 3) [rad/s]
    certificate: np.ndarray  # worst scaled residual of the step, (runs, steps)
    accepted: np.ndarray  # verdict of the step, (runs, steps)
    steps: np.ndarray  # taken, (runs,); less than asked for where a run was stopped

    def __repr__(self):
        runs, steps = self.accepted.shape
        return f"<cairn.Rollout: {runs} runs of {steps} steps, {np.count_nonzero(~self.accepted)} not accepted>"


def rollout(model, states, steps, controls=None, *, bodies=None, efforts=None, h=None, threads=None):
    """Simulates many runs of one model on several threads; the threads change no bit of a result.

    model: a Scene, Model, Simulator, dict or path. states: the states to start from, or the number of runs from the initial
    one. controls: external forces, (runs, steps, n, 6): force [N] and torque about the centre of mass [N m], in the world, on
    the n `bodies` (names or numbers; default: all). efforts: of motors, (runs, steps, joints) [N m] or [N]. h: length of a step
    [s]. threads: default: one a core.
    """
    scene = model.scene if isinstance(model, _cairn.Simulator) else as_scene(model)
    if isinstance(states, _cairn.State):
        states = [states]
    elif isinstance(states, (int, np.integer)):
        if states < 0:
            raise ValueError(f"rollout: the number of runs is {states}, it cannot be negative")
        if states > 10**7:
            raise ValueError(f"rollout: {states} runs are too many at once")
        states = [scene.initial] * int(states)
    states = list(states)
    if not isinstance(steps, (int, np.integer)):
        raise TypeError(f"rollout: steps: expected a whole number, got {type(steps).__name__}")
    # 13 numbers a body: half of the memory of the machine is the most.
    size = len(states) * max(int(steps), 0) * (13 * len(scene.model.body_names) + 2) * 8
    if size > 0.5 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        text = f"rollout: {len(states)} runs of {steps} steps need {size / 1e9:.1f} GB"
        raise Error(text + "; take fewer at once", what=text, code="too_large", kind="limit", remedy="take fewer at once")
    h = scene.step if h is None else h
    threads = (os.cpu_count() or 1) if threads is None else threads
    return Rollout(**_cairn._rollout(scene, states, int(steps), h, controls, bodies, efforts, threads))
