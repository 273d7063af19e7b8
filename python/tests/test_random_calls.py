"""Ten thousand calls with arguments that make no sense: exceptions, and nothing else. What is left must still simulate."""

import os
import random
import tempfile
import types
import unittest

import numpy as np

import cairn
from common import ball, door, on_floor, scene

CALLS = int(os.environ.get("CAIRN_RANDOM_CALLS", 10_000))
SEED = int(os.environ.get("CAIRN_RANDOM_SEED", 1))


class Odd:
    def __array__(self, dtype=None):
        raise RuntimeError("no array")

    def __index__(self):
        raise RuntimeError("no index")

    def __float__(self):
        return float("nan")

    def __fspath__(self):
        return "\0"


CONTACTS = cairn.Simulator(on_floor()).step().contacts.dtype


def odd_contacts(rng):
    """Rows as of Report.contacts, with what does not belong there."""
    rows = np.zeros(rng.randint(0, 3), CONTACTS)
    for name in rng.sample(rows.dtype.names, 4):
        rows[name] = rng.choice([0, 1, 2, 255])
    return rows


def anything(rng, depth=0):
    """A value of any type."""
    picks = [
        lambda: None, lambda: True, lambda: rng.randint(-3, 3), lambda: rng.choice([2**31, 2**63, -2**63, 2**64, 10**30, -1]),
        lambda: rng.uniform(-2, 2), lambda: float("nan"), lambda: float("inf"), lambda: 1e308, lambda: "", lambda: "ball",
        lambda: "cube", lambda: "hinge", lambda: "\0", lambda: "\ud800", lambda: "x" * 300, lambda: b"bytes", lambda: 1j,
        lambda: [], lambda: {}, lambda: (), lambda: object(), lambda: Odd(), lambda: int, lambda: len, lambda: set(),
        lambda: np.zeros(3), lambda: np.ones(4) / 2, lambda: np.full(3, np.nan), lambda: np.zeros((2, 6)), lambda: np.zeros((1, 6)),
        lambda: np.zeros((3, 0)), lambda: np.zeros(3, dtype=complex), lambda: np.array(["a", "b", "c"]), lambda: np.zeros(3, dtype="V4"),
        lambda: np.array([1, 2, 3], dtype=object), lambda: np.zeros(3, dtype="M8[s]"), lambda: np.zeros(6)[::2], lambda: np.zeros(3, dtype=">f4"),
        lambda: np.float32(2), lambda: np.int64(1), lambda: np.bool_(True), lambda: np.asfortranarray(np.zeros((2, 6))),
        lambda: [1, 2, 3], lambda: [1, "2", 3], lambda: [[1], [2, 3]], lambda: iter([1]), lambda: range(3), lambda: slice(None),
        lambda: types.SimpleNamespace(), lambda: Ellipsis, lambda: {"type": "nsgs"}, lambda: {"hinge": rng.uniform(-1, 1)}, lambda: odd_contacts(rng), lambda: {"type": 3}, lambda: {3: 4},
    ]
    if depth < 3 and rng.random() < 0.2:
        return [anything(rng, depth + 1) for _ in range(rng.randint(0, 4))]
    return rng.choice(picks)()


# What would do what it is asked for, at length or in places of its own: not called with anything.
LEFT_OUT = {"open", "save", "to_html", "run", "step", "plot", "view", "rollout", "controller", "close", "render",
            "live", "wait"}


def members(thing):
    return [name for name in dir(thing) if not name.startswith("__") and name not in LEFT_OUT]


class RandomCalls(unittest.TestCase):
    def things(self):
        sims = [cairn.Simulator(ball()), cairn.Simulator(on_floor()), cairn.Simulator(door()), cairn.Simulator(scene("cannonball21")),
                cairn.Simulator({"cairn": 1, "name": "empty", "bodies": []})]  # nothing is there, nothing moves
        things = []
        for sim in sims:
            report = sim.step(2)
            things += [sim, report, sim.scene, sim.model, sim.state, report.verdict]
            things += [sim.body(0)] if sim.model.body_names else []
            if report.problems:
                problem = report.problems[0]
                things += [problem, cairn.solve(problem), problem.reduced()]
        things += [sims[2].joint("hinge"), sims[1].distance("cube", "floor")]
        things += [sims[i].joint_space() for i in (0, 1, 2, 4)]
        with tempfile.TemporaryDirectory() as folder:
            with sims[1].record(folder + "/run.cairn"):
                sims[1].step(3)
            things.append(cairn.Trace(folder + "/run.cairn"))
        return sims, things

    def call(self, rng, thing, name):
        count = rng.choice([0, 1, 1, 1, 2, 2, 3, 4])
        arguments = [anything(rng) for _ in range(count)]
        words = {}
        if rng.random() < 0.15:
            words = {rng.choice(["step", "gamma", "h", "solver", "tolerance", "position", "positions", "velocities", "points", "joints",
                                 "contacts", "allow_path", "nothing"]): anything(rng)}
        try:
            member = getattr(thing, name)
            if not callable(member) or rng.random() < 0.2:
                setattr(thing, name, anything(rng))
            else:
                member(*arguments, **words)
        except (cairn.Error, cairn.InternalError) as error:
            self.assertNotIsInstance(error, cairn.InternalError)
            return True
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, RuntimeError, OverflowError, OSError, ImportError):
            return True
        return False

    def test_only_exceptions(self):
        rng = random.Random(SEED)
        np.seterr(all="ignore")
        sims, things = self.things()
        functions = [cairn.Scene.load, cairn.Scene.from_json, cairn.Scene.from_dict, cairn.Simulator, cairn.solve, cairn.distance,
                     cairn.load_problem, cairn.Trace, cairn.curves, cairn.options, cairn.Problem.from_dict, cairn.State.from_bytes,
                     cairn.ReducedProblem.from_arrays, cairn.Env, cairn.Simulator.load, cairn.joint_space]
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            here = os.getcwd()
            os.chdir(folder)  # for files that a call may make
            try:
                for _ in range(CALLS):
                    if rng.random() < 0.3:
                        function = rng.choice(functions)
                        refused += self.call(rng, types.SimpleNamespace(f=function), "f") if rng.random() < 0.05 else self.plain(rng, function)
                    else:
                        thing = rng.choice(things)
                        refused += self.call(rng, thing, rng.choice(members(thing)))
            finally:
                os.chdir(here)
        self.assertGreater(refused, CALLS // 3)
        for sim in sims:  # whatever was set on the way, they go on from the start
            sim.__dict__.clear()
            sim.stop_recording()
            sim.h = sim.scene.step
            sim.reset()
            fresh = cairn.Simulator(sim.scene)
            sim.step(5)
            fresh.step(5)
            self.assertEqual(sim.state_hash, fresh.state_hash)

    def plain(self, rng, function):
        arguments = [anything(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
        try:
            function(*arguments)
        except cairn.InternalError:
            raise
        except (ValueError, TypeError, IndexError, KeyError, AttributeError, RuntimeError, OverflowError, OSError, ImportError):
            return True
        return False

    def test_scenes_with_one_odd_value(self):
        rng = random.Random(SEED)

        def leaves(node, path=()):
            items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
            for key, item in items:
                yield node, key
                yield from leaves(item, path + (key,))

        for _ in range(max(CALLS // 30, 1)):
            document = rng.choice([ball, on_floor, door])()
            node, key = rng.choice(list(leaves(document)))
            node[key] = anything(rng)
            try:
                made = cairn.Scene.from_dict(document)
                if made.step > 1e-6:
                    cairn.Simulator(made).step(2)
            except (cairn.Error, TypeError, KeyError):
                pass

    def test_objects_that_were_never_made(self):
        for kind in vars(cairn._cairn).values():
            if not isinstance(kind, type):
                continue
            thing = kind.__new__(kind)
            for name in dir(kind):
                if name.startswith("__") and name not in ("__repr__", "__eq__", "__copy__", "__getstate__", "__bool__", "__len__"):
                    continue
                with self.subTest(type=kind.__name__, name=name):
                    try:
                        member = getattr(thing, name)
                        if callable(member):
                            member(thing) if name == "__eq__" else member()
                    except (TypeError, RuntimeError):
                        pass
                raw = vars(kind).get(name)
                for function in (getattr(raw, "fget", None), getattr(raw, "fset", None), raw):
                    with self.subTest(type=kind.__name__, name=name, owner="None"):
                        try:
                            if callable(function) and not isinstance(function, type):
                                function(None, None) if function is getattr(raw, "fset", None) else function(None)
                        except (TypeError, RuntimeError, ValueError, AttributeError):
                            pass
            for call in (lambda: cairn.Simulator(thing), lambda: cairn.solve(thing), lambda: cairn.distance(thing, 0, 0),
                         lambda: cairn.rollout(thing, [thing], 1), lambda: cairn._cairn.Simulator(None),
                         lambda: cairn._cairn._rollout(None, [], 1, 0.1, None, None, None, 1), lambda: cairn.Simulator(ball()).reset(thing)):
                with self.subTest(type=kind.__name__), self.assertRaises((TypeError, RuntimeError)):
                    call()

    def test_live_views(self):
        rng = random.Random(SEED)
        sim = cairn.Simulator(door())
        for _ in range(30):
            try:
                sim.live(port=anything(rng), speed=anything(rng), open=False).close()
            except (ValueError, TypeError, OverflowError, RuntimeError):
                pass
        with sim.live() as view:
            for _ in range(max(CALLS // 100, 1)):
                self.call(rng, view, rng.choice([name for name in members(view) if not name.startswith("_")]))
                view.speed = 0
            sim.step(3)
        self.assertEqual(sim.steps, 3)

    def test_steps(self):
        for bad in (-1, 2**64, 1.5, "1", None, np.nan):
            with self.subTest(n=bad), self.assertRaises((ValueError, TypeError, OverflowError)):
                cairn.Simulator(ball()).step(bad)
        for bad in (0, -1, np.nan, np.inf, "1", [1], 1j):
            with self.subTest(h=bad), self.assertRaises((ValueError, TypeError)):
                cairn.Simulator(ball()).step(1, h=bad)
            with self.subTest(step=bad), self.assertRaises((ValueError, TypeError)):
                cairn.Simulator(ball(), step=bad)
        sim = cairn.Simulator(ball())
        self.assertEqual(sim.step(0).step, 0)
        self.assertEqual(sim.steps, 0)
        for bad in (np.nan, np.inf, "long"):
            with self.assertRaises(ValueError):
                sim.run(bad)


if __name__ == "__main__":
    unittest.main()
