"""Automatic differentiation: `from netcl import autograd as ag`.

    graph          nodes and records; apply_op and a user's own ops; saved values, hooks, views, grad modes
    engine         backward and grad; tapes
    ops            the catalogue on the tape
    transforms     derivatives of functions, in both modes, of batches; checkpointing
    programs       jit: a function traced once, fused, and replayed
    debugging      anomaly mode, gradcheck, pictures of graphs
    optim          optimizers, clipping, schedules
    distributed    data-parallel training
    factories      tensors and leaves
    saving         checkpoints

Read `graph.node`, `graph.record`, `graph.apply` and `engine.engine` to know the engine. The names for users are
listed here and imported when first used, so that importing this package stays fast. A name that is not in the list is
looked for among the ops.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

from netcl.core.version import __version__ as __version__

_MODULES = {
    "debugging.anomaly": ("AnomalyError", "detect_anomaly", "set_detect_anomaly"),
    "graph.apply": ("apply_op",),
    "transforms.checkpointing": ("checkpoint",),
    "engine.engine": ("queue_callback",),
    "factories": (
        "arange",
        "eye",
        "full",
        "full_like",
        "linspace",
        "ones",
        "ones_like",
        "rand",
        "randint",
        "rand_like",
        "randn",
        "randn_like",
        "tensor",
        "zeros",
        "zeros_like",
    ),
    "graph.function": ("Function", "once_differentiable"),
    "engine.functional": ("GradientEdge", "backward", "get_gradient_edge"),
    "debugging.gradcheck": ("GradcheckError", "gradcheck", "gradgradcheck"),
    "debugging.drawing": ("draw", "memory_report", "print_graph", "to_dot"),
    "graph.hooks": ("HookHandle", "register_multi_grad_hook"),
    "graph.inplace": ("apply_in_place",),
    "transforms.jacobians": ("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "vhp"),
    "programs.jitted": ("jit",),
    "graph.modes": (
        "enable_grad",
        "inference_mode",
        "is_grad_enabled",
        "is_inference_mode_enabled",
        "no_grad",
        "set_grad_enabled",
    ),
    "graph.node": ("Node",),
    "distributed.data_parallel": ("DataParallel",),
    "graph.record": ("Accumulator", "Record"),
    "debugging.reporting": ("gradient_report", "print_gradients"),
    "graph.results": ("Result", "attempt", "ok_or_raise"),
    "graph.saved": (
        "allow_mutation_on_saved_tensors",
        "disable_saved_tensors_hooks",
        "save_on_host",
        "saved_tensors_hooks",
    ),
    "engine.session": ("Session",),
    "saving": ("load", "save"),
    "graph.simple": ("binary", "unary"),
    "transforms.steps": ("checkpoint_steps",),
    "engine.tape": ("Tape", "debug_tape", "get_current_tape", "set_current_tape"),
    "programs.trace_nodes": ("TraceNode",),
    "programs.tracer": ("Trace", "tracing"),
    "transforms.trees": ("register_tree",),
    "transforms.transforms": ("grad", "jvp", "linearize", "pullback", "value_and_grad", "vjp"),
    "graph.views": ("track_view",),
    "transforms.vmapping": ("vmap",),
}
_ELSEWHERE = {
    "nn": "a layer is a function of its parameters here, made of ops such as ag.matmul, ag.conv2d and ag.batch_norm",
    "Module": "a model is a function of its parameters, in any tree",
    "Parameter": "it is a leaf, ag.tensor(x, requires_grad=True)",
    "device": "a tensor lies on the queue that it is made with, or on that of NETCL_DEVICE",
    "manual_seed": "it is netcl.core's: core.manual_seed",
    "get_rng_state": "it is netcl.core's: core.get_rng_state",
    "set_rng_state": "it is netcl.core's: core.set_rng_state",
    "from_numpy": "ag.tensor copies an array, core.from_dlpack lends its memory",
    "as_tensor": "ag.tensor copies an array, core.from_dlpack lends its memory",
    "cuda": "a tensor lies on the queue that it is made with, or on that of NETCL_DEVICE",
    "utils": "ag.checkpoint recomputes, ag.save writes a checkpoint",
    **dict.fromkeys(("DataLoader", "Dataset"), "core.from_dlpack takes a batch of PyTorch's (Come from PyTorch)"),
    **dict.fromkeys(
        ("GradScaler", "amp", "autocast"),
        "x.astype('bfloat16') stores in 16 bits, and ops compute with float32 (Come from PyTorch)",
    ),
    **dict.fromkeys(
        ("pack_padded_sequence", "pad_packed_sequence", "pad_sequence"),
        "sequences are padded with numpy, and a loss has a mask (Train, and save what was learnt)",
    ),
    "init": "a leaf is made of numbers that numpy draws, ag.tensor(random.normal(size=s), requires_grad=True)",
    "array": "it is ag.tensor",
    "asarray": "ag.tensor copies an array, core.from_dlpack lends its memory",
    "block_until_ready": "it is core.synchronize()",
    "clip_grad_norm": "it is ag.optim.clip_grad_norm",
    "clip_grad_norm_": "it is ag.optim.clip_grad_norm",
    "clip_grad_value_": "it is ag.optim.clip_grad_value",
    "compile": "it is ag.jit",
    "custom_jvp": "an op of the language has its tangent; ag.Function may have a jvp of its own",
    "custom_vjp": "declare the gradient in the kernel language, or subclass ag.Function",
    "functional": "its functions are here: ag.vjp, ag.jvp, ag.jacobian, ag.hessian, ag.hvp, ag.vhp",
    "functional_call": "a model is a function of its parameters, in any tree",
    "lax": "loops are recurrences of the kernel language; ag.checkpoint_steps goes through steps in Python",
    "random": "ag.normal, ag.uniform, ag.bernoulli and ag.randn draw, with seed= for the same numbers again",
    "remat": "it is ag.checkpoint",
    "stop_gradient": "it is x.detach()",
    "tree": "ag.register_tree makes containers of one's own classes; optimizers, jit and transforms take trees",
    "tree_util": "ag.register_tree makes containers of one's own classes; optimizers, jit and transforms take trees",
    "func": "its functions are here: ag.grad, ag.pullback, ag.jvp, ag.vmap, ag.jacrev, ag.jacfwd, ag.hessian",
}
"""What people look for who come from elsewhere, and where it is; in parentheses, the page that says more."""
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
    elif name in _ELSEWHERE and name not in dir(_ops()):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {_ELSEWHERE[name]}")
    else:
        value = getattr(_ops(), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *dir(_ops())})


def _ops() -> Any:
    """The ops by name, which record what nodes go through."""
    importlib.import_module(f"{__name__}.ops")
    return importlib.import_module("netcl.kernels.namespace").ops
