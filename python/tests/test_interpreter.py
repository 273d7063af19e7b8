"""The module and the interpreter around it: signals, threads, the end, memory, stubs."""

import ast
import concurrent.futures
import gc
import os
import resource
import signal
import subprocess
import sys
import unittest

import numpy as np

import cairn
from common import LIMIT, ROOT, SCENES, ball, scene


class Interpreter(unittest.TestCase):
    def test_interrupt_ends_a_step_and_keeps_the_state_whole(self):
        # A process of its own, so that its time is bounded. A shell without job control lets the jobs in its background ignore
        # SIGINT, and what is ignored at the start has no handler of Python's.
        program = ("import os, signal, threading, cairn\n"
                   "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
                   "def interrupted(work):\n"
                   "    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))\n"
                   "    timer.start()\n"
                   "    try:\n"
                   "        work()\n"
                   "    except KeyboardInterrupt:\n"
                   "        return True\n"
                   "    finally:\n"
                   "        timer.join()\n"
                   "    return False\n"
                   f"scene = cairn.Scene.load({str(SCENES / 'cannonball66.json')!r})\n"
                   "for controller in (None, lambda s: None):\n"
                   "    sim = cairn.Simulator(scene)\n"
                   "    sim.controller = controller\n"
                   "    assert interrupted(lambda: sim.step(10**9)), 'a step'\n"
                   "    again = cairn.Simulator(scene)\n"
                   "    again.step(sim.steps)\n"
                   "    assert sim.state_hash == again.state_hash, 'the state'\n"
                   "    sim.controller = None\n"
                   "    sim.step(3)\n"
                   "assert interrupted(lambda: cairn.rollout(scene, 4, 3000, threads=2)), 'a rollout'\n"
                   "print('ended')\n")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT)
        self.assertEqual((ran.returncode, ran.stdout), (0, "ended\n"), ran.stderr)

    def test_interrupt_where_the_caller_ignores_it(self):
        # As `command &` in a script: the default is to go on, and a script that wants Ctrl-C says so.
        program = ("import os, signal, cairn\n"
                   "assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN\n"
                   f"sim = cairn.Simulator({str(SCENES / 'cannonball21.json')!r})\n"
                   "os.kill(os.getpid(), signal.SIGINT)\n"
                   "print(sim.step(20).step)\n")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertEqual((ran.returncode, ran.stdout), (0, "20\n"), ran.stderr)

    def test_threads_run_beside_each_other(self):
        def run(_):
            sim = cairn.Simulator(scene("cannonball21"))
            sim.step(40)
            return sim.state_hash

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.assertEqual(len(set(pool.map(run, range(8)))), 1)

    def test_the_interpreter_ends_while_threads_step(self):
        program = ("import threading, time, cairn\n"
                   "def work():\n"
                   "    sim = cairn.Simulator({scene!r})\n"
                   "    sim.controller = {controller}\n"
                   "    sim.step(10**9)\n"
                   "for _ in range(3): threading.Thread(target=work, daemon=True).start()\n"
                   "time.sleep(0.3)\n")
        for controller in ("None", "lambda s: None"):
            text = program.format(scene=str(ROOT / "scenes" / "cannonball21.json"), controller=controller)
            ended = subprocess.run([sys.executable, "-c", text], capture_output=True, timeout=LIMIT)
            self.assertEqual(ended.returncode, 0, ended.stderr.decode())
            self.assertNotIn(b"terminate", ended.stderr)

    def test_memory_does_not_grow(self):
        def use():
            sim = cairn.Simulator(scene("cannonball21"))
            sim.record()
            sim.controller = lambda s: sim.time
            reports = [sim.step() for _ in range(5)]
            views = [sim.positions, sim.state.v, reports[0].contacts, reports[4].problems[0].J]
            try:
                sim.body("none")
            except cairn.Error:
                pass
            return len(views)

        for _ in range(20):
            use()
            gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(60):
            use()
            gc.collect()
        # A simulator has about 1 MB: sixty that stayed would show.
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 20_000)

    def test_stubs_name_what_there_is(self):
        tree = ast.parse((ROOT / "python" / "cairn" / "__init__.pyi").read_text())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        self.assertLessEqual(set(cairn.__all__) - {"Env", "EVENTS", "LAWS", "MODES", "__version__"}, set(classes) | functions)
        for name, node in classes.items():
            thing = getattr(cairn, name, None) or getattr(cairn._cairn, name)
            stubbed = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            stubbed |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
            public = {member for member in dir(thing) if not member.startswith("_")}
            with self.subTest(type=name):
                if not issubclass(thing, BaseException) and name not in ("Rollout", "Page"):
                    self.assertEqual({s for s in stubbed if not s.startswith("__")}, public)

    def test_everything_public_says_what_it_is(self):
        for name in cairn.__all__:
            thing = getattr(cairn, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)

    def test_numbers_of_other_kinds_are_taken(self):
        sim = cairn.Simulator(ball())
        body = sim.body("ball")
        for value in ([1, 2, 3], (1.0, 2, 3), np.array([1, 2, 3], dtype=np.float32), np.arange(1, 4), np.arange(6)[1:4],
                      np.arange(1, 4, dtype=">i2"), np.array([[1, 2, 3]])[0]):
            body.position = value
            self.assertEqual(list(body.position), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
