"""`op.torch()`: an op on PyTorch's tensors, as a `torch.autograd.Function`: gradients of any order, forward mode, vmap.

Tensors of the CPU are read where they lie and results are theirs without a copy, where the device of netcl shares the
memory of the host. Tensors of other devices go through the host, and a warning says so once.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from netcl.core import dtypes
from netcl.core.errors import DtypeError, NetclError
from netcl.core.tensor import Tensor
from netcl.kernels.interop.applied import Applied, Operand
from netcl.kernels.interop.arrays import array_of, tensor_on
from netcl.kernels.interop.functions import Function
from netcl.kernels.interop.tensors import Gradient, one_or_all
from netcl.kernels.library.op import Op

_DTYPES = {
    torch.float16: dtypes.float16, torch.bfloat16: dtypes.bfloat16, torch.float32: dtypes.float32,
    torch.float64: dtypes.float64, torch.int32: dtypes.int32, torch.int64: dtypes.int64, torch.uint8: dtypes.uint8,
    torch.bool: dtypes.bool_,
}  # fmt: skip
TORCH_DTYPES = {dtype: of_torch for of_torch, dtype in _DTYPES.items()}


class TorchFunction(Function):
    """An op whose operands and results are PyTorch's tensors. Numbers and strings are what they are to the op."""

    framework = "PyTorch"
    method = "torch"
    advice = "give a tensor: torch.from_numpy(x) of an array, torch.from_dlpack(x) of others"
    of_numbers = "declare it as an operand if it is one, or give a number"
    operand = "a tensor"
    maker = "torch.tensor makes one"
    integers = "{name}.to(torch.int64)"
    converted = "x.to(dtype)"

    def __init__(self, callee: Op | Gradient) -> None:
        super().__init__(callee)
        self._key = None
        if isinstance(callee, Op):
            from netcl.kernels.interop import compiled_torch

            self._key = compiled_torch.name_of(callee)
            self._compiled = compiled_torch.call
            self._shown = len(callee.forms[0].outputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, or a tuple of them, on the device of the first tensor. Raises DtypeError for a dtype that netcl
        does not have, and what the op itself raises."""
        if self._key is not None and (torch.compiler.is_compiling() or is_traced()):
            refuse_derivatives_of_traces(self.__name__)
            return one_or_all(self._compiled(self._key, args, kwargs)[: self._shown])
        return self._recorded(args, kwargs)

    @torch.compiler.disable
    def _recorded(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        chain, operands = self.bound(self._operand, args, kwargs)
        return one_or_all(chain.run([each.value for each in operands], apply))

    def _operand(self, value: Any) -> Any:
        """What stands for a tensor, also in a list; everything else as it is."""
        if isinstance(value, torch.Tensor):
            if value.is_meta or value.is_nested:
                raise DtypeError(f"a tensor that is {'meta' if value.is_meta else 'nested'} has no elements to read")
            return Operand(tuple(value.shape), numpy_dtype(value.dtype), value)
        if isinstance(value, (list, tuple)) and any(isinstance(each, torch.Tensor) for each in value):
            return [self._operand(each) for each in value]
        self.refuse(value)
        return value


def is_traced() -> bool:
    """Whether PyTorch takes down what is called, instead of values alone: `make_fx`, fake tensors."""
    return bool(torch._C._len_torch_dispatch_stack())


@torch.compiler.assume_constant_result
def refuse_derivatives_of_traces(name: str) -> None:
    """Raise NetclError where a call that is only taken down is also differentiated: PyTorch would give 0."""
    kinds = [each.key().name for each in torch._C._functorch.get_interpreter_stack() or ()]
    if "Jvp" in kinds or "Grad" in kinds or torch.autograd.forward_ad._current_level >= 0:
        raise NetclError(
            f"{name}: torch.func.grad, jvp and linearize of an op of netcl are not possible where PyTorch traces, "
            "within torch.compile, make_fx and linearize: it loses the derivative; take them outside, as in "
            "torch.func.jvp(torch.compile(f), …)"
        )


def numpy_dtype(dtype: torch.dtype) -> np.dtype[Any]:
    """Netcl's dtype for one of PyTorch."""
    try:
        return _DTYPES[dtype]
    except KeyError:
        names = ", ".join(str(each) for each in _DTYPES)
        raise DtypeError(f"{dtype} is not supported; convert to one of {names}") from None


def apply(call: Applied, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """All outputs of a call, recorded."""
    found: tuple[torch.Tensor, ...] = _Call.apply(call, *tensors)
    return found


class _Call(torch.autograd.Function):
    """One call, with operands in the order of its formula. Its derivatives are calls again."""

    @staticmethod
    def forward(call: Applied, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return computed(call, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], outputs: tuple[torch.Tensor, ...]) -> None:
        call, *tensors = inputs
        ctx.call = call
        ctx.shapes = [tuple(each.shape) for each in tensors]
        ctx.mark_non_differentiable(*[outputs[at] for at in call.constant])
        ctx.set_materialize_grads(False)
        ctx.save_for_forward(*tensors, *outputs)
        needs = ctx.needs = ctx.needs_input_grad[1:]
        ctx.kept = ()
        if any(needs) and len(call.constant) < len(outputs):
            ctx.kept = call.kept(needs)
            ctx.save_for_backward(*[(tensors if kind == "input" else outputs)[at] for kind, at in ctx.kept])

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        found: list[torch.Tensor | None] = [None] * (1 + len(ctx.shapes))
        came = [each is not None for each in gradients]
        if not any(came) or not any(ctx.needs):
            return tuple(found)
        derived = ctx.call.pullback(ctx.shapes, ctx.needs, came)
        if derived is None:
            return tuple(found)
        known = dict(zip(ctx.kept, ctx.saved_tensors, strict=True))
        like = next(each for each in gradients if each is not None)
        for at, each in enumerate(gradients):
            known["seed", at] = each
        for kind, at in derived.sources:
            if known[kind, at] is None:
                shape, dtype = ctx.call.outputs(ctx.shapes)[at]
                known[kind, at] = torch.zeros(shape, dtype=TORCH_DTYPES[dtype], device=like.device)
        for at, each in zip(
            derived.places, _run(derived.call, [known[key] for key in derived.sources], like), strict=True
        ):
            found[1 + at] = each
        return tuple(found)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: torch.Tensor | None) -> tuple[torch.Tensor | None, ...]:
        given, outputs = ctx.saved_tensors[: len(tangents)], ctx.saved_tensors[len(tangents) :]
        found: list[torch.Tensor | None] = [
            None if at in ctx.call.constant else torch.zeros_like(each) for at, each in enumerate(outputs)
        ]
        derived = ctx.call.tangent(ctx.shapes, [each is not None for each in tangents])
        if derived is not None:
            known = {"input": given, "output": outputs, "seed": tangents}
            operands = [known[kind][at] for kind, at in derived.sources]
            for at, each in zip(derived.places, _run(derived.call, operands, outputs[0]), strict=True):
                found[at] = each
        return tuple(found)

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], call: Applied, *tensors: torch.Tensor
    ) -> tuple[tuple[torch.Tensor, ...], Any]:
        length = info.batch_size
        carriers = {at for at, each in enumerate(in_dims[1:]) if each is not None} | {*call.carried}
        given, shapes = [], []
        for at, (each, dim) in enumerate(zip(tensors, in_dims[1:], strict=True)):
            wide = each.expand(length, *each.shape) if dim is None else each.movedim(dim, 0)
            shapes.append(tuple(wide.shape[1:]))
            given.append(wide if at in carriers else each)
        found = apply(call.batched(shapes, carriers, length), given)
        return found, tuple(0 for _ in found)


def _run(call: Applied, operands: Sequence[torch.Tensor], like: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """All outputs of a derivative; of one that reads nothing, where `like` is."""
    if operands:
        return apply(call, operands)
    return tuple([each.to(like.device) for each in computed(call, ())])


def computed(call: Applied, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """All outputs of a call, not recorded."""
    device = tensors[0].device if tensors else torch.device("cpu")
    return tuple([_from(each).to(device) for each in call.run([_to(each) for each in tensors])])


def _to(tensor: torch.Tensor) -> Tensor:
    """A Tensor on the memory of one of PyTorch, or on a copy in the memory of the host."""
    if torch._C._functorch.is_legacy_batchedtensor(tensor):
        raise NetclError(
            "is_grads_batched, vectorize=True and check_batched_grad take PyTorch's old vmap, which functions written "
            "in Python cannot answer; use torch.func.vmap, jacrev or jacfwd"
        )
    if tensor.layout != torch.strided:
        raise DtypeError(f"a tensor of layout {tensor.layout} has no rows to read; give tensor.to_dense()")
    if tensor.device.type != "cpu":
        _warn_of_copies(tensor.device.type)
        tensor = tensor.cpu()
    tensor = tensor.detach().resolve_neg().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor_on(tensor.view(torch.int16).numpy().view(dtypes.bfloat16))
    return tensor_on(tensor.numpy())


def _from(tensor: Tensor) -> torch.Tensor:
    """A tensor of PyTorch on the memory of a Tensor, or on a copy in the memory of the host."""
    array = array_of(tensor)
    if tensor.dtype is dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


_copied_from: set[str] = set()


def _warn_of_copies(device: str) -> None:
    if device in _copied_from:
        return
    _copied_from.add(device)
    warnings.warn(
        f"tensors on {device!r} are copied to the memory of the host for each call of an op of netcl, and its results "
        "back; ops of netcl are fastest on tensors of the CPU",
        stacklevel=2,
    )
