"""What is remembered has a bound, and what goes first is what was not used for longest."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from netcl import core
from netcl.core import settings
from netcl.core.bounded import Limit, Recent, cache_stats, remembered
from netcl.core.errors import NetclError


class Thing:
    """Something that can be seen to go."""


def used(cache: Recent[int, Thing], key: int) -> Thing:
    found = cache[key]
    return cache.keep(key, Thing()) if found is None else found


def test_a_thousand_entries_leave_no_more_than_the_limit_and_free_the_rest() -> None:
    limit = Limit("things", 10)
    cache: Recent[int, Thing] = Recent(limit)
    made = [weakref.ref(used(cache, key)) for key in range(1000)]
    assert sum(each() is not None for each in made) <= 10
    found = cache_stats()["things"]
    assert found["entries"] <= found["limit"] == 10
    assert found["made"] == 1000
    assert found["dropped"] == 1000 - found["entries"]


def test_what_is_used_again_and_again_stays() -> None:
    cache: Recent[int, Thing] = Recent(Limit("kept things", 10))
    first = used(cache, 0)
    for key in range(1, 1000):
        used(cache, key)
        assert used(cache, 0) is first


def test_half_of_the_limit_always_stays() -> None:
    cache: Recent[int, Thing] = Recent(Limit("many things", 20))
    for _ in range(3):
        things = [used(cache, key) for key in range(10)]
    for _ in range(100):
        assert [used(cache, key) for key in range(10)] == things


def test_caches_of_one_kind_share_their_limit_and_one_that_is_dropped_counts_no_more() -> None:
    limit = Limit("shared things", 10)
    caches: list[Recent[int, Thing]] = [Recent(limit) for _ in range(50)]
    for cache in caches:
        for key in range(5):
            used(cache, key)
    assert limit.statistics()["entries"] <= 10
    del cache, caches
    gc.collect()
    assert limit.statistics()["entries"] == 0


def test_functions_forget_what_was_not_used_for_longest() -> None:
    calls: list[int] = []

    @remembered("squares of a test", 3)
    def square(x: int) -> int:
        calls.append(x)
        return x * x

    assert [square(x) for x in (1, 2, 3, 1, 4, 1, 2)] == [1, 4, 9, 1, 16, 1, 4]
    assert calls == [1, 2, 3, 4, 2]
    assert cache_stats()["squares of a test"] == {"entries": 3, "limit": 3, "made": 5, "dropped": 2}


def test_threads_that_use_one_cache_find_what_is_theirs() -> None:
    limit = Limit("things of threads", 8)
    cache: Recent[int, int] = Recent(limit)

    def work(start: int) -> None:
        for n in range(20_000):
            key = (start + n) % 50
            found = cache[key]
            assert (found or cache.keep(key, key + 1)) == key + 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(0, 40, 10)))
    assert limit.statistics()["entries"] <= 8 + 4


def test_the_setting_says_how_much_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETCL_REMEMBER", "12")
    assert Limit("as the setting has it").most == 12
    monkeypatch.setenv("NETCL_REMEMBER", "many")
    with pytest.raises(NetclError, match="NETCL_REMEMBER: 'many' is not a positive whole number"):
        settings.remembered()


def test_all_that_is_remembered_has_a_limit() -> None:
    core.ones(3) + 1
    for name, found in core.cache_stats().items():
        assert found["entries"] <= found["limit"], name
