"""Processes that put programs to the test, and may die of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

AGE = 150
"""After so many jobs a worker is replaced, so that what it has compiled does not fill the memory."""

LIMIT = 120.0
"""Seconds of processor time for one job: on a busy machine that is a lot longer."""


class Died(Exception):
    """The process ended in the middle of a job, or did not come to an end in time."""


class Worker:
    """One process with one job at a time: `start(job)`, then `answer()` when `connection` has something.

    Its kernels are for a `target` by name, or for the device where that is empty.
    """

    def __init__(self, work: str, target: str = "", patience: float = 1800.0) -> None:
        self.work, self.target, self.patience = work, target, patience
        self.process: Any = None

    def start(self, job: Any) -> None:
        if self.process is None or self.age >= AGE:
            self.stop()
            context = multiprocessing.get_context("spawn")
            self.connection, theirs = context.Pipe()
            self.process = context.Process(target=serve, args=(self.work, self.target, theirs), daemon=True)
            self.process.start()
            theirs.close()
            self.age = 0
        self.age += 1
        self.connection.send(job)

    def answer(self, late: bool = False) -> Any:
        """The answer to the job; Died if there will be none. What is late already is not waited for."""
        try:
            if self.connection.poll(0 if late else self.patience):
                return self.connection.recv()
            reason = f"no answer in {self.patience:.0f} s"
        except (EOFError, ConnectionResetError):
            self.process.join(5)
            late = self.process.exitcode == -signal.SIGPROF
            reason = f"{LIMIT:.0f} s of work" if late else f"exit code {self.process.exitcode}"
        self.stop()
        raise Died(reason)

    def ask(self, job: Any) -> Any:
        self.start(job)
        return self.answer()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None


def serve(work: str, target: str, connection: Connection) -> None:
    """Answer jobs with a function, `module:name`, until nobody asks any more; in kernels for this target."""
    os.environ.setdefault("NETCL_THREADS", "1")
    os.environ["NETCL_TARGET"] = target
    import torch

    torch.set_num_threads(1)
    module, name = work.split(":")
    function: Callable[[Any], Any] = getattr(__import__(module), name)
    while True:
        try:
            job = connection.recv()
        except EOFError:
            break
        signal.setitimer(signal.ITIMER_PROF, LIMIT)  # its signal ends the process
        connection.send(function(job))
    # What the driver does at the end of a process is the business of other tests.
    os._exit(0)


def settled(optimised: bool) -> None:
    """Environment of the workers: a cache of their own, plans that are verified, memory that begins as NaN, kernels
    that compile in less time."""
    os.environ.setdefault("NETCL_CACHE_DIR", tempfile.mkdtemp(prefix="netcl-foreign-"))
    os.environ.setdefault("NETCL_VERIFY", "1")
    os.environ.setdefault("NETCL_POISON", "1")
    if not optimised:
        os.environ.setdefault("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable")
        os.environ.setdefault("POCL_WORK_GROUP_METHOD", "loops")
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
