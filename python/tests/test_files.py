"""Files that a scene names: in its folder, in allowed ones, robots of other programs."""

import json
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import cairn

CUBE = "\n".join(["v 0 0 0", "v 1 0 0", "v 1 1 0", "v 0 1 0", "v 0 0 1", "v 1 0 1", "v 1 1 1", "v 0 1 1",
                  "f 1 4 3 2", "f 5 6 7 8", "f 1 2 6 5", "f 2 3 7 6", "f 3 4 8 7", "f 4 1 5 8", ""])

ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><mass value="2"/><origin xyz="0 0 -0.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/></joint>
</robot>
"""


def with_mesh(file):
    return {"cairn": 1, "name": "m", "bodies": [{"name": "a", "mass": 1, "shapes": [{"type": "mesh", "file": str(file)}]}]}


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        # What is computed from meshes stays here.
        environment = mock.patch.dict(os.environ, {"CAIRN_CACHE": str(self.folder / "cache")})
        environment.start()
        self.addCleanup(environment.stop)
        (self.folder / "scene").mkdir()
        (self.folder / "meshes").mkdir()
        (self.folder / "meshes" / "cube.obj").write_text(CUBE)
        (self.folder / "arm.urdf").write_text(ROBOT)

    def test_folders_beside_that_of_the_scene(self):
        name = str(self.folder / "scene" / "scene.json")
        document = with_mesh("../meshes/cube.obj")
        with self.assertRaises(cairn.Error) as caught:
            cairn.Scene.from_dict(document, name)
        self.assertEqual((caught.exception.code, caught.exception.field), ("cannot_read", "bodies[0].shapes[0].file"))
        self.assertIn(f"allow_path={self.folder / 'meshes'}", caught.exception.remedy)
        self.assertIn("allow_path=", str(caught.exception))
        for allowed in (self.folder / "meshes", str(self.folder), [self.folder / "scene", self.folder / "meshes"]):
            scene = cairn.Scene.from_dict(document, name, allow_path=allowed)
            self.assertAlmostEqual(scene.model.inertias[0, 0, 0], 1 / 6, delta=1e-12)  # of a cube of 1 kg and 1 m
        # The same from a file, and what is made of the scene later needs the folder no more.
        pathlib.Path(name).write_text(json.dumps(document))
        with self.assertRaises(cairn.Error):
            cairn.Scene.load(name)
        loaded = cairn.Scene.load(name, allow_path=self.folder / "meshes")
        self.assertEqual(loaded.with_options(step=0.001).step, 0.001)
        self.assertEqual(cairn.Simulator(loaded, tolerance=1e-9).state_hash, cairn.Simulator(scene).state_hash)
        for bad in ("", [""], 3, [3], None, "\0"):
            with self.subTest(allow_path=bad), self.assertRaises((ValueError, TypeError)):
                cairn.Scene.load(name, allow_path=bad)

    def test_texts_and_names_of_folders_alike(self):
        (self.folder / "meshes2").mkdir()
        (self.folder / "meshes2" / "cube.obj").write_text(CUBE)
        text = json.dumps(with_mesh("../meshes2/cube.obj"))
        name = str(self.folder / "scene" / "scene.json")
        with self.assertRaises(cairn.Error):  # no prefix of a name
            cairn.Scene.from_json(text, name, allow_path=self.folder / "meshes")
        self.assertEqual(len(cairn.Scene.from_json(text, name, allow_path=self.folder / "meshes2").model.shapes), 1)

    def test_robots_of_other_programs(self):
        arm = cairn.Scene.load(self.folder / "arm.urdf")
        self.assertEqual(arm.model.joint_names, ["hinge"])
        with self.assertRaises(cairn.Error) as caught:  # its base has no mass
            cairn.Scene.load(self.folder / "arm.urdf", base="free")
        self.assertIn("bound_mass=", caught.exception.remedy)
        free = cairn.Scene.load(self.folder / "arm.urdf", base="free", floor=-2.0, bound_mass=0.1, bound_inertia=0.01)
        self.assertGreater(free.model.nv, arm.model.nv)
        self.assertGreater(len(free.model.shapes), len(arm.model.shapes))
        for words in ({"base": "up"}, {"floor": float("nan")}, {"friction": -1}, {"friction": "much"}, {"packages": 3},
                      {"bound_mass": float("inf")}, {"colour": 1}):
            with self.subTest(**words), self.assertRaises((ValueError, TypeError)):
                cairn.Scene.load(self.folder / "arm.urdf", **words)

    def test_notes(self):
        scene = cairn.Scene.from_dict(with_mesh("meshes/cube.obj"), str(self.folder / "scene.json"))
        self.assertIsInstance(scene.notes, list)


if __name__ == "__main__":
    unittest.main()
