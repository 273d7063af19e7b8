"""The code of docs/python.md and README.md runs as it stands there."""

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

from common import ROOT, SCENES


def blocks(path):
    """(line, code) of the Python blocks of a page."""
    text = path.read_text(encoding="utf-8")
    for found in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, found.start()) + 2, found.group(1)


def run(path, folder=None):
    """Runs the blocks of a page in a folder, a temporary one if none is given; how many there are, and what they print."""
    if folder is None:
        with tempfile.TemporaryDirectory() as folder:
            return run(path, folder)
    names = {"__name__": "page"}
    here = os.getcwd()
    os.chdir(folder)
    try:
        pathlib.Path("scenes").symlink_to(SCENES)
        said = io.StringIO()
        count = 0
        for line, code in blocks(path):
            with contextlib.redirect_stdout(said):
                exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
            count += 1
    finally:
        os.chdir(here)
    return count, said.getvalue()


class Pages(unittest.TestCase):
    def test_guide(self):
        os.environ.setdefault("MPLBACKEND", "Agg")
        count, said = run(ROOT / "docs" / "python.md")
        self.assertGreaterEqual(count, 15)
        self.assertIn("<cairn.Verdict: accepted>", said)

    def test_readme(self):
        count, said = run(ROOT / "README.md")
        self.assertEqual(count, 1)
        self.assertIn("accepted", said)


if __name__ == "__main__":
    unittest.main()
