"""Environments in the form of Gymnasium, which need not be installed: subclass Env and say what is seen, done and rewarded."""

import numpy as np

from ._scene import as_scene
from ._simulator import Simulator

try:
    from gymnasium import Env as _Base
    from gymnasium.spaces import Box
except ImportError:
    _Base = object

    class Box:
        """Vectors between two bounds; stands in for the class of Gymnasium where that is not installed."""

        def __init__(self, low, high, shape=None, dtype=np.float64, seed=None):
            shape = np.broadcast(low, high).shape if shape is None else tuple(shape)
            self.low = np.broadcast_to(np.asarray(low, dtype), shape).copy()
            self.high = np.broadcast_to(np.asarray(high, dtype), shape).copy()
            self.shape, self.dtype = shape, np.dtype(dtype)
            self._random = np.random.default_rng(seed)

        def seed(self, seed=None):
            self._random = np.random.default_rng(seed)

        def sample(self):
            """Uniform between finite bounds, normal about zero without."""
            bounded = np.isfinite(self.low) & np.isfinite(self.high)
            low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 0)
            return np.where(bounded, self._random.uniform(low, high), self._random.normal(size=self.shape)).astype(self.dtype)

        def contains(self, x):
            x = np.asarray(x)
            return x.shape == self.shape and bool(np.all(x >= self.low) and np.all(x <= self.high))

        __contains__ = contains


class Env(_Base):
    """A scene as an environment: reset() -> (observation, info), step(action) -> (observation, reward, terminated, truncated,
    info).

    The plain class pushes and turns: an action is the forces [N] on `bodies`, three numbers each, in the world, then the efforts
    of `joints` [N m] or [N], one number each, all within +-`limit`. An observation is position, orientation, velocity and
    angular velocity of all dynamic bodies. Override `act`, `observe`,
    `reward`, `terminated` and `start`, and set `action_space` and `observation_space`, for anything else.

    info["accepted"] says whether the verdict of all steps since the last observation was good. An episode is truncated after
    `episode` seconds, and terminated with info["stopped"] where a step cannot be taken.
    """

    metadata = {"render_modes": []}
    render_mode = None

    def __init__(self, scene, *, bodies=(), joints=(), limit=np.inf, frame_skip=1, episode=None, **options):
        self.sim = Simulator(as_scene(scene), **options)
        model = self.sim.model
        self.frame_skip = int(frame_skip)
        if self.frame_skip < 1:
            raise ValueError(f"frame_skip is {frame_skip}, it must be at least 1")
        self.episode = self.sim.scene.duration if episode is None else float(episode)
        self._pushed = [model.body_id(body) for body in bodies]
        self._driven = [model.joint_id(joint) for joint in joints]
        self._seen = [i for i, kind in enumerate(model.kinds) if kind == "dynamic"]
        self.np_random = np.random.default_rng()
        self.action_space = Box(-limit, limit, shape=(3 * len(self._pushed) + len(self._driven),), dtype=np.float64)
        self.observation_space = Box(-np.inf, np.inf, shape=np.shape(self.observe()), dtype=np.float64)

    # ---- What an environment of your own overrides

    def start(self, random):
        """The state an episode starts from. `random` is a numpy.random.Generator."""
        return self.sim.scene.initial

    def act(self, action):
        """Turns an action into forces, once before `frame_skip` steps."""
        forces = 3 * len(self._pushed)
        self.sim.external_forces[self._pushed, :3] = action[:forces].reshape(-1, 3)
        self.sim.joint_efforts[self._driven] = action[forces:]

    def observe(self):
        sim = self.sim
        parts = (sim.positions, sim.orientations, sim.velocities, sim.angular_velocities)
        return np.concatenate([part[self._seen].ravel() for part in parts])

    def reward(self, observation, action):
        return 0.0

    def terminated(self, observation):
        return False

    # ---- The interface

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.np_random = np.random.default_rng(seed)
        self.sim.reset(self.start(self.np_random))
        return self.observe(), {"accepted": True}

    def step(self, action):
        from ._errors import StepStopped

        action = np.asarray(action, dtype=np.float64)
        if action.shape != self.action_space.shape or not np.all(np.isfinite(action)):
            raise ValueError(f"action: expected {self.action_space.shape} finite numbers, got shape {action.shape}")
        self.act(np.clip(action, self.action_space.low, self.action_space.high))
        rejected = self.sim.rejected_steps
        info, stopped = {}, False
        try:
            self.sim.step(self.frame_skip)
        except StepStopped as stop:
            stopped = True
            info["stopped"] = stop.what
        info["accepted"] = not stopped and self.sim.rejected_steps == rejected
        observation = self.observe()
        reward = float(self.reward(observation, action))
        # Half a step of tolerance: times are sums of rounded steps.
        truncated = self.sim.time >= self.episode - 0.5 * self.sim.h
        return observation, reward, stopped or bool(self.terminated(observation)), bool(truncated), info

    def render(self):
        """A page that plays what was recorded since sim.record()."""
        return self.sim.view()

    def close(self):
        self.sim.stop_recording()

    @property
    def unwrapped(self):
        return self
