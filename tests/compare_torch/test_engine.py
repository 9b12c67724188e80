"""The engine: each program gives in netcl what it gives in PyTorch, with the page's exceptions."""

from __future__ import annotations

import engine_functions
import engine_graph
import engine_hooks
import engine_transforms
import engine_views
import numpy as np
import pytest
from differences import evaluated, rows
from libraries import NETCL, PROGRAMS, TORCH

MODULES = (engine_functions, engine_graph, engine_hooks, engine_transforms, engine_views)
ROWS = {name: row for row in rows("The engine") for name in row.names}


def test_the_page_names_programs_that_exist() -> None:
    assert set(ROWS) <= set(PROGRAMS)
    assert {function.__module__ for function in PROGRAMS.values()} == {module.__name__ for module in MODULES}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_what_it_does_in_pytorch_unless_the_page_says_otherwise(name: str) -> None:
    ours, theirs = PROGRAMS[name](NETCL), PROGRAMS[name](TORCH)
    if name not in ROWS:
        assert_same(ours, theirs)
        return
    row = ROWS[name]
    assert ours == evaluated(row.ours, {}), "netcl does not do what the page says"
    assert theirs == evaluated(row.theirs, {}), "PyTorch does not do what the page says"
    assert ours != theirs


def assert_same(ours: object, theirs: object) -> None:
    """Equal: numbers up to rounding, anything else exactly."""
    assert type(ours) is type(theirs), (ours, theirs)
    if isinstance(ours, list):
        assert isinstance(theirs, list)
        assert len(ours) == len(theirs), (ours, theirs)
        for mine, other in zip(ours, theirs, strict=True):
            assert_same(mine, other)
    elif isinstance(ours, float):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    else:
        assert ours == theirs
