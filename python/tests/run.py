"""Runs the tests of this folder; the last line is `N passed, N failed`."""

import faulthandler
import os
import pathlib
import sys
import unittest

LIMIT = float(os.environ.get("CAIRN_TEST_SECONDS", 1200))  # of one test, 0: none; then its stack is printed and the run ends


class Result(unittest.TextTestResult):
    def startTest(self, test):
        super().startTest(test)
        if LIMIT > 0:
            faulthandler.dump_traceback_later(LIMIT, exit=True)

    def stopTest(self, test):
        faulthandler.cancel_dump_traceback_later()
        super().stopTest(test)


FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))
tests = unittest.defaultTestLoader.discover(str(FOLDER), sys.argv[1] if len(sys.argv) > 1 else "test_*.py")
result = unittest.TextTestRunner(verbosity=1, stream=sys.stdout, resultclass=Result).run(tests)
failed = len({test.id() for test, _ in result.failures + result.errors})
if result.skipped:
    print(f"{len(result.skipped)} skipped: " + "; ".join(sorted({reason for _, reason in result.skipped})))
print(f"{max(result.testsRun - failed - len(result.skipped), 0)} passed, {failed} failed")
sys.exit(0 if failed == 0 and result.testsRun > 0 else 1)
