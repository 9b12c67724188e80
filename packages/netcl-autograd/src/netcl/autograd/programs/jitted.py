"""jit: a function traced once for each form of its arguments, its ops fused, and replayed without its Python code.

    traced           (tracer)          the function is called with stand-ins; each op is written down
    assembled        (assembled)       what leads to a result, as steps
      grouped        (compiler.groups) neighbours that can be one kernel
      fused          (compiler.fuse)   each group is one formula, with its gradient
    replayed         (replay)          one record for each group

A replay is recorded as any op is, so tapes, hooks, saved values and in-place checks work as ever. Inside jvp and vmap,
and in anomaly mode, the function itself is called.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from textwrap import dedent
from threading import RLock
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import numpy as np

from netcl.autograd.graph.node import Node
from netcl.autograd.graph.state import LOCAL
from netcl.autograd.graph.values import refuse_foreign
from netcl.autograd.programs.assembled import assembled
from netcl.autograd.programs.kept import Keeping
from netcl.autograd.programs.replay import Group, Program, wants
from netcl.autograd.programs.trace_nodes import Seed
from netcl.autograd.programs.tracer import Trace, tracing
from netcl.autograd.programs.written_out import MISS, Written
from netcl.autograd.transforms.trees import Structure, flatten, flatten_call
from netcl.core.arguments import explained
from netcl.core.bounded import Limit, Recent
from netcl.core.errors import GraphError
from netcl.core.html import Html, code, heading, joined, safely, table
from netcl.core.log import logger
from netcl.core.seeds import replayed
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir.show import formula_text
from netcl.kernels.library.op import all_on_tape

__all__ = ["jit"]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")

log = logger("jit")

_TRACES = Limit("traces", 256)

_SHOWN, _LONGEST = 20, 1_500
"""So many groups are shown in a notebook, and so many characters of what each computes."""

_AT_A_TIME = 4
"""So many programs of one form of arguments are kept, the latest first: for training and for use, say."""

_MANY = 32
"""So many traces of one function are more than a few shapes."""


@explained
def jit(fn: Callable[P, R]) -> Jitted[P, R]:
    """Return `fn` as a function that computes the same with fewer, fused kernels, forward and backward.

    Gradients of it may be taken, and it may take gradients itself: `ag.jit(ag.value_and_grad(f))`.
    It is traced once for each structure, shapes and dtypes of its arguments, and each value of arguments that are not
    tensors; Python in it runs only then. Tensors and Nodes that it closes over are read again at each call. It is
    traced anew once a tensor that Python itself read (`float(t[0])`) is written, and once an attribute of an object, a
    variable, or what a dict or list holds is another one than it read. An attribute or variable that it gives a value
    that it computes has that of the latest call. Raises GraphError where what Python does next would depend on a value
    that is computed of the arguments, and for an op that is not declared in the language.
    """
    if not callable(fn):
        raise TypeError(f"jit takes a function, but got {type(fn).__name__}")
    return Jitted(fn)


class Jitted(Generic[P, R]):
    """A function and its programs. `describe(*args)` says what becomes of a call."""

    def __init__(self, fn: Callable[P, R]) -> None:
        functools.update_wrapper(self, fn)
        self._fn = fn
        self._programs: Recent[Any, tuple[Program, ...]] = Recent(_TRACES)
        self._traced = 0
        self._changed: Any = None  # the form that was traced last, if Python that was run for that changed something
        self._is_told = False
        self._latest: Program | None = None
        self._quick: tuple[Structure, bool, Written] | None = None
        self._lock = RLock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        state = LOCAL.state
        if state.tracer is not None or state.levels or state.anomaly is not None or state.around is not None:
            return self._fn(*args, **kwargs)
        leaves, structure = flatten_call(args, kwargs)
        quick = self._quick
        if quick is not None and state.tape is None and quick[0] == structure and quick[1] is state.grad_enabled:
            found = quick[2](leaves)
            if found is not MISS:
                return found
        program = self._program(leaves, structure)
        found = program.run(leaves)
        if program.written is not None:
            self._quick = structure, state.grad_enabled, program.written
        return found

    def __reduce__(self) -> Any:
        """Pickled by its name where it has that of the function, as by a decorator; else as jit of the function."""
        name = getattr(self._fn, "__qualname__", "")
        found: Any = sys.modules.get(getattr(self._fn, "__module__", ""))
        for part in name.split("."):
            found = getattr(found, part, None)
        return name if found is self else (jit, (self._fn,))

    def describe(self, *args: P.args, **kwargs: P.kwargs) -> str:
        """Return the groups of ops that a call with these arguments runs, one to a line. Where none was traced for such
        a call yet, Python in the function is run for that."""
        program = self._program(*flatten_call(args, kwargs))
        count_of = len(program.groups)
        name = getattr(self._fn, "__name__", "the function")
        lines = [f"{name}: {program.op_count} ops in {count_of} {'group' if count_of == 1 else 'groups'}"]
        return "\n".join([*lines, *(f"  {', '.join(group.ops)}" for group in program.groups)])

    def _program(self, leaves: Sequence[Any], structure: Structure) -> Program:
        enabled = LOCAL.state.grad_enabled
        key = (structure, enabled, _repeated(leaves), *[_form(each) for each in leaves])
        try:
            programs = self._programs[key] or ()
        except (TypeError, ValueError):  # a memoryview has a ValueError
            raise self._unhashable(leaves, structure) from None
        if programs and programs[0] is self._latest and programs[0].fits(leaves):
            return programs[0]
        with self._lock:
            program = next((each for each in programs if each.fits(leaves)), None)
            if program is None:
                program = _traced(self._fn, leaves, structure)
                self._note_trace()
            others = [each for each in programs if each is not program]
            if not self._is_for_once(key, program):
                self._programs.keep(key, (program, *others[: _AT_A_TIME - 1]))
            self._latest = program
        return program

    def _is_for_once(self, key: Any, program: Program) -> bool:
        """Whether Python in the function changed what it reads when it was traced: then the next call, for which Python
        would find it so, has another program. Says so where it is at every call."""
        if program.changed and self._changed == key and not self._is_told:
            self._is_told = True
            log.warning(
                "%s changes %s whenever its Python is run, so that each call is traced anew; give it as an argument "
                "and return what it becomes, or make it a Tensor that is written in place, as with n.add_(1)",
                getattr(self._fn, "__name__", "the function"),
                program.changed,
            )
        self._changed = key if program.changed else None
        return bool(program.changed)

    def _note_trace(self) -> None:
        """Say, once, that nothing is gained where no form of arguments comes again."""
        self._traced += 1
        if self._traced == _MANY:
            log.warning(
                "%s has been traced %d times: shapes, values of arguments that are no tensors, attributes and "
                "variables that it names, or tensors that Python reads in it keep changing; pad to a few shapes, make "
                "a number that changes a Tensor, or call it without jit",
                getattr(self._fn, "__name__", "the function"),
                _MANY,
            )

    def _unhashable(self, leaves: Sequence[Any], structure: Structure) -> GraphError:
        """What is wrong with the first argument that programs cannot be told apart by."""
        path, what = next(
            (path, leaf) for path, leaf in zip(structure.paths(), leaves, strict=True) if not _is_hashable(leaf)
        )
        place = _place(self._fn, path)
        refuse_foreign(what, place)
        return GraphError(
            f"{place} is a {type(what).__name__}, neither a tensor nor hashable; make an array a Tensor with "
            "core.from_host(array), and give numbers, strings or tuples of those for what decides the trace"
        )

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Jitted[P, R]: ...
    @overload
    def __get__(
        self: Jitted[Concatenate[Any, Q], R], instance: object, owner: type | None = None
    ) -> Callable[Q, R]: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        count_of = len(self._programs) + len(self._programs.older)
        return f"<jit of {getattr(self._fn, '__name__', self._fn)!s}, {count_of} program{'s' * (count_of != 1)}>"

    def _repr_html_(self) -> str:
        """In a notebook: the groups of the latest program, each with its ops and what it computes."""
        return safely(_html, self)


def _html(jitted: Jitted[..., Any]) -> Html:
    about = [getattr(jitted._fn, "__name__", "the function")]
    program = jitted._latest
    if program is None:
        return heading("jit", *about, "not traced yet: that is done when it is called")
    many = len(program.groups)
    about.append(f"{program.op_count} ops in {many} {'group' if many == 1 else 'groups'}, at the latest call")
    rows = [(group.name, ", ".join(group.ops), _computed(group)) for group in program.groups[:_SHOWN]]
    if many > _SHOWN:
        rows.append((f"… and {many - _SHOWN} more", "", Html()))
    return joined(heading("jit", *about), table(("group", "ops", "what it computes"), rows, words=3))


def _computed(group: Group) -> Html:
    _, _, text = formula_text(group.formula).partition("\n")
    return code(dedent(text) if len(text) <= _LONGEST else f"{dedent(text[:_LONGEST])}…")


def _form(leaf: Any) -> Any:
    """What a program depends on: a tensor's shape and dtype and whether it wants a gradient, else the value itself."""
    if isinstance(leaf, Node):
        return (leaf.value.queue, leaf.shape, leaf.dtype.num, leaf.requires_grad)
    if isinstance(leaf, Tensor):
        return (leaf.queue, leaf.shape, leaf.dtype.num, False)
    return (type(leaf), repr(leaf) if isinstance(leaf, float) else leaf)  # -0.0 is not 0.0, and nan is nan


def _repeated(leaves: Sequence[Any]) -> tuple[int, ...]:
    """Where nodes that require a gradient were given first, if one of them is given twice: what is asked for one of
    its places is then asked for the other."""
    own = [id(each) for each in leaves if wants(each)]
    return () if len(own) < 2 or len(set(own)) == len(own) else tuple(map(own.index, own))


def _is_hashable(leaf: Any) -> bool:
    try:
        hash(_form(leaf))
    except (TypeError, ValueError):
        return False
    return True


# --- tracing ----------------------------------------------------------------------------------------------------------


def _place(fn: Callable[..., Any], path: str) -> str:
    """What an error calls an argument: "jit: args[0] of f". The arguments are a pair: [0] by place, [1] by name."""
    kind = "args" if path[:3] == "[0]" else "kwargs"
    return f"jit: {kind}{path[3:]} of {getattr(fn, '__name__', 'the function')}"


def _traced(fn: Callable[..., Any], leaves: Sequence[Any], structure: Structure) -> Program:
    for leaf, path in zip(leaves, structure.paths(), strict=True):
        refuse_foreign(leaf, _place(fn, path))
    places = [at for at, leaf in enumerate(leaves) if isinstance(leaf, (Node, Tensor))]
    drawn = _Drawn()
    name = getattr(fn, "__name__", "the function")
    others = [leaf for leaf in leaves if not isinstance(leaf, (Node, Tensor))]
    keeping = Keeping(fn, others)
    with keeping.watching():
        with tracing() as trace, all_on_tape(), replayed(drawn.stand_ins()):
            given = [_given(leaf, trace) for leaf in leaves]
            args, kwargs = structure.build(given)
            results, made = flatten(fn(*args, **kwargs))
            _refuse_changed(fn, args, kwargs, given, structure)
            results = [*map(trace.writes.result, results)]
            kept = keeping.look(name, trace.writes.result)
        for path, result in zip(made.paths(), results, strict=True):
            if not isinstance(result, _RESULTS):
                raise GraphError(
                    f"jit: {name} returned a {type(result).__name__}{f' at {path}' if path else ''}, which may hold "
                    "values that are not computed yet; return tensors, numbers, and dicts, lists and tuples of them"
                )
        passed = {id(leaves[at]): at for at in reversed(places)}
        met = [(node, passed.get(id(node))) for node in trace.met.values()]
        inputs = [given[at] for at in places]
        program = assembled(name, trace, inputs, [*results, *kept], made, places, drawn.count, met)
    program.kept, program.changed = keeping.kept(len(results)), keeping.changed
    trace.surroundings.look_around(fn, others)
    trace.surroundings.without(keeping.unread(program.closed, [counter for counter, _ in trace.read]))
    return program


def _refuse_changed(fn: Callable[..., Any], args: Any, kwargs: Any, given: Sequence[Any], structure: Structure) -> None:
    """Raise GraphError where a function has changed a container among its arguments."""
    leaves, now = flatten((args, kwargs))
    pairs = zip(structure.paths(), given, leaves, strict=False)
    changed = [path for path, before, after in pairs if before is not after]
    if now != structure or changed:
        name = getattr(fn, "__name__", "the function")
        what = _place(fn, changed[0]) if changed else f"jit: an argument of {name}"
        raise GraphError(
            f"{what} is changed, in a dict, list or object that is made anew for each call, so that the caller's would "
            "stay as it is; return what it becomes, or write a Tensor in it in place, as with t.assign_(…)"
        )


def _given(leaf: Any, trace: Trace) -> Any:
    """What a function is traced with in the place of an argument."""
    if wants(leaf):
        return trace.stand_in(leaf)
    is_tensor = isinstance(leaf, (Node, Tensor))
    return trace.input(leaf.shape, leaf.dtype, queue=leaf.queue) if is_tensor else leaf


_RESULTS = (Node, Tensor, bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic, np.dtype, type)
"""What a traced function may return, in dicts, lists and tuples."""


class _Drawn:
    """Seeds that stand for those of a call."""

    def __init__(self) -> None:
        self.count = 0

    def stand_ins(self) -> Iterator[int]:
        for nth in count():
            self.count += 1
            yield Seed(nth)
