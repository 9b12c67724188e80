"""What a signal handler raises reaches the user, and nothing is lost on the way; `interrupts` has the long form."""

from __future__ import annotations

import signal

import interrupts
import pytest


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no alarms here")
def test_alarms_in_training_reach_the_user_and_leave_no_memory_behind() -> None:
    figures = interrupts.alarms(100)
    assert figures["alarms"] == 100
    assert figures["swallowed"] == figures["changed"] == 0
    assert figures["bytes_more_at_most"] == figures["bytes_more_at_the_end"] == 0
