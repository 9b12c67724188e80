"""Automatic differentiation. Made from the declarations; not edited by hand."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

from netcl import core
from netcl.autograd import optim as optim
from netcl.autograd.debugging.anomaly import AnomalyError as AnomalyError
from netcl.autograd.debugging.anomaly import detect_anomaly as detect_anomaly
from netcl.autograd.debugging.anomaly import set_detect_anomaly as set_detect_anomaly
from netcl.autograd.debugging.drawing import draw as draw
from netcl.autograd.debugging.drawing import memory_report as memory_report
from netcl.autograd.debugging.drawing import print_graph as print_graph
from netcl.autograd.debugging.drawing import to_dot as to_dot
from netcl.autograd.debugging.gradcheck import GradcheckError as GradcheckError
from netcl.autograd.debugging.gradcheck import gradcheck as gradcheck
from netcl.autograd.debugging.gradcheck import gradgradcheck as gradgradcheck
from netcl.autograd.debugging.reporting import gradient_report as gradient_report
from netcl.autograd.debugging.reporting import print_gradients as print_gradients
from netcl.autograd.distributed.data_parallel import DataParallel as DataParallel
from netcl.autograd.engine.engine import queue_callback as queue_callback
from netcl.autograd.engine.functional import GradientEdge as GradientEdge
from netcl.autograd.engine.functional import backward as backward
from netcl.autograd.engine.functional import get_gradient_edge as get_gradient_edge
from netcl.autograd.engine.session import Session as Session
from netcl.autograd.engine.tape import Tape as Tape
from netcl.autograd.engine.tape import debug_tape as debug_tape
from netcl.autograd.engine.tape import get_current_tape as get_current_tape
from netcl.autograd.engine.tape import set_current_tape as set_current_tape
from netcl.autograd.factories import randint as randint
from netcl.autograd.graph.apply import apply_op as apply_op
from netcl.autograd.graph.function import Function as Function
from netcl.autograd.graph.function import once_differentiable as once_differentiable
from netcl.autograd.graph.hooks import HookHandle as HookHandle
from netcl.autograd.graph.hooks import register_multi_grad_hook as register_multi_grad_hook
from netcl.autograd.graph.inplace import apply_in_place as apply_in_place
from netcl.autograd.graph.modes import enable_grad as enable_grad
from netcl.autograd.graph.modes import inference_mode as inference_mode
from netcl.autograd.graph.modes import is_grad_enabled as is_grad_enabled
from netcl.autograd.graph.modes import is_inference_mode_enabled as is_inference_mode_enabled
from netcl.autograd.graph.modes import no_grad as no_grad
from netcl.autograd.graph.modes import set_grad_enabled as set_grad_enabled
from netcl.autograd.graph.node import Node as Node
from netcl.autograd.graph.record import Accumulator as Accumulator
from netcl.autograd.graph.record import Record as Record
from netcl.autograd.graph.results import Result as Result
from netcl.autograd.graph.results import attempt as attempt
from netcl.autograd.graph.results import ok_or_raise as ok_or_raise
from netcl.autograd.graph.saved import allow_mutation_on_saved_tensors as allow_mutation_on_saved_tensors
from netcl.autograd.graph.saved import disable_saved_tensors_hooks as disable_saved_tensors_hooks
from netcl.autograd.graph.saved import save_on_host as save_on_host
from netcl.autograd.graph.saved import saved_tensors_hooks as saved_tensors_hooks
from netcl.autograd.graph.simple import binary as binary
from netcl.autograd.graph.simple import unary as unary
from netcl.autograd.graph.views import track_view as track_view
from netcl.autograd.programs.jitted import jit as jit
from netcl.autograd.programs.trace_nodes import TraceNode as TraceNode
from netcl.autograd.programs.tracer import Trace as Trace
from netcl.autograd.programs.tracer import tracing as tracing
from netcl.autograd.saving import load as load
from netcl.autograd.saving import save as save
from netcl.autograd.transforms.checkpointing import checkpoint as checkpoint
from netcl.autograd.transforms.jacobians import hessian as hessian
from netcl.autograd.transforms.jacobians import hvp as hvp
from netcl.autograd.transforms.jacobians import jacfwd as jacfwd
from netcl.autograd.transforms.jacobians import jacobian as jacobian
from netcl.autograd.transforms.jacobians import jacrev as jacrev
from netcl.autograd.transforms.jacobians import vhp as vhp
from netcl.autograd.transforms.steps import checkpoint_steps as checkpoint_steps
from netcl.autograd.transforms.transforms import grad as grad
from netcl.autograd.transforms.transforms import jvp as jvp
from netcl.autograd.transforms.transforms import linearize as linearize
from netcl.autograd.transforms.transforms import pullback as pullback
from netcl.autograd.transforms.transforms import value_and_grad as value_and_grad
from netcl.autograd.transforms.transforms import vjp as vjp
from netcl.autograd.transforms.trees import register_tree as register_tree
from netcl.autograd.transforms.vmapping import vmap as vmap
from netcl.core.tensor import Tensor
from netcl.kernels.library.op import Op

Operand: TypeAlias = Node | Tensor | float | np.generic
Value: TypeAlias = Node
Numbers: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int] | None
Operands: TypeAlias = Sequence[Operand]
Widths: TypeAlias = Sequence[Sequence[int]]
Pairs: TypeAlias = int | Sequence[Axes]

_P = ParamSpec("_P")
_R = TypeVar("_R")

def _op(function: Callable[_P, _R]) -> Op[_P, _R]: ...

__version__: str
_MODULES: dict[str, tuple[str, ...]]
@overload
def arange(start: float, stop: float | None = None, step: float = 1, dtype: Any = None, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """Values from `start` (0 when only one number is given) up to, not including, `stop`."""
@overload
def arange(start: float, stop: float | None = None, step: float = 1, dtype: Any = None, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """Values from `start` (0 when only one number is given) up to, not including, `stop`."""
@overload
def arange(start: float, stop: float | None = None, step: float = 1, dtype: Any = None, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """Values from `start` (0 when only one number is given) up to, not including, `stop`."""
@overload
def eye(n: int, m: int | None = None, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """A matrix of n rows and m columns (as many as rows unless given) with ones on its diagonal, and zeros."""
@overload
def eye(n: int, m: int | None = None, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """A matrix of n rows and m columns (as many as rows unless given) with ones on its diagonal, and zeros."""
@overload
def eye(n: int, m: int | None = None, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """A matrix of n rows and m columns (as many as rows unless given) with ones on its diagonal, and zeros."""
@overload
def full(shape: Numbers, value: float, dtype: Any = None, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """One value everywhere; the dtype is that of the value unless given."""
@overload
def full(shape: Numbers, value: float, dtype: Any = None, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """One value everywhere; the dtype is that of the value unless given."""
@overload
def full(shape: Numbers, value: float, dtype: Any = None, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """One value everywhere; the dtype is that of the value unless given."""
@overload
def full_like(value: Operand, number: float, dtype: Any = None, requires_grad: Literal[False] = False) -> Tensor:
    """As `zeros_like`, of one number."""
@overload
def full_like(value: Operand, number: float, dtype: Any = None, *, requires_grad: Literal[True]) -> Node:
    """As `zeros_like`, of one number."""
@overload
def full_like(value: Operand, number: float, dtype: Any = None, *, requires_grad: bool) -> Node | Tensor:
    """As `zeros_like`, of one number."""
@overload
def linspace(start: float, stop: float, num: int = 50, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """So many values from `start` to `stop`, which are the first and the last, in even steps."""
@overload
def linspace(start: float, stop: float, num: int = 50, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """So many values from `start` to `stop`, which are the first and the last, in even steps."""
@overload
def linspace(start: float, stop: float, num: int = 50, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """So many values from `start` to `stop`, which are the first and the last, in even steps."""
@overload
def ones(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """Ones of a shape."""
@overload
def ones(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """Ones of a shape."""
@overload
def ones(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """Ones of a shape."""
@overload
def ones_like(value: Operand, dtype: Any = None, requires_grad: Literal[False] = False) -> Tensor:
    """As `zeros_like`, of ones."""
@overload
def ones_like(value: Operand, dtype: Any = None, *, requires_grad: Literal[True]) -> Node:
    """As `zeros_like`, of ones."""
@overload
def ones_like(value: Operand, dtype: Any = None, *, requires_grad: bool) -> Node | Tensor:
    """As `zeros_like`, of ones."""
@overload
def rand(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """Numbers drawn evenly from 0 to 1, which itself is not drawn; as `randn` otherwise."""
@overload
def rand(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, *, requires_grad: Literal[True]) -> Node:
    """Numbers drawn evenly from 0 to 1, which itself is not drawn; as `randn` otherwise."""
@overload
def rand(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, *, requires_grad: bool) -> Node | Tensor:
    """Numbers drawn evenly from 0 to 1, which itself is not drawn; as `randn` otherwise."""
@overload
def rand_like(value: Operand, dtype: Any = None, seed: int | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """As `rand`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def rand_like(value: Operand, dtype: Any = None, seed: int | None = None, *, requires_grad: Literal[True]) -> Node:
    """As `rand`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def rand_like(value: Operand, dtype: Any = None, seed: int | None = None, *, requires_grad: bool) -> Node | Tensor:
    """As `rand`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def randn(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """Standard normal numbers, a pure function of shape and seed; without a seed the next one of the process."""
@overload
def randn(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, *, requires_grad: Literal[True]) -> Node:
    """Standard normal numbers, a pure function of shape and seed; without a seed the next one of the process."""
@overload
def randn(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, seed: int | None = None, *, requires_grad: bool) -> Node | Tensor:
    """Standard normal numbers, a pure function of shape and seed; without a seed the next one of the process."""
@overload
def randn_like(value: Operand, dtype: Any = None, seed: int | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """As `randn`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def randn_like(value: Operand, dtype: Any = None, seed: int | None = None, *, requires_grad: Literal[True]) -> Node:
    """As `randn`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def randn_like(value: Operand, dtype: Any = None, seed: int | None = None, *, requires_grad: bool) -> Node | Tensor:
    """As `randn`, of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def tensor(data: Any, requires_grad: Literal[False] = False, dtype: Any = None, queue: core.Queue | None = None) -> Tensor:
    """Make a value from numbers, nested lists, an array or a Tensor, all of which are copied."""
@overload
def tensor(data: Any, requires_grad: Literal[True], dtype: Any = None, queue: core.Queue | None = None) -> Node:
    """Make a value from numbers, nested lists, an array or a Tensor, all of which are copied."""
@overload
def tensor(data: Any, requires_grad: bool, dtype: Any = None, queue: core.Queue | None = None) -> Node | Tensor:
    """Make a value from numbers, nested lists, an array or a Tensor, all of which are copied."""
@overload
def zeros(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, requires_grad: Literal[False] = False) -> Tensor:
    """Zeros of a shape."""
@overload
def zeros(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: Literal[True]) -> Node:
    """Zeros of a shape."""
@overload
def zeros(shape: Numbers, dtype: Any = core.float32, queue: core.Queue | None = None, *, requires_grad: bool) -> Node | Tensor:
    """Zeros of a shape."""
@overload
def zeros_like(value: Operand, dtype: Any = None, requires_grad: Literal[False] = False) -> Tensor:
    """Zeros of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def zeros_like(value: Operand, dtype: Any = None, *, requires_grad: Literal[True]) -> Node:
    """Zeros of the shape, queue and (unless given) dtype of a Tensor or node."""
@overload
def zeros_like(value: Operand, dtype: Any = None, *, requires_grad: bool) -> Node | Tensor:
    """Zeros of the shape, queue and (unless given) dtype of a Tensor or node."""
@_op
def abs(x: Operand, *, out: Tensor | None = None) -> Value:
    """The absolute value; its slope at 0 is 0."""
@_op
def absolute(x: Operand, *, out: Tensor | None = None) -> Value:
    """The absolute value; its slope at 0 is 0."""
@_op
def acos(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse cosine."""
@_op
def acosh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic cosine."""
@_op
def adagrad_update(p: Operand, g: Operand, s: Operand, lr: float, eps: float = 1e-10, weight_decay: float = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Adagrad (Duchi et al., 2011): over the size of all gradients so far."""
@_op
def adam_update(p: Operand, g: Operand, m: Operand, v: Operand, lr: float, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-08, weight_decay: float = 0, decoupled: bool = False, *, c1: float, c2: float, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """Adam (Kingma and Ba, 2015); with decoupled weight decay it is AdamW (Loshchilov and Hutter, 2019). c1 and c2 are 1 - beta1^t and 1 - beta2^t at step t."""
def adaptive_avg_pool2d(x: Operand, output_size: Numbers) -> Value:
    """Means of as many windows as asked for, which together cover each image; of one, the mean of all of it."""
@_op
def add(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Sum."""
@_op
def add_relu(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """relu(a + b)."""
@_op
def addcdiv(c: Operand, a: Operand, b: Operand, value: float = 1, *, out: Tensor | None = None) -> Value:
    """c + value * a / b."""
@_op
def addcmul(c: Operand, a: Operand, b: Operand, value: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """c + value * a * b."""
def addmm(c: Operand | float, a: Operand, b: Operand, beta: float = 1, alpha: float = 1) -> Value:
    """beta * c + alpha * (a @ b), of batches, too; c broadcasts."""
@_op
def all(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Whether each is true."""
def allclose(a: Operand, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close (see isclose), as a Python bool; waits for the device."""
@_op
def amax(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
@_op
def amin(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
@_op
def any(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Whether one is true."""
@_op
def arccos(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse cosine."""
@_op
def arccosh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic cosine."""
@_op
def arcsin(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse sine."""
@_op
def arcsinh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic sine."""
@_op
def arctan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse tangent."""
@_op
def arctan2(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The angle of (b, a); its slope at (0, 0) is 0."""
@_op
def arctanh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic tangent."""
@_op
def argmax(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Position of the first largest value; over all axes it is the position in the flat tensor. Raises ShapeError when there are no elements."""
@_op
def argmin(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Position of the first smallest value. Raises ShapeError when there are no elements."""
@_op
def argsort(x: Operand, axis: int = -1, descending: bool = False, *, out: Tensor | None = None) -> Value:
    """Where the elements along one axis stand when they are in ascending (or descending) order."""
@_op
def asin(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse sine."""
@_op
def asinh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic sine."""
@_op
def assign(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """b, broadcast to the shape of a: what `a[...] = b` writes."""
@_op
def astype(x: Operand, dtype: Any, *, out: Tensor | None = None) -> Value:
    """x as another dtype."""
@_op
def atan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse tangent."""
@_op
def atan2(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The angle of (b, a); its slope at (0, 0) is 0."""
@_op
def atanh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic tangent."""
def attention(q: Operand, k: Operand, v: Operand, causal: bool = False, mask: Operand | None = None, scale: float | None = None) -> Value:
    """softmax(q @ k^T * scale) @ v over the last two axes (Vaswani et al., 2017), with a scale of 1 / sqrt(d)."""
@_op
def avg_pool1d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, *, out: Tensor | None = None) -> Value:
    """Mean of each window; the padding counts."""
@_op
def avg_pool2d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, ceil_mode: bool = False, count_include_pad: bool = True, *, out: Tensor | None = None) -> Value:
    """Mean of each window. The padding counts unless count_include_pad is false; what stands out by ceil_mode does not."""
def baddbmm(c: Operand | float, a: Operand, b: Operand, beta: float = 1, alpha: float = 1) -> Value:
    """beta * c + alpha * (a @ b), of batches, too; c broadcasts."""
def batch_norm(x: Operand, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
    """Normalization of each channel (axis 1) over the batch and all positions."""
def batch_norm2d_relu(x: Operand, gamma: Any = None, beta: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
    """relu(batch_norm(x, …)) of images (batch, channel, height, width), as one op."""
def batchnorm(x: Operand, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
    """Normalization of each channel (axis 1) over the batch and all positions."""
@_op
def bce(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Binary cross entropy of probabilities x; a logarithm counts as -100 at least, as in PyTorch."""
@_op
def bce_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Binary cross entropy of probabilities x; a logarithm counts as -100 at least, as in PyTorch."""
def bce_with_logits(x: Operand, y: Operand, pos_weight: Any = None, reduction: str = "mean", weight: Any = None) -> Value:
    """Binary cross entropy of logits x; `pos_weight` is the weight of positive examples, `weight` that of each element."""
def bernoulli(p: Operand, seed: int | None = None, counter: int = 0) -> Value:
    """1 with the probability that p gives for each element, else 0."""
@_op
def betainc(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
    """The regularised incomplete beta function: the part of beta(a, b) up to x. It has no gradient by a and b."""
@_op
def bias_add(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Sum."""
@_op
def bias_gelu(x: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """gelu(x + b), exact."""
@_op
def bilinear(x1: Operand, x2: Operand, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x1^T w x2 + b for each row, over the last axes; w has a matrix for each output feature."""
def bmm(a: Operand, b: Operand) -> Value:
    """Matrix products of two batches, each of three axes."""
def broadcast_to(x: Operand, *shape: Numbers) -> Value:
    """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
@_op
def cat(xs: Sequence[Operand], axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Tensors end to end along an axis."""
@_op
def cbrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """Cube root."""
@_op
def ceil(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round up."""
@_op
def celu(x: Operand, alpha: float = 1, *, out: Tensor | None = None) -> Value:
    """Exponential linear unit with a continuous slope."""
@_op
def cholesky(a: Operand, *, out: Tensor | None = None) -> Value:
    """The lower triangular L with L L^T = a, of symmetric matrices that are positive definite."""
def chunk(x: Operand, chunks: int, axis: int = 0) -> list[Value]:
    """At most `chunks` views of equal length (the last may be shorter) along one axis."""
@_op
def clamp(x: Operand, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x, held between lo and hi; NaN stays. The gradient passes where x was inside, the limits included."""
@_op
def clip(x: Operand, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x, held between lo and hi; NaN stays. The gradient passes where x was inside, the limits included."""
@_op
def clone(x: Operand, *, out: Tensor | None = None) -> Value:
    """A copy of x with memory of its own."""
@_op
def concat(xs: Sequence[Operand], axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Tensors end to end along an axis."""
@_op
def concatenate(xs: Sequence[Operand], axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Tensors end to end along an axis."""
def contiguous(x: Operand) -> Value:
    """x itself where its elements follow each other in memory, else a copy."""
@_op
def contrastive_loss(a: Operand, b: Operand, y: Operand, margin: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """y * D^2 / 2 + (1 - y) * max(0, margin - D)^2 / 2 with the distance D of a and b along the last axis; y is 1 for pairs that belong together (Hadsell et al., 2006)."""
@_op
def conv1d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """One-dimensional cross-correlation over (batch, channel, length)."""
@_op
def conv2d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """Two-dimensional cross-correlation, as networks call it."""
@_op
def conv2d_relu(x: Operand, w: Operand, bias: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """relu(conv2d(x, w, bias))."""
@_op
def conv3d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """Three-dimensional cross-correlation over (batch, channel, depth, height, width)."""
@_op
def conv_transpose1d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, output_padding: Numbers = 0, groups: int = 1, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Transposed convolution over (batch, channel, length); w is (in, out / groups, length)."""
@_op
def conv_transpose2d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, output_padding: Numbers = 0, groups: int = 1, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Transposed convolution: the gradient of conv2d by its input, as an op; w is (in, out / groups, height, width)."""
@_op
def copysign(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The size of a with the sign of b."""
@_op
def cos(x: Operand, *, out: Tensor | None = None) -> Value:
    """Cosine."""
@_op
def cosh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic cosine."""
@_op
def cosine_embedding_loss(a: Operand, b: Operand, y: Operand, margin: float = 0, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """1 - cos(a, b) where y is 1 (positive), max(0, cos(a, b) - margin) where it is -1; vectors along the last axis."""
def cosine_similarity(a: Operand, b: Operand, axis: int = 1, eps: float = 1e-08) -> Value:
    """The cosine of the angle between a and b, which broadcast, along an axis; each length counts as eps at least."""
@_op
def count_nonzero(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """How many elements are not 0."""
@_op
def cross_entropy(x: Operand, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, label_smoothing: float = 0, *, out: Tensor | None = None) -> Value:
    """Cross entropy of logits x (classes along axis 1) with class numbers y, or with probabilities y of each class; PyTorch's meaning of every option."""
@_op
def ctc_loss(log_probs: Operand, targets: Operand, input_lengths: Operand, target_lengths: Operand, blank: int = 0, reduction: Literal["mean", "sum", "none"] = "mean", zero_infinity: bool = False, *, out: Tensor | None = None) -> Value:
    """The negative log-likelihood of the labels `targets` under log_probs, summed over all ways to align them (Graves et al., 2006). Row n has `input_lengths[n]` steps and `target_lengths[n]` labels; "mean" divides by the number of labels first. Where no alignment is possible it is inf, or 0 with `zero_infinity`."""
@_op
def cummax(x: Operand, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Largest element up to each one along an axis, and where the first such stands."""
@_op
def cummin(x: Operand, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Smallest element up to each one along an axis, and where the first such stands."""
@_op
def cumprod(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Product of all elements up to each one along an axis; with zeros its gradient is right, too."""
@_op
def cumsum(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Sum of all elements up to each one along an axis."""
@_op
def deg2rad(x: Operand, *, out: Tensor | None = None) -> Value:
    """Degrees as radians."""
@_op
def degrees(x: Operand, *, out: Tensor | None = None) -> Value:
    """Radians as degrees."""
@_op
def det(a: Operand, *, out: Tensor | None = None) -> Value:
    """The determinant, by lu. Where a pivot is 0 its gradient is that of a matrix next to this one, to nine digits."""
def diag_embed(x: Operand, offset: int = 0) -> Value:
    """Square matrices with the last axis of x on a diagonal, `offset` to the right of the main one, and 0 elsewhere."""
def diagonal(x: Operand, offset: int = 0, first: int = 0, second: int = 1) -> Value:
    """The elements whose positions along two axes differ by offset (second less first), as a new last axis: a view."""
def diff(x: Operand, axis: int = -1) -> Value:
    """Each element less the one before it along an axis."""
@_op
def digamma(x: Operand, *, out: Tensor | None = None) -> Value:
    """The derivative of lgamma."""
@_op
def div(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """True quotient; integers become floats."""
@_op
def divide(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """True quotient; integers become floats."""
def dropout(x: Operand, p: float = 0.5, seed: int | None = None) -> Value:
    """Zero with probability p, else x / (1 - p). The mask is a pure function of the seed and the position."""
def einsum(spec: str, *xs: Operand | Operands) -> Value:
    """The sum of products that numpy's notation says, such as "ij,jk->ik" or "...ii->...i"."""
@_op
def elu(x: Operand, alpha: float = 1, *, out: Tensor | None = None) -> Value:
    """Exponential linear unit."""
@_op
def ema(x: Operand, alpha: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """The exponential moving average along an axis: the first element, then alpha x[t] + (1 - alpha) y[t - 1]."""
def embedding(table: Operand, index: Operand, padding_idx: int | None = None) -> Value:
    """Rows of a table; the row padding_idx, where one is named, has no gradient. It may count from the end."""
@_op
def eq(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a = b."""
def equal(a: Operand, b: Operand) -> bool:
    """Whether two tensors have one shape and the same elements, as a Python bool; waits for the device."""
@_op
def erf(x: Operand, *, out: Tensor | None = None) -> Value:
    """Error function."""
@_op
def erfc(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 - erf(x), exact for large x."""
@_op
def erfinv(x: Operand, *, out: Tensor | None = None) -> Value:
    """The inverse of erf: two steps of Newton's from a rational start (Giles, 2012), or above 1/2 one from ndtri."""
@_op
def exp(x: Operand, *, out: Tensor | None = None) -> Value:
    """e^x."""
@_op
def exp2(x: Operand, *, out: Tensor | None = None) -> Value:
    """2^x."""
def expand(x: Operand, *shape: Numbers) -> Value:
    """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
@_op
def expand_at(x: Operand, before: int, *, out: Tensor | None = None) -> Value:
    """A new axis of length 1 behind the first `before` axes."""
def expand_dims(x: Operand, axis: int) -> Value:
    """With a new axis of length 1: a view."""
@_op
def expm1(x: Operand, *, out: Tensor | None = None) -> Value:
    """e^x - 1, exact near 0."""
@_op
def fix(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round towards 0."""
def flatten(x: Operand, start: int = 0, end: int = -1) -> Value:
    """Axes start to end made into one."""
def flip(x: Operand, axis: Axes = None) -> Value:
    """The order along the named axes reversed: a view."""
@_op
def floor(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round down."""
@_op
def floor_divide(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The quotient, rounded down; it has no slope."""
@_op
def fma(a: Operand, b: Operand, c: Operand, *, out: Tensor | None = None) -> Value:
    """a * b + c."""
@_op
def fmax(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The larger; where one is NaN, the other."""
@_op
def fmin(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The smaller; where one is NaN, the other."""
@_op
def fmod(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Remainder with the sign of the dividend, as C has it."""
@_op
def fold(x: Operand, output_size: Numbers, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Columns added up into images of output_size, each where `unfold` takes it from."""
@_op
def frac(x: Operand, *, out: Tensor | None = None) -> Value:
    """What rounding towards 0 takes away."""
@_op
def fused_attention(q: Operand, k: Operand, v: Operand, bias: Operand | None = None, mask: Operand | None = None, scale: float = 1, causal: bool = False, *, out: Tensor | None = None) -> Value:
    """Attention (Vaswani et al., 2017): the rows of v, weighted by softmax(scale q @ k^T + bias); zeros where there is nothing to look at. `mask` says what may be looked at; `causal` hides what lies behind each row."""
@_op
def gammainc(a: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
    """The regularised lower incomplete gamma function: the part of gamma(a) up to x. It has no gradient by a."""
@_op
def gammaincc(a: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
    """The regularised upper incomplete gamma function, 1 - gammainc(a, x) without the loss of digits."""
@_op
def gammaln(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm of the absolute value of the gamma function."""
@_op
def gather(x: Operand, index: Operand, axis: int, *, out: Tensor | None = None) -> Value:
    """Elements along one axis, at a position of its own for each place of the result."""
@_op
def gaussian_kernel_sum(x: Operand, z: Operand, b: Operand, gamma: float = 1, *, out: Tensor | None = None) -> Value:
    """Sum of Gaussians exp(-gamma |x - z|^2) around the points z, weighted by b, at the points x."""
@_op
def gaussian_nll_loss(x: Operand, y: Operand, variance: Operand, full: bool = False, eps: float = 1e-06, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Negative log-likelihood of y under normal distributions of mean x and the given variance, which counts as eps at least (Nix and Weigend, 1994); full adds the constant log(2 pi) / 2."""
@_op
def ge(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a >= b."""
@_op
def gelu(x: Operand, approximate: Literal["none", "tanh"] = "none", *, out: Tensor | None = None) -> Value:
    """Gaussian error linear unit, exact or in its tanh form."""
def getitem(x: Operand, key: Any) -> Value:
    """`x[key]` as in PyTorch: ints, slices, None, Ellipsis, integer tensors and bool masks of the length of their axes."""
def glu(x: Operand, axis: int = -1) -> Value:
    """The first half along an axis times the sigmoid of the second."""
@_op
def grid_sample(x: Operand, grid: Operand, mode: Literal["bilinear", "nearest"] = "bilinear", padding_mode: Literal["zeros", "border", "reflection"] = "zeros", align_corners: bool = False, *, out: Tensor | None = None) -> Value:
    """Images read at the places of a grid: grid[…, 0] goes from -1 to 1 along j, grid[…, 1] along i. Beyond the edges are zeros, the border or the reflection; corners are aligned as those of interpolate."""
@_op
def group_norm(x: Operand, w: Operand | None = None, b: Operand | None = None, eps: float = 1e-05, *, groups: int, out: Tensor | None = None) -> Value:
    """Normalization over the channels of each group and all positions; w and b are per channel."""
@_op
def gru(x: Operand, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, lengths: Operand | None = None, reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """A layer of gated recurrent units (Cho et al., 2014): every h, and the last of each row. The rows of the weights have the gates r, z and n one after the other. A row ends after `lengths` steps; behind its end y is 0."""
@_op
def gt(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a > b."""
def gumbel_softmax(x: Operand, tau: float = 1, hard: bool = False, axis: int = -1, seed: int | None = None, counter: int = 0) -> Value:
    """A draw from the classes along an axis, which have the logits x (Jang et al., 2017)."""
@_op
def hardshrink(x: Operand, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
    """x where its size is above lambd, else 0."""
@_op
def hardsigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """A piecewise linear sigmoid."""
@_op
def hardswish(x: Operand, *, out: Tensor | None = None) -> Value:
    """A piecewise silu."""
@_op
def hardtanh(x: Operand, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x held between lo and hi."""
@_op
def hinge_embedding_loss(x: Operand, y: Operand, margin: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """The distance x where y is 1 (positive), max(0, margin - x) where it is -1; PyTorch's."""
@_op
def hinge_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """max(0, 1 - y * x) for targets y of 1 and -1 (Cortes and Vapnik, 1995)."""
@_op
def hmm_forward(start: Operand, transition: Operand, emission: Operand, lengths: Operand | None = None, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """The log-likelihood of what a hidden Markov model has emitted, and the logarithms of the forward variables (Rabiner, 1989): start[k] and transition[j, k], from j to k, are logarithms of probabilities, emission[t, n, k] that of what was seen at time t in state k. A row ends after `lengths` steps."""
@_op
def huber_loss(x: Operand, y: Operand, delta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error up to delta, absolute error beyond (Huber, 1964)."""
@_op
def hypot(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """sqrt(a^2 + b^2), without overflow on the way; the slope at (0, 0) is 0."""
@_op
def i0(x: Operand, *, out: Tensor | None = None) -> Value:
    """The modified function of Bessel of the first kind, of order 0."""
@_op
def i0e(x: Operand, *, out: Tensor | None = None) -> Value:
    """exp(-abs(x)) * i0(x), which does not overflow."""
@_op
def i1(x: Operand, *, out: Tensor | None = None) -> Value:
    """The modified function of Bessel of the first kind, of order 1."""
@_op
def i1e(x: Operand, *, out: Tensor | None = None) -> Value:
    """exp(-abs(x)) * i1(x), which does not overflow."""
@_op
def igamma(a: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
    """The regularised lower incomplete gamma function: the part of gamma(a) up to x. It has no gradient by a."""
@_op
def igammac(a: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
    """The regularised upper incomplete gamma function, 1 - gammainc(a, x) without the loss of digits."""
@_op
def index_add(x: Operand, index: Operand, src: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
    """x, and src added to the slices that index names along one axis."""
@_op
def index_copy(x: Operand, index: Operand, src: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
    """x, with src for the slices that index names along one axis; of several for one slice the last stays."""
def index_put(x: Operand, idx: Sequence[Any], v: Any, accumulate: bool = False) -> Value:
    """x with v at the positions that `idx` names: integer tensors, which broadcast, for the first axes; or masks."""
def index_select(x: Operand, axis: int, index: Operand) -> Value:
    """The slices at the positions in index along one axis: `take` with PyTorch's order of arguments."""
@_op
def info_nce_loss(query: Operand, key: Operand, temperature: float = 0.1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Cross entropy of each query's cosine similarity to its own key among all keys, over a temperature (van den Oord et al., 2018)."""
@_op
def instance_norm(x: Operand, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
    """Normalization of each channel of each example over all positions."""
def interpolate(x: Operand, size: Numbers | None = None, mode: str = "nearest", align_corners: bool | None = None, scale_factor: Any = None, recompute_scale_factor: bool | None = None) -> Value:
    """The last two axes of x at another size, of the nearest elements or "bilinear" between the four around."""
@_op
def inv(a: Operand, *, out: Tensor | None = None) -> Value:
    """The inverse matrix, by solve; of a singular matrix it is not finite."""
@_op
def isclose(a: Operand, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, *, out: Tensor | None = None) -> Value:
    """Whether a and b differ by at most atol + rtol |b|; infinities are close to themselves, NaN with equal_nan alone."""
@_op
def isfinite(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is neither infinite nor NaN."""
@_op
def isinf(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is infinite."""
@_op
def isnan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is NaN."""
@_op
def kalman_filter(x: Operand, a: Operand, q: Operand, h: Operand, r: Operand, m0: Operand, p0: Operand, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """The mean and the variance of a hidden state for each step, given what was seen up to it (Kalman, 1960), and the log-likelihood of all: z[t] = a z[t - 1] + noise of variance q, x = h z + noise of variance r; z[0] has the mean m0 and the variance p0. Numbers, or vectors and matrices; then r has the variance of each element of x, independent of the others."""
@_op
def kl_div(x: Operand, y: Operand, log_target: bool = False, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Kullback-Leibler divergence of log-probabilities x from probabilities y (logarithms, too, with log_target)."""
@_op
def l1_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Absolute error."""
@_op
def layer_norm(x: Operand, w: Operand | None = None, b: Operand | None = None, ndim: int = 1, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
    """Layer normalization over the last axes, those of w and b (ndim of them when both are absent)."""
@_op
def le(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a <= b."""
@_op
def leaky_relu(x: Operand, slope: float = 0.01, *, out: Tensor | None = None) -> Value:
    """Leaky rectifier."""
@_op
def lennard_jones(pos: Operand, sigma: float = 1, epsilon: float = 1, *, out: Tensor | None = None) -> Value:
    """Lennard-Jones energy of n particles: over all pairs, 4 epsilon ((sigma / r)^12 - (sigma / r)^6)."""
@_op
def lerp(a: Operand, b: Operand, w: Operand, *, out: Tensor | None = None) -> Value:
    """Linear interpolation from a to b."""
@_op
def lfilter(b: Operand, a: Operand, x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """The linear filter of a digital signal along an axis: a[0] y[t] = b[0] x[t] + b[1] x[t - 1] + … - a[1] y[t - 1] - …"""
@_op
def lgamma(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm of the absolute value of the gamma function."""
@_op
def linear(x: Operand, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x @ w^T + b: w has a row for each output feature."""
@_op
def linear_relu(x: Operand, w: Operand, bias: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """relu(x @ w^T + b)."""
@_op
def lion_update(p: Operand, g: Operand, m: Operand, lr: float, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Lion (Chen et al., 2023): the sign of an interpolated momentum, with decoupled weight decay."""
@_op
def log(x: Operand, *, out: Tensor | None = None) -> Value:
    """Natural logarithm."""
@_op
def log10(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm to base 10."""
@_op
def log1p(x: Operand, *, out: Tensor | None = None) -> Value:
    """log(1 + x), exact near 0."""
@_op
def log2(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm to base 2."""
@_op
def log_softmax(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Logarithm of the softmax."""
@_op
def logaddexp(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """log(exp(a) + exp(b)), without overflow on the way."""
@_op
def logaddexp2(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """log2(2^a + 2^b), without overflow on the way."""
@_op
def logcumsumexp(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Logarithm of the sum of the exponentials up to each element along an axis, without overflow."""
@_op
def logical_and(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Both."""
@_op
def logical_not(x: Operand, *, out: Tensor | None = None) -> Value:
    """Not."""
@_op
def logical_or(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Either."""
def logit(x: Operand, eps: float | None = None) -> Value:
    """log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps where that is given."""
@_op
def logsigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """log(sigmoid(x)), written so that nothing overflows."""
@_op
def logsumexp(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """log(sum(exp(x))), with the largest value taken out first."""
@_op
def lstm(x: Operand, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, c0: Operand | None = None, lengths: Operand | None = None, reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """A layer of long short-term memory (Hochreiter and Schmidhuber, 1997): every h, and the last h and c of each row. The rows of the weights have the gates i, f, g and o one after the other. A row ends after `lengths` steps; behind its end y is 0."""
@_op
def lt(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a < b."""
@_op
def lu(a: Operand, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """Rows in another order, a lower triangular matrix with ones on its diagonal, and an upper triangular one: the rows a[order] are lower @ upper. Of each column the largest element that is left is the pivot, so that no element of lower is above 1. Of a singular matrix upper has a 0 on its diagonal; derivatives take it for a number that is next to nothing beside the elements of a."""
@_op
def margin_ranking_loss(a: Operand, b: Operand, y: Operand, margin: float = 0, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """max(0, margin - y * (a - b)): a should rank above b where y is 1, below where it is -1."""
@_op
def masked_fill(x: Operand, mask: Operand, value: Operand, *, out: Tensor | None = None) -> Value:
    """x, and value where the mask holds."""
def masked_select(x: Operand, mask: Operand) -> Value:
    """The elements where the mask holds, in row-major order, as one axis; x and mask broadcast."""
@_op
def matmul(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Matrix product over the last two axes, by numpy's rules for one-dimensional operands."""
@_op
def max(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
@_op
def max_pool1d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Largest value of each window; the first of several takes the gradient."""
@_op
def max_pool2d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False, *, out: Tensor | None = None) -> Value:
    """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
@_op
def maximum(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The larger; NaN where either is NaN. Ties share the gradient."""
@_op
def maxpool(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False, *, out: Tensor | None = None) -> Value:
    """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
@_op
def mean(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Arithmetic mean."""
def median(x: Operand, axis: int | None = None, keepdims: bool = False) -> Value:
    """The middle element along an axis (or of all), the lower of two; NaN where there is one. The gradient goes to it."""
@_op
def min(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
@_op
def minimum(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The smaller; NaN where either is NaN. Ties share the gradient."""
@_op
def mish(x: Operand, *, out: Tensor | None = None) -> Value:
    """x * tanh(softplus(x))."""
def moveaxis(x: Operand, source: Numbers, destination: Numbers) -> Value:
    """An axis, or several, moved to other places; the others stay in their order. A view."""
def movedim(x: Operand, source: Numbers, destination: Numbers) -> Value:
    """An axis, or several, moved to other places; the others stay in their order. A view."""
@_op
def mse(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error."""
@_op
def mse_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error."""
@_op
def mul(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Product."""
@_op
def multiply(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Product."""
def nan_to_num(x: Operand, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Value:
    """x, with `nan` in the place of NaN and the dtype's ends, or what is given, in the place of the infinities. Integers and bools, which have none of these, stay as they are."""
@_op
def nansum(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Sum of the elements that are not NaN."""
def narrow(x: Operand, axis: int, start: int, length: int) -> Value:
    """`length` elements from `start` on along one axis: a view."""
@_op
def ndtri(p: Operand, *, out: Tensor | None = None) -> Value:
    """The quantile of the normal distribution, the inverse of normal_cdf: rational functions (Wichura, 1988, AS 241). In the middle sqrt(2 pi) q is taken out of the quotient, further out one step of Newton's follows, so that little is rounded."""
@_op
def ne(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a differs from b."""
@_op
def neg(x: Operand, *, out: Tensor | None = None) -> Value:
    """The negative."""
@_op
def negative(x: Operand, *, out: Tensor | None = None) -> Value:
    """The negative."""
@_op
def nll_loss(x: Operand, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, *, out: Tensor | None = None) -> Value:
    """Negative log-likelihood of log-probabilities x (classes along axis 1) with class numbers y."""
def norm(x: Operand, ord: float = 2, axis: Axes = None, keepdims: bool = False) -> Value:
    """The vector norm along the axes: (sum |x|^ord)^(1/ord), the largest |x| for ord inf, the smallest for -inf, and how many are not 0 for ord 0. Powers do not overflow on the way, but for those of ord 2, which is sqrt(sum x^2). Raises ShapeError for ord inf and -inf when there are no elements."""
def normal(shape: Numbers, mean: float = 0, std: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
    """Numbers of a normal distribution."""
@_op
def normalize(x: Operand, axis: Axes = -1, eps: float = 1e-12, *, out: Tensor | None = None) -> Value:
    """x over its Euclidean length along the axes, which counts as eps at least."""
@_op
def one_hot(index: Operand, n: int, *, out: Tensor | None = None) -> Value:
    """1 at the position that index names along a new last axis of length n, else 0."""
@_op
def outer(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Every product of an element of a with one of b."""
def pad(x: Operand, widths: Widths, mode: str = "constant", value: float | None = 0) -> Value:
    """x with more around it; `widths` has one (before, after) per axis, and negative ones take away."""
@_op
def pad_axis(x: Operand, before: int, length: int, axis: int, mode: Literal["reflect", "replicate", "circular"] = "reflect", *, out: Tensor | None = None) -> Value:
    """x with `before` elements in front along one axis, `length` in all, which repeat its own: reflected at the ends (the end itself once), the nearest ("replicate"), or from the other end ("circular")."""
def permute(x: Operand, *axes: Numbers) -> Value:
    """The axes in the given order; reversed when none is given."""
def permute_dims(x: Operand, *axes: Numbers) -> Value:
    """The axes in the given order; reversed when none is given."""
@_op
def pixel_shuffle(x: Operand, factor: int, *, out: Tensor | None = None) -> Value:
    """Images of (channel / factor^2) from groups of factor^2 channels, each of which fills one place of every square (Shi et al., 2016)."""
@_op
def poisson_nll_loss(x: Operand, y: Operand, log_input: bool = True, full: bool = False, eps: float = 1e-08, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Negative log-likelihood of counts y under Poisson distributions of rate x, or of rate exp(x) with log_input; full adds Stirling's approximation of log(y!) where y is above 1. PyTorch's."""
@_op
def polygamma(x: Operand, n: int, *, out: Tensor | None = None) -> Value:
    """The n-th derivative of digamma, for a whole n from 0 to 100."""
@_op
def positive(x: Operand, *, out: Tensor | None = None) -> Value:
    """x itself."""
@_op
def pow(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Power. 0^0 is 1; a negative base needs a whole exponent."""
@_op
def power(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Power. 0^0 is 1; a negative base needs a whole exponent."""
@_op
def power_norm(x: Operand, ord: float, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """The vector norm (sum(|x|^ord))^(1/ord) along the axes; where x is 0 it has no slope."""
@_op
def prelu(x: Operand, slope: Operand, *, out: Tensor | None = None) -> Value:
    """A rectifier with a slope given as a tensor."""
@_op
def prod(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Product; its gradient is right where factors are 0."""
@_op
def psi(x: Operand, *, out: Tensor | None = None) -> Value:
    """The derivative of lgamma."""
@_op
def rad2deg(x: Operand, *, out: Tensor | None = None) -> Value:
    """Radians as degrees."""
@_op
def radians(x: Operand, *, out: Tensor | None = None) -> Value:
    """Degrees as radians."""
@_op
def reciprocal(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 / x."""
@_op
def relu(x: Operand, *, out: Tensor | None = None) -> Value:
    """The positive part; NaN stays, and the slope at 0 is 0."""
@_op
def relu6(x: Operand, *, out: Tensor | None = None) -> Value:
    """The positive part up to 6."""
@_op
def remainder(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Remainder with the sign of the divisor, as Python has it."""
def repeat(x: Operand, *reps: Numbers) -> Value:
    """x as often as `reps` says along each axis, as numpy's tile."""
def repeat_interleave(x: Operand, n: Numbers | Operand, axis: int | None = None) -> Value:
    """Each slice along an axis so often, one after the other: one number for all, or one for each as a list or Tensor, which is read on the host. Without an axis, the elements in row-major order. Raises ShapeError for other lengths."""
def reshape(x: Operand, *shape: Numbers) -> Value:
    """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
@_op
def rms_norm(x: Operand, w: Operand | None = None, eps: float = 1e-06, *, out: Tensor | None = None) -> Value:
    """Root-mean-square normalization over the last axis."""
@_op
def rmsprop_update(p: Operand, g: Operand, v: Operand, mean: Operand, m: Operand, lr: float, alpha: float = 0.99, eps: float = 1e-08, weight_decay: float = 0, momentum: float = 0, centered: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value, Value]:
    """RMSprop (Tieleman and Hinton, 2012): over the running size of the gradient, about its running mean if centered."""
@_op
def rnn(x: Operand, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, lengths: Operand | None = None, nonlinearity: Literal["tanh", "relu"] = "tanh", reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """A layer of a recurrent network (Elman, 1990), h = tanh(x w_ih^T + b_ih + h w_hh^T + b_hh) for each step: every h, and the last of each row. A row ends after `lengths` steps; behind its end y is 0. With `reverse` it is gone through from its end."""
def roll(x: Operand, shift: Numbers, axis: Axes = None) -> Value:
    """The elements shifted along axes, or in row-major order when no axis is named; what leaves comes in again."""
@_op
def rope(x: Operand, base: float = 10000, start: int = 0, halves: bool = False, *, out: Tensor | None = None) -> Value:
    """Each pair of the last axis turned by an angle that grows along the axis before it: position * base ^ (-2 p / length) for the p-th pair (Su et al., 2021). Pairs are neighbours, or with `halves` one of each half."""
@_op
def round(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round to the nearest, ties to even."""
def rsample_normal(mean: Operand, std: Any, seed: int | None = None, counter: int = 0) -> Value:
    """A normal number for each mean and standard deviation, which broadcast; differentiable by both."""
@_op
def rsqrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 / sqrt(x)."""
@_op
def safe_log(x: Operand, eps: float = 1e-12, *, out: Tensor | None = None) -> Value:
    """log(x), where x counts as eps at least."""
@_op
def safe_softmax(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Softmax along the given axes, and zeros where all of x is -inf: where there is nothing to choose from."""
@_op
def scale(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Product."""
def scaled_dot_product_attention(q: Operand, k: Operand, v: Operand, attn_mask: Operand | None = None, dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Value:
    """`attention`, by PyTorch's name and arguments, in their order."""
@_op
def scatter(x: Operand, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
    """x, with src where index points along one axis; of several for one position the last stays."""
@_op
def scatter_add(x: Operand, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
    """x, and src added where index points along one axis; a position may come more than once."""
@_op
def scatter_amax(x: Operand, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
    """The larger of x and of what index points here along one axis; equal values share the gradient."""
@_op
def select(x: Operand, axis: int, at: int, *, out: Tensor | None = None) -> Value:
    """The elements at one position of an axis, which goes."""
@_op
def selective_scan(u: Operand, delta: Operand, a: Operand, b: Operand, c: Operand, skip: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """The state-space layer of Mamba (Gu and Dao, 2023): h[t] = exp(delta a) h[t - 1] + delta b u, y = c h + d u."""
@_op
def selu(x: Operand, *, out: Tensor | None = None) -> Value:
    """Self-normalising exponential linear unit (Klambauer et al., 2017)."""
@_op
def sgd_update(p: Operand, g: Operand, m: Operand, lr: float, momentum: float = 0, weight_decay: float = 0, nesterov: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Stochastic gradient descent with momentum and weight decay (Sutskever et al., 2013)."""
@_op
def sigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logistic sigmoid."""
@_op
def sign(x: Operand, *, out: Tensor | None = None) -> Value:
    """-1, 0 or 1."""
@_op
def silu(x: Operand, *, out: Tensor | None = None) -> Value:
    """x * sigmoid(x)."""
@_op
def sin(x: Operand, *, out: Tensor | None = None) -> Value:
    """Sine."""
@_op
def sinc(x: Operand, *, out: Tensor | None = None) -> Value:
    """sin(pi x) / (pi x), and 1 at 0."""
@_op
def sinh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic sine."""
@_op
def slice(x: Operand, start: Numbers, step: Numbers, length: Numbers, *, out: Tensor | None = None) -> Value:
    """Every step-th element from start on, length of them, along each axis."""
@_op
def slogdet(a: Operand, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """The sign of the determinant and the logarithm of its absolute value, by lu."""
@_op
def smooth_l1_loss(x: Operand, y: Operand, beta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error up to beta, absolute error beyond, joined smoothly (Girshick, 2015)."""
@_op
def smooth_max_pool(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, beta: float = 1, *, out: Tensor | None = None) -> Value:
    """log(sum(exp(beta * x))) / beta over each window: the largest value, smoothly."""
@_op
def soft_dtw(d: Operand, gamma: float = 1, *, out: Tensor | None = None) -> Value:
    """The soft minimum, -gamma log sum exp(-cost / gamma), over the costs of all alignments of two sequences, of which d has the costs of each pair (Cuturi and Blondel, 2017). No alignment goes through a pair that costs infinity."""
@_op
def soft_margin_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """log(1 + exp(-y * x)) for targets y of 1 and -1."""
@_op
def softmax(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Softmax along the given axes."""
@_op
def softmin(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Softmax of -x."""
@_op
def softplus(x: Operand, beta: float = 1, *, out: Tensor | None = None) -> Value:
    """Smooth rectifier, log(1 + exp(beta * x)) / beta."""
@_op
def softshrink(x: Operand, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
    """x less lambd towards 0."""
@_op
def softsign(x: Operand, *, out: Tensor | None = None) -> Value:
    """x / (1 + |x|)."""
@_op
def solve(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """x with a @ x = b, by the factors of a (lu). Of a singular matrix it is not finite. The gradient solves a^T @ db = dx by the same factors (Giles, 2008)."""
@_op
def solve_triangular(a: Operand, b: Operand, upper: bool = False, unit: bool = False, *, out: Tensor | None = None) -> Value:
    """x with a x = b, where a is lower triangular, or upper with `upper`; with `unit` its diagonal counts as 1. The other triangle is not read."""
@_op
def solve_tridiagonal(lower: Operand, diagonal: Operand, upper: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """x with lower[i] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = b[i] (Thomas, 1949), without pivots: for matrices that are diagonally dominant or positive definite. lower[0] and the last of upper are not read."""
@_op
def sort(x: Operand, axis: int = -1, descending: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """The elements along one axis in ascending order (or descending), and where they stood; equal ones stay as they stood, and a NaN is larger than any number."""
def split(x: Operand, sections: Numbers, axis: int = 0) -> list[Value]:
    """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
@_op
def sqrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """Square root."""
@_op
def square(x: Operand, *, out: Tensor | None = None) -> Value:
    """The square."""
def squeeze(x: Operand, axis: Axes = None) -> Value:
    """Without the named axes, each of length 1; without all of them when none is named. A view."""
def stack(xs: Operands, axis: int = 0) -> Value:
    """Tensors of one shape side by side along a new axis."""
@_op
def std(x: Operand, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Standard deviation about the mean."""
@_op
def sub(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Difference."""
@_op
def subtract(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Difference."""
@_op
def sum(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Sum."""
def swapaxes(x: Operand, first: int, second: int) -> Value:
    """Two axes exchanged: a view."""
def swapdims(x: Operand, first: int, second: int) -> Value:
    """Two axes exchanged: a view."""
@_op
def swish(x: Operand, *, out: Tensor | None = None) -> Value:
    """x * sigmoid(x)."""
@_op
def take(x: Operand, index: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements along one axis, at the positions in index."""
@_op
def tan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Tangent."""
@_op
def tanh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic tangent."""
@_op
def tanhshrink(x: Operand, *, out: Tensor | None = None) -> Value:
    """x - tanh(x)."""
def tensordot(a: Operand, b: Operand, axes: Pairs = 2) -> Value:
    """The sum of products over pairs of axes: as many of the last of a and first of b, or a list for each."""
@_op
def threshold(x: Operand, threshold: Operand, value: Operand, *, out: Tensor | None = None) -> Value:
    """x above a limit, else a value."""
def tile(x: Operand, *reps: Numbers) -> Value:
    """x as often as `reps` says along each axis, as numpy's tile."""
def topk(x: Operand, k: int, axis: int = -1, largest: bool = True) -> tuple[Value, Value]:
    """The k largest (or smallest) elements along an axis, in order, and where they stand; of equal ones the first."""
@_op
def trace(x: Operand, *, out: Tensor | None = None) -> Value:
    """Sum of the diagonal."""
def transpose(x: Operand, first: Numbers = -2, second: int = -1) -> Value:
    """Two axes exchanged, the last two when none are named: a view. Without or with one axis it is x itself. A list is the order of all axes, as in numpy (see `permute`)."""
@_op
def tril(x: Operand, k: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements on and below the k-th diagonal of the last two axes; 0 elsewhere."""
def triplet_margin_loss(anchor: Operand, positive: Operand, negative: Operand, margin: float = 1, eps: float = 1e-06, reduction: str = "mean", p: float = 2, swap: bool = False) -> Value:
    """max(0, margin + |anchor - positive| - |anchor - negative|), vectors along the last axis (Schroff et al., 2015)."""
@_op
def triu(x: Operand, k: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements on and above the k-th diagonal of the last two axes; 0 elsewhere."""
@_op
def trunc(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round towards 0."""
def unbind(x: Operand, axis: int = 0) -> list[Value]:
    """The views at each position of an axis, which goes."""
def unflatten(x: Operand, axis: int, lengths: Sequence[int]) -> Value:
    """One axis made into several; one length may be -1."""
@_op
def unfold(x: Operand, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """The windows of each image as columns: (batch, channel * kernel, number of windows)."""
def uniform(shape: Numbers, low: float = 0, high: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
    """Numbers drawn evenly from low to high, which is not drawn, but where a number near it rounds to it."""
def unsqueeze(x: Operand, axis: int) -> Value:
    """With a new axis of length 1: a view."""
@_op
def var(x: Operand, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Variance about the mean, divided by the count less correction, which ends at 0."""
@_op
def var_mean(x: Operand, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Variance about the mean, divided by the count less correction, and the mean."""
@_op
def vecdot(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Inner product over the last axis."""
@_op
def viterbi(start: Operand, transition: Operand, emission: Operand, lengths: Operand | None = None, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """The states that most likely have emitted what was seen, and the logarithm of that likelihood (Viterbi, 1967): operands as of hmm_forward; of equal ones the first. Behind the end of a row the path is -1."""
@_op
def where(c: Operand, a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a where c holds, else b; the branch not taken gets no gradient."""
@_op
def wrap_index(index: Operand, length: int, *, out: Tensor | None = None) -> Value:
    """Positions in an axis of the given length, negative ones counted from its end; outside of it is an error."""
@_op
def xlogy(x: Operand, y: Operand, *, out: Tensor | None = None) -> Value:
    """x * log(y), and 0 where x is 0."""
@_op
def zeta(s: Operand, q: Operand, *, out: Tensor | None = None) -> Value:
    """The zeta function of Hurwitz: the sum of (q + k)^-s over k >= 0, for s > 1. It has no gradient by s."""
