"""pip installs the package into an environment of its own, without a network."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from common import ROOT, SCENES


@unittest.skipUnless(os.environ.get("CAIRN_BUILD"), "needs a build tree with the module in CAIRN_BUILD")
class Install(unittest.TestCase):
    def test_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            source, home = pathlib.Path(folder) / "source", pathlib.Path(folder) / "home"
            source.mkdir()
            for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
                shutil.copy(ROOT / name, source)
            shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(home)], check=True)
            pip = subprocess.run([home / "bin" / "pip", "install", "--no-build-isolation", "--no-index", "."], cwd=source,
                                 env=environment, capture_output=True, text=True)
            self.assertEqual(pip.returncode, 0, pip.stdout + pip.stderr)
            program = ("import cairn, pathlib\n"
                       f"sim = cairn.Simulator({str(SCENES / 'pendulum.json')!r})\n"
                       "assert sim.step(10).accepted\n"
                       "here = pathlib.Path(cairn.__file__).parent\n"
                       "assert (here / 'py.typed').exists() and (here / '__init__.pyi').exists()\n"
                       "print(here, cairn.__version__)")
            ran = subprocess.run([home / "bin" / "python", "-c", program], cwd=folder, env=environment, capture_output=True,
                                 text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(ran.stdout.startswith(str(home.resolve())) or str(home) in ran.stdout, ran.stdout)


if __name__ == "__main__":
    unittest.main()
