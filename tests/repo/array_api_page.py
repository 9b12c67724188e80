"""docs/reference/array-api.md: which functions of the Python array API standard tensors have."""

from __future__ import annotations

from collections.abc import Iterator

from netcl.kernels import array_api

STANDARD = {
    "Creation": """
        arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril
        triu zeros zeros_like""",
    "Data types": """
        astype can_cast finfo iinfo isdtype result_type""",
    "Elementwise": """
        abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift
        bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1
        floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10
        log1p log2 logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply
        negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh sqrt
        square subtract tan tanh trunc""",
    "Indexing": """
        take take_along_axis""",
    "Linear algebra": """
        matmul matrix_transpose tensordot vecdot""",
    "Manipulation": """
        broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll
        squeeze stack tile unstack""",
    "Searching": """
        argmax argmin count_nonzero nonzero searchsorted where""",
    "Sets": """
        isin unique_all unique_counts unique_inverse unique_values""",
    "Sorting": """
        argsort sort""",
    "Statistics": """
        cumulative_prod cumulative_sum max mean min prod std sum var""",
    "Utilities": """
        all any diff""",
}
"""The functions of the standard, 2024.12, by its sections."""

_ABOUT = f"""\
# The array API

What `x.__array_namespace__()` gives has these functions of the [Python array API standard](https://data-apis.org/array-api/)
in version {array_api.__array_api_version__}, on Tensors and on nodes, which are differentiated through them. They are
compared with array-api-strict, value and dtype. There are no extensions (`linalg`, `fft`): `solve`, `inv`, `det`,
`cholesky` and others are [operations](operations/index.md).

| section | functions |
| --- | --- |
"""


def page() -> str:
    rows = [f"| {section} | {', '.join(map(_shown, names.split()))} |" for section, names in STANDARD.items()]
    missing = [name for names in STANDARD.values() for name in names.split() if not hasattr(array_api, name)]
    lines = ["", "Not there:", "", "| function | why |", "| --- | --- |", *_reasons(missing)]
    return _ABOUT + "\n".join([*rows, *lines]) + "\n"


def _shown(name: str) -> str:
    return f"`{name}`" if hasattr(array_api, name) else f"~~`{name}`~~"


def _reasons(names: list[str]) -> Iterator[str]:
    by_reason: dict[str, list[str]] = {}
    for name in names:
        by_reason.setdefault(array_api._REFUSED[name], []).append(name)
    for reason, group in by_reason.items():
        yield f"| {', '.join(f'`{name}`' for name in group)} | {reason} |"
