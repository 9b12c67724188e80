"""A kernel that the driver does not compile is traced back to the line of the .netcl text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from netcl import core, kernels
from netcl.core.errors import DeviceError
from netcl.kernels.compiler import pipeline
from netcl.kernels.runtime.blame import blamed

TEXT = """# an op of my own
op mine(x[i, k]: float) -> (total[i], y[i, k]) {
    total = sum[k](x);
    y = total / x;
}
"""


def test_the_error_names_the_line_of_the_declaration_and_the_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    emit = pipeline.emit

    def broken(*given: Any, **more: Any) -> Any:
        emitted = emit(*given, **more)
        head, found, rest = emitted.text.rpartition(" / ")
        assert found
        return replace(emitted, text=f"{head} / undeclared_name * {rest}")

    monkeypatch.setattr(pipeline, "emit", broken)
    op = kernels.catalogue.__class__().load_text(TEXT, "my_ops.netcl")[0]
    with pytest.raises(DeviceError) as caught:
        op(core.ones((3, 40)))
    first, formula, *rest = str(caught.value).splitlines()
    assert first.startswith("my_ops.netcl:2: mine does not compile on this device: ")
    assert "undeclared_name" in first
    assert formula.strip().startswith(("total[i] =", "y[i, k] ="))
    assert "undeclared_name" in "\n".join(rest), "the line of the kernel and the log follow"
    assert "undeclared_name" in (caught.value.build_log or "")
    assert "undeclared_name" in (caught.value.source or "").splitlines()[(caught.value.line or 0) - 1]


def test_an_error_without_a_line_stays_as_it_is() -> None:
    error = DeviceError("out of resources", build_log="", source="// mine (my_ops.netcl:2)\n")
    assert blamed(error) is error


def test_a_line_above_every_kernel_blames_none() -> None:
    error = DeviceError("wrong", source="float helper();\n// mine (my_ops.netcl:2)\n", line=1, complaint="wrong")
    assert blamed(error) is error
