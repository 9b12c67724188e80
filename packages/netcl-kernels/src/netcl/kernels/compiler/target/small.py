"""Thresholds so low that a few dozen elements come to every schedule, to blocks, runs and tails: for tests.

What chooses between schedules are sizes; with the usual figures arrays that a test can compute with an oracle are all
on one side of them. The kernels are those of the usual target.
"""

from __future__ import annotations

from collections.abc import Mapping

SMALL: Mapping[str, Mapping[str, int]] = {
    "groups": {"run": 4, "busy": 64, "steps": 2, "items": 8, "neighbours": 2},
    "scans": {"rows": 8, "short": 2, "groups": 2, "long": 16},
    "stages": {"steps": 16, "part": 4, "parts": 2, "part_of_many": 8, "tall_rows": 8, "tall_columns": 4},
    "slices": {"most": 512, "bytes": 128},
    "pairs": {"table": 16, "columns": 2, "columns_at_once": 2, "deep": 4, "enough_groups": 2},
    "products": {
        "least_side": 2, "least_steps": 2, "least_work": 8, "least_results": 4, "units": 4, "unit_work": 64,
        "few_units": 4, "long_sum": 8, "sum_parts": 3, "row_blocks_to_pack_once": 1, "elements_to_pack_once": 16,
    },
    "blocks": {
        "enough_units": 3, "much_work": 32, "block_work": 16, "most": 4, "even": 16,
        "many_rows": 16, "least_rows": 8, "run": 3,
    },
    "cuts": {"map": 48, "transposed": 32, "rows": 32, "columns": 16, "tall_columns": 32, "window": 8},
    "recurrences": {"vectors": 1, "lanes": 3, "diagonals": 3},
    "scatters": {
        "rows": 2, "pairs": 8, "units": 3, "parts": 3, "values_per_copy": 1, "much": 16,
        "asked": 64, "few_results": 8, "items": 64, "least_part": 4,
    },
    "sorts": {
        "short": 16, "many": 32, "long": 48, "bin": 8, "items": 2, "parts": 3, "least_part": 16, "dealers": 2,
        "larger_bins": 0,
    },
}  # fmt: skip
"""The figures of each class of `thresholds` that are others, by the field of a Target."""
