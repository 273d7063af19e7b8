"""Complementarity problems, distances, robot quantities."""

import json

import numpy as np

from . import _cairn
from ._scene import _chosen, _path, _plain, _text, _unknown, as_scene, options

Problem = _cairn.Problem
ReducedProblem = _cairn.ReducedProblem


def load_problem(path):
    """A Problem or ReducedProblem from a file: JSON, FCLIB or Siconos (docs/problem-files.md)."""
    return _cairn._read_problem(_path(path))


def _problem_from_dict(problem):
    """A problem from a dict of the JSON format, with "cairn_problem" or "cairn_reduced"."""
    return _cairn._parse_problem(_text(problem, "from_dict"), "<dict>")


def _save(self, path):
    """Writes the problem as JSON, to be solved alone with `cairn solve`."""
    _cairn._write_problem(self, _path(path))


def _reduced(W, q, laws="nonnegative", rows=None, mu=0.0, lo=-np.inf, hi=np.inf):
    """w = W lambda + q from arrays.

    laws: one name or one for each constraint: equality, nonnegative, box, coulomb (rows: normal, tangents), coulomb_relaxed.
    rows: of each constraint; default 1, and 3 of those with a friction cone. mu: friction. lo, hi: of law box.
    """
    q = np.asarray(q)
    if rows is not None and np.asarray(rows).dtype.kind not in "iu":
        raise TypeError("rows: expected whole numbers")
    if isinstance(laws, str):
        if np.ndim(rows) == 1:
            count = len(rows)
        else:
            each = (3 if laws.startswith("coulomb") else 1) if rows is None else int(rows)
            count = q.size // max(each, 1)
        laws = [laws] * count
    laws = list(laws)
    n = len(laws)
    if rows is None:
        rows = [3 if str(law).startswith("coulomb") else 1 for law in laws]
    spread = [np.full(n, x) if np.ndim(x) == 0 else x for x in (rows, mu, lo, hi)]
    return ReducedProblem._make(W, q, laws, *spread)


def solve(problem, solver="auto", *, warm=None, **others):
    """Solves a problem and judges the answer; returns a Solution, whose `certified` says whether it is one.

    solver: auto, nsgs, newton, lemke, admm, ipm, apgd or bb, or a dict with "type" and options; options also by keyword, as in
    solve(problem, "nsgs", tolerance=1e-6). warm: impulses to start from, (rows,).
    """
    if not isinstance(problem, (Problem, ReducedProblem)):
        raise TypeError(f"solve: expected a cairn.Problem or a cairn.ReducedProblem, got {type(problem).__name__}")
    tables = options("solver")
    chosen = _chosen(solver, {"type": "auto"}, "solver", tables)
    for name, value in others.items():
        if name not in tables[chosen["type"]]:
            raise _unknown("option", name, tables[chosen["type"]])
        chosen[name] = value
    return problem._solve(json.dumps({"solver": _plain(chosen, "solver")}), warm)


def distance(model, a, b, state=None, *, shape_a=-1, shape_b=-1):
    """How far two bodies are apart, or how deep they overlap, with witness points and gradients.

    model: a Model, Scene or Simulator; of a simulator its state is taken, else the initial one unless `state` is given. a, b:
    names or numbers; shape_a, shape_b: one of their shapes, -1: the closest.
    """
    if isinstance(model, _cairn.Simulator):
        state = model.state if state is None else state
        model = model.model
    else:
        scene = as_scene(model)
        state = scene.initial if state is None else state
        model = scene.model
    return _cairn._distance(model, state, a, b, shape_a, shape_b)


def joint_space(model, joints=None, state=None):
    """Independent velocities of a mechanism, for Jacobians, mass matrix and inverse dynamics: a JointSpace.

    model: a Model, Scene or Simulator; of a simulator its state is taken, else the initial one unless `state` is given. joints:
    names or numbers of those whose coordinates are independent; default: as many as are, in their order.
    """
    if isinstance(model, _cairn.Simulator):
        state = model.state if state is None else state
        model = model.model
    else:
        scene = as_scene(model)
        state = scene.initial if state is None else state
        model = scene.model
    return _cairn._joint_space(model, state, joints)


Problem.from_dict = staticmethod(_problem_from_dict)
Problem.load = staticmethod(load_problem)
Problem.save = _save
ReducedProblem.from_arrays = staticmethod(_reduced)
ReducedProblem.from_dict = staticmethod(_problem_from_dict)
ReducedProblem.load = staticmethod(load_problem)
