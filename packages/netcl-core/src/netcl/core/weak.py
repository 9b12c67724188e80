"""Dictionaries that do not keep their keys, or their values, alive.

As those of `weakref`, except that no Python runs when one goes. There it does, in a callback, and what a signal
handler raises in a callback is lost. Here the callback is `list.append`, and the next use clears up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar
from weakref import ref

Key = TypeVar("Key")
Value = TypeVar("Value")
_MISSING: Any = object()


class WeakKeys(Generic[Key, Value]):
    """A dictionary from objects that may go, and their values with them; compared as the objects are."""

    __slots__ = ("__weakref__", "_gone", "_values")

    def __init__(self) -> None:
        self._values: dict[ref[Key], Value] = {}
        self._gone: list[ref[Key]] = []

    def __getitem__(self, key: Key) -> Value:
        return self._values[ref(key)]

    def __setitem__(self, key: Key, value: Value) -> None:
        if self._gone:
            self._clear_up()
        self._values[ref(key, self._gone.append)] = value

    def __delitem__(self, key: Key) -> None:
        del self._values[ref(key)]

    def __contains__(self, key: Key) -> bool:
        return ref(key) in self._values

    def __len__(self) -> int:
        self._clear_up()
        return len(self._values)

    def __iter__(self) -> Iterator[Key]:
        """The keys that there are now."""
        for reference in list(self._values):
            key = reference()
            if key is not None:
                yield key

    def items(self) -> list[tuple[Key, Value]]:
        """The keys that there are now, with their values."""
        found = [(reference(), value) for reference, value in list(self._values.items())]
        return [(key, value) for key, value in found if key is not None]

    def get(self, key: Key, default: Any = None) -> Any:
        """The value of a key, or `default`."""
        return self._values.get(ref(key), default)

    def setdefault(self, key: Key, default: Value) -> Value:
        """The value of a key, which is `default` from now on where there is none."""
        if self._gone:
            self._clear_up()
        return self._values.setdefault(ref(key, self._gone.append), default)

    def pop(self, key: Key, default: Any = _MISSING) -> Any:
        """Take a key out, and return its value, or `default`."""
        return self._values.pop(ref(key)) if default is _MISSING else self._values.pop(ref(key), default)

    def clear(self) -> None:
        """Take all keys out."""
        self._values.clear()

    def _clear_up(self) -> None:
        for reference in _taken(self._gone):
            self._values.pop(reference, None)


class WeakValues(Generic[Key, Value]):
    """A dictionary from keys to objects that may go, and their keys with them."""

    __slots__ = ("__weakref__", "_gone", "_references")

    def __init__(self) -> None:
        self._references: dict[Key, _Keyed[Any]] = {}
        self._gone: list[Any] = []

    def get(self, key: Key) -> Value | None:
        """The object of a key, or None."""
        reference = self._references.get(key)
        return None if reference is None else reference()

    def __setitem__(self, key: Key, value: Value) -> None:
        if self._gone:
            self._clear_up()
        reference = _Keyed(value, self._gone.append)
        reference.key = key
        self._references[key] = reference

    def setdefault(self, key: Key, value: Value) -> Value:
        """The object of a key; this one from now on where there is none. All threads get the same."""
        if self._gone:
            self._clear_up()
        references = self._references
        reference = _Keyed(value, self._gone.append)
        reference.key = key
        while True:
            held = references.setdefault(key, reference)
            found: Value | None = held()
            if found is not None:
                return found
            if references.get(key) is held:
                references[key] = reference

    def __len__(self) -> int:
        self._clear_up()
        return len(self._references)

    def _clear_up(self) -> None:
        references = self._references
        for gone in _taken(self._gone):
            if references.get(gone.key) is gone:
                there = references.pop(gone.key, None)
                if there is not None and there is not gone:  # which another thread has put there meanwhile
                    references.setdefault(gone.key, there)


def _taken(gone: list[Any]) -> Iterator[Any]:
    """Each of these, taken out by whichever thread comes first."""
    while gone:
        try:
            yield gone.pop()
        except IndexError:
            return


class _Keyed(ref[Value]):
    """A reference that knows where it stands."""

    __slots__ = ("key",)

    key: Any
