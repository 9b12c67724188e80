"""What is remembered, and how much of it: every memo of netcl that could grow with use is one of these.

    CALLS = Limit("calls", 4096)            # so many entries in all caches of this kind together
    cache = Recent(CALLS)                   # one of them: a dictionary

    found = cache[key]                      # mostly all there is to do: a plain look-up, which takes no note
    if found is None:
        found = cache.keep(key, made())

    @remembered("gradients", 4096)          # the same for a function of hashable arguments
    def gradient(formula): ...

What was not used for longest goes first. A `Recent` has a younger and an older half: a look-up that finds its entry
in the older half moves it to the younger one, and when the younger halves of all caches of a kind are full, the older
ones are dropped. So a look-up writes nothing, and half of the limit is always kept. What is dropped is only forgotten:
who is using it goes on, and it is made anew when it is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from netcl.core import settings
from netcl.core.weak import WeakKeys

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")

_limits: dict[str, Limit] = {}
_functions: dict[str, Any] = {}


class Limit:
    """So many entries are remembered in all caches of one kind; where nothing is said, as the setting has it."""

    def __init__(self, name: str, most: int | None = None) -> None:
        self.name = name
        if most is not None:
            self.most = most
        self.young = 0  # entries in the younger halves
        self.made = 0
        self.dropped = 0
        self._caches: WeakKeys[Recent[Any, Any], None] = WeakKeys()
        self._lock = RLock()
        _limits[name] = self

    @cached_property
    def most(self) -> int:
        return settings.remembered()

    def add(self, cache: Recent[Any, Any]) -> None:
        """Have a cache count as one of this kind."""
        with self._lock:
            self._caches[cache] = None

    def count(self) -> None:
        """Know of one more entry in a younger half; if these are full, make them the older ones."""
        with self._lock:
            self.young += 1
            if self.young >= max(1, self.most // 2):
                self.turn()

    def turn(self) -> None:
        """Drop what was not used since the last time."""
        with self._lock:
            gone = [each.age() for each in self._caches]
            self.young = 0
            self.dropped += sum(map(len, gone))
        # `gone` goes here, outside of the lock: what is dropped may run anything

    def statistics(self) -> dict[str, int]:
        with self._lock:
            entries = sum(len(each) + len(each.older) for each in self._caches)
            return {"entries": entries, "limit": self.most, "made": self.made, "dropped": self.dropped}


class Recent(dict[K, V], Generic[K, V]):
    """A dictionary of the entries that were used last; `cache[key]` is None where there is none.

    May be used by several threads at once; at worst an entry is made twice.
    """

    __slots__ = ("__weakref__", "limit", "older")
    __hash__ = object.__hash__  # type: ignore[assignment]  # one cache is not another, whatever is in them

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self.limit = limit
        self.older: dict[K, V] = {}
        limit.add(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    if TYPE_CHECKING:

        def __getitem__(self, key: K) -> V | None: ...  # type: ignore[override]

    def __missing__(self, key: K) -> V | None:
        """What has not been used for a while."""
        found = self.older.pop(key, None)
        if found is not None:
            self[key] = found
            self.limit.count()
        return found

    def keep(self, key: K, value: V) -> V:
        """Remember this; `value`."""
        self.limit.made += 1
        self[key] = value
        self.limit.count()
        return value

    def age(self) -> dict[K, V]:
        """Make the younger half the older one. Returns what was that."""
        gone, self.older = self.older, dict(self)
        self.clear()
        return gone


def remembered(name: str, limit: int) -> Callable[[Callable[P, V]], Callable[P, V]]:
    """Remember the results of a function for so many arguments; those that were not used for longest go first. No
    argument has a default: left out and given it would be remembered twice."""

    def decorated(function: Callable[P, V]) -> Callable[P, V]:
        assert not getattr(function, "__defaults__", None), function
        _functions[name] = found = lru_cache(maxsize=limit)(function)
        return found  # type: ignore[return-value]

    return decorated


def cache_stats() -> dict[str, dict[str, int]]:
    """What is remembered, by kind: `entries` now and `limit` at most; how many were ever `made`, and `dropped` because
    there were too many. A kind whose `made` grows with each call is one whose calls never come again."""
    found = {name: limit.statistics() for name, limit in _limits.items()}
    for name, function in _functions.items():
        info = function.cache_info()
        found[name] = {
            "entries": info.currsize,
            "limit": info.maxsize,
            "made": info.misses,
            "dropped": max(0, info.misses - info.currsize),
        }
    return dict(sorted(found.items()))
