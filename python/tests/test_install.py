"""pip installs the package into an environment of its own, without a network."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from common import LIMIT, ROOT, SCENES


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
            subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(home)], check=True, timeout=LIMIT)
            pip = subprocess.run([home / "bin" / "pip", "install", "--no-build-isolation", "--no-index", "."], cwd=source,
                                 env=environment, capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(pip.returncode, 0, pip.stdout + pip.stderr)
            program = ("import cairn, pathlib\n"
                       f"sim = cairn.Simulator({str(SCENES / 'pendulum.json')!r})\n"
                       "assert sim.step(10).accepted\n"
                       "here = pathlib.Path(cairn.__file__).parent\n"
                       "assert (here / 'py.typed').exists() and (here / '__init__.pyi').exists()\n"
                       "print(here, cairn.__version__)")
            ran = subprocess.run([home / "bin" / "python", "-c", program], cwd=folder, env=environment, capture_output=True,
                                 text=True, timeout=LIMIT)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(ran.stdout.startswith(str(home.resolve())) or str(home) in ran.stdout, ran.stdout)

    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            source, wheels = pathlib.Path(folder) / "source", pathlib.Path(folder) / "wheels"
            source.mkdir()
            for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md", "LICENSE"):
                shutil.copy(ROOT / name, source)
            shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            shutil.copytree(SCENES, source / "scenes")
            build = pathlib.Path(os.environ["CAIRN_BUILD"]).resolve()
            done = subprocess.run([sys.executable, "-m", "pip", "wheel", ".", "--no-build-isolation", "--no-index", "--no-deps", "-w",
                                   str(wheels)], cwd=source, env=os.environ | {"CAIRN_BUILD": str(build)}, capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            [wheel] = wheels.glob("cairn-*.whl")
            names = zipfile.ZipFile(wheel).namelist()
            self.assertTrue(any(name.endswith("share/cairn/scenes/cannonball66.json") for name in names))
            for wanted in ("cairn/__init__.py", "cairn/__init__.pyi", "cairn/py.typed", "cairn/_live.py"):
                self.assertIn(wanted, names)
            self.assertTrue(any(name.endswith("LICENSE") for name in names))

    def test_hardening(self):
        build = pathlib.Path(os.environ["CAIRN_BUILD"])
        if "CAIRN_HARDENING:BOOL=ON" not in (build / "CMakeCache.txt").read_text():
            self.skipTest("a build without CAIRN_HARDENING")
        files = [str(file) for file in (build / "python" / "cairn").glob("_cairn*.so")] + [str(build / "cairn")] * (build / "cairn").exists()
        checked = subprocess.run([ROOT / "tools" / "hardening", *files], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        # A program that is not hardened is told apart: the check can fail.
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "plain.c"
            source.write_text("int main(void) { return 0; }\n")
            plain = pathlib.Path(folder) / "plain"
            subprocess.run(["gcc", "-no-pie", "-fno-pie", "-fno-stack-protector", "-Wl,-z,lazy,-z,norelro,-z,execstack", source, "-o",
                            plain], check=True, capture_output=True)
            checked = subprocess.run([ROOT / "tools" / "hardening", plain], capture_output=True, text=True, timeout=LIMIT)
            self.assertEqual(checked.returncode, 1)
            for fault in ("position independent", "RELRO", "executable", "stack protector", "FORTIFY", "late"):
                self.assertIn(fault, checked.stderr)


if __name__ == "__main__":
    unittest.main()
