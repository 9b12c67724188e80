"""Data-parallel training over MPI: each rank runs backward on its own share of a batch, all get the mean gradient.

Input: the parameters (leaves) and an mpi4py communicator. After every backward the parameters' `grad` is the mean over
the ranks, the same bits on each of them. Gradients travel in buckets, the last parameters first, as soon as a bucket is
full: while MPI adds one up, backward goes on with the next. What is in a bucket, and in which order buckets are sent,
depends on the parameters alone, so that all ranks agree whatever their graphs look like.

This module knows nothing of how gradients are made, nor (see `ranks`) of what becomes of ranks that end.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from netcl import core
from netcl.autograd.distributed.ranks import Ranks
from netcl.autograd.engine.engine import queue_callback
from netcl.autograd.graph.modes import no_grad
from netcl.autograd.graph.node import Node
from netcl.autograd.graph.state import LOCAL
from netcl.core.arguments import kind_of
from netcl.core.errors import GraphError, ShapeError

__all__ = ["DataParallel"]


class DataParallel:
    """Keeps the parameters of all ranks equal: `DataParallel(parameters)` before training, `backward` as ever.

    Rank 0's values of the parameters are copied to all ranks. From then on each backward that reaches a parameter
    averages all gradients over the ranks; every rank must run the same number of them. Equal shares of a batch and a
    loss that is a mean over its share give the gradient of the whole batch.
    """

    def __init__(
        self, parameters: Sequence[Node], comm: Any = None, bucket_bytes: int = 8 << 20, timeout: float = 600.0
    ) -> None:
        """Make the parameters equal on all ranks of `comm` (all there are, if None) and watch their gradients.

        A bucket holds up to `bucket_bytes`. Whoever waits longer than `timeout` seconds for the other ranks gets a
        DeviceError. Raises ShapeError if the ranks do not have the same parameters, DeviceError without mpi4py.
        """
        self._parameters = list(parameters)
        for at, each in enumerate(self._parameters):
            if not isinstance(each, Node):
                raise GraphError(
                    f"DataParallel: parameter {at} is {kind_of(each)}, which has no gradient; give a list of leaves, "
                    "which ag.tensor(data, requires_grad=True) makes"
                )
        self._ranks = Ranks(comm, timeout)
        self.rank = self._ranks.rank
        self.size = self._ranks.size
        self._enabled = True
        self._run: Any = None  # the backward whose gradients are on their way
        self._sent = 0  # how many of its buckets
        self._require_equal()
        self._copy_from_first()
        self._buckets = _buckets(self._parameters, bucket_bytes)
        self._handles = [
            parameter.register_post_accumulate_grad_hook(functools.partial(self._arrived, bucket, at))
            for bucket in self._buckets
            for at, parameter in enumerate(bucket.parameters)
        ]

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Gradients of backwards in this block stay on their rank, and are averaged with those of the next one."""
        before, self._enabled = self._enabled, False
        try:
            yield
        finally:
            self._enabled = before

    def remove(self) -> None:
        """Stop averaging; all ranks must do so at the same point."""
        for handle in self._handles:
            handle.remove()
        self._ranks.close()

    def _require_equal(self) -> None:
        mine = [f"{each.dtype} {tuple(each.shape)}" for each in self._parameters]
        for rank, theirs in enumerate(self._ranks.comm.allgather(mine)):
            if len(theirs) != len(mine):
                problem = f"{len(mine)} parameters on rank {self.rank}, {len(theirs)} on rank {rank}"
            elif theirs != mine:
                at = next(i for i, pair in enumerate(zip(mine, theirs, strict=True)) if pair[0] != pair[1])
                problem = f"parameter {at} is {mine[at]} on rank {self.rank}, {theirs[at]} on rank {rank}"
            else:
                continue
            raise ShapeError(f"DataParallel: {problem}; build the same model on every rank")

    def _copy_from_first(self) -> None:
        for parameter in self._parameters:
            elements = self._ranks.comm.bcast(parameter.to_host(), root=0)
            if self.rank != 0:
                with no_grad():
                    parameter.assign_(core.from_host(elements, queue=parameter.queue))

    def _arrived(self, bucket: _Bucket, at: int, _: Node) -> None:
        """A parameter has this rank's gradient: send the buckets that are full, in their order."""
        if not self._enabled or self.size == 1:
            return
        run = LOCAL.state.run
        if self._run is None:
            self._run = run
            self._sent = 0
            for each in self._buckets:
                each.missing = set(range(len(each.parameters)))
            queue_callback(self._finish)
        elif self._run is not run:
            raise GraphError(
                "DataParallel: an earlier backward did not end, and its gradients are still on their way; "
                "start the ranks again"
            )
        bucket.missing.discard(at)
        while self._sent < len(self._buckets) and not self._buckets[self._sent].missing:
            self._send()
        for each in self._buckets[: self._sent]:
            each.request.Test()  # lets MPI go on with what is on its way

    def _send(self) -> None:
        bucket = self._buckets[self._sent]
        self._sent += 1
        bucket.pack()
        bucket.request = self._ranks.comm.Iallreduce(bucket.mine, bucket.sum)

    def _finish(self) -> None:
        """Backward has ended: send what is left, wait for all, put the means in place."""
        while self._sent < len(self._buckets):  # some parameters have no gradient on this rank
            self._send()
        for bucket in self._buckets:
            self._ranks.wait(bucket.request)
            bucket.unpack(self.size)
        self._run = None
        self._ranks.rounds += 1


class _Bucket:
    """Parameters whose gradients travel together: their elements one after the other, and behind them a 1 for each
    parameter that has a gradient on this rank."""

    def __init__(self, parameters: Sequence[Node]) -> None:
        self.parameters = list(parameters)
        ends = np.cumsum([each.size for each in self.parameters])
        self._places = [slice(end - each.size, end) for each, end in zip(self.parameters, ends, strict=True)]
        dtype = np.dtype("float64" if str(self.parameters[0].dtype) == "float64" else "float32")
        self.mine = np.zeros(int(ends[-1]) + len(self.parameters), dtype)
        self.sum = np.empty_like(self.mine)
        self._present = slice(int(ends[-1]), None)
        self.missing: set[int] = set()  # places of parameters whose gradient has not arrived
        self.request: Any = None

    def pack(self) -> None:
        """Copy this rank's gradients into the buffer that is sent."""
        gradients = [parameter.grad for parameter in self.parameters]
        if any(isinstance(gradient, Node) for gradient in gradients):
            raise GraphError("DataParallel: gradients with a graph of their own (create_graph=True) cannot be averaged")
        for gradient, place in zip(gradients, self._places, strict=True):
            self.mine[place] = 0 if gradient is None else gradient.to_host().ravel()
        self.mine[self._present] = [gradient is not None for gradient in gradients]

    def unpack(self, ranks: int) -> None:
        """Give the parameters the mean; one without a gradient on any rank keeps none."""
        for parameter, place, count in zip(self.parameters, self._places, self.sum[self._present], strict=True):
            if count:
                mean = (self.sum[place] / ranks).reshape(parameter.shape)
                parameter.grad = core.from_host(mean, queue=parameter.queue, dtype=parameter.dtype)


def _buckets(parameters: Sequence[Node], most: int) -> list[_Bucket]:
    """The parameters from the last to the first, in buckets of one dtype and of at most so many bytes."""
    groups: list[list[Node]] = []
    filled = 0
    for parameter in reversed(parameters):
        if not groups or filled + parameter.nbytes > most or groups[-1][0].dtype != parameter.dtype:
            groups.append([])
            filled = 0
        groups[-1].append(parameter)
        filled += parameter.nbytes
    return [_Bucket(group) for group in groups]
