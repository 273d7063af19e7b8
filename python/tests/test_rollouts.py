"""Rollouts and environments."""

import time
import unittest

import numpy as np

import cairn
from common import G, ball, door, on_floor, scene


class Rollouts(unittest.TestCase):
    def test_each_run_is_that_of_a_simulator(self):
        base = scene("cannonball21")
        states = []
        for i in range(5):
            state = base.initial
            state.v[0] = 0.1 * i
            states.append(state)
        result = cairn.rollout(base, states, 15, threads=2)
        self.assertEqual(result.positions.shape, (5, 15, len(base.model.body_names), 3))
        for i, state in enumerate(states):
            sim = cairn.Simulator(base)
            sim.state = state
            for step in range(15):
                sim.step()
                np.testing.assert_array_equal(result.positions[i, step], sim.positions)
                np.testing.assert_array_equal(result.velocities[i, step], sim.velocities)
            self.assertEqual(result.states[i].hash, sim.state_hash)

    def test_threads_change_no_bit(self):
        base = scene("cannonball21")
        results = [cairn.rollout(base, 8, 10, threads=n) for n in (1, 2, 5)]
        for other in results[1:]:
            np.testing.assert_array_equal(other.positions, results[0].positions)
            self.assertEqual([s.hash for s in other.states], [s.hash for s in results[0].states])

    def test_controls_are_forces(self):
        pushes = np.zeros((3, 10, 1, 6))
        pushes[:, :, 0, 0] = [[0], [1], [2]]
        result = cairn.rollout(ball(gravity=[0, 0, 0]), 3, 10, pushes, bodies=["ball"])
        np.testing.assert_allclose(result.velocities[:, -1, 0, 0], np.array([0, 1, 2]) * 0.1 / 2, atol=1e-14)
        self.assertTrue(result.accepted.all())

    def test_efforts_are_those_of_a_simulator(self):
        sim = cairn.Simulator(door())
        efforts = np.random.default_rng(1).normal(size=(2, 30, 1))
        result = cairn.rollout(sim.scene, 2, 30, efforts=efforts, threads=2)
        for step in range(30):
            sim.joint_efforts = efforts[1, step]
            sim.step()
        self.assertEqual(result.states[1].hash, sim.state_hash)

    def test_refusals(self):
        base = cairn.Scene.from_dict(ball())
        other = cairn.Scene.from_dict(on_floor()).initial
        for call in (lambda: cairn.rollout(base, 2, -1), lambda: cairn.rollout(base, 2, 3, np.zeros((2, 3, 6))),
                     lambda: cairn.rollout(base, 2, 3, threads=0), lambda: cairn.rollout(base, [other], 3),
                     lambda: cairn.rollout(base, 2, 3, h=float("nan")), lambda: cairn.rollout(base, -1, 3),
                     lambda: cairn.rollout(base, 10**6, 10**6),
                     lambda: cairn.rollout(base, 1, 1, np.full((1, 1, 1, 6), np.nan))):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(TypeError):
            cairn.rollout(base, [None], 3)
        self.assertEqual(cairn.rollout(base, [], 3).positions.shape, (0, 3, 1, 3))

    def test_speed_is_printed(self):  # and decides nothing
        base = scene("cannonball21")
        wall, cpu = {}, {}
        for threads in (1, 2):
            start, busy = time.perf_counter(), time.process_time()
            cairn.rollout(base, 16, 60, threads=threads)
            wall[threads], cpu[threads] = time.perf_counter() - start, time.process_time() - busy
        print(f"\nrollout: 16 runs of 60 steps take {wall[1]:.2f} s on one thread, {wall[2]:.2f} s on two, ratio "
              f"{wall[1] / wall[2]:.2f}; CPU time {cpu[1]:.2f} s and {cpu[2]:.2f} s")


class Overhead(unittest.TestCase):
    def test_overhead_is_printed(self):  # and decides nothing
        # A ball that lies still: its steps repeat and cost nearly nothing, what is left is the way there and back.
        sim = cairn.Simulator({"cairn": 1, "name": "still", "gravity": [0, 0, 0],
                               "bodies": [{"name": "ball", "mass": 1, "shapes": [{"type": "sphere", "radius": 1}]}]})
        n = 20000

        pile = cairn.Simulator(scene("cannonball66"))

        def seconds(sim=sim, n=n):
            best = np.inf
            for _ in range(7):
                start = time.perf_counter()
                sim.step(n)
                best = min(best, time.perf_counter() - start)
            return best / n

        sim.step(10)
        plain = seconds()
        sim.controller = lambda s: None
        with_controller = seconds()
        start = time.perf_counter()
        nothing = sim.controller
        for _ in range(n):
            nothing(sim)
        call = (time.perf_counter() - start) / n
        sim.controller = None
        pile_steps = []
        for controller in (None, lambda s: None):
            pile.reset()
            pile.controller = controller
            pile_steps.append(seconds(pile, 20))
        start = time.perf_counter()
        for _ in range(n):
            sim.step()
        single = (time.perf_counter() - start) / n
        print(f"\noverhead: {1e6 * (with_controller - plain - call):.2f} us a step for a controller beside the {1e6 * call:.2f} us "
              f"of an empty function, {1e6 * single:.2f} us for a call of step(), {1e6 * plain:.2f} us a step in step(n); "
              f"of 66 discs {1e6 * pile_steps[0]:.0f} us a step without, {1e6 * pile_steps[1]:.0f} us with a controller")


class Environments(unittest.TestCase):
    def test_five_values(self):
        env = cairn.Env(on_floor(friction=0.0), bodies=["cube"], limit=10.0, frame_skip=2, episode=0.2)
        seen, info = env.reset(seed=3)
        self.assertEqual(seen.shape, env.observation_space.shape)
        self.assertTrue(info["accepted"])
        seen, reward, terminated, truncated, info = env.step(np.array([20.0, 0, 0]))  # clipped to 10 N
        self.assertAlmostEqual(seen[7], 10 / 2 * 0.02, delta=1e-9)
        self.assertEqual((reward, terminated, truncated), (0.0, False, False))
        self.assertTrue(info["accepted"])
        steps = 1
        while not truncated:
            *_, truncated, _ = env.step(env.action_space.sample())
            steps += 1
        self.assertEqual(steps, 10)
        again, _ = env.reset(seed=3)
        self.assertAlmostEqual(again[7], 0)
        with self.assertRaises(ValueError):
            env.step(np.zeros(2))

    def test_motors(self):
        env = cairn.Env(door(), joints=["hinge"], limit=5.0)
        env.reset()
        self.assertEqual(env.action_space.shape, (1,))
        env.step(np.array([9.0]))
        self.assertEqual(env.sim.joint("hinge").effort, 5)

    def test_of_your_own(self):
        class Drop(cairn.Env):
            def start(self, random):
                state = super().start(random)
                state.set_body(self.sim.model, "ball", position=[0, 0, random.uniform(1, 2)])
                return state

            def reward(self, observation, action):
                return -observation[2]

            def terminated(self, observation):
                return observation[2] < 0

        env = Drop(ball())
        first, _ = env.reset(seed=1)
        second, _ = env.reset(seed=1)
        np.testing.assert_array_equal(first, second)
        z, done, count = first[2], False, 0
        while not done:
            seen, reward, done, truncated, _ = env.step(np.zeros(0))
            self.assertEqual(reward, -seen[2])
            done = done or truncated
            count += 1
        self.assertAlmostEqual(count * 0.01, np.sqrt(2 * z / G), delta=0.02)


if __name__ == "__main__":
    unittest.main()
