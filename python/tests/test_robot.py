"""Forward kinematics, Jacobians, mass matrix and inverse dynamics against closed forms, differences and energies."""

import unittest

import numpy as np

import cairn
from common import G, door, on_floor, scene

# Two rods in the x-z plane, hinged about y: rod i has its hinge at x = -c_i of its frame.
M1, M2, L1, C1, C2, I1, I2 = 2.0, 1.5, 0.8, 0.35, 0.25, 0.11, 0.07


def double_pendulum():
    return {"cairn": 1, "name": "double", "gravity": [0, 0, -G],
            "bodies": [{"name": "rod1", "mass": M1, "inertia": [0.05, I1, 0.09], "position": [C1, 0, 0]},
                       {"name": "rod2", "mass": M2, "inertia": [0.03, I2, 0.06], "position": [L1 + C2, 0, 0]}],
            "joints": [{"name": "a", "type": "revolute", "bodies": ["world", "rod1"], "axis": [0, 1, 0],
                        "anchors": [[0, 0, 0], [-C1, 0, 0]]},
                       {"name": "b", "type": "revolute", "bodies": ["rod1", "rod2"], "axis": [0, 1, 0],
                        "anchors": [[L1 - C1, 0, 0], [-C2, 0, 0]]}],
            "simulation": {"step": 0.001, "duration": 1}}


def chain(random, links, floating=False, slides=True):
    """Bodies in a row with joints of random axes between them."""
    bodies, joints = [], []
    for i in range(links):
        bodies.append({"name": f"link{i}", "mass": random.uniform(0.5, 3), "inertia": list(random.uniform(0.2, 0.3, 3)),
                       "position": [float(i), 0, 0], "center_of_mass": list(random.uniform(-0.1, 0.1, 3))})
        if i == 0 and floating:
            continue
        axis = random.normal(size=3)
        joints.append({"name": f"joint{i}", "type": "prismatic" if slides and random.random() < 0.3 else "revolute",
                       "bodies": [f"link{i - 1}" if i else "world", f"link{i}"], "axis": list(axis / np.linalg.norm(axis)),
                       "anchors": [[0.5, 0, 0] if i else [-0.5, 0, 0], [-0.5, 0, 0]]})
    return {"cairn": 1, "name": "chain", "gravity": [0, 0, -G], "bodies": bodies, "joints": joints,
            "simulation": {"step": 0.001, "duration": 1}}


def at_random(random, sim):
    names = sim.model.joint_names
    sim.set_joints(dict(zip(names, random.uniform(-1.5, 1.5, len(names)))), dict(zip(names, random.uniform(-1, 1, len(names)))))
    return names


class DoublePendulum(unittest.TestCase):
    def test_closed_forms(self):
        sim = cairn.Simulator(double_pendulum())
        for q1 in (0.0, 0.7, -2.1):
            for q2 in (0.3, -1.4, 2.9):
                u, a = np.array([1.3, -0.8]), np.array([0.4, 2.2])
                sim.set_joints({"a": q1, "b": q2}, {"a": u[0], "b": u[1]})
                space = sim.joint_space()
                self.assertEqual((space.joints, space.floating, space.size), (["a", "b"], [], 2))
                np.testing.assert_allclose(space.positions, [q1, q2], atol=1e-12)
                np.testing.assert_allclose(space.velocities, u, atol=1e-12)
                k = L1 * C2 * np.cos(q2)
                h22 = I2 + M2 * C2**2
                H = np.array([[I1 + M1 * C1**2 + I2 + M2 * (L1**2 + C2**2 + 2 * k), h22 + M2 * k], [h22 + M2 * k, h22]])
                np.testing.assert_allclose(space.mass_matrix(), H, atol=1e-12)
                # Angles about y turn x towards -z: gravity makes them grow.
                weight = -G * np.array([M1 * C1 * np.cos(q1) + M2 * (L1 * np.cos(q1) + C2 * np.cos(q1 + q2)), M2 * C2 * np.cos(q1 + q2)])
                np.testing.assert_allclose(space.gravity_compensation(), weight, atol=1e-11)
                s = M2 * L1 * C2 * np.sin(q2)
                coriolis = np.array([-s * (2 * u[0] * u[1] + u[1]**2), s * u[0]**2])
                np.testing.assert_allclose(space.inverse_dynamics(a), H @ a + coriolis + weight, atol=1e-9)
                np.testing.assert_allclose(space.inverse_dynamics(), coriolis + weight, atol=1e-9)
                # The tip of the second rod, 0.4 m from its centre.
                r = C2 + 0.4
                x, z = L1 * np.cos(q1) + r * np.cos(q1 + q2), -L1 * np.sin(q1) - r * np.sin(q1 + q2)
                J = space.body_jacobian("rod2", [0.4, 0, 0])
                np.testing.assert_allclose(J[:, 0], [z, 0, -x, 0, 1, 0], atol=1e-12)
                np.testing.assert_allclose(sim.body("rod2").velocity, (space.body_jacobian("rod2") @ u)[:3], atol=1e-12)

    def test_a_step_has_these_accelerations(self):
        # Efforts for u' = a from rest, in one step of length h: what turning takes is of the size of u^2 = h^2 a^2 then.
        for h in (1e-2, 1e-3):
            sim = cairn.Simulator(double_pendulum(), step=h)
            sim.set_joints({"a": 0.4, "b": -0.9})
            a = np.array([2.0, -3.0])
            sim.joint_efforts = sim.joint_space().inverse_dynamics(a)
            sim.step()
            np.testing.assert_allclose(sim.joint_velocities / h, a, atol=h**2 * (a @ a))

    def test_gravity_compensation_holds(self):
        sim = cairn.Simulator(double_pendulum(), step=0.01)
        sim.set_joints({"a": 0.4, "b": -0.9})
        before = sim.positions.copy()
        sim.joint_efforts = sim.joint_space().gravity_compensation()
        sim.step(100)
        self.assertEqual(sim.rejected_steps, 0)
        # The equilibrium is exact, and unstable: what rounding moves grows by exp(t sqrt(G/C2)) at most, e^6.3 in 1 s.
        np.testing.assert_allclose(sim.positions, before, atol=1e-10)


class Chains(unittest.TestCase):
    def test_jacobians_are_differences_of_forward_kinematics(self):
        random = np.random.default_rng(3)
        for case in range(6):
            sim = cairn.Simulator(chain(random, 5))
            names = at_random(random, sim)
            space = sim.joint_space()
            self.assertEqual(space.size, 5)
            q, point, h = space.positions, random.uniform(-0.3, 0.3, 3), 1e-5
            J = space.body_jacobian("link4", point)

            def place(values):
                state = sim.state
                state.set_joints(sim.model, dict(zip(space.joints, values)))
                pose = state.body(sim.model, "link4")
                w, x, y, z = pose["orientation"]
                R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                              [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                              [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
                return pose["position"] + R @ point, R

            for k, name in enumerate(space.joints):
                with self.subTest(case=case, joint=name):
                    step = np.zeros(5)
                    step[k] = h
                    (p_more, R_more), (p_less, R_less) = place(q + step), place(q - step)
                    # Central differences: h^2/6 of third derivatives, 1e-10 here, and rounding / h.
                    np.testing.assert_allclose((p_more - p_less) / (2 * h), J[:3, k], atol=2e-9)
                    turn = (R_more - R_less) / (2 * h) @ place(q)[1].T
                    np.testing.assert_allclose([turn[2, 1], turn[0, 2], turn[1, 0]], J[3:, k], atol=2e-9)
            self.assertEqual(sorted(space.joints), sorted(names))

    def test_energies_and_symmetry(self):
        random = np.random.default_rng(5)
        for floating in (False, True):
            for _ in range(5):
                sim = cairn.Simulator(chain(random, 4, floating))
                at_random(random, sim)
                space = sim.joint_space()
                self.assertEqual(space.size, 9 if floating else 4)
                self.assertEqual(space.floating, ["link0"] if floating else [])
                H, u = space.mass_matrix(), space.velocities
                np.testing.assert_allclose(H, H.T, atol=1e-12 * np.abs(H).max())
                self.assertGreater(np.linalg.eigvalsh(H)[0], 0)
                self.assertAlmostEqual(0.5 * u @ H @ u, sim.kinetic_energy, delta=1e-12 * (1 + sim.kinetic_energy))
                np.testing.assert_allclose(space.S @ u, sim.state.v, atol=1e-12)

    def test_gravity_is_the_gradient_of_the_potential(self):
        random = np.random.default_rng(7)
        for _ in range(5):
            sim = cairn.Simulator(chain(random, 4))
            at_random(random, sim)
            space, h = sim.joint_space(), 1e-5
            gradient = []
            for name, q in zip(space.joints, space.positions):
                energy = []
                for sign in (1, -1):
                    other = sim.copy()
                    other.set_joints({name: q + sign * h})  # the others stay
                    energy.append(other.potential_energy)
                gradient.append((energy[0] - energy[1]) / (2 * h))
            np.testing.assert_allclose(space.gravity_compensation(), gradient, atol=1e-7)

    def test_power_balance(self):
        # Along any motion u' the power of the efforts is the rate of the energy: u . tau = d/dt (T + V).
        random = np.random.default_rng(9)
        for _ in range(4):
            sim = cairn.Simulator(chain(random, 4))
            at_random(random, sim)
            space = sim.joint_space()
            q, u, a, h = space.positions, space.velocities, random.uniform(-1, 1, 4), 1e-4
            energy = []
            for s in (h, -h):
                sim.set_joints(dict(zip(space.joints, q + s * u + 0.5 * s**2 * a)), dict(zip(space.joints, u + s * a)))
                energy.append(sim.energy)
            self.assertAlmostEqual((energy[0] - energy[1]) / (2 * h), u @ space.inverse_dynamics(a), delta=1e-5)


class Coordinates(unittest.TestCase):
    def test_others_stay(self):
        random = np.random.default_rng(11)
        sim = cairn.Simulator(chain(random, 5, floating=True))
        at_random(random, sim)
        before, base, rates = sim.joint_positions.copy(), sim.positions[0].copy(), sim.joint_velocities.copy()
        base_turn = sim.orientations[0].copy()
        sim.joint("joint2").position = 0.3
        wanted = before.copy()
        wanted[sim.model.joint_id("joint2")] = 0.3
        np.testing.assert_allclose(sim.joint_positions, wanted, atol=1e-12)
        np.testing.assert_allclose(sim.joint_velocities, rates, atol=1e-11)
        np.testing.assert_allclose(sim.positions[0], base, atol=1e-14)
        np.testing.assert_allclose(sim.orientations[0], base_turn, atol=1e-14)
        self.assertLess(sim.joint_error, 1e-12)
        sim.joint("joint3").velocity = 2.0
        self.assertAlmostEqual(sim.joint("joint3").velocity, 2.0, delta=1e-12)

    def test_rates_that_are_not_named_stay(self):
        random = np.random.default_rng(13)
        sim = cairn.Simulator(chain(random, 4, floating=True))
        at_random(random, sim)
        before = sim.joint_space().velocities
        sim.joint("joint2").velocity = 3.0
        space = sim.joint_space()
        before[space.joints.index("joint2")] = 3.0
        np.testing.assert_allclose(space.velocities, before, atol=1e-12)

    def test_arrays_and_dicts(self):
        sim = cairn.Simulator(double_pendulum())
        state = sim.scene.initial
        state.set_joints(sim.model, [0.2, 0.3], [1, 2])
        sim.set_joints({"a": 0.2, 1: 0.3}, {"b": 2, "a": 1})
        np.testing.assert_allclose(sim.state.v, state.v, atol=1e-12)
        np.testing.assert_allclose(sim.joint_positions, [0.2, 0.3], atol=1e-12)

    def test_loops(self):
        bars = scene("four_bar").to_dict()
        crank = next(body for body in bars["bodies"] if body["name"] == "crank")
        del crank["motion"]
        crank.update(mass=1.0, inertia=0.1, dof="x y rz", position=[0, 0, 0])
        bars["joints"].append({"name": "O", "type": "revolute", "bodies": ["world", "crank"],
                               "anchors": [[0, 0, 0], [0, 0, 0]]})
        sim = cairn.Simulator(bars)
        space = sim.joint_space()
        self.assertEqual((space.size, space.floating), (1, []))
        drive = space.joints[0]
        sim.joint(drive).position = sim.joint(drive).position + 0.2
        self.assertLess(sim.joint_error, 1e-9)
        other = next(name for name in sim.model.joint_names if name != drive)
        sim.joint(other).velocity = 0.5
        self.assertAlmostEqual(sim.joint(other).velocity, 0.5, delta=1e-9)
        # All four at once are allowed where they agree, and refused where they do not.
        sim.joint(drive).velocity = 0.7
        rates = sim.joint_velocities.copy()
        sim.set_joints(velocities=rates)
        np.testing.assert_allclose(sim.joint_velocities, rates, atol=1e-9)
        with self.assertRaises(cairn.Error):
            sim.set_joints(velocities=rates + [0, 0.1, 0, 0])
        with self.assertRaises(cairn.Error):
            sim.set_joints(sim.joint_positions + [0, 0.1, 0, 0])

    def test_nothing_moves(self):
        for bodies in ([{"name": "floor", "fixed": True}],
                       [{"name": "wheel", "motion": {"position": [0, 0, 0], "axis": [0, 0, 1], "angle": "t"}}]):
            sim = cairn.Simulator({"cairn": 1, "name": "still", "bodies": bodies})
            space = sim.joint_space()
            self.assertEqual((space.size, space.S.shape, space.mass_matrix().shape), (0, (0, 0), (0, 0)))
            self.assertEqual([len(space.velocities), len(space.positions), len(space.inverse_dynamics()), len(space.gravity_compensation())], [0] * 4)
            self.assertEqual(space.body_jacobian(0).shape, (6, 0))
            sim.set_joints([], [])
        # A crank that the scene moves decides about all coordinates.
        sim = cairn.Simulator(scene("four_bar"))
        self.assertEqual(sim.joint_space().size, 0)
        for words in ({"positions": {"A": 0.3}}, {"velocities": {"A": 0.3}}):
            with self.subTest(**words), self.assertRaises(cairn.Error):
                sim.set_joints(**words)

    def test_nothing_given_changes_nothing(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step(40)
        before = sim.state_hash
        sim.set_joints()
        sim.set_joints({}, velocities={})
        self.assertEqual(sim.state_hash, before)

    def test_planar_mechanisms(self):
        # A cart on a rail by its degrees of freedom, not by a joint: its first body keeps its place.
        sim = cairn.Simulator({"cairn": 1, "name": "cart", "gravity": [0, 0, -G],
                               "bodies": [{"name": "cart", "mass": 1, "dof": "x"},
                                          {"name": "pole", "mass": 1, "inertia": 0.1, "dof": "x z ry", "position": [0, 0, 0.5]}],
                               "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "bodies": ["cart", "pole"],
                                           "anchors": [[0, 0, 0], [0, 0, -0.5]]}]})
        space = sim.joint_space()
        self.assertEqual((space.joints, space.floating), (["hinge"], ["cart"]))
        np.testing.assert_allclose(space.mass_matrix(), [[0.1 + 0.25, 0.5], [0.5, 2]], atol=1e-12)
        sim.set_joints({"hinge": 0.7}, {"hinge": 1.0})
        self.assertAlmostEqual(sim.joint("hinge").position, 0.7, delta=1e-12)
        self.assertAlmostEqual(sim.joint("hinge").velocity, 1.0, delta=1e-12)
        np.testing.assert_allclose(sim.body("cart").position, 0, atol=1e-14)
        self.assertAlmostEqual(sim.body("cart").velocity[0], 0, delta=1e-12)
        self.assertLess(sim.joint_error, 1e-12)

    def test_refusals(self):
        sim = cairn.Simulator(door())
        space = sim.joint_space()
        before = sim.state_hash
        for call in (lambda: sim.set_joints({"hinge": 0.6}), lambda: sim.set_joints({"hing": 0.1}), lambda: sim.set_joints({"hinge": np.nan}),
                     lambda: sim.set_joints([0.1, 0.2]), lambda: sim.set_joints({"hinge": 0.1, 0: 0.2}), lambda: sim.joint_space(["nothing"]),
                     lambda: sim.joint_space([]), lambda: sim.joint_space(["hinge", "hinge"]), lambda: space.inverse_dynamics([1, 2]),
                     lambda: space.inverse_dynamics([np.inf]), lambda: space.body_jacobian("rod", [1, 2]), lambda: space.body_jacobian("rud"),
                     lambda: cairn.joint_space(sim, state=scene("cannonball21").initial)):
            with self.assertRaises(ValueError):
                call()
        for call in (lambda: sim.joint_space("hinge"), lambda: sim.joint_space(3), lambda: sim.set_joints("hinge"),
                     lambda: space.contact_jacobian(np.zeros(3)), lambda: space.contact_jacobian(None),
                     lambda: sim.set_joints({"hinge": "far"})):
            with self.assertRaises((TypeError, ValueError)):
                call()
        self.assertEqual(sim.state_hash, before)
        with self.assertRaises(cairn.Error) as caught:
            sim.joint("hinge").position = 0.6
        self.assertIn("-0.5 to 0.5", caught.exception.allowed)
        with self.assertRaises(cairn.Error) as caught:
            cairn.joint_space(scene("boxes1000"))
        self.assertEqual(caught.exception.code, "too_large")


class Contacts(unittest.TestCase):
    def test_contact_forces_hold_the_weight(self):
        sim = cairn.Simulator(on_floor(friction=0.5))
        sim.external_forces[sim.model.body_id("cube")] = [3, 0, 0, 0, 0, 0]  # within friction
        report = sim.step(3)
        contacts = report.contacts
        space = sim.joint_space()
        J = space.contact_jacobian(contacts)
        self.assertEqual(J.shape, (len(contacts), 3, 6))
        effort = np.einsum("crn,cr->n", J, contacts["impulse"]) / report.h
        # Newton: contact carries the weight and the push, without a torque beside that of the push at the centre.
        np.testing.assert_allclose(effort, [-3, 0, 2 * G, 0, 0, 0], atol=1e-6)
        np.testing.assert_allclose(space.inverse_dynamics(), [0, 0, 2 * G, 0, 0, 0], atol=1e-12)
        one = space.contact_jacobian(contacts[0])
        np.testing.assert_array_equal(one[0], J[0])
        broken = contacts.copy()
        for name, value in (("body_a", 99), ("body_b", -1), ("limit", True), ("position", np.nan)):
            broken = contacts.copy()
            broken[name] = value
            with self.subTest(field=name), self.assertRaises(ValueError):
                space.contact_jacobian(broken)

    def test_velocities_of_contacts(self):
        sim = cairn.Simulator(on_floor(friction=0.2, velocity=(2, 0, 0)))
        contacts = sim.step(2).contacts
        space = sim.joint_space()
        np.testing.assert_allclose(space.contact_jacobian(contacts) @ space.velocities, contacts["velocity"], atol=1e-8)

    def test_limits_are_told(self):
        sim = cairn.Simulator(door())
        sim.joint("hinge").effort = 20.0
        contacts = sim.step(100).contacts
        self.assertTrue(contacts["limit"].any())
        space = sim.joint_space()
        with self.assertRaisesRegex(ValueError, "limit"):
            space.contact_jacobian(contacts)
        self.assertEqual(space.contact_jacobian(contacts[~contacts["limit"]]).shape, (0, 3, 1))


if __name__ == "__main__":
    unittest.main()
