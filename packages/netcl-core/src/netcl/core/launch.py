"""Kernels and their launch, which is the hot path of netcl.

A thread's first launch makes an OpenCL kernel object of its own and writes out a function for these argument types;
every later one sets the arguments and enqueues, with three calls into pyopencl's C++ layer and nothing else, but for
one in so many that waits while too much is in flight (`stream`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from netcl.core import cache, guards
from netcl.core.accounting import total
from netcl.core.driver import error_code, low_level, opencl
from netcl.core.errors import DeviceError, OutOfMemoryError

if TYPE_CHECKING:
    from netcl.core.program import Program

# PoCL compiles a kernel apart for grids beyond this many work-items along an axis; harmless for other drivers.
LARGE_GRID = 65535

_MOST_THREADS = 256
"""So many threads have an OpenCL kernel object for each kernel that they launched."""

_making = Lock()  # pyopencl writes Python for a kernel that it makes, and warns when two threads do so for equal ones

Launch = Callable[..., None]
"""`launch(global_size, local_size, *args)`"""


class Kernel:
    """A kernel of a program. `launch` may be called from any thread: each has an OpenCL kernel object of its own.

    `launches` has what `launch` calls, by thread, for those who call often: with as many arguments as there are, a
    global size without a 0 in it, and sizes that `note` has been told of.
    """

    __slots__ = ("_noted", "arg_types", "launches", "name", "program")

    def __init__(self, program: Program, name: str, arg_types: tuple[Any, ...]) -> None:
        self.program = program
        self.name = name
        self.arg_types = arg_types
        self._noted: set[tuple[tuple[int, ...] | None, bool]] = set()
        self.launches = _Launches(self)
        self.prepare()

    def launch(
        self,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        args: Sequence[Any],
        thread: Callable[[], int] = get_ident,
    ) -> None:
        """Queue the kernel. `args` are OpenCL memory objects (`Buffer.cl`) and numbers, in the kernel's order.

        A launch over no work-items does nothing.
        """
        if len(args) != len(self.arg_types):
            place = f"kernel {self.name!r} with global size {global_size} and local size {local_size}"
            raise DeviceError(f"{place} takes {len(self.arg_types)} arguments, {len(args)} were given")
        for what, size, least in (("global", global_size, 0), ("local", local_size, 1)):
            if isinstance(size, int | np.integer):
                raise TypeError(f"kernel {self.name!r}: the {what} size is {size!r}; write a tuple, as in (64,)")
            if size is not None and not all(isinstance(each, int | np.integer) and each >= least for each in size):
                raise DeviceError(
                    f"kernel {self.name!r}: the {what} size is {size!r}, but it has whole numbers from {least} on"
                )
        if 0 in global_size:  # PoCL would divide by zero
            return
        self.note(global_size, local_size)
        self.launches[thread()](global_size, local_size, *args)

    def note(self, global_size: tuple[int, ...], local_size: tuple[int, ...] | None) -> None:
        """Know that there is such a launch, which may have the driver compile something that is worth keeping."""
        large = global_size[0] > LARGE_GRID or global_size[-1] > LARGE_GRID
        if (local_size, large) not in self._noted:
            self.program.note_form((self.name, local_size, large))
            self._noted.add((local_size, large))

    @property
    def max_work_group_size(self) -> int:
        """The most work-items that a work-group of this kernel may have on its device."""
        cl = opencl()
        kernel = cl.Kernel(self.program.cl, self.name)
        limit = kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, self.program.stream.device.cl)
        return int(limit)

    def forget_launches(self) -> None:
        """Have the launches written out anew; the next ones go to what is the queue's OpenCL queue then."""
        self.launches.clear()

    def poison(self) -> Any:
        """Make every launch fail in a forked child; what must never be released."""
        kept = dict(self.launches)
        self.launches.clear()
        return kept

    def prepare(self) -> Launch:
        """Make the launch function of this thread, around an OpenCL kernel object that no other thread uses."""
        guards.touch_driver()
        cl = opencl()
        try:
            with _making:
                kernel = cl.Kernel(self.program.cl, self.name)
            count = kernel.num_args
        except cl.Error as error:
            damaged = cache.perhaps_damaged() if self.program.stream.device.is_pocl else ""
            raise DeviceError(f"kernel {self.name!r} is not in its program: {error}{damaged}") from error
        if count != len(self.arg_types):
            raise DeviceError(
                f"kernel {self.name!r} takes {count} arguments, and {len(self.arg_types)} types were given"
            )
        if len(self.launches) >= _MOST_THREADS:  # most of which are gone
            self.launches.clear()
        launch = self.launches[get_ident()] = _compose(self, kernel)
        return launch

    def _fail(
        self, error: Exception, global_size: tuple[int, ...], local_size: tuple[int, ...] | None, *args: Any
    ) -> None:
        """Say what was wrong with a launch, unless Python that was run meanwhile raised it: a signal handler, say."""
        if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
            return
        place = f"kernel {self.name!r} with global size {global_size} and local size {local_size}"
        cl = opencl()
        if isinstance(error, cl.Error) and getattr(error, "routine", None) not in ("Kernel.set_arg", "clSetKernelArg"):
            codes = cl.status_code
            if error_code(error) in (codes.MEM_OBJECT_ALLOCATION_FAILURE, codes.OUT_OF_RESOURCES):
                raise OutOfMemoryError(f"{place} found no memory on the device ({error}); use less") from error
            raise DeviceError(f"{place} was not accepted: {error}") from error
        kinds = ", ".join("buffer" if kind is None else np.dtype(kind).name for kind in self.arg_types)
        said = f"{place} takes ({kinds}); an argument does not fit: {error}{_wrapped(self.arg_types, args)}"
        raise DeviceError(said) from error

    def __repr__(self) -> str:
        return f"<Kernel {self.name}>"


class _Launches(dict[int, Launch]):
    """The launches of a kernel by thread; that of a new thread is made when it is asked for."""

    __slots__ = ("_kernel",)

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def __missing__(self, thread: int) -> Launch:
        return self._kernel.prepare()


def _wrapped(kinds: Sequence[Any], args: Sequence[Any]) -> str:
    """What to write in the place of the first argument that is a Tensor or its Buffer."""
    from netcl.core.blocks import Buffer
    from netcl.core.tensor import Tensor

    for i, (kind, given) in enumerate(zip(kinds, args, strict=True)):
        if isinstance(given, Buffer | Tensor):
            instead = "x.buffer.cl of a tensor x" if kind is None else "a number"
            return f"; argument {i} is a {type(given).__name__}, pass {instead}"
    return ""


def _compose(kernel: Kernel, cl_kernel: Any) -> Launch:
    """A function that sets the arguments and enqueues, written out for these argument types.

    A loop over the arguments costs more than the driver does; the written-out form is three calls into C++.
    """
    names = "".join(f", a{i}" for i in range(len(kernel.arg_types)))
    plain, packed, other = [], [], []
    for i, kind in enumerate(kernel.arg_types):
        if kind is None:
            plain.append(f"{i}, a{i}")
            continue
        char = np.dtype(kind).char
        if char in "bBhHiIlLfd":
            packed.append(f"{i}, {char.encode()!r}, a{i}")
        else:
            other.append(f"{i}, scalar{i}(a{i})")
    set_arguments = [f"set_objects(({', '.join(plain)},))"] if plain else []
    set_arguments += [f"set_numbers(({', '.join(packed)},))"] if packed else []
    set_arguments += [f"set_bytes(({', '.join(other)},))"] if other else []
    stream = kernel.program.stream
    event = "tail.event = " if stream.profile is not None or not stream.is_immediate else ""
    note = "" if stream.profile is None else f"note({kernel.name!r}, device, global_size, tail.event)"
    text = f"""
def launch(global_size, local_size{names}):
    try:
        {"; ".join(set_arguments) or "pass"}
        {"" if stream.is_immediate else "stream.launched += 1"}
        {event}enqueue(queue, kernel, global_size, local_size, None, None, False, False)
        total.kernels_launched += 1
        {note}
        {"" if stream.is_immediate else "if stream.launched >= stream.due: stream.hold_back(tail.event)"}
    except Exception as error:
        fail(error, global_size, local_size{names})
        raise
"""
    namespace: dict[str, Any] = {
        "set_objects": cl_kernel._set_arg_multi,
        "set_numbers": cl_kernel._set_arg_buf_pack_multi,
        "set_bytes": cl_kernel._set_arg_buf_multi,
        "enqueue": low_level().enqueue_nd_range_kernel,
        "stream": stream,
        "tail": stream.tail,
        "queue": stream.cl,
        "kernel": cl_kernel,
        "total": total,
        "fail": kernel._fail,
        "note": None if stream.profile is None else stream.profile.note,
        "device": stream.device.name,
    }
    for i, kind in enumerate(kernel.arg_types):
        namespace[f"scalar{i}"] = kind
    exec(compile(text, f"<launch of {kernel.name}>", "exec"), namespace)
    launch: Launch = namespace["launch"]
    return launch
