"""Polynomials in C."""

from __future__ import annotations


def polynomial(name: str, of: str, *coefficients: float, kind: str = "{T}") -> str:
    """Statements that declare `name` as the polynomial in `of` with these coefficients, lowest first (Horner)."""
    suffix = "f" if kind == "{T}" else ""
    highest, *others = [f"{coefficient!r}{suffix}" for coefficient in reversed(coefficients)]
    lines = [f"    {kind} {name} = {highest};"]
    lines += [f"    {name} = fma({name}, {of}, ({kind})({coefficient}));" for coefficient in others]
    return "\n".join(lines)
