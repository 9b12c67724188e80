"""Polynomials in C."""

from __future__ import annotations


def polynomial(name: str, of: str, *coefficients: float) -> str:
    """Statements that declare `name` as the polynomial in `of` with these coefficients, lowest first (Horner)."""
    highest, *others = [f"{coefficient!r}f" for coefficient in reversed(coefficients)]
    lines = [f"    {{T}} {name} = {highest};"]
    lines += [f"    {name} = fma({name}, {of}, ({{T}})({coefficient}));" for coefficient in others]
    return "\n".join(lines)
