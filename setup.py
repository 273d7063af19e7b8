"""Builds the compiled part of the package with CMake: libraries and module, no program, no tests (docs/python.md).

CAIRN_BUILD=build/release takes the module of a build tree that has one (CAIRN_PYTHON=ON) instead of building it.
"""

import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(cairn VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        given = os.environ.get("CAIRN_BUILD")
        tree = pathlib.Path(given).resolve() if given else ROOT / "build" / f"pip-{sys.implementation.cache_tag}"
        if not given:
            if not shutil.which("cmake"):
                sys.exit("cmake is missing: tools/dependencies python installs what the build needs")
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(tree), *generator, "-DCMAKE_BUILD_TYPE=Release",
                            "-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG", "-DCAIRN_HARDENING=ON", "-DCAIRN_TESTS=OFF", "-DCAIRN_PYTHON=ON",
                            f"-DPython_EXECUTABLE={sys.executable}"], check=True)
            jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
            subprocess.run(["cmake", "--build", str(tree), "--target", "cairn_python", "--parallel", jobs], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        built = tree / "python" / "cairn" / target.name
        if not built.exists():
            sys.exit(f"{built} is missing: build the target cairn_python there, for this Python, with CAIRN_PYTHON=ON")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, target)


setup(version=VERSION, data_files=[("share/cairn/scenes", sorted(glob.glob("scenes/*.json")))], ext_modules=[Extension("cairn._cairn", sources=[])], cmdclass={"build_ext": CMakeBuild})
