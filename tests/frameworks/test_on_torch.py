"""`op.torch()`: values, gradients of every order, forward mode, vmap, torch.compile, other devices, wrong calls."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from forms import Form
from forms_with_floats import DIFFERENTIABLE, of_floats
from torch.fx.experimental.proxy_tensor import make_fx

from netcl import core, kernels
from netcl.kernels.interop import compiled_torch

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what PyTorch itself calls

Tensor = torch.Tensor

OWN = kernels.compile("""
op swish2(x: float; beta: float = 1.0) -> y { y = x / (1 + exp(-beta * x)); }

op settled(x[b, i]: float, rate[]: float; steps: int) -> y[t, b, i] where t = steps
{ y = t == 0 ? x : y[t - 1, b, i] - rate[] * (y[t - 1, b, i] - tanh(x)); }

op widest(x[r, i]: float) -> (most[r], at[r]) { most = max[i](x); at = argmax[i](x); }
""")


@pytest.mark.parametrize("form", DIFFERENTIABLE, ids=str)
def test_gradients_are_those_of_differences(form: Form) -> None:
    function, given = of_floats(form.op.torch(), form, lambda each: torch.from_numpy(each.copy()))
    for each in given:
        each.requires_grad_(True)

    def finite(*values: Tensor) -> tuple[Tensor, ...]:  # what a window of padding alone has is no number to subtract
        return tuple(torch.where(torch.isfinite(each), each, 0) for each in function(*values))

    assert torch.autograd.gradcheck(finite, given, fast_mode=True, check_forward_ad=True)


@pytest.mark.parametrize("form", DIFFERENTIABLE[::3], ids=str)
def test_batches_are_calls_one_by_one(form: Form) -> None:
    function, given = of_floats(form.op.torch(), form, lambda each: torch.from_numpy(each.copy()))
    wide = [torch.stack([each, each / 2, each]) for each in given]
    found = torch.vmap(function)(*wide)
    due = [torch.stack(each) for each in zip(*(function(*row) for row in zip(*wide, strict=True)), strict=True)]
    torch.testing.assert_close(found, tuple(due), rtol=1e-11, atol=1e-11, equal_nan=True)


def double(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(7), requires_grad=True)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (lambda x: OWN.swish2.torch()(x, beta=1.5), [double(3, 4)]),
        (lambda x, rate: OWN.settled.torch()(x, rate, steps=4), [double(2, 3), double()]),
        (lambda x: OWN.widest.torch()(x)[0], [double(3, 4)]),
        (lambda a, b: kernels.ops.solve.torch()(a + 4 * torch.eye(3, dtype=a.dtype), b), [double(3, 3), double(3, 2)]),
        (lambda a, b: kernels.ops.cat.torch()([a, b], axis=1), [double(2, 3), double(2, 1)]),
    ],
)
def test_gradients_of_gradients_are_those_of_differences(function: Callable[..., Any], given: list[Tensor]) -> None:
    assert torch.autograd.gradcheck(function, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, given, check_fwd_over_rev=True)


def test_transforms_of_pytorch_go_through() -> None:
    swish, x = OWN.swish2.torch(), double(3, 4).detach()
    plain: Any = torch.nn.functional.silu
    for transform in (torch.func.hessian, torch.func.jacfwd, torch.func.jacrev):
        torch.testing.assert_close(transform(swish)(x), transform(plain)(x))
    per_row = torch.func.vmap(torch.func.grad(lambda row: swish(row).sum()))
    torch.testing.assert_close(per_row(x), torch.func.vmap(torch.func.grad(lambda row: plain(row).sum()))(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_dtypes_stay(dtype: torch.dtype) -> None:
    x = torch.linspace(-3, 3, 7).to(dtype)
    found = OWN.swish2.torch()(x)
    assert found.dtype == dtype
    torch.testing.assert_close(found, torch.nn.functional.silu(x.float()).to(dtype), rtol=1e-2, atol=1e-2)


def test_integers_come_along_and_have_no_gradient() -> None:
    x = double(3, 4)
    most, at = OWN.widest.torch()(x)
    assert at.dtype == torch.int64
    assert (at.requires_grad, most.requires_grad) == (False, True)
    most.sum().backward()
    assert torch.equal(x.grad, torch.nn.functional.one_hot(at, 4).to(x.dtype))  # type: ignore[arg-type]


def test_results_and_operands_share_no_memory_that_either_may_write() -> None:
    x = torch.ones(2, 3)
    found = kernels.compile("op turned(x[i, j]: float) -> y[j, i] { y = x; }").turned.torch()(x)
    x.zero_()
    assert torch.equal(found, torch.ones(3, 2))


def test_tensors_are_read_where_they_lie() -> None:
    x = torch.ones(1000)
    before = core.counters()["bytes_from_host"]
    assert torch.equal(kernels.ops.mul.torch()(x, 2.0), 2 * x)
    assert core.counters()["bytes_from_host"] == before or not core.default_queue().shares_host_memory


@pytest.mark.parametrize("layout", [lambda x: x.T, lambda x: x[:, ::2], lambda x: x.expand(2, *x.shape), torch.neg])
def test_views_of_any_layout(layout: Callable[[Tensor], Tensor]) -> None:
    x = layout(torch.arange(12.0).reshape(3, 4))
    torch.testing.assert_close(OWN.swish2.torch()(x), torch.nn.functional.silu(x))


def test_sizes_of_zero_and_numbers() -> None:
    assert OWN.swish2.torch()(torch.ones(0, 3)).shape == (0, 3)
    torch.testing.assert_close(OWN.swish2.torch()(torch.tensor(2.0)), torch.nn.functional.silu(torch.tensor(2.0)))


def test_an_operand_without_a_gradient_says_so() -> None:
    op = kernels.compile("op scaled(x: float, factor: float) -> y { y = x * factor; nograd factor; }").scaled
    with pytest.raises(core.GraphError, match="factor"):
        op.torch()(torch.ones(3), torch.ones(3, requires_grad=True)).sum().backward()


def test_what_is_no_tensor_of_the_host_or_has_no_dtype_is_refused() -> None:
    with pytest.raises(core.DtypeError, match="complex64 is not supported"):
        OWN.swish2.torch()(torch.ones(3, dtype=torch.complex64))
    with pytest.raises(core.DtypeError, match="to_dense"):
        OWN.swish2.torch()(torch.eye(3).to_sparse())
    with pytest.raises(core.ShapeError, match="widest"):
        OWN.widest.torch()(torch.ones(3))


def test_a_position_out_of_range_is_one_in_a_batch_too() -> None:
    taken = kernels.compile("op taken(x[v]: number, i[n]: int) -> y[n] { y = x[i]; }").taken.torch()
    x, wrong = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[1, 7], [0, 1]])
    torch.testing.assert_close(torch.vmap(taken, (None, 0))(x, wrong % 3), x[wrong % 3])
    for function, axes, given in (
        (taken, (None, 0), (x, wrong)), (taken, (0, None), (torch.stack([x, x]), wrong[0])),
        (torch.func.grad(lambda x, i: taken(x, i).sum()), (None, 0), (x, wrong)),
        (lambda x, i: kernels.torch.scatter_add(x, i, x[:2], axis=0), (None, 0), (x, wrong)),
    ):  # fmt: skip
        with pytest.raises(core.IndexOutOfRangeError, match="index 7"):
            torch.vmap(function, axes)(*given)


def test_copies_are_the_function_itself_and_pickles_make_it_again() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.act = OWN_SWISH

    assert copy.deepcopy(Model()).act is OWN_SWISH
    assert copy.copy(OWN.swish2) is OWN.swish2
    for function in (OWN_SWISH, kernels.torch.gelu, OWN.swish2.gradient.torch()):
        again = pickle.loads(pickle.dumps(function))
        given = (torch.ones(3),) * (2 if "gradient" in function.__name__ else 1)
        torch.testing.assert_close(again(*given), function(*given))
    assert pickle.loads(pickle.dumps(kernels.ops.gelu)) is kernels.ops.gelu
    assert str(inspect.signature(OWN_SWISH)) == "(x, beta=1.0)"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: OWN_SWISH(core.ones(3)), "swish2: an argument is a Tensor, which is not of PyTorch"),
        (lambda: OWN_SWISH(np.ones(3)), "swish2: an argument is a numpy array .*torch.from_numpy"),
        (lambda: OWN_SWISH(torch.ones(3, device="meta")), "a tensor that is meta has no elements"),
        (lambda: OWN_SWISH(torch.ones(3), beta=torch.tensor(1.0)), "beta must be a number.*declare it as an operand"),
        (lambda: OWN_SWISH(torch.ones(3), out=torch.ones(3)), "out= goes with a plain call"),
        (lambda: kernels.torch.sin([1.0]), r"sin: x is a list; give a tensor \(torch.tensor makes one\) or a number$"),
        (lambda: kernels.torch.cat([np.ones(3), 1.0]), r"cat: xs\[0\] is a numpy .*; give a tensor \(torch.tens"),
        (lambda: kernels.torch.embedding(torch.ones(3, 2), torch.ones(2, dtype=torch.bool)),
         r"index must hold integers, but it is bool; convert it: index.to\(torch.int64\)"),
        (lambda: kernels.torch.sum(torch.ones(3), dtype=torch.float64), r"'dtype'; .*; give it x.to\(dtype\)"),
        (lambda: kernels.torch.add(torch.ones(3, dtype=torch.uint8), 300), r"a wider dtype, x.to\(torch.int64\)"),
        (lambda: torch.autograd.functional.jacobian(OWN_SWISH, torch.ones(3), vectorize=True), "old vmap"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_words_of_pytorch(wrong: Callable[[], Any], said: str) -> None:
    with pytest.raises((core.NetclError, TypeError), match=said):
        wrong()


# --- torch.compile ----------------------------------------------------------------------------------------------------


def test_what_cannot_be_is_said_in_words_of_pytorch_within_a_graph_too() -> None:
    compiled = torch.compile(kernels.torch.embedding, backend="eager")
    with pytest.raises(RuntimeError, match=r"index must hold integers, .*; convert it: index.to\(torch.int64\)"):
        compiled(torch.ones(3, 2), torch.ones(2))


def test_a_compiled_graph_has_the_call_in_it() -> None:
    def function(x: Tensor, beta: float) -> Tensor:
        return OWN_SWISH(torch.sin(x), beta=beta) * 2

    compiled = torch.compile(function, fullgraph=True)
    for length, beta in ((5, 1.0), (5, 2.5), (5, 3.5), (8, 2.5)):
        x = torch.linspace(-2, 2, length, requires_grad=True)
        y = torch.linspace(-2, 2, length, requires_grad=True)
        compiled(x, beta).sum().backward()
        function(y, beta).sum().backward()
        torch.testing.assert_close(compiled(x, beta), function(y, beta))
        torch.testing.assert_close(x.grad, y.grad)


OWN_SWISH = OWN.swish2.torch()


def test_a_call_without_numbers_is_compiled_and_differentiated() -> None:
    compiled = torch.compile(lambda x: OWN_SWISH(x) * 2, fullgraph=True)
    x = torch.linspace(-2, 2, 5, requires_grad=True)
    (found,) = torch.autograd.grad(compiled(x).sum(), x)
    torch.testing.assert_close(found, torch.autograd.grad(2 * torch.nn.functional.silu(x).sum(), x)[0])


def test_the_operator_is_what_pytorch_expects_of_one() -> None:
    x = double(2, 3)
    key = compiled_torch._key_of(
        compiled_torch.name_of(OWN.settled), 2, (("tensor",), ("tensor",), ("number",)), ("steps",)
    )
    given = ([x, double()], [3], key)
    torch.library.opcheck(compiled_torch._operator, given)


def test_the_operator_has_derivatives_of_every_order_and_batches() -> None:
    name = compiled_torch.name_of(OWN.settled)

    def function(x: Tensor, rate: Tensor) -> Tensor:
        return compiled_torch.call(name, (x, rate), {"steps": 3})[0]

    assert torch.autograd.gradcheck(function, [double(2, 3), double()])
    assert torch.autograd.gradgradcheck(function, [double(2, 3), double()])
    x, rate = double(4, 2, 3).detach(), double().detach()
    found = torch.vmap(function, (0, None))(x, rate)
    torch.testing.assert_close(found, torch.stack([function(each, rate) for each in x]))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.func.jvp(OWN_SWISH, (x,), (x,))[1], torch.func.jacfwd(OWN_SWISH),
        torch.func.grad(lambda x: OWN_SWISH(x).sum()),
    ],
    ids="jvp jacfwd grad".split(),
)  # fmt: skip
def test_derivatives_within_a_graph_are_refused_and_not_lost(function: Callable[..., Any]) -> None:
    with pytest.raises(Exception, match="it loses the derivative; take them outside"):
        torch.compile(function, backend="eager")(torch.ones(3))


def test_what_only_traces_takes_the_operator_down() -> None:
    x = torch.tensor([0.5, 1.0])
    torch.testing.assert_close(make_fx(OWN_SWISH)(x)(2 * x), OWN_SWISH(2 * x))
    with pytest.raises(core.NetclError, match="it loses the derivative"):
        torch.func.linearize(OWN_SWISH, x)
    outside = torch.func.jvp(torch.compile(OWN_SWISH), (x,), (x,))[1]
    torch.testing.assert_close(outside, torch.func.jvp(torch.nn.functional.silu, (x,), (x,))[1])


def test_an_op_that_uses_another_one_has_another_name_in_graphs() -> None:
    texts = [f"op g(x: float) -> y {{ y = {n} * x; }}\nop f(x: float) -> y {{ use e = g(x); y = e; }}" for n in (2, 3)]
    first, second, again = (compiled_torch.name_of(kernels.compile(text).f) for text in (*texts, texts[0]))
    assert first == again != second


def test_a_key_of_an_op_that_is_not_declared_here_says_so() -> None:
    key = compiled_torch._key_of("lost@0123", 1, (("tensor",),), ())
    with pytest.raises(core.NetclError, match="'lost', which this process has not declared"):
        torch.ops.netcl.call([torch.ones(3)], [], key)


# --- a training loop --------------------------------------------------------------------------------------------------


def test_a_model_with_an_op_of_ones_own_learns() -> None:
    torch.manual_seed(0)
    x = torch.linspace(-3, 3, 64)[:, None]
    due = torch.sin(x)
    first, last = torch.nn.Linear(1, 16), torch.nn.Linear(16, 1)
    optimizer = torch.optim.Adam([*first.parameters(), *last.parameters()], lr=0.02)
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = (last(OWN_SWISH(first(x))) - due).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.05 * losses[0]


def test_numpy_arrays_are_no_tensors() -> None:
    with pytest.raises(core.DtypeError):
        OWN.swish2.torch()(np.ones(3))
