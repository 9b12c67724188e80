"""Saved values: what an op keeps of its inputs and outputs until backward.

A record holds values, not nodes, so that an op may save its own output without a cycle. Each comes with the version
it had; a value that was written in place since is refused, because the gradient would be silently wrong. Hooks may
put something else in a value's place (a host copy, a file name) and bring it back when it is needed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from netcl import core
from netcl.autograd.graph import values
from netcl.autograd.graph.state import LOCAL
from netcl.core.arguments import require
from netcl.core.errors import DtypeError, GraphError
from netcl.core.weak import WeakKeys

if TYPE_CHECKING:
    from netcl.autograd.graph.record import Record

__all__ = [
    "SavedValue",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "save_on_host",
    "saved_tensors_hooks",
]

Saves = tuple[tuple[str, int], ...]
"""What an op saves: ("input", i) is its i-th argument, ("output", j) its j-th output."""


class _Released:
    """Stands where saved values were, after a backward that did not keep them."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<released>"


RELEASED = _Released()


class Hooks:
    """What becomes of saved values in this thread: `pack` at the op, `unpack` at backward; or a refusal."""

    __slots__ = ("message", "pack", "unpack")

    def __init__(self, pack: Any = None, unpack: Any = None, message: str | None = None) -> None:
        self.pack = pack
        self.unpack = unpack
        self.message = message  # hooks are disabled here; this is why


class Packed:
    """What a pack hook made of a value, and the hook that turns it back."""

    __slots__ = ("content", "dtype", "shape", "unpack")

    def __init__(self, value: Any, hooks: Hooks) -> None:
        self.shape, self.dtype = values.shape_of(value), values.dtype_of(value)
        version = getattr(value, "version", None)
        self.content = hooks.pack(value)
        self.unpack = hooks.unpack
        if getattr(value, "version", None) != version:
            raise GraphError(
                f"saved_tensors_hooks: pack has written into the value of shape {self.shape} that it was given, which "
                "the function that is being differentiated still uses; let it make a copy (value.clone())"
            )

    def value(self) -> Any:
        """Return what the hook gives back; a GraphError if that cannot stand for what was packed."""
        found = self.unpack(self.content)
        values.require_value(found, "saved_tensors_hooks: what unpack returned")
        if values.shape_of(found) != self.shape:
            raise GraphError(
                f"saved_tensors_hooks: unpack returned shape {values.shape_of(found)} for a value of shape {self.shape}"
            )
        if values.dtype_of(found) != self.dtype:
            raise DtypeError(
                f"saved_tensors_hooks: unpack returned {values.dtype_of(found)} for a value of dtype {self.dtype}"
            )
        return found


def store(record: Record, saves: Saves, inputs: Sequence[Any], outputs: Sequence[Any], hooks: Hooks | None) -> None:
    """Keep the values that `saves` names in a record."""
    record._saves = saves
    saved = tuple([inputs[i] if kind == "input" else outputs[i] for kind, i in saves])
    if hooks is not None and hooks.pack is not None:
        saved = tuple([pack(value, hooks) for value in saved])
    record._saved = saved
    for value in saved:
        if value.__class__ not in values.SCALARS:  # numbers have no version
            record._versions = tuple([getattr(each, "version", None) for each in saved])
            return


def unpack(record: Record) -> Sequence[Any]:
    """Return the saved values of a record; a GraphError if they were released, or written in place since."""
    saved = record._saved
    if saved is RELEASED:
        raise released_error(record)
    versions = record._versions
    if versions is not None:
        for index, version in enumerate(versions):
            if version is not None and saved[index].version != version:
                raise changed_error(record.name, describe_save(record, index), saved[index], version)
    for value in saved:
        if value.__class__ is Packed:
            return [each.value() if each.__class__ is Packed else each for each in saved]
    return saved


def keep_before_write(record: Record | None, target: Any) -> None:
    """Copy what a record has saved of the memory that is about to be written: `x[0] *= y` computes `x[0] * y`, which
    saves x[0], and then writes there."""
    if record is None or record._saved is RELEASED or record._versions is None:
        return
    saved: Any = record._saved
    memory = getattr(target, "buffer", target)
    shares = [getattr(each, "buffer", each) is memory for each in saved]
    current = [each is None or value.version == each for value, each in zip(saved, record._versions, strict=True)]
    if any(shares) and all(current):
        record._saved = tuple(
            [values.copy(each) if shared else each for each, shared in zip(saved, shares, strict=True)]
        )
        record._versions = tuple([getattr(each, "version", None) for each in record._saved])


def pack(value: Any, hooks: Hooks) -> Any:
    """Return what to keep in the place of a value."""
    return Packed(value, hooks) if values.is_operand(value) else value


class SavedValue:
    """One saved value with the version it had; for ops that keep their values themselves (`ag.Function`)."""

    __slots__ = ("_content", "_version", "edge")

    def __init__(self, value: Any, edge: Any = None) -> None:
        hooks = LOCAL.state.saved_hooks
        packing = hooks is not None and hooks.pack is not None
        self._content = pack(value, hooks) if packing else value
        self._version = None if packing else getattr(value, "version", None)
        self.edge = edge  # ("input", i), ("output", j), or None for a value made in between

    def get(self, op_name: str, index: int) -> Any:
        """Return the value; a GraphError if it was written in place since."""
        content = self._content
        if content.__class__ is Packed:
            return content.value()
        if self._version is not None and content.version != self._version:
            raise changed_error(op_name, f"saved value {index}", content, self._version)
        return content


def released_error(record: Record) -> GraphError:
    """The error for a record that is run, or looked into, after its saved values were released."""
    return GraphError(
        f"{record.name}: the values saved for backward were released by an earlier backward through this graph; "
        "pass retain_graph=True to that call to run backward twice"
    )


def describe_save(record: Record, index: int) -> str:
    """Return the words for the index-th saved value of a record."""
    kind, number = (record._saves or ())[index]
    return f"saved {kind} {number}"


def changed_error(op_name: str, what: str, value: Any, expected: int) -> GraphError:
    """The error for a saved value that was written in place."""
    line = last_mutation(value)
    return GraphError(
        f"{op_name}: the {what}, of shape {values.shape_of(value)} and dtype {values.dtype_of(value)}, was changed in "
        f"place after it was saved for backward: expected version {expected}, found version {value.version}"
        + (f"; it was last changed at {line}" if line else "")
        + "; write to a copy instead (x.clone())"
    )


_MUTATIONS: WeakKeys[Any, str] = WeakKeys()
"""Buffer -> where it was last written in place."""


def note_mutation(value: Any, place: str) -> None:
    """Remember where a value was written in place, for the error that may follow."""
    try:
        _MUTATIONS[getattr(value, "buffer", value)] = place
    except TypeError:  # a value that cannot be referred to weakly: the error will not have the line
        return


def last_mutation(value: Any) -> str | None:
    """Return where a value was last written in place, if that is known."""
    return _MUTATIONS.get(getattr(value, "buffer", value))


class Held:
    """A value that was saved where it may be written in place: it is copied before the first write."""

    __slots__ = ("__weakref__", "value", "version")

    def __init__(self, value: Any) -> None:
        global _any_held
        _any_held = True
        self.value = value
        self.version = getattr(value, "version", None)
        _HELD.setdefault(getattr(value, "buffer", value), WeakKeys())[self] = None

    def get(self) -> Any:
        """The value as it was saved; a GraphError if it was written by something that does not say so before."""
        if self.version is not None and self.value.version != self.version:
            raise changed_error("allow_mutation_on_saved_tensors", "held value", self.value, self.version)
        return self.value


_HELD: WeakKeys[Any, WeakKeys[Held, None]] = WeakKeys()
"""Buffer -> what is held of it."""

_any_held = False
"""Whether a value was ever held: then each write in place looks for it."""


def about_to_write(value: Any) -> None:
    """Called before a value is written in place: what `allow_mutation_on_saved_tensors` holds of it is copied."""
    if _any_held:
        for held in _HELD.pop(getattr(value, "buffer", value), ()):
            held.value = values.copy(held.value)
            held.version = getattr(held.value, "version", None)


def listing(record: Record) -> dict[str, Any]:
    """Return the saved values of a record by name; a GraphError after they were released."""
    rule = record._rule
    if rule is RELEASED or record._saved is RELEASED:
        raise released_error(record)
    if record._saves is not None:
        plain = unpack(record)
        return {f"{kind}{i}": value for (kind, i), value in zip(record._saves, plain, strict=True)}
    if hasattr(rule, "saved"):
        return rule.saved()
    return closed_over(rule)


def closed_over(rule: Any) -> dict[str, Any]:
    """Return the nodes and Tensors that a function closes over, or has for defaults, by name."""
    code = getattr(rule, "__code__", None)
    if code is None:
        return {}
    found: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars, rule.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            found[name] = cell.cell_contents
    defaults = rule.__defaults__ or ()
    found |= zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults, strict=True)
    return {n: v for n, v in found.items() if values.is_operand(v) and not callable(v)}


class _HookContext:
    """Sets the hooks of saved values for this thread inside a `with` block."""

    def __init__(self, hooks: Hooks | None) -> None:
        self._hooks = hooks
        self._before: list[Hooks | None] = []

    def __enter__(self) -> _HookContext:
        state = LOCAL.state
        before = state.saved_hooks
        if (
            before is not None
            and before.message is not None
            and self._hooks is not None
            and self._hooks.pack is not None
        ):
            raise GraphError(f"hooks on saved values are disabled here: {before.message}")
        self._before.append(before)
        state.saved_hooks = self._hooks
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        LOCAL.state.saved_hooks = self._before.pop()


def saved_tensors_hooks(pack: Callable[[Any], Any], unpack: Callable[[Any], Any]) -> _HookContext:
    """Keep `pack(value)` in the place of each value saved in this block; `unpack` gives it back in backward."""
    require("saved_tensors_hooks", "pack", "Callable", pack)
    require("saved_tensors_hooks", "unpack", "Callable", unpack)
    return _HookContext(Hooks(pack, unpack))


def disable_saved_tensors_hooks(message: str) -> _HookContext:
    """Refuse hooks on saved values inside this block, with that message."""
    return _HookContext(Hooks(message=message))


def save_on_host() -> _HookContext:
    """Keep the values saved in this block in host memory; backward copies them back to their queue."""
    return _HookContext(Hooks(_to_host, _from_host))


def allow_mutation_on_saved_tensors() -> _HookContext:
    """Let values that are saved in this block be written in place afterwards: backward uses them as they were.

    A value is copied before the first in-place op on it; what is never written is never copied.
    """
    return _HookContext(Hooks(Held, Held.get))


def _to_host(value: Any) -> Any:
    return (value.to_host(), value.queue, value.dtype) if values.is_device_tensor(value) else value


def _from_host(kept: Any) -> Any:
    if not isinstance(kept, tuple):
        return kept
    return core.from_host(kept[0], queue=kept[1], dtype=kept[2])
