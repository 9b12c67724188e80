"""Values of the oracle in PyTorch: what is exact in them, and where rounding decides."""

from __future__ import annotations

from dataclasses import dataclass

import torch

Tensor = torch.Tensor
EXACT, POINT, LOOSE = 0, 1, 2


class Outside(Exception):
    """An element is read outside of an axis that has no `else`: a call would be refused."""


@dataclass(frozen=True)
class Value:
    """`exact` is EXACT for what is computed without rounding, POINT for a function of that, else LOOSE."""

    data: Tensor
    exact: int = EXACT


class Doubts:
    """`doubt` is set where rounding decides, at numbers that are all but equal, or equal without being exact."""

    doubt = False

    def inside(self, valid: Tensor, mask: Tensor | None) -> None:
        if not bool((valid if mask is None else valid | ~mask).all()):
            raise Outside

    def defined(self, found: Tensor, mask: Tensor | None) -> None:
        """Nothing has a slope where it has no value (docs/reference/differences.md); PyTorch may give it one."""
        odd = torch.isnan(found.detach()) if found.is_floating_point() else torch.zeros((), dtype=torch.bool)
        self.doubt = self.doubt or bool((odd if mask is None else odd & mask).any())

    def near(self, a: Value, b: Value, mask: Tensor | None) -> None:
        """Doubt where two numbers are all but equal, or equal by chance."""
        if not (a.data.is_floating_point() or b.data.is_floating_point()):
            return
        x, y = torch.broadcast_tensors(a.data.detach(), b.data.detach())
        close = (x - y).abs() <= 1e-9 * (1 + x.abs())
        if LOOSE not in (a.exact, b.exact) and not (a.exact != b.exact and POINT in (a.exact, b.exact)):
            close = close & (x != y)
        close = close & torch.isfinite(x) & torch.isfinite(y)
        if bool((close if mask is None else close & mask).any()):
            self.doubt = True

    def step(self, a: Value, mask: Tensor | None) -> None:
        """Doubt where a number that is not exact is all but a half or a whole one."""
        if a.exact == EXACT or not a.data.is_floating_point():
            return
        doubled = a.data.detach() * 6
        close = (doubled - torch.round(doubled)).abs() <= 1e-8 * (1 + doubled.abs())
        if bool((close if mask is None else close & mask).any()):
            self.doubt = True

    def apart(self, keys: Tensor, axis: int, exact: int) -> None:
        ordered = torch.sort(keys.detach().to(torch.get_default_dtype()), dim=axis).values
        gaps = ordered.diff(dim=axis).abs()
        close = gaps <= 1e-9
        if exact != LOOSE:
            close = close & (gaps > 0)
        if bool(close.any()):
            self.doubt = True


def both(mask: Tensor | None, condition: Tensor) -> Tensor:
    return condition if mask is None else mask & condition


def where(mask: Tensor | None, data: Tensor, safe: float) -> Tensor:
    if mask is None or not data.is_floating_point():
        return data
    return torch.where(mask, data, torch.full_like(data, safe))


def alike(*data: Tensor) -> tuple[Tensor, ...]:
    """Numbers of one kind: floats, if one is."""
    if any(each.is_floating_point() for each in data):
        return tuple(each if each.is_floating_point() else each.to(torch.get_default_dtype()) for each in data)
    return data


def nth(equal: Tensor, last: bool) -> Tensor:
    """The first, or the last, of what is true along the end."""
    if last:
        return equal & (equal.flip(-1).cumsum(-1).flip(-1) == 1)
    return equal & (equal.cumsum(-1) == 1)
