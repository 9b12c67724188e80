"""Other spellings of arguments, for people who come from PyTorch. Other names of ops stand behind `also`, in the DSL.

An op that has an argument of such a name itself keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

SPELLINGS = {
    "dim": ("axis",), "dims": ("axes", "axis", "reps"), "keepdim": ("keepdims",), "size": ("output_size", "shape"),
    "weight": ("w",), "bias": ("b",), "min": ("lo",), "max": ("hi",),
}  # fmt: skip
"""Each with ours: the first that the function has."""


def spelled(kwargs: Mapping[str, Any], names: Collection[str]) -> Mapping[str, Any]:
    """Keyword arguments of a function with arguments `names`, under our spelling."""
    if kwargs.keys().isdisjoint(SPELLINGS):
        return kwargs
    found: dict[str, Any] = {}
    for name, value in kwargs.items():
        ours = name
        if name not in names:
            ours = next((each for each in SPELLINGS.get(name, ()) if each in names), name)
        if ours in found or (ours != name and ours in kwargs):
            raise TypeError(f"{ours} is given twice, once as {name}")
        found[ours] = value
    return found
