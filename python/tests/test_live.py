"""The page that follows a script, seen by a client of bare sockets."""

import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
from urllib.parse import urlsplit

import numpy as np

import cairn
from common import LIMIT, SCENES, scene


class Page:
    """What a browser does: takes the page's socket, reads messages."""

    def __init__(self, address):
        parts = urlsplit(address)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=30)
        self.socket.sendall((f"GET {parts.path}live HTTP/1.1\r\nHost: {parts.netloc}\r\nOrigin: http://{parts.netloc}\r\n"
                             "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        self.bytes = b""
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head

    def more(self):
        got = self.socket.recv(65536)
        if not got:
            raise EOFError
        self.bytes += got

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def message(self):
        first, size = self.take(2)
        if size == 126:
            size = struct.unpack(">H", self.take(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.take(8))[0]
        return first & 15, self.take(size)

    def say(self, **command):
        data = json.dumps(command).encode()
        self.socket.sendall(bytes([0x81, 0x80 | len(data), 0, 0, 0, 0]) + data)

    def text(self, word):
        while True:
            kind, data = self.message()
            if kind == 2:
                self.say(do="seen")
            elif kind == 1 and word in (said := json.loads(data)):
                return said[word]

    def frame(self):
        """Time, steps so far, run and positions of the moving bodies of the next frame."""
        while True:
            kind, data = self.message()
            if kind != 2:
                continue
            self.say(do="seen")
            _, run, bodies, _ = struct.unpack_from("<4I", data, 0)
            t, _, _, _, _, steps, rejected = struct.unpack_from("<7d", data, 16)
            at = len(data) - 52 * bodies - 48 * struct.unpack_from("<I", data, 12)[0]
            places = np.frombuffer(data, "<f4", 13 * bodies, at).reshape(bodies, 13)[:, :3]
            return t, steps, run, rejected, places

    def frame_at(self, t):
        """The first frame of a time; fails by the socket's patience."""
        while True:
            frame = self.frame()
            if abs(frame[0] - t) < 1e-9:
                return frame


class Live(unittest.TestCase):
    def test_page_follows_the_script(self):
        sim = cairn.Simulator(scene("cannonball21"))
        with sim.live() as view:
            page = Page(view.address)
            self.assertTrue(view.wait(30))
            hello = page.text("hello")
            self.assertTrue(hello["passive"])
            self.assertEqual(page.frame()[0], 0)
            sim.step(7)
            t, steps, run, rejected, places = page.frame_at(sim.time)  # the last step is shown, whatever the pace
            self.assertEqual((steps, run, rejected), (7, 0, 0))
            np.testing.assert_allclose(places, sim.positions[hello["moving"]], rtol=1e-6, atol=1e-5)
            # A state that the script sets is shown as well; one of an earlier time begins a new run.
            sim.reset()
            _, _, run, _, places = page.frame_at(0)
            self.assertEqual(run, 1)
            np.testing.assert_allclose(places, sim.positions[hello["moving"]], rtol=1e-6, atol=1e-5)
            sim.body(int(hello["moving"][0])).position = sim.positions[hello["moving"][0]] + [0, 5, 0]
            while True:
                places = page.frame()[4]
                if np.allclose(places, sim.positions[hello["moving"]], rtol=1e-6, atol=1e-5):
                    break
        self.assertFalse(view.is_open)
        self.assertFalse(view.is_watched)
        sim.step()  # goes on without

    def test_page_cannot_steer(self):
        sim = cairn.Simulator(scene("cannonball21"))
        sim.step()
        before = sim.state_hash
        with sim.live() as view:
            page = Page(view.address)
            for command in ({"do": "start"}, {"do": "step"}, {"do": "reset"}, {"do": "friction", "material": 0, "value": 0.5},
                            {"do": "grab", "body": 3, "point": [0, 0, 0], "target": [0, 9, 0]}):
                page.say(**command)
                self.assertIn("script", page.text("error"))
            page.say(do="save")
            self.assertIn("cannonball21", page.text("scene")["text"])
            self.assertEqual(sim.state_hash, before)

    def test_bits_are_those_without_it(self):
        alone, watched = cairn.Simulator(scene("card_house")), cairn.Simulator(scene("card_house"))
        alone.step(20)
        with watched.live() as view:
            page = Page(view.address)
            watched.step(20)
            page.frame_at(watched.time)
        self.assertEqual(alone.state_hash, watched.state_hash)

    def test_speed_keeps_steps_to_the_clock(self):
        sim = cairn.Simulator(scene("pendulum"))
        with sim.live(speed=2.0) as view:
            begin = time.monotonic()
            sim.step(50, h=0.01)
            passed = time.monotonic() - begin
            self.assertGreater(passed, 0.5 / 2 - 0.02)  # never ahead of the clock
            for bad in (-1, float("nan"), 1e9, "fast"):
                with self.assertRaises((ValueError, TypeError)):
                    view.speed = bad
            self.assertEqual(view.speed, 2.0)

    def test_only_who_knows_the_address(self):
        sim = cairn.Simulator(scene("pendulum"))
        with sim.live() as view:
            with urllib.request.urlopen(view.address, timeout=30) as answer:
                self.assertIn(b"player.js", answer.read())
            parts = urlsplit(view.address)
            with self.assertRaises(urllib.error.HTTPError):
                urllib.request.urlopen(f"http://{parts.netloc}/", timeout=30)
            self.assertIn(view.address, view._repr_html_())
            self.assertEqual(parts.hostname, "127.0.0.1")

    def test_many_pages_and_threads(self):
        sim = cairn.Simulator(scene("cannonball21"))
        stop = threading.Event()
        with sim.live() as view:
            def look():
                page = Page(view.address)
                while not stop.is_set():
                    page.frame()

            def look_until_end():
                try:
                    look()
                except (OSError, EOFError):
                    pass

            threads = [threading.Thread(target=look_until_end) for _ in range(3)]
            for thread in threads:
                thread.start()
            view.wait(30)
            for _ in range(40):
                sim.step(5)
            stop.set()
        for thread in threads:
            thread.join(30)
        self.assertEqual(sim.steps, 200)
        self.assertEqual(sim.rejected_steps, 0)

    def test_end_of_the_interpreter_ends_it(self):
        program = ("import cairn\n"
                   f"sim = cairn.Simulator({str(SCENES / 'pendulum.json')!r})\n"
                   "view = sim.live()\n"
                   "sim.step(100)\n"
                   "print(view.address)\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT, env=os.environ)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_closing_in_a_step(self):
        sim = cairn.Simulator(scene("cannonball21"))
        view = sim.live()
        sim.controller = lambda sim: view.close()
        sim.step(3)
        self.assertFalse(view.is_open)
        self.assertEqual(sim.steps, 3)
        with self.assertRaises(cairn.Error):
            with sim.live() as first, sim.live(port=urlsplit(first.address).port):
                pass

    def test_what_a_step_costs(self):
        sim = cairn.Simulator(scene("pendulum"))

        def seconds(n=20000):
            begin = time.thread_time()
            sim.step(n, h=1e-4)
            return (time.thread_time() - begin) / n

        alone = min(seconds() for _ in range(3))
        with sim.live():
            followed = min(seconds() for _ in range(3))
        print(f"a step that a live view follows: {1e6 * (followed - alone):.2f} us more than {1e6 * alone:.2f} us")


if __name__ == "__main__":
    unittest.main()
