"""Closed forms, and the bits of the command line."""

import json
import math
import tempfile
import subprocess
import unittest

import numpy as np

import cairn
from common import G, LIMIT, PROGRAM, SCENES, ball, door, on_floor, scene


class ClosedForms(unittest.TestCase):
    def test_free_fall_is_that_of_symplectic_euler(self):
        # v_n = -g n h exactly, z_n = -g h^2 n (n + 1) / 2; rounding of n additions
        sim = cairn.Simulator(ball(velocity=(1, 0, 0)), step=0.01)
        n = 100
        report = sim.step(n)
        self.assertTrue(report.accepted)
        self.assertAlmostEqual(sim.body("ball").velocity[2], -G * n * 0.01, delta=1e-12)
        self.assertAlmostEqual(sim.body("ball").position[2], -G * 1e-4 * n * (n + 1) / 2, delta=1e-12)
        self.assertAlmostEqual(sim.body("ball").position[0], 1, delta=1e-12)
        self.assertAlmostEqual(sim.time, 1, delta=1e-12)

    def test_sliding_block_stops_where_friction_says(self):
        # s = v0^2 / (2 mu g); Euler falls short by at most h v0 / 2
        sim = cairn.Simulator(on_floor(friction=0.3, velocity=(3, 0, 0)))
        sim.step(150)
        self.assertEqual(sim.rejected_steps, 0)
        stop = 9 / (2 * 0.3 * G)
        self.assertLessEqual(sim.body("cube").position[0], stop + 1e-9)
        self.assertGreaterEqual(sim.body("cube").position[0], stop - 0.5 * 0.01 * 3)
        self.assertLess(np.linalg.norm(sim.body("cube").velocity), 1e-9)

    def test_ball_leaves_the_wall_with_e_times_its_speed(self):
        for e in (0.0, 0.3, 1.0):
            sim = cairn.Simulator(cairn.Scene.load(SCENES / "wall.json", set={"materials.default.restitution": e}))
            sim.run()
            self.assertAlmostEqual(sim.body("ball").velocity[0], -e, delta=1e-12)

    def test_contact_forces_carry_the_weight(self):
        sim = cairn.Simulator(on_floor())
        report = sim.step(10)
        np.testing.assert_allclose(report.force_on("cube"), [0, 0, 2 * G], atol=1e-5 * G)
        np.testing.assert_allclose(report.force_on("floor", "cube"), [0, 0, -2 * G], atol=1e-5 * G)
        contacts = report.contacts
        self.assertEqual(len(contacts), len(report.contact_names()))
        # Names decide the order: forces act on b, the floor, along normals that point from the cube to it.
        np.testing.assert_allclose(contacts["force"].sum(axis=0), report.force_on("floor"), atol=1e-12)
        np.testing.assert_allclose(contacts["impulse"][:, 0] / report.h, -contacts["force"][:, 2], atol=1e-12)
        names = sim.model.body_names
        self.assertEqual({names[i] for i in contacts["body_a"]} | {names[i] for i in contacts["body_b"]}, {"cube", "floor"})

    def test_hinge_at_its_limit_carries_the_rod(self):
        sim = cairn.Simulator(door())
        sim.run(2)
        hinge = sim.joint("hinge")
        self.assertEqual(hinge.type, "revolute")
        self.assertAlmostEqual(hinge.position, 0.5, delta=1e-9)  # it falls about +y
        self.assertAlmostEqual(hinge.velocity, 0, delta=1e-9)
        # about the hinge: weight times its lever
        self.assertAlmostEqual(abs(hinge.limit), G * 0.5 * math.cos(0.5), delta=1e-5)
        np.testing.assert_allclose(hinge.force, [0, 0, G], atol=1e-5)
        self.assertAlmostEqual(sim.joints["position"][0], hinge.position)
        # Views follow the steps, states that are set, and outlive the simulator.
        positions, velocities = sim.joint_positions, sim.joint_velocities
        self.assertEqual((positions[0], velocities[0]), (hinge.position, hinge.velocity))
        sim.reset()
        self.assertEqual((positions[0], velocities[0]), (0, 0))
        with self.assertRaises(ValueError):
            positions[0] = 1
        other = cairn.Simulator(door())
        views = other.joint_positions, other.joint_velocities
        other.step(20)
        swung = other.joint("hinge").position
        del other
        self.assertEqual(views[0][0], swung)
        self.assertGreater(views[1][0], 0)
        sim.run(2)
        np.testing.assert_array_equal(sim.joints["force"][0], hinge.force)

    def test_motors(self):
        arm = {"cairn": 1, "name": "arm", "gravity": [0, 0, -G],
               "bodies": [{"name": "bob", "mass": 2, "inertia": 0.1, "position": [1, 0, 0]}],
               "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "bob"], "axis": [0, 1, 0],
                           "anchors": [[0, 0, 0], [-1, 0, 0]], "friction": 0.5, "motor": {"effort": 0}}],
               "simulation": {"step": 0.002, "duration": 1}}
        sim = cairn.Simulator(arm)
        hinge = sim.joint("hinge")
        self.assertIsNone(hinge.target)

        def compensate(sim):  # the arm stays where it is
            hinge.target = -2 * G * math.cos(hinge.position)

        sim.controller = compensate
        with tempfile.TemporaryDirectory() as folder:
            with sim.record(folder + "/arm.cairn"):
                sim.step(200)
            self.assertTrue(cairn.Trace(folder + "/arm.cairn").check()["ok"])
        self.assertAlmostEqual(hinge.position, 0, delta=1e-12)
        self.assertAlmostEqual(hinge.drive, -2 * G, delta=1e-9)
        sim.controller = None
        hinge.target = -2 * G + 0.499  # dry friction holds the rest
        sim.step(200)
        self.assertAlmostEqual(hinge.velocity, 0, delta=1e-12)
        self.assertAlmostEqual(hinge.friction, -0.499, delta=1e-9)
        hinge.target = None
        sim.step()
        self.assertAlmostEqual(hinge.velocity, 0.002 * (2 * G - 0.5) / 2.1, delta=1e-4)
        sim.motor_targets[0] = math.inf
        with self.assertRaises(ValueError):
            sim.step()
        arm["joints"][0].pop("motor")
        with self.assertRaises(ValueError):
            cairn.Simulator(arm).joint("hinge").target = 1

    def test_ledger_adds_up(self):
        sim = cairn.Simulator(scene("cannonball21"))
        for _ in range(50):
            report = sim.step()
            ledger = report.ledger
            scale = max(abs(ledger["kinetic_end"]) + abs(ledger["potential_end"]), 1)
            self.assertLess(abs(ledger["imbalance"]), 1e-10 * scale)
        self.assertAlmostEqual(sim.energy, ledger["kinetic_end"] + ledger["potential_end"], delta=1e-12 * scale)


class DoublePendulum(unittest.TestCase):
    # Potra et al. 2006, 10.1, Table I: h = 2^-k, E_h, |Theta_1|, |Theta_2| as printed, to three digits
    PRINTED = {5: (2.38e-3, 1.27e-3, 3.18e-3), 6: (6.14e-4, 3.14e-4, 8.29e-4), 7: (1.54e-4, 7.82e-5, 2.14e-4),
               8: (3.95e-5, 1.95e-5, 5.48e-5), 9: (1.01e-5, 4.88e-6, 1.37e-5)}

    def swing(self, k, projection):
        changes = {"simulation.scheme.projection": projection, "simulation.scheme.gamma": 0}
        sim = cairn.Simulator(cairn.Scene.load(SCENES / "pendulum_wall.json", set=changes))
        sim.step(round(2.5 * 2**k), h=2.0**-k)
        self.assertEqual(sim.rejected_steps, 0)
        return sim.body("bob1").position.copy(), sim.body("bob2").position.copy()

    def test_table_1(self):
        exact = np.concatenate(self.swing(14, True))  # of second order: 1e-8 m off
        for k, printed in self.PRINTED.items():
            a, b = self.swing(k, False)
            found = (np.linalg.norm(np.concatenate([a, b]) - exact), abs(a @ a - 1), abs((b - a) @ (b - a) - 1))
            for ours, theirs, slack in zip(found, printed, (2e-8, 0, 0)):
                digit = 10.0 ** (math.floor(math.log10(theirs)) - 2)
                self.assertLessEqual(abs(ours - theirs), 0.5 * digit + slack, f"h = 2^-{k}")


class ForcesFromOutside(unittest.TestCase):
    def test_force_accelerates(self):
        sim = cairn.Simulator(ball(gravity=[0, 0, 0]))
        sim.external_forces[0, :3] = [4, 0, 0]  # on 2 kg
        sim.step(10)
        self.assertAlmostEqual(sim.body("ball").velocity[0], 2 * 0.1, delta=1e-12)
        sim.external_forces = np.zeros((1, 6))
        sim.step(10)
        self.assertAlmostEqual(sim.body("ball").velocity[0], 2 * 0.1, delta=1e-12)

    def test_force_at_a_point_turns(self):
        # torque = r x F about the centre of mass
        sim = cairn.Simulator(ball(gravity=[0, 0, 0]))
        sim.set_forces(["ball"], [[0, 1, 0]], points=[[0.1, 0, 0]])
        sim.step()
        inertia = sim.model.inertias[0, 2, 2]
        self.assertAlmostEqual(sim.body("ball").angular_velocity[2], 0.1 * 0.01 / inertia, delta=1e-12)
        sim.set_forces()
        before = sim.body("ball").velocity.copy()
        sim.step()
        np.testing.assert_array_equal(sim.body("ball").velocity, before)

    def test_motor_turns_a_hinge(self):
        # a rod of 1 kg and 1 m about its end, without gravity: velocity = effort t / I. The rod turns by w h in a step, while its
        # joint is that of the beginning: at most (w h)^2 of the velocity each
        sim = cairn.Simulator(door() | {"gravity": [0, 0, 0]})
        hinge = sim.joint("hinge")
        inertia = sim.model.inertias[0, 1, 1] + 0.25
        hinge.effort = 0.2
        sim.step(20)
        speed = 0.2 / inertia * 0.1
        self.assertAlmostEqual(hinge.velocity, speed, delta=20 * (speed * 0.005) ** 2 * speed)
        self.assertGreater(hinge.position, 0)
        self.assertEqual(list(sim.joint_efforts), [0.2])
        sim.joint_efforts[:] = -0.2
        sim.step(20)
        self.assertAlmostEqual(hinge.velocity, 0, delta=40 * (speed * 0.005) ** 2 * speed)

    def test_motor_pushes_two_bodies_apart(self):
        # one line of action: neither momentum changes
        def rod(name, x):
            return {"name": name, "mass": 1, "position": [x, 0, 0], "angular_velocity": [0, 0, 1], "velocity": [0, x, 0],
                    "shapes": [{"type": "box", "size": [0.5, 0.2, 0.1]}]}

        sim = cairn.Simulator({"cairn": 1, "name": "slide", "gravity": [0, 0, 0], "bodies": [rod("a", -0.4), rod("b", 0.4)],
                               "joints": [{"name": "slide", "type": "prismatic", "bodies": ["a", "b"], "axis": [1, 0, 0],
                                           "anchors": [[0.2, 0.1, 0], [-0.6, 0.1, 0]]}], "simulation": {"step": 0.01, "duration": 1}})
        i = sim.model.inertias[0, 2, 2]

        def spin():
            p, v, w = sim.positions, sim.velocities, sim.angular_velocities
            return sum(p[k, 0] * v[k, 1] - p[k, 1] * v[k, 0] + i * w[k, 2] for k in (0, 1))

        before = spin()
        sim.joint("slide").effort = 0.5
        sim.step(40)
        self.assertGreater(sim.joint("slide").velocity, 0.2)
        np.testing.assert_allclose(sim.velocities.sum(axis=0), 0, atol=1e-12)
        self.assertAlmostEqual(spin(), before, delta=1e-3 * before)  # (E30) at the poses of the beginning: first order
        fixed = cairn.Simulator(scene("fixed_tower"))
        fixed.joint_efforts[0] = 1
        with self.assertRaisesRegex(ValueError, "no coordinate"):
            fixed.step()

    def test_no_force_leaves_the_bits(self):
        free, pushed = cairn.Simulator(scene("cannonball21")), cairn.Simulator(scene("cannonball21"))
        pushed.controller = lambda sim: sim.external_forces.fill(0)
        free.step(30)
        pushed.step(30)
        self.assertEqual(free.state_hash, pushed.state_hash)


@unittest.skipUnless(PROGRAM, "needs the program of the same build in CAIRN_PROGRAM")
class SameBitsAsTheProgram(unittest.TestCase):
    def run_program(self, path, settings):
        text = subprocess.run([PROGRAM, "run", str(path), "--json", "--quiet",
                               *[part for key, value in settings.items() for part in ("--set", f"{key}={value}")]],
                              capture_output=True, text=True, check=False, timeout=LIMIT).stdout
        return json.loads(text)

    def test_hash_of_the_last_state(self):
        for name in ("cannonball21", "pendulum", "wall", "chain50", "card_house", "dominoes", "son_ball", "sliding_block",
                     "slider_crank", "shaker", "rolling_ball", "spring_mass", "penalty_ball", "setup6"):
            path = SCENES / f"{name}.json"
            duration = 20.5 * cairn.Scene.load(path).step  # the last step is half a step
            changes = {"simulation.duration": repr(duration)}
            with self.subTest(scene=name):
                sim = cairn.Simulator(cairn.Scene.load(path, set=changes))
                report = sim.run()
                summary = self.run_program(path, changes)
                self.assertEqual(sim.state_hash, summary["state_hash"])
                self.assertEqual(report.step, summary["steps"])

    def test_other_schemes_by_keyword(self):
        path = SCENES / "cannonball21.json"
        for scheme in ("relaxed", "trapezoidal", "hybrid"):
            with self.subTest(scheme=scheme):
                sim = cairn.Simulator(path, scheme=scheme, duration=0.5, step=0.05)
                sim.run()
                summary = self.run_program(path, {"simulation.scheme": json.dumps({"type": scheme}),
                                                  "simulation.duration": 0.5, "simulation.step": 0.05})
                self.assertEqual(sim.state_hash, summary["state_hash"])


if __name__ == "__main__":
    unittest.main()
