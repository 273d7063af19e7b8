"""Measures what two threads cost each other: `tools/python_scaling` says what it prints. No test: times decide nothing."""

import os
import pathlib
import statistics
import sys
import threading
import time

import cairn

SIMULATORS, STEPS, ROUNDS = 8, 60, 9
MOST_MORE, MOST_WAIT = 1.10, 0.05  # CPU time of a step on two threads over that on one; waiting over CPU time


def books():
    """CPU time of this thread and the time it waited for a processor [s]."""
    cpu, ready, _ = pathlib.Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()
    return int(cpu) / 1e9, int(ready) / 1e9


def busy():
    """CPU time of all processes of the machine [s], that of its guests and of its host left out."""
    user, nice, system, _, _, irq, softirq = map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


class Round:
    """One run of all simulators on a number of threads: times in seconds."""

    def __init__(self, work, threads):
        self.cpu = self.waited = 0.0
        lock, start = threading.Lock(), threading.Barrier(threads + 1)

        def one(number):
            start.wait()
            begin, (cpu, ready) = time.perf_counter(), books()
            work(number, threads)
            passed, (cpu_now, ready_now) = time.perf_counter() - begin, books()
            with lock:
                self.cpu += cpu_now - cpu
                self.waited += max(0.0, passed - (cpu_now - cpu) - (ready_now - ready))

        pool = [threading.Thread(target=one, args=(i,)) for i in range(threads)]
        for thread in pool:
            thread.start()
        others, own, begin = busy(), time.process_time(), time.perf_counter()
        start.wait()
        for thread in pool:
            thread.join()
        self.wall = time.perf_counter() - begin
        self.others = max(0.0, busy() - others - (time.process_time() - own)) / self.wall  # processors that others used


def measured(name, work, steps):
    """Rounds on one and on two threads by turns, so that what the machine does beside them meets both alike."""
    for threads in (1, 2):
        Round(work, threads)
    rounds = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads in rounds:
            rounds[threads].append(Round(work, threads))
    # What disturbs only adds: the least CPU time is the nearest to that of a machine of one's own.
    cpu = {threads: min(r.cpu for r in rounds[threads]) / steps for threads in rounds}
    waited = statistics.median(r.waited / r.cpu for r in rounds[2])
    others = statistics.median(r.others for r in rounds[1] + rounds[2])
    more = cpu[2] / cpu[1]
    print(f"{name}: CPU time a step {1e6 * cpu[1]:.1f} us on one thread, {1e6 * cpu[2]:.1f} us on two, ratio {more:.3f} "
          f"(at most {MOST_MORE}); waiting {100 * waited:.2f} % of it (at most {100 * MOST_WAIT:.0f} %); "
          f"which allows {2 / (more * (1 + waited)):.2f} times the speed")
    wall = min(r.wall for r in rounds[1]) / min(r.wall for r in rounds[2])
    idle = others < 0.05
    print(f"{name}: by the clock {wall:.2f} times as fast" + ("" if idle else f", with {others:.2f} processors at other work: no measurement"))
    return more <= MOST_MORE and waited <= MOST_WAIT


def main(name):
    scene = cairn.Scene.load(pathlib.Path(__file__).resolve().parents[2] / "scenes" / f"{name}.json")
    sims = [cairn.Simulator(scene) for _ in range(SIMULATORS)]

    def step(number, threads):
        for sim in sims[number::threads]:
            sim.reset()
            sim.step(STEPS)

    def step_by_step(number, threads):
        for sim in sims[number::threads]:
            sim.reset()
            for _ in range(STEPS):
                sim.step()

    print(f"{SIMULATORS} simulators of {name}, {STEPS} steps each; {os.cpu_count()} processors")
    good = measured("step(n)", step, SIMULATORS * STEPS)
    good &= measured("step() in a loop", step_by_step, SIMULATORS * STEPS)
    # The threads of a rollout are its own: their CPU time is that of the process.
    cpu = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads in cpu:
            begin = time.process_time()
            cairn.rollout(scene, SIMULATORS, STEPS, threads=threads)
            cpu[threads].append((time.process_time() - begin) / (SIMULATORS * STEPS))
    more = min(cpu[2]) / min(cpu[1])
    print(f"rollout: CPU time a step {1e6 * min(cpu[1]):.1f} us on one thread, {1e6 * min(cpu[2]):.1f} us on two, ratio {more:.3f} "
          f"(at most {MOST_MORE})")
    return 0 if good and more <= MOST_MORE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
