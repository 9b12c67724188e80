"""Leaving a process while others of its threads are in the driver, or wait for it; all states are in `exits`."""

from __future__ import annotations

import os

import exits
import pytest

STATES = [
    "SIGINT at exit",
    "daemon launches and waits",
    "handler at exit that launches",
    "daemon compiles and launches",
    "daemon that catches everything",
    "eight daemons launch and wait",
    "handler at exit from before",
    "queue dropped with work queued",
    "fork while a daemon launches",
]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the states send signals and fork")
@pytest.mark.parametrize("state", STATES)
def test_a_process_leaves_cleanly_and_soon(state: str) -> None:
    left = exits.leave(state)
    assert left.wrong == ""
    assert left.seconds < 10, "it would have been minutes"
