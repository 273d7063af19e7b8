"""A page in the browser that follows a simulator while a script drives it."""

import atexit
import html as _html
import threading
import time
import weakref

from . import _cairn

_open = weakref.WeakSet()


class LiveView:
    """A page in the browser that shows each step of a simulator, made by Simulator.live().

    It looks on: the script alone takes steps and changes the state. One thread of its own serves the page, to this machine only;
    it needs no network and no installation. close() ends it, or the end of a `with` block, or that of the interpreter.
    """

    def __init__(self, sim, port=0, speed=0.0, open=False):
        self._view = _cairn.LiveView(sim, port)
        self._title = sim.scene.name
        self._speed = 0.0
        self.speed = speed
        self._address = self._view.address
        self._thread = threading.Thread(target=self._serve, name="cairn live view", daemon=True)
        self._thread.start()
        _open.add(self)
        if open:
            import webbrowser

            webbrowser.open(self._address)

    def _serve(self):
        # serve() returns early once the view is to end.
        while not self._ending:
            self._view.serve(0.05)
            self._view.refresh()

    _ending = False

    @property
    def address(self):
        """To open in a browser on this machine."""
        return self._address

    @property
    def speed(self):
        """Simulated seconds a second that steps keep to, where they are fast enough; 0: as fast as they are."""
        return self._speed

    @speed.setter
    def speed(self, speed):
        self._view.set_speed(speed)
        self._speed = float(speed)

    @property
    def is_open(self):
        """Whether it still serves."""
        return self._view.is_open

    @property
    def is_watched(self):
        """Whether a page is connected."""
        return self._view.is_open and self._view.is_watched

    def wait(self, timeout=None):
        """Waits until a page is connected, at most `timeout` seconds; returns whether one is."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.is_open and not self.is_watched and (end is None or time.monotonic() < end):
            time.sleep(0.02)
        return self.is_watched

    def close(self):
        """Ends the server; pages keep what they have."""
        if self._ending:
            return
        self._ending = True
        self._view.end()
        if threading.current_thread() is not self._thread:
            self._thread.join()
            self._view.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _repr_html_(self):
        return (f'<iframe title="{_html.escape(self._title)}" src="{_html.escape(self._address)}" allowfullscreen '
                f'style="width:100%;height:480px;border:0"></iframe>')

    def __repr__(self):
        return f"<cairn.LiveView {self._address if self.is_open else 'closed'}>"


@atexit.register
def _close_all():
    for view in list(_open):
        try:
            view.close()
        except RuntimeError:  # it is used in a thread that is still running
            pass
