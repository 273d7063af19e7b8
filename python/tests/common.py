"""What the tests share: where things are, and scenes of a few bodies."""

import os
import pathlib

import cairn

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"
PROGRAM = os.environ.get("CAIRN_PROGRAM", "")  # of the same build
LIMIT = 600  # of a process that a test starts, on a machine with other work [s]

G = 9.81


def scene(name):
    return cairn.Scene.load(SCENES / f"{name}.json")


def ball(velocity=(0, 0, 0), position=(0, 0, 0), **more):
    """One sphere in free space."""
    return {"cairn": 1, "name": "ball", "gravity": [0, 0, -G],
            "bodies": [{"name": "ball", "mass": 2, "position": list(position), "velocity": list(velocity),
                        "shapes": [{"type": "sphere", "radius": 0.1}]}],
            "simulation": {"step": 0.01, "duration": 1}, **more}


def on_floor(friction=0.5, restitution=0.0, velocity=(0, 0, 0), height=0.5, step=0.01):
    """A cube of 2 kg and edge 1 m on a floor, its centre at `height`."""
    return {"cairn": 1, "name": "cube", "gravity": [0, 0, -G],
            "materials": {"default": {"friction": friction, "restitution": restitution}},
            "bodies": [{"name": "floor", "fixed": True, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
                       {"name": "cube", "mass": 2, "position": [0, 0, height], "velocity": list(velocity),
                        "shapes": [{"type": "box", "size": [1, 1, 1]}]}],
            "simulation": {"step": step, "duration": 1}}


def door():
    """A rod on a hinge about y, with limits."""
    return {"cairn": 1, "name": "door", "gravity": [0, 0, -G],
            "bodies": [{"name": "rod", "mass": 1, "position": [0.5, 0, 0],
                        "shapes": [{"type": "box", "size": [1, 0.1, 0.1]}]}],
            "joints": [{"name": "hinge", "type": "revolute", "bodies": ["world", "rod"], "axis": [0, 1, 0],
                        "anchors": [[0, 0, 0], [-0.5, 0, 0]], "lower": -0.5, "upper": 0.5}],
            "simulation": {"step": 0.005, "duration": 1}}
