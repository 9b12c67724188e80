"""What type checkers see; mypy and pyright check it, and nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import assert_type

    from netcl import autograd as ag
    from netcl import core

    def of_tensors(x: core.Tensor) -> None:
        assert_type(x * 2, core.Tensor)
        assert_type(2 - x, core.Tensor)
        assert_type(x[0], core.Tensor)
        assert_type(x.exp(), core.Tensor)
        assert_type(x.reshape(-1, 2).sum(0, keepdims=True), core.Tensor)
        assert_type(x.mul(x), Any)  # with a Node it would be one

    def of_nodes(w: ag.Node, x: core.Tensor) -> None:
        assert_type(w * x, ag.Node)
        assert_type(w.exp().mean(), ag.Node)
        assert_type(w.mul(x), ag.Node)
        assert_type(ag.tensor([1.0]), core.Tensor)
        assert_type(ag.tensor([1.0], requires_grad=True), ag.Node)
