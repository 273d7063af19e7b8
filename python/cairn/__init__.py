"""Cairn: rigid bodies in hard contact with Coulomb friction, with an honest verdict on every step.

    import cairn

    sim = cairn.Simulator("scenes/cannonball66.json")
    report = sim.step(100)
    print(report.verdict, sim.body("disc1").position)

Units are SI. Quaternions are (w, x, y, z). Arrays over bodies and joints are in the order of Model.body_names and
Model.joint_names. docs/python.md is the guide.
"""

from . import _cairn
from ._cairn import Body, Distance, Joint, JointSpace, LAWS, Model, Report, Solution, State, Trace, Verdict, schema
from ._cairn import __version__
from ._errors import Error, InternalError, StepStopped
from ._live import LiveView
from ._page import Page
from ._plot import curves, plot
from ._problems import Problem, ReducedProblem, distance, joint_space, load_problem, solve
from ._rollout import Rollout, rollout
from ._scene import Scene, options, scenes
from ._simulator import Simulator
from .env import Env

MODES = ("open", "stick", "slip")  # of Report.contacts["mode"]
EVENTS = ("collision", "stick", "slip", "take_off", "limit", "facet", "steady")  # of Report.events["kind"]


def view(trace):
    """A page that plays a recording: a Trace or the path of one."""
    trace = trace if isinstance(trace, Trace) else Trace(trace)
    return Page(trace._page(), trace.scene.name)


Trace.view = view
for _class in (Body, Distance, Joint, JointSpace, Model, Problem, ReducedProblem, Report, Scene, Solution, State, Trace, Verdict):
    _class.__module__ = "cairn"  # where users find it; pickles name it so
del _class

__all__ = ["Body", "Distance", "EVENTS", "Env", "Error", "InternalError", "Joint", "JointSpace", "LAWS", "LiveView", "MODES", "Model", "Page", "Problem",
           "ReducedProblem", "Report", "Rollout", "Scene", "Simulator", "Solution", "State", "StepStopped", "Trace", "Verdict",
           "curves", "distance", "joint_space", "load_problem", "options", "plot", "rollout", "scenes", "schema", "solve", "view", "__version__"]
