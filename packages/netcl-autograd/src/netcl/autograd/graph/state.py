"""What each thread remembers: grad mode, current tape, tracer, anomaly checks, saved-value hooks, what is running.

One object per thread holds all of it, so that recording an op looks it up once. Nothing here is shared between
threads, and nothing here decides anything: `modes`, `tape`, `anomaly` and `engine` read and write these fields.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from netcl.core.weak import WeakKeys

if TYPE_CHECKING:
    from netcl.autograd.engine.engine import Run
    from netcl.autograd.engine.tape import Tape
    from netcl.autograd.graph.levels import Level


class ThreadState:
    """The fields of one thread."""

    __slots__ = (
        "anomaly", "around", "conversions", "grad_enabled", "inference", "levels", "ones", "run", "saved_hooks", "tape",
        "tracer",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad_enabled: bool = True  # whether ops are recorded; always False while inference is True
        self.inference: bool = False  # inside inference_mode
        self.tape: Tape | None = None  # the current tape: the innermost `with`, or set_current_tape
        self.tracer: Any = None  # takes each op instead of running it (ag.jit)
        self.anomaly: Any = None  # the checks of anomaly mode (anomaly.Checks), None outside it
        self.around: Any = None  # runs each op in the place of a plain call: around(name, forward, inputs)
        self.conversions: tuple[Callable[[Any], None], ...] = ()  # what looks at each node that is made numbers of
        self.saved_hooks: Any = None  # what becomes of saved values (saved.Hooks), None: they are kept as they are
        self.levels: tuple[Level, ...] = ()  # the jvps and vmaps that are running, the innermost last
        self.run: Run | None = None  # the backward that this thread is in
        self.ones: WeakKeys[Any, dict[Any, Any]] = WeakKeys()  # queue -> dtype -> a buffer of 1

    def copy_from(self, other: ThreadState) -> None:
        """Take over the fields of another thread, which waits for this one."""
        for name in ThreadState.__slots__:
            setattr(self, name, getattr(other, name))


class _Local(threading.local):
    def __init__(self) -> None:
        self.state = ThreadState()


LOCAL = _Local()
