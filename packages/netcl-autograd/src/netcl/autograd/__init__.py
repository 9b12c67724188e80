"""Automatic differentiation: `from netcl import autograd as ag`.

    node, record                     a value and where its gradient goes; what an op did, with edges to what it used
    apply, ops, function, simple     the ways into the graph: shipped ops, and those of a user
    engine, plan, accumulation       backward: the records that are needed, newest first; functional, to start it
    saved, inplace, views            what is kept for backward, and what may be overwritten
    tape, tape_gradients, session    the records of a block by number, and gradients by number
    hooks, modes, state              what happens on the way, whether ops are recorded, what a thread remembers
    anomaly, scan, checking          where a NaN came from; gradients beside differences
    transforms, jacobians, forward,  derivatives of functions, in both modes, of batches
      vmapping, batched, linearized
    tracer, trace_gradients,         a function as a list of ops; its gradients as more of them; jit, which fuses them
      jitted, assembled, replay
    checkpointing, parallel, optim   training in less memory, over several processes, and its steps
    graph, reporting                 looking at graphs and gradients

Read the first three lines to know the engine. The names for users are listed here and imported when first used, so
that importing this package stays fast. A name that is not in the list is looked for among the ops.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

_MODULES = {
    "anomaly": ("AnomalyError", "detect_anomaly", "set_detect_anomaly"),
    "apply": ("apply_op",),
    "checkpointing": ("checkpoint",),
    "engine": ("queue_callback",),
    "factories": ("arange", "full", "full_like", "ones", "ones_like", "randn", "tensor", "zeros", "zeros_like"),
    "function": ("Function", "once_differentiable"),
    "functional": ("GradientEdge", "backward", "get_gradient_edge"),
    "checking": ("GradcheckError", "gradcheck", "gradgradcheck"),
    "graph": ("draw", "memory_report", "print_graph", "to_dot"),
    "hooks": ("HookHandle", "register_multi_grad_hook"),
    "inplace": ("apply_in_place",),
    "jacobians": ("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "vhp"),
    "jitted": ("jit",),
    "modes": (
        "enable_grad",
        "inference_mode",
        "is_grad_enabled",
        "is_inference_mode_enabled",
        "no_grad",
        "set_grad_enabled",
    ),
    "node": ("Node",),
    "parallel": ("DataParallel",),
    "record": ("Accumulator", "Record"),
    "reporting": ("gradient_report", "print_gradients"),
    "results": ("Result", "attempt", "ok_or_raise"),
    "saved": (
        "allow_mutation_on_saved_tensors",
        "disable_saved_tensors_hooks",
        "save_on_host",
        "saved_tensors_hooks",
    ),
    "session": ("Session",),
    "simple": ("binary", "unary"),
    "tape": ("Tape", "debug_tape", "get_current_tape", "set_current_tape"),
    "tracer": ("TraceNode", "Trace", "tracing"),
    "transforms": ("grad", "jvp", "linearize", "value_and_grad", "vjp"),
    "views": ("track_view",),
    "vmapping": ("vmap",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in ("Session", "Tape"):  # whoever opens a tape wants Tensors to have operators; nodes see to it themselves
        importlib.import_module(f"{__name__}.ops")
    if name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    elif importlib.util.find_spec(f"{__name__}.{name}") is not None:  # a module of this package
        value = importlib.import_module(f"{__name__}.{name}")
    else:
        value = getattr(importlib.import_module(f"{__name__}.ops"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *dir(importlib.import_module(f"{__name__}.ops"))})
