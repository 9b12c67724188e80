"""The two libraries under the same few names, so that one program runs on either.

A program is a function of a library that returns plain data: numbers, lists, booleans, words. Methods that both
libraries have under one name (`x.backward`, `x.register_hook`, `x.add_`, `x.exp`, …) are called directly.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.utils.checkpoint import checkpoint

from netcl import autograd as ag
from netcl import core
from netcl.core import NetclError

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Compare what this function returns for netcl and for PyTorch."""
    assert function.__name__ not in PROGRAMS
    PROGRAMS[function.__name__] = function
    return function


def fails(action: Callable[[], Any]) -> bool:
    """Whether the action is refused with an error of the library's own kind."""
    try:
        action()
    except (NetclError, RuntimeError, ValueError, TypeError, IndexError):
        return True
    return False


def _netcl_tensor(data: Any, requires_grad: bool = False) -> Any:
    return ag.tensor(np.array(data, dtype=np.float64), requires_grad=requires_grad)


def _netcl_numbers(x: Any) -> Any:
    return None if x is None else np.round(x.to_host(), 12).tolist()


def _torch_numbers(x: Any) -> Any:
    return None if x is None else np.round(x.detach().numpy(), 12).tolist()


def _several(x: Any) -> list[Any]:
    return list(x) if isinstance(x, (list, tuple)) else [x]


NETCL = SimpleNamespace(
    name="netcl",
    tensor=_netcl_tensor,
    numbers=_netcl_numbers,
    leaf_of=lambda x: ag.Node(x),
    wants=lambda x: getattr(x, "requires_grad", False),
    grad=lambda *args, **kwargs: _several(ag.grad(*args, **kwargs)),
    backward=ag.backward,
    version=lambda x: x.version,
    ones=lambda *shape: core.ones(shape, dtype="float64"),
    zeros=lambda *shape: core.zeros(shape, dtype="float64"),
    permute=lambda x, *order: ag.permute(x, order),
    cat=ag.cat,
    where=ag.where,
    Function=ag.Function,
    once_differentiable=ag.once_differentiable,
    no_grad=ag.no_grad,
    enable_grad=ag.enable_grad,
    set_grad_enabled=ag.set_grad_enabled,
    inference_mode=ag.inference_mode,
    is_grad_enabled=ag.is_grad_enabled,
    is_inference_mode_enabled=ag.is_inference_mode_enabled,
    saved_tensors_hooks=ag.saved_tensors_hooks,
    disable_saved_tensors_hooks=ag.disable_saved_tensors_hooks,
    save_on_host=ag.save_on_host,
    allow_mutation=ag.allow_mutation_on_saved_tensors,
    checkpoint=ag.checkpoint,
    multi_grad_hook=ag.register_multi_grad_hook,
    detect_anomaly=ag.detect_anomaly,
    gradcheck=lambda fn, xs: ag.gradcheck(fn, xs),
    gradgradcheck=lambda fn, xs: ag.gradgradcheck(fn, xs),
    jacobian=ag.jacobian,
    hessian=ag.hessian,
    vjp=ag.vjp,
    jvp=ag.jvp,
    hvp=ag.hvp,
    vhp=ag.vhp,
    queue_callback=ag.queue_callback,
    gradient_edge=ag.get_gradient_edge,
)

TORCH = SimpleNamespace(
    name="PyTorch",
    tensor=lambda data, requires_grad=False: torch.tensor(data, dtype=torch.float64, requires_grad=requires_grad),
    numbers=_torch_numbers,
    leaf_of=lambda x: x,
    wants=lambda x: x.requires_grad,
    grad=lambda *args, **kwargs: _several(torch.autograd.grad(*args, **kwargs)),
    backward=lambda outputs, grads=None, **kwargs: torch.autograd.backward(outputs, grads, **kwargs),
    version=lambda x: x._version,
    ones=lambda *shape: torch.ones(shape, dtype=torch.float64),
    zeros=lambda *shape: torch.zeros(shape, dtype=torch.float64),
    permute=lambda x, *order: x.permute(*order),
    cat=torch.cat,
    where=torch.where,
    Function=torch.autograd.Function,
    once_differentiable=torch.autograd.function.once_differentiable,
    no_grad=torch.no_grad,
    enable_grad=torch.enable_grad,
    set_grad_enabled=torch.set_grad_enabled,
    inference_mode=torch.inference_mode,
    is_grad_enabled=torch.is_grad_enabled,
    is_inference_mode_enabled=torch.is_inference_mode_enabled,
    saved_tensors_hooks=torch.autograd.graph.saved_tensors_hooks,
    disable_saved_tensors_hooks=torch.autograd.graph.disable_saved_tensors_hooks,
    save_on_host=torch.autograd.graph.save_on_cpu,
    allow_mutation=torch.autograd.graph.allow_mutation_on_saved_tensors,
    checkpoint=lambda fn, *args: checkpoint(fn, *args, use_reentrant=False),
    multi_grad_hook=lambda xs, fn, mode="all": torch.autograd.graph.register_multi_grad_hook(xs, fn, mode=mode),
    detect_anomaly=torch.autograd.detect_anomaly,
    gradcheck=lambda fn, xs: torch.autograd.gradcheck(fn, xs),
    gradgradcheck=lambda fn, xs: torch.autograd.gradgradcheck(fn, xs),
    jacobian=torch.autograd.functional.jacobian,
    hessian=torch.autograd.functional.hessian,
    vjp=torch.autograd.functional.vjp,
    jvp=torch.autograd.functional.jvp,
    hvp=torch.autograd.functional.hvp,
    vhp=torch.autograd.functional.vhp,
    queue_callback=lambda fn: torch.autograd.Variable._execution_engine.queue_callback(fn),
    gradient_edge=torch.autograd.graph.get_gradient_edge,
)
