"""The same within `torch.compile`: calls as a registered operator of PyTorch, with a fake kernel, a gradient and vmap.

PyTorch keeps the graphs that it compiles for other processes, so a graph says in words what a call is: its key names
the op and what it is called with and, of a derivative, the operands of that call and which derivatives and batches are
taken.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import torch

from netcl.core import dtypes
from netcl.core.bounded import remembered
from netcl.core.errors import NetclError
from netcl.kernels.compiler.language.syntax import Declaration
from netcl.kernels.interop.applied import Applied, Operand, Shape, Spec, bound
from netcl.kernels.interop.on_torch import TORCH_DTYPES, TorchFunction, computed, numpy_dtype
from netcl.kernels.library.op import Op
from netcl.kernels.library.source_text import declaration_text

_OPS: dict[str, Op] = {}


def name_of(op: Op) -> str:
    """The name of an op among all that graphs may call: another declaration has another one."""
    text = "\n".join(map(_text, op.forms))
    name = f"{op.name}@{sha256(text.encode()).hexdigest()[:16]}"
    _OPS[name] = op
    return name


def _text(form: Declaration) -> str:
    """That of a declaration, and of those that it uses."""
    return "\n".join([declaration_text(form), *(_text(each) for _, forms in form.linked for each in forms)])


def call(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[torch.Tensor]:
    """All outputs of a call of the op of this name; traced by PyTorch's compiler, to which numbers may be symbols."""
    tensors: list[torch.Tensor] = []
    numbers: list[Any] = []
    shown: list[tuple[Any, ...]] = []
    for each in (*args, *kwargs.values()):
        if isinstance(each, torch.Tensor):
            tensors.append(each)
            shown.append(("tensor",))
        elif isinstance(each, (list, tuple)) and len(each) > 0 and isinstance(each[0], torch.Tensor):
            tensors.extend(each)
            shown.append(("tensors", len(each)))
        elif isinstance(each, (list, tuple)) and len(each) > 0 and not isinstance(each[0], (bool, str)):
            numbers.extend(each)
            shown.append(("numbers", len(each)))
        elif isinstance(each, (int, float)) and not isinstance(each, bool):
            numbers.append(each)
            shown.append(("number",))
        else:
            shown.append(("value", each))
    key = _key_of(name, len(args), tuple(shown), tuple(kwargs))
    found: list[torch.Tensor] = torch.ops.netcl.call(tensors, numbers, key)
    return found


@torch.compiler.assume_constant_result
def _key_of(name: str, positional: int, shown: tuple[Any, ...], names: tuple[str, ...]) -> str:
    return json.dumps({"op": name, "positional": positional, "shown": shown, "names": names})


# --- what a key says --------------------------------------------------------------------------------------------------


class Resolved(NamedTuple):
    """A call that a key stands for, the shapes of its operands, and which of the given tensors they are."""

    call: Applied
    shapes: tuple[Shape, ...]
    order: tuple[int, ...]


@remembered("calls of compiled graphs", 4096)
def resolved(key: str, specs: tuple[Spec, ...], numbers: tuple[int | float, ...]) -> Resolved:
    """What a key stands for, where tensors like these and these numbers are given. Raises NetclError for an op that
    this process has not declared."""
    said = json.loads(key)
    if "path" not in said:
        return _root(said, specs, numbers)
    given = tuple((tuple(shape), dtypes.canonical(name)) for shape, name in said["specs"])
    found = _root(said["root"], given, numbers)
    for kind, *how in said["path"]:
        found = _pulled(found, *how) if kind == "pullback" else _batch(found, *how)
    return found


def _root(said: Mapping[str, Any], specs: Sequence[Spec], numbers: Sequence[int | float]) -> Resolved:
    op = _OPS.get(said["op"])
    if op is None:
        raise NetclError(
            f"a compiled graph calls the op {said['op'].partition('@')[0]!r}, which this process has not declared, or "
            "not so; declare it and ask for its torch() before the graph is run"
        )
    operands = iter([Operand(shape, dtype, at) for at, (shape, dtype) in enumerate(specs)])
    rest = iter(numbers)
    values: list[Any] = []
    for kind, *what in said["shown"]:
        if kind == "value":
            values.append(what[0])
        else:
            source: Any = operands if kind.startswith("tensor") else rest
            values.append(tuple([next(source) for _ in range(what[0])]) if what else next(source))
    count = said["positional"]
    named = dict(zip(said["names"], values[count:], strict=True))
    applied, found = TorchFunction.told(bound, op, values[:count], named)
    return Resolved(applied, tuple(each.shape for each in found), tuple(each.value for each in found))


def _pulled(of: Resolved, needs: Sequence[bool], came: Sequence[bool]) -> Resolved:
    derived = of.call.pullback(of.shapes, needs, came)
    assert derived is not None, "a graph calls no gradient that is nothing"
    outputs = of.call.outputs(of.shapes)
    shapes = tuple(of.shapes[at] if kind == "input" else outputs[at][0] for kind, at in derived.sources)
    return Resolved(derived.call, shapes, tuple(range(len(shapes))))


def _batch(of: Resolved, carriers: Sequence[int], length: int) -> Resolved:
    wide = of.call.batched(of.shapes, carriers, length)
    shapes = tuple((length, *shape) if at in carriers else shape for at, shape in enumerate(of.shapes))
    return Resolved(wide, shapes, tuple(range(len(shapes))))


def _further(key: str, specs: Sequence[Spec], *step: Any) -> str:
    """The key of a derivative, or a batch, of the call that a key stands for."""
    said = json.loads(key)
    if "path" in said:
        return json.dumps({**said, "path": [*said["path"], step]})
    written = [(shape, dtypes.name_of(dtype)) for shape, dtype in specs]
    return json.dumps({"root": said, "specs": written, "path": [step]})


def _specs(tensors: Sequence[torch.Tensor]) -> tuple[Spec, ...]:
    return tuple((tuple(int(length) for length in each.shape), numpy_dtype(each.dtype)) for each in tensors)


def _plain(numbers: Sequence[Any]) -> tuple[int | float, ...]:
    """Numbers, where some are symbols of PyTorch's compiler: it compiles anew for others."""
    return tuple([int(each) if isinstance(each, (int, torch.SymInt)) else float(each) for each in numbers])


# --- the operator -----------------------------------------------------------------------------------------------------


@torch.library.custom_op(
    "netcl::call", mutates_args=(), schema="(Tensor[] operands, Scalar[] numbers, str key) -> Tensor[]"
)
def _operator(operands: list[torch.Tensor], numbers: list[Any], key: str) -> list[torch.Tensor]:
    found = resolved(key, _specs(operands), _plain(numbers))
    return list(computed(found.call, [operands[at] for at in found.order]))


@_operator.register_fake
def _fake(operands: list[torch.Tensor], numbers: list[Any], key: str) -> list[torch.Tensor]:
    found = resolved(key, _specs(operands), _plain(numbers))
    device = operands[0].device if operands else torch.device("cpu")
    return [_empty(each, device) for each in found.call.outputs(found.shapes)]


def _empty(spec: Spec, device: torch.device) -> torch.Tensor:
    return torch.empty(spec[0], dtype=TORCH_DTYPES[spec[1]], device=device)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: list[torch.Tensor]) -> None:
    operands, numbers, key = inputs
    ctx.set_materialize_grads(False)
    ctx.key, ctx.specs, ctx.numbers = key, _specs(operands), numbers
    ctx.found = found = resolved(key, ctx.specs, _plain(numbers))
    ctx.needs = [operands[at].requires_grad for at in found.order]
    ctx.kept = ()
    if any(ctx.needs) and len(found.call.constant) < len(output):
        ctx.kept = found.call.kept(ctx.needs)
    ctx.save_for_backward(*[operands[found.order[at]] if kind == "input" else output[at] for kind, at in ctx.kept])


def _backward(
    ctx: Any, gradients: list[torch.Tensor | None]
) -> tuple[list[torch.Tensor | None], list[None] | None, None]:
    result: list[torch.Tensor | None] = [None] * len(ctx.specs)
    of_numbers: list[None] | None = None if ctx.numbers else []  # to PyTorch an empty list is one of tensors
    found = ctx.found
    came = [each is not None and at not in found.call.constant for at, each in enumerate(gradients)]
    if not any(came) or not any(ctx.needs):
        return result, of_numbers, None
    key = _further(ctx.key, ctx.specs, "pullback", ctx.needs, came)
    derived = found.call.pullback(found.shapes, ctx.needs, came)
    if derived is None:
        return result, of_numbers, None
    known: dict[Any, Any] = dict(zip(ctx.kept, ctx.saved_tensors, strict=True))
    device = next(each.device for each in gradients if each is not None)
    specs = found.call.outputs(found.shapes)
    for at, each in enumerate(gradients):
        known["seed", at] = each if came[at] else _empty(specs[at], device).zero_()
    operands = [known[source] for source in derived.sources]
    for at, each in zip(derived.places, torch.ops.netcl.call(operands, ctx.numbers, key), strict=True):
        result[found.order[at]] = each
    return result, of_numbers, None


_operator.register_autograd(_backward, setup_context=_keep)


@_operator.register_vmap
def _batched(
    info: Any, in_dims: tuple[Any, ...], operands: list[torch.Tensor], numbers: list[Any], key: str
) -> tuple[list[torch.Tensor], list[int]]:
    dims = in_dims[0]
    wide = [each if dim is None else each.movedim(dim, 0) for each, dim in zip(operands, dims, strict=True)]
    specs = _specs([each if dim is None else each[0] for each, dim in zip(wide, dims, strict=True)])
    found = resolved(key, specs, _plain(numbers))
    carriers = [at for at, place in enumerate(found.order) if dims[place] is not None or at in found.call.carried]
    given = []
    for at, place in enumerate(found.order):
        each = wide[place]
        given.append(each.expand(info.batch_size, *each.shape) if dims[place] is None and at in carriers else each)
    outputs = torch.ops.netcl.call(given, numbers, _further(key, specs, "batch", carriers, info.batch_size))
    return outputs, [0] * len(outputs)
