"""Problems as arrays, solvers, distances."""

import pickle
import tempfile
import unittest

import numpy as np

import cairn
from common import ROOT, on_floor, scene


class Problems(unittest.TestCase):
    def problem(self, **options):
        sim = cairn.Simulator(scene("cannonball21"), **options)
        return sim.step(5).problems[-1]

    def test_arrays_say_what_the_solution_does(self):
        problem = self.problem()
        found = problem.solution
        A, J = problem.A, problem.J
        scale = np.abs(problem.k).max()
        np.testing.assert_allclose(A @ found.v, problem.k + J.T @ found.impulses, atol=1e-8 * scale)
        np.testing.assert_allclose(J @ found.v + problem.b, found.w, atol=1e-12 * np.abs(found.w).max() + 1e-14)
        for dense, (values, (rows, columns)) in ((A, problem.A_coo()), (J, problem.J_coo())):
            again = np.zeros_like(dense)
            np.add.at(again, (rows, columns), values)
            np.testing.assert_array_equal(again, dense)
        rows = problem.constraints
        self.assertEqual(len(rows), len(problem.names))
        self.assertEqual(rows["rows"].sum(), problem.rows)
        self.assertEqual({cairn.LAWS[i] for i in rows["law"]}, {"coulomb"})

    def test_solvers_agree(self):
        problem = self.problem(scheme="relaxed")  # convex: the velocities are unique
        first = cairn.solve(problem, tolerance=1e-12)
        for solver in ("nsgs", "newton", "admm"):
            other = cairn.solve(problem, solver, tolerance=1e-12)
            self.assertTrue(other.certified, solver)
            np.testing.assert_allclose(other.v, first.v, atol=1e-7 * np.abs(first.v).max())
        self.assertLessEqual(problem.certify(first.v, first.impulses)["worst"], 1e-8)
        warm = cairn.solve(problem, "nsgs", warm=first.impulses)
        self.assertLessEqual(warm.iterations, 10)
        self.assertTrue(warm.certified)

    def test_files(self):
        problem = self.problem()
        with tempfile.TemporaryDirectory() as folder:
            problem.save(folder + "/p.json")
            again = cairn.load_problem(folder + "/p.json")
        np.testing.assert_array_equal(again.J, problem.J)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(problem)).A, problem.A)
        any_of = next((ROOT / "tests" / "problems").glob("*.json"))
        self.assertGreater(cairn.load_problem(any_of).rows, 0)

    def test_linear_complementarity_from_arrays(self):
        # 0 <= x _|_ W x + q >= 0 with W = [[2, 1], [1, 2]], q = (-5, -6): both push, W x = -q
        p = cairn.ReducedProblem.from_arrays([[2, 1], [1, 2]], [-5, -6])
        found = cairn.solve(p, "lemke")
        self.assertTrue(found.certified)
        np.testing.assert_allclose(found.impulses, np.linalg.solve([[2, 1], [1, 2]], [5, 6]), atol=1e-8)
        np.testing.assert_array_equal(p.W, [[2, 1], [1, 2]])

    def test_friction_from_arrays(self):
        # a unit mass pressed with 1 and pushed sideways with 0.2: sticks at mu = 0.5, slides at 0.1
        for mu, slip in ((0.5, 0.0), (0.1, 0.1)):
            p = cairn.ReducedProblem.from_arrays(np.eye(3), [-1, 0.2, 0], "coulomb", mu=mu)
            found = cairn.solve(p)
            np.testing.assert_allclose(found.w, [0, slip, 0], atol=1e-7)
            np.testing.assert_allclose(found.impulses, [1, slip - 0.2, 0], atol=1e-7)

    def test_reduced_has_the_same_answer(self):
        problem = self.problem(scheme="relaxed")
        whole, reduced = (cairn.solve(p, tolerance=1e-12) for p in (problem, problem.reduced()))
        np.testing.assert_allclose(reduced.w, whole.w, atol=1e-6 * (1 + np.abs(whole.w).max()))

    def test_refusals(self):
        p = cairn.ReducedProblem.from_arrays(np.eye(3), [-1, 0.2, 0], "coulomb", mu=0.3)
        for call in (lambda: cairn.solve(p, "nsg"), lambda: cairn.solve(p, tolerence=1), lambda: cairn.solve(p, tolerance=2),
                     lambda: cairn.ReducedProblem.from_arrays(np.eye(2), [1, 2, 3]),
                     lambda: cairn.ReducedProblem.from_arrays(np.eye(2), [1, np.nan]),
                     lambda: cairn.ReducedProblem.from_arrays(np.eye(3), [1, 2, 3], "coulom"),
                     lambda: cairn.ReducedProblem.from_arrays(np.eye(3), [1, 2, 3], "coulomb", mu=-1),
                     lambda: cairn.solve(p, warm=[1, 2]), lambda: p.certify([1, 2]),
                     lambda: cairn.Problem.from_dict({"cairn_problem": 1})):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(TypeError):
            cairn.solve("p.json")


class Distances(unittest.TestCase):
    def test_cube_above_the_floor(self):
        sim = cairn.Simulator(on_floor(height=0.8))
        d = sim.distance("floor", "cube")
        self.assertAlmostEqual(d.gap, 0.3, delta=1e-12)
        np.testing.assert_allclose(d.normal, [0, 0, 1], atol=1e-12)
        np.testing.assert_allclose(d.gradient[1, :3], [0, 0, 1], atol=1e-12)  # lifting the cube
        self.assertEqual(cairn.distance(sim, "floor", "cube").gap, d.gap)
        self.assertEqual(cairn.distance(sim.scene, "floor", "cube").gap, d.gap)
        moved = sim.state
        moved.set_body(sim.model, "cube", position=[0, 0, 1.5])
        self.assertAlmostEqual(cairn.distance(sim.model, "floor", "cube", moved).gap, 1, delta=1e-12)
        with self.assertRaises(cairn.Error):
            cairn.distance(sim, "floor", "floor")


if __name__ == "__main__":
    unittest.main()
