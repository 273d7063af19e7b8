"""The tutorials run as they stand in docs/tutorials; CAIRN_PICTURES=DIR keeps the files that they write (tools/pictures)."""

import os
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from common import ROOT
from test_docs import run

FOLDER = ROOT / "docs" / "tutorials"
PAGES = sorted(FOLDER.glob("*.md"))


def code_of(text, language):
    return [found.group(1) for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def lines_of(code):
    return [line for line in code.splitlines() if line.strip()]


class Tutorials(unittest.TestCase):
    def test_all(self):
        os.environ.setdefault("MPLBACKEND", "Agg")
        self.assertEqual({page.stem for page in PAGES}, {"card-house", "pinch-grasp", "sweep", "controller", "friction-models",
                                                         "identification", "coming-from-mujoco", "robot-arm"})
        keep = os.environ.get("CAIRN_PICTURES")
        for page in PAGES:
            with self.subTest(page=page.stem), tempfile.TemporaryDirectory() as folder:
                begin = time.process_time()
                count, said = run(page, folder)
                self.assertGreaterEqual(count, 2)
                print(f"{page.stem}: {time.process_time() - begin:.1f} s of CPU")
                if keep:
                    target = pathlib.Path(keep) / page.stem
                    shutil.copytree(folder, target, symlinks=True, dirs_exist_ok=True)
                    (target / "said.txt").write_text(said)

    def test_ours_is_not_longer(self):
        text = (FOLDER / "coming-from-mujoco.md").read_text(encoding="utf-8")
        theirs, ours = code_of(text, "text")[0], code_of(text, "python")[0]
        self.assertLessEqual(len(lines_of(ours)), len(lines_of(theirs)))

    def test_pictures_are_there(self):
        for page in PAGES:
            for name in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
                self.assertTrue((page.parent / name).exists(), f"{page.name}: {name}; tools/pictures makes it")


if __name__ == "__main__":
    unittest.main()
