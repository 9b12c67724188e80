"""Calls that are wrong, at random: of every public function, op and method, with what does not belong there.

A call works, or it says what is wrong: a NetclError, or a TypeError or ValueError that was raised on purpose. What is
not that is a failure: an error of the inside, numpy's own words, a call that does not come back, a process that dies.

`python wrong_calls.py [count] [seed]` runs each thousand in a process of its own; `failures` runs some here.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import linecache
import os
import random
import re
import resource
import signal
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from netcl import autograd as ag
from netcl import core
from netcl.kernels.library.op import Op
from netcl.kernels.namespace import COMPOSITES, catalogue
from netcl.kernels.tools.sampling import Wish, cases

SECONDS = 60
"""A call that takes longer hangs; the first of an op compiles."""
ROOM = 16 << 30
"""Bytes of addresses that the process of a trial may have, so that what is far too large is refused by the system."""


class Call(NamedTuple):
    """A function with what it is given."""

    name: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        given = [*map(shown, self.args), *(f"{name}={shown(value)}" for name, value in self.kwargs.items())]
        return f"{self.name}({', '.join(given)})"


class Failure(NamedTuple):
    """What went wrong, and where."""

    call: str
    what: str
    where: str


def failures(count: int, seed: int, before: Callable[[str], Any] = lambda call: None) -> Iterator[Failure]:
    """The calls of `count` that fail; `before` is told each first."""
    rng = random.Random(seed)
    functions = public()
    for _ in range(count):
        call = drawn(rng, functions)
        before(str(call))
        found = outcome(call)
        if found is not None:
            yield found


def outcome(call: Call) -> Failure | None:
    """Run a call; None where it works or says what is wrong."""
    try:
        with _quiet(), _in_time():
            result = call.function(*call.args, **call.kwargs)
            if isinstance(result, core.Tensor):
                core.synchronize()
    except Exception as error:
        return (
            None if is_sentence(error, call) else Failure(str(call), f"{type(error).__name__}: {error}", _place(error))
        )
    return None


def is_sentence(error: Exception, call: Call) -> bool:
    """Whether somebody meant the caller to read this error."""
    if isinstance(error, core.NetclError):
        return bool(str(error))
    if type(error) not in (TypeError, ValueError):
        return False
    frame = traceback.extract_tb(error.__traceback__)[-1]
    inside = f"{os.sep}netcl{os.sep}" in frame.filename
    # What Python says of a signature.
    by_python = re.search(r"(takes|missing|got|expected|invalid) .*argument", str(error)) is not None
    return (inside and _raises(frame.filename, frame.lineno or 0)) or by_python


@cache
def _raising(filename: str) -> frozenset[int]:
    """The lines of the `raise` statements of a file."""
    tree = ast.parse("".join(linecache.getlines(filename)))
    found = (range(node.lineno, (node.end_lineno or 0) + 1) for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return frozenset(line for lines in found for line in lines)


def _raises(filename: str, line: int) -> bool:
    return line in _raising(filename)


def _place(error: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "netcl" in frame.filename]
    frame = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# --- what is called ---------------------------------------------------------------------------------------------------

LEFT_OUT = {
    "set_error_handler", "memory_restore", "memory_checkpoint", "arena", "keep", "Buffer", "Kernel", "Program", "Queue",
    "Device", "Tensor", "TensorStats", "Profile", "profile",  # what the runtime is made of
    "DataParallel", "Session", "Tape", "TraceNode", "Trace", "tracing", "Record", "Accumulator", "Function", "Result",
    "GradientEdge", "HookHandle", "set_current_tape", "set_detect_anomaly", "set_grad_enabled", "track_view",
    "queue_callback", "apply_op", "apply_in_place", "once_differentiable", "debug_tape", "binary", "unary",
    "ok_or_raise",  # what the engine is made of, or what changes how later calls run
}  # fmt: skip
OWN_METHODS = (
    "item", "tolist", "copy_from_host", "to_host", "__len__", "__bool__", "__float__", "__int__",
    "__getitem__", "__setitem__", "__add__", "__rsub__", "__mul__", "__truediv__", "__pow__", "__matmul__", "__mod__",
    "__and__", "__invert__", "__eq__", "__lt__", "add_", "sub_", "mul_", "div_", "assign_",
)  # fmt: skip


class Function(NamedTuple):
    """A function under its public name; `method` says that it is called as one, of a Tensor or a Node."""

    name: str
    function: Callable[..., Any]
    method: bool = False


@cache
def public() -> tuple[Function, ...]:
    """All that a user can call."""
    ops = [Function(f"ag.{op.name}", op) for op in catalogue]
    made = [Function(f"ag.{name}", function) for name, function in COMPOSITES.items() if name == function.__name__]
    engine = [name for _, names in ag._MODULES.items() for name in names if name not in LEFT_OUT]
    others = [Function(f"ag.{name}", getattr(ag, name)) for name in engine]
    runtime = [Function(f"core.{name}", getattr(core, name)) for name in core.__all__ if name not in LEFT_OUT]
    shown_names = [name for name in dir(ag.optim) if not name.startswith("_")]
    optimizers = [Function(f"ag.optim.{name}", getattr(ag.optim, name)) for name in shown_names]
    found = [each for each in (*others, *runtime, *optimizers) if callable(each.function) and not _is_left_out(each)]
    methods = [
        Function(f"x.{name}", getattr(core.Tensor, name), True)
        for name in sorted({*OWN_METHODS, *COMPOSITES, *(op.name for op in catalogue)})
        if hasattr(core.Tensor, name)
    ]
    return (*ops, *made, *made, *found, *found, *methods)


def _is_left_out(each: Function) -> bool:
    function = each.function
    return inspect.isclass(function) and (issubclass(function, Exception) or inspect.isabstract(function))


def drawn(rng: random.Random, functions: tuple[Function, ...]) -> Call:
    """A call that was right, or nearly, with one thing or more put out of order."""
    chosen = rng.choice(functions)
    args, kwargs = _right(rng, chosen)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _spoil(rng, args, kwargs)
    call = chosen.function
    name = chosen.name
    if chosen.method:
        method, receiver = chosen.name[2:], _tensor(rng)
        args = args[1:] if args else args
        name = f"{shown(receiver)}.{method}"
        call = getattr(receiver, method, call)
    return Call(name, call, tuple(args), kwargs)


def _right(rng: random.Random, chosen: Function) -> tuple[list[Any], dict[str, Any]]:
    function: Any = chosen.function
    function = getattr(function, "__wrapped__", function) if chosen.method else function
    if isinstance(function, Op):
        return _of_op(rng, function)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [_tensor(rng)], {}
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for each in parameters:
        if each.kind is each.VAR_KEYWORD or (each.default is not each.empty and rng.random() < 0.6):
            continue
        if each.kind is each.VAR_POSITIONAL:
            args += [_likely(rng, each) for _ in range(rng.randrange(3))]
        elif each.kind is each.KEYWORD_ONLY or (each.default is not each.empty and rng.random() < 0.5):
            kwargs[each.name] = _likely(rng, each)
        elif not kwargs:
            args.append(_likely(rng, each))
    return args, kwargs


@cache
def _samples(op: Op) -> list[Any]:
    return [
        case.arguments() for form in op.forms for case, _ in zip(cases(form, Wish(vary=True)), range(3), strict=False)
    ]


def _of_op(rng: random.Random, op: Op) -> tuple[list[Any], dict[str, Any]]:
    """Arguments that fit the declaration."""
    found = _samples(op)
    values = {name: _placed(value) for name, value in (rng.choice(found) if found else {}).items()}
    names = [name for name in op.__signature__.parameters if name in values]
    cut = rng.randrange(len(names) + 1)
    args = [values[name] for name in names[:cut]] if names[:cut] == list(op.__signature__.parameters)[:cut] else []
    return args, {name: values[name] for name in values if name not in names[: len(args)]}


def _placed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return core.from_host(value)
    return [_placed(each) for each in value] if isinstance(value, list) else value


def _likely(rng: random.Random, parameter: inspect.Parameter) -> Any:
    """A value that a parameter of this name may well have."""
    name, kind = parameter.name, str(parameter.annotation)
    if parameter.default not in (parameter.empty, None):
        return parameter.default
    if name in ("fn", "function", "f", "func", "g", "hook", "callback"):
        return lambda *xs: (*xs, 1.0)[0]
    if name in ("axis", "dim", "k", "start", "first", "second", "source", "destination", "at"):
        return rng.choice((0, 0, 1, -1))
    if name in ("shape", "size", "lengths", "output_size", "reps", "axes"):
        return (2, 3)
    if name == "dtype":
        return "float32"
    if name == "spec":
        return "ij,jk->ik"
    if name in ("xs", "params", "inputs", "outputs", "tensors", "nodes"):
        return [_tensor(rng), _tensor(rng)]
    if "int" in kind or "float" in kind:
        return rng.choice((1, 2, 0))
    return _tensor(rng)


# --- what is put out of order -----------------------------------------------------------------------------------------


def _spoil(rng: random.Random, args: list[Any], kwargs: dict[str, Any]) -> None:
    """One thing less, more, or other."""
    what = rng.random()
    if what < 0.1 and args:
        del args[rng.randrange(len(args))]
    elif what < 0.17:
        args.append(wrong(rng))
    elif what < 0.24:
        kwargs[rng.choice(("axis", "dim", "out", "nonsense", "dtype", "keepdims", "x", "weight"))] = wrong(rng)
    elif args and (what < 0.75 or not kwargs):
        args[rng.randrange(len(args))] = wrong(rng)
    elif kwargs:
        kwargs[rng.choice(sorted(kwargs))] = wrong(rng)


class Strange:
    """An object that is nothing in particular."""

    def __repr__(self) -> str:
        return "Strange()"


class Shaped:
    """An object that has a shape and is no tensor."""

    shape, dtype, ndim = (2, 3), np.dtype(np.float32), 2

    def __repr__(self) -> str:
        return "Shaped()"


SPECIMENS: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 5, -7, 1.5, 0.0, -2.0, float("nan"), float("inf"), 2**31, 2**40, 2**62, 2**63,
    -(2**63), 10**30, 10**400, 3j, "", "axis", "mean", "float32", "none", "é\n\0", b"bytes", (), [], {}, set(), [[]],
    [1, 2, 3], [0, 0], (1, 2, 3), [[1.0, 2.0], [3.0]], [1, "a"], [None], (None, None), ((1, 2), (3,)), {"axis": 1},
    {1, 2}, range(3), (0, 5), (-1,), (2**62, 2**62), (2**40,), (1.5, 2), ("a", "b"), (float("nan"),), [True, False],
    slice(None), slice(1, None, 0), Ellipsis, NotImplemented, int, float, str, np.float32, "complex64", "object",
    np.dtype("complex64"), np.dtype("U3"), object, Strange(), Strange, Shaped(), len, lambda: 1, lambda *xs: xs,
    lambda *xs: None, np.float64(2.5), np.int8(3), np.bool_(True), np.float32("nan"), np.zeros(3), np.zeros((2, 3)),
    np.zeros((0,)), np.array(2.0), np.array("text"), np.array([1, None], object), np.array([1 + 2j]),
    np.zeros(3, "datetime64[s]"), np.zeros(2, [("a", "f4")]), np.ma.masked_array([1.0, 2.0], [0, 1]), np.float16,
)  # fmt: skip


def wrong(rng: random.Random) -> Any:
    """A value from anywhere."""
    what = rng.random()
    if what < 0.6:
        return rng.choice(SPECIMENS)
    if what < 0.8:
        return _tensor(rng)
    if what < 0.9:
        return [_tensor(rng) for _ in range(rng.randrange(3))]
    return tuple(rng.choice(SPECIMENS) for _ in range(rng.randrange(1, 3)))


SHAPES = ((), (1,), (3,), (2, 3), (3, 2), (0,), (0, 3), (2, 0), (2, 3, 4), (1, 1, 1, 1), (2, 2, 5, 5), (7,))
DTYPES = ("float32", "float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool")


def _tensor(rng: random.Random) -> Any:
    """A Tensor, or a leaf."""
    shape, dtype = rng.choice(SHAPES), rng.choice(DTYPES)
    tensor = core.from_host(np.arange(int(np.prod(shape))).reshape(shape) % 3, dtype=dtype)
    return ag.Node(tensor, True) if "float" in dtype and rng.random() < 0.4 else tensor


def shown(value: Any) -> str:
    """A value in few letters."""
    if isinstance(value, (core.Tensor, ag.Node)):
        return f"<{type(value).__name__} {tuple(value.shape)} {core.dtypes.name_of(value.dtype)}>"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(shown, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)"
    text = repr(value)
    return text if len(text) < 60 else text[:57] + "..."


# --- many -------------------------------------------------------------------------------------------------------------


def main(count: int = 8000, seed: int = 0) -> int:
    """Run the calls, a thousand in a process, print what fails, and give the number of failures."""
    failed = 0
    # what is said does not depend on how well kernels are compiled
    environment = {**os.environ, "POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable", "POCL_WORK_GROUP_METHOD": "loops"}
    for start in range(0, count, 1000):
        command = [sys.executable, "-X", "faulthandler", __file__, "--part", str(min(1000, count - start)), str(seed)]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        seed += 1
        lines = run.stdout.splitlines()
        failed += sum(line.startswith("FAILED") for line in lines)
        print("\n".join(line for line in lines if line.startswith(("FAILED", "  "))), flush=True)
        if run.returncode:
            failed += 1
            last = run.stderr[run.stderr.rfind("CALL ") :] if "CALL " in run.stderr else run.stderr
            print(f"FAILED: the process ended with {run.returncode} at {last[:2000]}")
    print(f"{count} wrong calls, {failed} failures")
    return failed


def _part(count: int, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    output = sys.stdout
    for failure in failures(count, seed, lambda call: print("CALL", call, file=sys.stderr, flush=True)):
        print(f"FAILED {failure.call!r}\n  {failure.what!r}\n  {failure.where}", file=output, flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["--part"]:
        _part(*map(int, given[1:]))
    else:
        sys.exit(main(*map(int, given)) > 0)
