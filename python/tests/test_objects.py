"""Values, views and lifetimes; errors; controllers; states in other processes."""

import copy
import gc
import pickle
import subprocess
import sys
import threading
import unittest
import weakref

import numpy as np

import cairn
from common import LIMIT, SCENES, ball, door, on_floor, scene


class Names(unittest.TestCase):
    """What users of other engines type, and what is misspelt."""

    def test_attributes_of_a_simulator(self):
        sim = cairn.Simulator(door())
        for name, word in (("qpos", "joint_positions"), ("dt", "`h`"), ("contacts", "report.contacts"), ("positons", "'positions'")):
            with self.subTest(name=name), self.assertRaisesRegex(AttributeError, word):
                getattr(sim, name)
        for name, word in (("controler", "'controller'"), ("joint_effort", "'joint_efforts'"), ("ctrl", "motor_targets")):
            with self.subTest(name=name), self.assertRaisesRegex(AttributeError, word):
                setattr(sim, name, None)
        sim.mine = sim.state0 = sim.controller2 = 3  # of a user's own
        self.assertEqual((sim.mine, sim.state0, hasattr(sim, "yours")), (3, 3, False))
        self.assertIs(copy.copy(sim).controller, None)

    def test_options_of_other_engines(self):
        for name, word in (("dt", "'step'"), ("timestep", "'step'"), ("tolernce", "'tolerance'")):
            with self.subTest(name=name), self.assertRaisesRegex(cairn.Error, word):
                cairn.Simulator(door(), **{name: 0.01})

    def test_wrong_types_are_named(self):
        sim = cairn.Simulator(door())
        for call, words in ((lambda: sim.step(0.5), r"number of steps, got 0\.5"), (lambda: sim.reset(3), "expected a cairn.State, got int"),
                            (lambda: setattr(sim, "state", sim), "expected a cairn.State, got Simulator"),
                            (lambda: setattr(sim, "motor_targets", [1j]), "real numbers"), (lambda: setattr(sim, "motor_targets", "a"), "real numbers")):
            with self.subTest(words=words), self.assertRaisesRegex(TypeError, words):
                call()

    def test_one_body_or_many(self):
        one, many = cairn.Simulator(ball()), cairn.Simulator(ball())
        one.set_forces("ball", [0, 1, 0], points=[0.1, 0, 0])
        many.set_forces(["ball"], [[0, 1, 0]], points=[[0.1, 0, 0]])
        one.step(3)
        many.step(3)
        self.assertEqual(one.state_hash, many.state_hash)
        with self.assertRaises(ValueError):
            one.set_forces("ball", [[0, 1, 0]])

    def test_rotation_is_that_of_the_quaternion(self):
        body = cairn.Simulator(ball()).body("ball")
        rng = np.random.default_rng(2)
        for _ in range(5):
            q = rng.normal(size=4)
            body.orientation = q / np.linalg.norm(q)
            R, (w, *v) = body.rotation, body.orientation
            np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
            for x in np.eye(3):  # v' = x + 2 v x (v x x + w x)
                np.testing.assert_allclose(R @ x, x + 2 * np.cross(v, np.cross(v, x) + w * x), atol=1e-14)


class Scenes(unittest.TestCase):
    def test_errors_say_where_and_what(self):
        text = '{\n"cairn": 1, "name": "x", "bodies": [\n{"name": "a", "mas": 1}]}'
        with self.assertRaises(cairn.Error) as caught:
            cairn.Scene.from_json(text, "my.json")
        error = caught.exception
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.file, error.line, error.code), ("my.json", 3, "unknown_key"))
        self.assertIn("bodies[0]", error.field)
        self.assertIn("mass", error.remedy)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.line, again.field), (str(error), 3, error.field))

    def test_all_faults_at_once(self):
        broken = ball()
        broken["bodies"][0]["mass"] = "heavy"
        broken["bodies"][0]["shapes"][0]["radius"] = "wide"
        with self.assertRaises(cairn.Error) as caught:
            cairn.Scene.from_dict(broken)
        fields = {error.field for error in caught.exception.errors}
        self.assertEqual(fields, {"bodies[0].mass", "bodies[0].shapes[0].radius"})
        self.assertTrue(all(error.line == 0 for error in caught.exception.errors))

    def test_files(self):
        with self.assertRaises(cairn.Error) as caught:
            cairn.Scene.load(SCENES / "nothing.json")
        self.assertEqual(caught.exception.code, "not_found")
        changed = cairn.Scene.load(SCENES / "pendulum.json", set={"simulation.step": 0.002})
        self.assertEqual(changed.step, 0.002)
        self.assertEqual(cairn.Scene.load(str(SCENES / "pendulum.json"), set=["simulation.step=0.002"]).step, 0.002)

    def test_arrays_are_welcome_in_dicts(self):
        a = cairn.Scene.from_dict(ball(position=np.array([1.0, 2, 3])))
        b = cairn.Scene.from_dict(ball(position=(np.float32(1), np.int64(2), 3)))
        self.assertEqual(a.initial, b.initial)
        with self.assertRaisesRegex(cairn.Error, r"bodies\[0\].position\[1\].*finite"):
            cairn.Scene.from_dict(ball(position=[0, float("nan"), 0]))

    def test_scenes_compare_by_what_they_say(self):
        a, b, other = scene("pendulum"), scene("pendulum"), scene("wall")
        self.assertEqual((a, hash(a), a.model, hash(a.model)), (b, hash(b), b.model, hash(b.model)))
        self.assertNotEqual(a, other)
        self.assertNotEqual(a.model, other.model)
        self.assertNotEqual(a, 3)
        self.assertEqual(a, pickle.loads(pickle.dumps(a)))
        self.assertNotEqual(a, a.with_options(step=0.001))
        self.assertIs(copy.deepcopy(a), a)

    def test_dict_text_and_pickle_give_the_same_scene(self):
        first = scene("dominoes")
        for other in (cairn.Scene.from_dict(first.to_dict()), pickle.loads(pickle.dumps(first))):
            self.assertEqual(first.to_json(), other.to_json())
            self.assertEqual(first.initial, other.initial)
        self.assertEqual(pickle.loads(pickle.dumps(first.model)).body_names, first.model.body_names)

    def test_options_by_keyword(self):
        sim = cairn.Simulator(ball(), gamma=0.5, tolerance=1e-10, step=0.02, overlap=0.1)
        simulation = sim.scene.simulation
        self.assertEqual(simulation["scheme"]["gamma"], 0.5)
        self.assertEqual(simulation["solver"]["tolerance"], 1e-10)
        self.assertEqual(simulation["verdict"]["overlap"], 0.1)
        self.assertEqual(sim.h, 0.02)
        self.assertEqual(cairn.Simulator(ball(), scheme="hybrid", hysteresis=3).scene.simulation["scheme"]["hysteresis"], 3)
        self.assertEqual(cairn.options("solver")["nsgs"]["tolerance"]["default"], 1e-8)

    def test_unknown_options_are_refused_with_the_nearest_name(self):
        with self.assertRaises(cairn.Error) as caught:
            cairn.Simulator(ball(), toleranse=1e-6)
        self.assertIn("tolerance", caught.exception.remedy)
        with self.assertRaises(cairn.Error) as caught:
            cairn.Simulator(ball(), scheme="trapezodal")
        self.assertIn("trapezoidal", caught.exception.remedy)
        with self.assertRaises(cairn.Error) as caught:
            cairn.Simulator(ball(), gamma=7)
        self.assertEqual((caught.exception.field, caught.exception.code), ("simulation.scheme.gamma", "out_of_range"))
        with self.assertRaises(cairn.Error) as caught:  # of the scheme and of the solver
            cairn.Simulator(ball(), scheme="penalty", solver="newton", max_iterations=3)
        self.assertEqual(caught.exception.code, "conflict")

    def test_names(self):
        model = scene("slider_crank").model
        self.assertEqual(model.body_names, sorted(model.body_names))
        self.assertEqual(len(model.masses), len(model.body_names))
        self.assertEqual(model.body_id(model.body_names[1]), 1)
        with self.assertRaises(cairn.Error) as caught:
            cairn.Simulator(ball()).body("bal")
        self.assertIn("ball", caught.exception.remedy)
        with self.assertRaises(IndexError):
            cairn.Simulator(ball()).body(1)
        self.assertEqual(model.velocity_offsets[-1], model.nv)


class States(unittest.TestCase):
    def test_values(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step(5)
        a, b = sim.state, sim.state.copy()
        self.assertEqual(a, b)
        self.assertEqual(a.hash, b.hash)
        b.v[0] += 1
        self.assertNotEqual(a, b)
        self.assertNotEqual(a.hash, b.hash)
        self.assertEqual(copy.deepcopy(a), a)
        self.assertEqual(cairn.State.from_bytes(a.to_bytes()), a)
        self.assertEqual(pickle.loads(pickle.dumps(a)), a)
        self.assertNotEqual(a, 3)

    def test_save_and_go_back(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step(10)
        saved = sim.state
        sim.step(20)
        end = sim.state_hash
        sim.state = saved
        self.assertEqual(sim.time, saved.time)
        sim.step(20)
        self.assertEqual(sim.state_hash, end)
        sim.reset()
        self.assertEqual(sim.state, sim.scene.initial)
        self.assertEqual(sim.report.step, 0)
        sim.step(30)
        self.assertEqual(sim.state_hash, end)

    def test_another_process_continues_with_the_same_bits(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step(12)
        sim.external_forces[0, 1] = 3
        program = ("import pickle, sys\nsim = pickle.load(sys.stdin.buffer)\nsim.step(20)\nprint(sim.state_hash)")
        for thing in (sim, sim.copy()):
            said = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(thing), capture_output=True, check=True, timeout=LIMIT)
            there = said.stdout.decode().strip()
        sim.step(20)
        self.assertEqual(there, sim.state_hash)

    def test_checkpoints(self):
        import tempfile

        sim = cairn.Simulator(scene("pendulum"))
        sim.step(7)
        with tempfile.TemporaryDirectory() as folder:
            sim.save(folder + "/here.cairn")
            again = cairn.Simulator.load(folder + "/here.cairn")
            self.assertEqual(again.state, sim.state)
            with self.assertRaises(cairn.Error):
                cairn.Simulator.load(folder + "/elsewhere.cairn")
        sim.step(5)
        again.step(5)
        self.assertEqual(again.state_hash, sim.state_hash)

    def test_bodies_are_put_and_set_moving(self):
        sim = cairn.Simulator(on_floor())
        cube = sim.body("cube")
        sim.step(5)
        half = np.sqrt(0.5)
        cube.position = [1, 2, 3]
        cube.orientation = [half, 0, 0, half]
        cube.velocity = (0.5, 0, 0)
        cube.angular_velocity = [0, 0, 2]
        np.testing.assert_allclose(cube.position, [1, 2, 3], atol=1e-15)
        np.testing.assert_allclose(cube.orientation, [half, 0, 0, half], atol=1e-15)
        np.testing.assert_allclose(cube.velocity, [0.5, 0, 0], atol=1e-15)
        np.testing.assert_allclose(cube.angular_velocity, [0, 0, 2], atol=1e-15)
        state = sim.state
        state.set_body(sim.model, "cube", position=[0, 0, 5])
        self.assertEqual(list(state.body(sim.model, "cube")["position"]), [0, 0, 5])
        np.testing.assert_allclose(state.body(sim.model, "cube")["angular_velocity"], [0, 0, 2], atol=1e-15)
        self.assertTrue(sim.step(3).accepted)

    def test_what_a_body_cannot_do_is_refused(self):
        sim = cairn.Simulator(scene("cannonball21"))
        before = sim.state
        disc = sim.body("disc01")
        for name, value in (("velocity", [0, 0, 1]), ("angular_velocity", [1, 0, 0]), ("orientation", [1, 1, 0, 0]),
                            ("orientation", [np.sqrt(0.5), np.sqrt(0.5), 0, 0]), ("position", [1, 2]),
                            ("position", [1, 2, np.inf])):
            with self.subTest(name=name, value=value), self.assertRaises(ValueError):
                setattr(disc, name, value)
        with self.assertRaises(ValueError):
            cairn.Simulator(on_floor()).body("floor").velocity = [1, 0, 0]
        self.assertEqual(sim.state, before)

    def test_joints_are_closed(self):
        sim = cairn.Simulator(door())
        state = sim.state
        state.set_body(sim.model, "rod", position=[0.6, 0, 0])
        self.assertAlmostEqual(state.close_joints(sim.model), 0.1, delta=1e-6)
        np.testing.assert_allclose(state.body(sim.model, "rod")["position"], [0.5, 0, 0], atol=1e-9)

    def test_states_of_others_are_refused(self):
        sim = cairn.Simulator(scene("cannonball21"))
        with self.assertRaises(ValueError):
            sim.state = cairn.Simulator(ball()).state
        bad = sim.state
        bad.v[3] = np.nan
        with self.assertRaises(ValueError):
            sim.state = bad
        other = cairn.Simulator(scene("cannonball66"))
        other.step(3)
        with self.assertRaises(ValueError):
            sim.reset(other.state)
        with self.assertRaises(cairn.Error):
            cairn.State.from_bytes(sim.state.to_bytes()[:-3])


class Views(unittest.TestCase):
    def test_views_follow_the_steps(self):
        sim = cairn.Simulator(ball(velocity=(1, 0, 0)))
        all_of, one, v = sim.positions, sim.body("ball").position, sim.velocities
        held = all_of.copy()
        sim.step(10)
        self.assertAlmostEqual(all_of[0, 0], 0.1, delta=1e-15)
        self.assertAlmostEqual(one[0], 0.1, delta=1e-15)
        self.assertEqual(v[0, 0], 1)
        self.assertEqual(held[0, 0], 0)
        sim.reset()
        self.assertEqual(one[0], 0)
        self.assertTrue(np.shares_memory(all_of, sim.positions))

    def test_views_of_poses_cannot_be_written(self):
        sim = cairn.Simulator(ball())
        for array in (sim.positions, sim.orientations, sim.velocities, sim.body("ball").position,
                      sim.state.com_positions, sim.state.com_orientations_xyzw):
            with self.assertRaises(ValueError):
                array[0] = 1

    def test_views_survive_their_owners(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step()
        ref = weakref.ref(sim)
        report = sim.report
        views = [sim.positions, sim.orientations, sim.body("disc01").velocity, sim.external_forces, sim.state.v,
                 sim.state.com_positions, report.contacts]
        held = [view.copy() for view in views]
        del sim
        gc.collect()
        self.assertIsNone(ref())
        waste = [np.full(1000, 7.0) for _ in range(1000)]
        for view, copied in zip(views, held):
            np.testing.assert_array_equal(view, copied)
        self.assertTrue(report.accepted)
        del waste

    def test_state_arrays_are_its_memory(self):
        state = cairn.Simulator(ball()).state
        v = state.v
        v[0] = 3
        self.assertEqual(state.v[0], 3)
        self.assertTrue(np.shares_memory(v, state.v))
        where = state.com_positions
        state.set_body(cairn.Scene.from_dict(ball()).model, 0, position=[4, 5, 6])
        self.assertEqual(list(where[0]), [4, 5, 6])

    def test_reports_stay_as_they_are(self):
        sim = cairn.Simulator(scene("cannonball21"))
        reports = [sim.step() for _ in range(5)]
        self.assertEqual([r.step for r in reports], [1, 2, 3, 4, 5])
        contacts = reports[0].contacts
        again = cairn.Simulator(scene("cannonball21")).step().contacts
        np.testing.assert_array_equal(contacts, again)
        self.assertEqual(len(reports[4].problems) > 0, True)
        with self.assertRaisesRegex(ValueError, "next step"):
            reports[0].problems
        self.assertIs(sim.report, reports[4])

    def test_simulators_in_cycles_are_collected(self):
        sim = cairn.Simulator(ball())
        sim.controller = lambda _: sim.time
        ref = weakref.ref(sim)
        del sim
        gc.collect()
        self.assertIsNone(ref())


class Controllers(unittest.TestCase):
    def test_called_before_each_step(self):
        times = []
        sim = cairn.Simulator(ball(gravity=[0, 0, 0]))
        sim.controller = lambda s: times.append(s.time)
        sim.step(3)
        np.testing.assert_allclose(times, [0, 0.01, 0.02], atol=1e-15)
        sim.controller = None
        sim.step()
        self.assertEqual(len(times), 3)

    def test_exceptions_pass_and_leave_the_state(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step(3)
        before, forces = sim.state, sim.external_forces.copy()

        def fails(s):
            s.external_forces[0] = 5
            s.body("disc01").velocity = [1, 1, 0]
            s.set_forces([0], [[1, 0, 0]])
            raise ZeroDivisionError("mine")

        sim.controller = fails
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            sim.step(4)
        self.assertEqual(sim.state, before)
        np.testing.assert_array_equal(sim.external_forces, forces)
        sim.controller = None
        sim.step(3)
        clean = cairn.Simulator(scene("cannonball21"))
        clean.step(6)
        self.assertEqual(sim.state_hash, clean.state_hash)

    def test_forces_that_are_not_finite_are_refused(self):
        sim = cairn.Simulator(ball())
        before = sim.state
        sim.external_forces[0, 2] = np.nan
        with self.assertRaisesRegex(ValueError, "ball"):
            sim.step()
        self.assertEqual(sim.state, before)

    def test_no_step_within_a_step(self):
        sim = cairn.Simulator(ball())
        for inner in (lambda s: s.step(), lambda s: s.reset()):
            sim.controller = inner
            with self.assertRaises(RuntimeError):
                sim.step()
        self.assertEqual(sim.steps, 0)

    def test_stopped_steps_raise_and_leave_the_state(self):
        sim = cairn.Simulator(ball())
        sim.external_forces[0, 0] = 1e308
        before = sim.state
        with self.assertRaises(cairn.StepStopped) as caught:
            sim.step()  # the velocity is finite, its energy is not
        self.assertEqual((caught.exception.code, caught.exception.step), ("energy_overflow", 1))
        self.assertIsInstance(caught.exception, cairn.Error)
        self.assertEqual(sim.state, before)
        self.assertEqual(sim.report.status, "stopped")
        sim.external_forces.fill(0)
        self.assertTrue(sim.step().accepted)

    def test_another_thread_is_told_to_wait(self):
        sim = cairn.Simulator(scene("cannonball66"))
        said = []
        thread = threading.Thread(target=lambda: sim.step(40))
        thread.start()
        while thread.is_alive():
            try:
                sim.time
            except RuntimeError as error:
                said.append(str(error))
        thread.join()
        self.assertTrue(all("another thread" in text for text in said))
        self.assertEqual(sim.steps, 40)


if __name__ == "__main__":
    unittest.main()
