"""Leaving a process in many states: with work queued, threads waiting, programs being compiled, tensors alive.

Each state is the end of a program. A process has left well when its code is the one that is due, it says nothing on
standard error that is not due, and it is gone soon.

    python tests/reliability/exits.py          # every state, and how long each took
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from textwrap import dedent

START = """
import atexit, gc, os, signal, sys, threading, time
import numpy as np
from netcl import core
from netcl import autograd as ag
queue = core.default_queue()
small, large = core.ones(16), core.ones(1_000_000)
cold = '''/* %d */
kernel void slow(global float *x, long n) {
    float s = x[0];
    for (long i = 0; i < n; i++) s = sin(s) + 1;
    x[0] = s;
}''' % time.time_ns()

def launch(steps=3_000_000):     # about a tenth of a second
    slow = queue.program(cold).kernel("slow", (None, np.int64))
    slow.launch((1,), (1,), (large.buffer.cl, steps))

def flood(seconds=0.3, x=large):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        x + x

def forever(work, *args):
    while True:
        work(*args)

def daemon(work, *args):
    thread = threading.Thread(target=work, args=args, daemon=True)
    thread.start()
    time.sleep(0.1)
    return thread
"""


@dataclass(frozen=True)
class State:
    """How a process ends: the code before its end, the exit code, and what standard error must have in it."""

    code: str
    exit_code: int = 0
    says: str = ""


STATES = {
    "nothing queued": State("pass"),
    "cold kernel queued": State("launch()"),
    "work queued": State("flood()"),
    "work queued, small": State("flood(0.3, small)"),
    "sys.exit with work queued": State("flood(); sys.exit(3)", 3),
    "error with work queued": State("flood(); raise ValueError('boom')", 1, "boom"),
    "KeyboardInterrupt with work queued": State("flood(); raise KeyboardInterrupt", -2, "KeyboardInterrupt"),
    "SIGINT in synchronize": State(
        "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "launch(10_000_000); core.synchronize()", -2, "KeyboardInterrupt",
    ),
    "SIGINT at exit": State(
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "launch(10_000_000); signal.setitimer(signal.ITIMER_REAL, 0.1)", 0, "no kernel can be stopped",
    ),
    "SIGTERM with work queued": State("flood(); os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)", -15),
    "daemon waits": State("launch(10_000_000); daemon(core.synchronize)"),
    "daemon waits for ever anew": State("daemon(forever, lambda: (large + large).to_host())"),
    "daemon launches and waits": State("daemon(forever, lambda: (launch(), core.synchronize()))"),
    "daemon launches large": State("daemon(forever, flood)"),
    "daemon launches small": State("daemon(forever, flood, 0.01, small)"),
    "daemon is held back": State("daemon(forever, launch, 300_000)"),
    "eight daemons launch and wait": State(
        "for each in range(8): daemon(forever, lambda: ((large + large).to_host(), small * small))"
    ),
    "daemon compiles": State(
        "daemon(forever, lambda: queue.program(cold + '// %d' % time.time_ns()))"
    ),
    "daemon compiles and launches": State(
        "def build():\n"
        "    queue.program(cold + '// %d' % time.time_ns()).kernel('slow', (None, np.int64)).launch((1,), (1,), "
        "(large.buffer.cl, 3))\n"
        "daemon(forever, build)"
    ),
    "daemon in backward": State(
        "def step():\n"
        "    a = ag.Node(large, True)\n"
        "    ag.sum(a * a + a).backward()\n"
        "daemon(forever, step)"
    ),
    "daemon with a queue of its own": State(
        "def work():\n"
        "    own = core.Queue()\n"
        "    x = core.ones(100_000, queue=own)\n"
        "    while True: x + x\n"
        "daemon(work)"
    ),
    "daemon that catches everything": State(
        "def stubborn():\n"
        "    while True:\n"
        "        try: flood(0.01)\n"
        "        except BaseException: pass\n"
        "daemon(stubborn)"
    ),
    "sys.exit in a thread": State(
        "thread = threading.Thread(target=lambda: (flood(), sys.exit(5))); thread.start(); thread.join()"
    ),
    "thread outlives the main thread": State("threading.Thread(target=lambda: (time.sleep(0.1), flood())).start()"),
    "error in a thread": State(
        "def fail(): flood(); raise ValueError('boom')\nthreading.Thread(target=fail).start()", 0, "boom"
    ),
    "pool of threads": State(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "pool = ThreadPoolExecutor(4)\n"
        "for each in range(4): pool.submit(flood)"
    ),
    "handler at exit that computes": State("flood(); atexit.register(lambda: print((large + large).to_host()[0]))"),
    "handler at exit from before": State("flood()", says="4.0"),
    "handler at exit that launches": State("flood()"),
    "handler at exit that fails": State("atexit.register(lambda: 1 / 0); flood()", 0, "ZeroDivisionError"),
    "object that computes when it goes": State(
        "class Last:\n"
        "    def __del__(self, large=large): large + large\n"
        "keep = Last(); keep.itself = keep; flood()"
    ),
    "graph alive": State("a = ag.Node(large, True)\nfor each in range(300): a = a * large\nb = ag.sum(a)"),
    "cycle of tensors": State("one = [large + large]; one.append(one); flood()"),
    "memory lent to numpy": State("view = core.host_view(large + large); flood()"),
    "arena open": State("arena = core.arena(); arena.__enter__(); kept = large + large; flood()"),
    "profile open": State("profile = core.profile(); profile.__enter__(); flood()"),
    "anomaly checks waiting": State(
        "mode = ag.detect_anomaly(); mode.__enter__()\n"
        "a = ag.Node(large, True); ag.sum(a * a).backward(); flood()"
    ),
    "queue dropped with work queued": State(
        "own = core.Queue(); x = core.ones(1_000_000, queue=own)\n"
        "for each in range(50): x = x + x\n"
        "del own, x; gc.collect()"
    ),
    "fork, child leaves": State(
        "flood()\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7"
    ),
    "fork, child uses a tensor": State(
        "flood()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try: (large + large).to_host()\n"
        "    except core.DeviceError: sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7"
    ),
    "fork while a daemon launches": State(
        "daemon(forever, flood)\n"
        "child = os.fork()\n"
        "if child == 0: sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7"
    ),
}  # fmt: skip
"""Every state by name."""

_BEFORE = {
    "handler at exit from before": "import atexit, sys\n"
    "atexit.register(lambda: print((large + large + large + large).to_host()[0], file=sys.stderr))",
    "handler at exit that launches": "import atexit\natexit.register(lambda: flood(0.1))",
}
"""What is run before netcl is imported, so that its handler at exit runs after netcl's."""


_END = "atexit.register(lambda: print('ends', time.time(), flush=True))"


@dataclass(frozen=True)
class Left:
    """How a process has left: what was wrong, if anything, and how long it took from the end of its program."""

    wrong: str
    seconds: float


def leave(name: str) -> Left:
    """Run a process in this state to its end."""
    state = STATES[name]
    code = "\n".join([_BEFORE.get(name, ""), START, _END, dedent(state.code)])
    begun = time.time()
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return Left("it hangs", 60.0)
    lines = [line for line in done.stdout.splitlines() if line.startswith("ends ")]
    seconds = time.time() - (float(lines[0].split()[1]) if lines else begun)
    if done.returncode != state.exit_code:
        return Left(f"exit code {done.returncode}, not {state.exit_code}: {done.stderr[-2000:]}", seconds)
    if state.says not in done.stderr or (done.stderr and not state.says):
        return Left(f"standard error is {done.stderr[-2000:]!r}", seconds)
    return Left("", seconds)


def main(repeats: int = 3) -> int:
    """Leave in every state so many times and print each; returns how many did not end well."""
    os.environ.setdefault("NETCL_CACHE_DIR", tempfile.mkdtemp())
    slowest, failed, count = 0.0, 0, 0
    for name in STATES:
        if not hasattr(os, "fork") and name.startswith("fork"):
            continue
        for _ in range(repeats):
            left = leave(name)
            count, failed, slowest = count + 1, failed + bool(left.wrong), max(slowest, left.seconds)
            print(f"{name:40} {left.seconds:6.2f} s  {left.wrong or 'ok'}", flush=True)
    print(f"{len(STATES)} states, {count} exits, {failed} not clean; the slowest took {slowest:.2f} s")
    return failed


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
