"""Dictionaries that keep neither keys nor values alive, and run no Python when one goes."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from netcl.core.weak import WeakKeys, WeakValues


class Thing:
    """Something that may go."""


def test_a_key_goes_with_its_object() -> None:
    known: WeakKeys[Thing, int] = WeakKeys()
    first, second = Thing(), Thing()
    known[first], known[second] = 1, 2
    assert (known[first], known.get(second), known.get(Thing()), len(known)) == (1, 2, None, 2)
    assert list(known) == [first, second]
    del first
    assert known.items() == [(second, 2)]
    assert len(known) == 1
    assert known.setdefault(second, 3) == 2
    assert known.pop(second) == 2
    assert second not in known
    with pytest.raises(KeyError):
        known[second]


def test_a_value_goes_when_nobody_holds_it_and_its_key_may_come_again() -> None:
    known: WeakValues[str, Thing] = WeakValues()
    first = known.setdefault("a", Thing())
    assert known.get("a") is first
    assert known.setdefault("a", Thing()) is first
    del first
    assert known.get("a") is None
    again = Thing()
    known["a"] = again
    assert (known.get("a"), len(known)) == (again, 1)


def test_all_threads_get_the_same_value_of_a_key() -> None:
    known: WeakValues[int, Thing] = WeakValues()
    barrier, got = threading.Barrier(4), []

    def work() -> None:
        barrier.wait()
        got.append([known.setdefault(key, Thing()) for key in range(500)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(map(id, things)) for things in got}) == 1


class Taken(list):  # type: ignore[type-arg]
    """What seems to have something in it, until another thread is faster."""

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize("kind", [WeakKeys, WeakValues])
def test_what_another_thread_clears_up_is_no_error(kind: Any) -> None:
    found = kind()
    found._gone = Taken()
    one, other = Thing(), Thing()
    found[one] = other
    assert len(found) == 1
