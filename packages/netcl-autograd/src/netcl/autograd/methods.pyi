"""What ops give to Node. Made from the declarations; not edited by hand."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

from netcl.autograd.graph.node import Node as Node
from netcl.core.tensor import Tensor

Operand: TypeAlias = Node | Tensor | float | np.generic
Value: TypeAlias = Node
Numbers: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int] | None
Operands: TypeAlias = Sequence[Operand]
Widths: TypeAlias = Sequence[Sequence[int]]
Pairs: TypeAlias = int | Sequence[Axes]

class Methods:
    def __add__(self, other: Operand) -> Value: ...
    def __sub__(self, other: Operand) -> Value: ...
    def __mul__(self, other: Operand) -> Value: ...
    def __truediv__(self, other: Operand) -> Value: ...
    def __floordiv__(self, other: Operand) -> Value: ...
    def __pow__(self, other: Operand) -> Value: ...
    def __matmul__(self, other: Operand) -> Value: ...
    def __mod__(self, other: Operand) -> Value: ...
    def __and__(self, other: Operand) -> Value: ...
    def __or__(self, other: Operand) -> Value: ...
    def __xor__(self, other: Operand) -> Value: ...
    def __radd__(self, other: Operand) -> Value: ...
    def __rsub__(self, other: Operand) -> Value: ...
    def __rmul__(self, other: Operand) -> Value: ...
    def __rtruediv__(self, other: Operand) -> Value: ...
    def __rfloordiv__(self, other: Operand) -> Value: ...
    def __rpow__(self, other: Operand) -> Value: ...
    def __rmatmul__(self, other: Operand) -> Value: ...
    def __rmod__(self, other: Operand) -> Value: ...
    def __rand__(self, other: Operand) -> Value: ...
    def __ror__(self, other: Operand) -> Value: ...
    def __rxor__(self, other: Operand) -> Value: ...
    def __neg__(self) -> Value: ...
    def __abs__(self) -> Value: ...
    def __invert__(self) -> Value: ...
    def __lt__(self, other: Operand) -> Value: ...
    def __le__(self, other: Operand) -> Value: ...
    def __gt__(self, other: Operand) -> Value: ...
    def __ge__(self, other: Operand) -> Value: ...
    def __eq__(self, other: Any) -> Value: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Value: ...  # type: ignore[override]
    def __getitem__(self, key: Any) -> Value: ...
    def __setitem__(self, key: Any, value: Operand) -> None: ...
    def __iter__(self) -> Iterator[Value]: ...
    @property
    def T(self) -> Value:
        """The axes reversed."""
    @property
    def mT(self) -> Value:
        """The last two axes exchanged."""
    def abs(self, *, out: Tensor | None = None) -> Value:
        """The absolute value; its slope at 0 is 0."""
    def absolute(self, *, out: Tensor | None = None) -> Value:
        """The absolute value; its slope at 0 is 0."""
    def acos(self, *, out: Tensor | None = None) -> Value:
        """Inverse cosine."""
    def acosh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic cosine."""
    def adagrad_update(self, g: Operand, s: Operand, lr: float, eps: float = 1e-10, weight_decay: float = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Adagrad (Duchi et al., 2011): over the size of all gradients so far."""
    def adam_update(self, g: Operand, m: Operand, v: Operand, lr: float, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-08, weight_decay: float = 0, decoupled: bool = False, *, c1: float, c2: float, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
        """Adam (Kingma and Ba, 2015); with decoupled weight decay it is AdamW (Loshchilov and Hutter, 2019). c1 and c2 are 1 - beta1^t and 1 - beta2^t at step t."""
    def adaptive_avg_pool2d(self, output_size: Numbers) -> Value:
        """Means of as many windows as asked for, which together cover each image; of one, the mean of all of it."""
    def add(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Sum."""
    def add_relu(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """relu(a + b)."""
    def addcdiv(self, a: Operand, b: Operand, value: float = 1, *, out: Tensor | None = None) -> Value:
        """c + value * a / b."""
    def addcmul(self, a: Operand, b: Operand, value: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """c + value * a * b."""
    def addmm(self, a: Operand, b: Operand, beta: float = 1, alpha: float = 1) -> Value:
        """beta * c + alpha * (a @ b), of batches, too; c broadcasts."""
    def all(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Whether each is true."""
    def allclose(self, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
        """Whether all elements are close (see isclose), as a Python bool; waits for the device."""
    def amax(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def amin(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def any(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Whether one is true."""
    def arccos(self, *, out: Tensor | None = None) -> Value:
        """Inverse cosine."""
    def arccosh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic cosine."""
    def arcsin(self, *, out: Tensor | None = None) -> Value:
        """Inverse sine."""
    def arcsinh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic sine."""
    def arctan(self, *, out: Tensor | None = None) -> Value:
        """Inverse tangent."""
    def arctan2(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The angle of (b, a); its slope at (0, 0) is 0."""
    def arctanh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic tangent."""
    def argmax(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Position of the first largest value; over all axes it is the position in the flat tensor. Raises ShapeError when there are no elements."""
    def argmin(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Position of the first smallest value. Raises ShapeError when there are no elements."""
    def argsort(self, axis: int = -1, descending: bool = False, *, out: Tensor | None = None) -> Value:
        """Where the elements along one axis stand when they are in ascending (or descending) order."""
    def asin(self, *, out: Tensor | None = None) -> Value:
        """Inverse sine."""
    def asinh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic sine."""
    def assign(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """b, broadcast to the shape of a: what `a[...] = b` writes."""
    def astype(self, dtype: Any, *, out: Tensor | None = None) -> Value:
        """x as another dtype."""
    def atan(self, *, out: Tensor | None = None) -> Value:
        """Inverse tangent."""
    def atan2(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The angle of (b, a); its slope at (0, 0) is 0."""
    def atanh(self, *, out: Tensor | None = None) -> Value:
        """Inverse hyperbolic tangent."""
    def attention(self, k: Operand, v: Operand, causal: bool = False, mask: Operand | None = None, scale: float | None = None) -> Value:
        """softmax(q @ k^T * scale) @ v over the last two axes (Vaswani et al., 2017), with a scale of 1 / sqrt(d)."""
    def avg_pool1d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, *, out: Tensor | None = None) -> Value:
        """Mean of each window; the padding counts."""
    def avg_pool2d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, ceil_mode: bool = False, count_include_pad: bool = True, *, out: Tensor | None = None) -> Value:
        """Mean of each window. The padding counts unless count_include_pad is false; what stands out by ceil_mode does not."""
    def baddbmm(self, a: Operand, b: Operand, beta: float = 1, alpha: float = 1) -> Value:
        """beta * c + alpha * (a @ b), of batches, too; c broadcasts."""
    def batch_norm(self, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """Normalization of each channel (axis 1) over the batch and all positions."""
    def batch_norm2d_relu(self, gamma: Any = None, beta: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """relu(batch_norm(x, …)) of images (batch, channel, height, width), as one op."""
    def batchnorm(self, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """Normalization of each channel (axis 1) over the batch and all positions."""
    def bce(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Binary cross entropy of probabilities x; a logarithm counts as -100 at least, as in PyTorch."""
    def bce_loss(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Binary cross entropy of probabilities x; a logarithm counts as -100 at least, as in PyTorch."""
    def bce_with_logits(self, y: Operand, pos_weight: Any = None, reduction: str = "mean", weight: Any = None) -> Value:
        """Binary cross entropy of logits x; `pos_weight` is the weight of positive examples, `weight` that of each element."""
    def bernoulli(self, seed: int | None = None, counter: int = 0) -> Value:
        """1 with the probability that p gives for each element, else 0."""
    def betainc(self, b: Operand, x: Operand, *, out: Tensor | None = None) -> Value:
        """The regularised incomplete beta function: the part of beta(a, b) up to x. It has no gradient by a and b."""
    def bias_add(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Sum."""
    def bias_gelu(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """gelu(x + b), exact."""
    def bilinear(self, x2: Operand, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """x1^T w x2 + b for each row, over the last axes; w has a matrix for each output feature."""
    def bmm(self, b: Operand) -> Value:
        """Matrix products of two batches, each of three axes."""
    def broadcast_to(self, *shape: Numbers) -> Value:
        """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
    def cat(self, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """Tensors end to end along an axis."""
    def cbrt(self, *, out: Tensor | None = None) -> Value:
        """Cube root."""
    def ceil(self, *, out: Tensor | None = None) -> Value:
        """Round up."""
    def celu(self, alpha: float = 1, *, out: Tensor | None = None) -> Value:
        """Exponential linear unit with a continuous slope."""
    def cholesky(self, *, out: Tensor | None = None) -> Value:
        """The lower triangular L with L L^T = a, of symmetric matrices that are positive definite."""
    def chunk(self, chunks: int, axis: int = 0) -> list[Value]:
        """At most `chunks` views of equal length (the last may be shorter) along one axis."""
    def clamp(self, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """x, held between lo and hi; NaN stays. The gradient passes where x was inside, the limits included."""
    def clip(self, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """x, held between lo and hi; NaN stays. The gradient passes where x was inside, the limits included."""
    def clone(self, *, out: Tensor | None = None) -> Value:
        """A copy of x with memory of its own."""
    def concat(self, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """Tensors end to end along an axis."""
    def concatenate(self, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """Tensors end to end along an axis."""
    def contiguous(self) -> Value:
        """x itself where its elements follow each other in memory, else a copy."""
    def contrastive_loss(self, b: Operand, y: Operand, margin: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """y * D^2 / 2 + (1 - y) * max(0, margin - D)^2 / 2 with the distance D of a and b along the last axis; y is 1 for pairs that belong together (Hadsell et al., 2006)."""
    def conv1d(self, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
        """One-dimensional cross-correlation over (batch, channel, length)."""
    def conv2d(self, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
        """Two-dimensional cross-correlation, as networks call it."""
    def conv2d_relu(self, w: Operand, bias: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
        """relu(conv2d(x, w, bias))."""
    def conv3d(self, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
        """Three-dimensional cross-correlation over (batch, channel, depth, height, width)."""
    def conv_transpose1d(self, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, output_padding: Numbers = 0, groups: int = 1, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
        """Transposed convolution over (batch, channel, length); w is (in, out / groups, length)."""
    def conv_transpose2d(self, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, output_padding: Numbers = 0, groups: int = 1, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
        """Transposed convolution: the gradient of conv2d by its input, as an op; w is (in, out / groups, height, width)."""
    def copysign(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The size of a with the sign of b."""
    def cos(self, *, out: Tensor | None = None) -> Value:
        """Cosine."""
    def cosh(self, *, out: Tensor | None = None) -> Value:
        """Hyperbolic cosine."""
    def cosine_embedding_loss(self, b: Operand, y: Operand, margin: float = 0, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """1 - cos(a, b) where y is 1 (positive), max(0, cos(a, b) - margin) where it is -1; vectors along the last axis."""
    def cosine_similarity(self, b: Operand, axis: int = 1, eps: float = 1e-08) -> Value:
        """The cosine of the angle between a and b, which broadcast, along an axis; each length counts as eps at least."""
    def count_nonzero(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """How many elements are not 0."""
    def cross_entropy(self, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, label_smoothing: float = 0, *, out: Tensor | None = None) -> Value:
        """Cross entropy of logits x (classes along axis 1) with class numbers y, or with probabilities y of each class; PyTorch's meaning of every option."""
    def ctc_loss(self, targets: Operand, input_lengths: Operand, target_lengths: Operand, blank: int = 0, reduction: Literal["mean", "sum", "none"] = "mean", zero_infinity: bool = False, *, out: Tensor | None = None) -> Value:
        """The negative log-likelihood of the labels `targets` under log_probs, summed over all ways to align them (Graves et al., 2006). Row n has `input_lengths[n]` steps and `target_lengths[n]` labels; "mean" divides by the number of labels first. Where no alignment is possible it is inf, or 0 with `zero_infinity`."""
    def cummax(self, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Largest element up to each one along an axis, and where the first such stands."""
    def cummin(self, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Smallest element up to each one along an axis, and where the first such stands."""
    def cumprod(self, axis: int = -1, *, out: Tensor | None = None) -> Value:
        """Product of all elements up to each one along an axis; with zeros its gradient is right, too."""
    def cumsum(self, axis: int = -1, *, out: Tensor | None = None) -> Value:
        """Sum of all elements up to each one along an axis."""
    def deg2rad(self, *, out: Tensor | None = None) -> Value:
        """Degrees as radians."""
    def degrees(self, *, out: Tensor | None = None) -> Value:
        """Radians as degrees."""
    def det(self, *, out: Tensor | None = None) -> Value:
        """The determinant, by lu. Where a pivot is 0 its gradient is that of a matrix next to this one, to nine digits."""
    def diag_embed(self, offset: int = 0) -> Value:
        """Square matrices with the last axis of x on a diagonal, `offset` to the right of the main one, and 0 elsewhere."""
    def diagonal(self, offset: int = 0, first: int = 0, second: int = 1) -> Value:
        """The elements whose positions along two axes differ by offset (second less first), as a new last axis: a view."""
    def diff(self, axis: int = -1) -> Value:
        """Each element less the one before it along an axis."""
    def digamma(self, *, out: Tensor | None = None) -> Value:
        """The derivative of lgamma."""
    def div(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """True quotient; integers become floats."""
    def divide(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """True quotient; integers become floats."""
    def dropout(self, p: float = 0.5, seed: int | None = None) -> Value:
        """Zero with probability p, else x / (1 - p). The mask is a pure function of the seed and the position."""
    def einsum(self, *xs: Operand | Operands) -> Value:
        """The sum of products that numpy's notation says, such as "ij,jk->ik" or "...ii->...i"."""
    def elu(self, alpha: float = 1, *, out: Tensor | None = None) -> Value:
        """Exponential linear unit."""
    def ema(self, alpha: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
        """The exponential moving average along an axis: the first element, then alpha x[t] + (1 - alpha) y[t - 1]."""
    def embedding(self, index: Operand, padding_idx: int | None = None) -> Value:
        """Rows of a table; the row padding_idx, where one is named, has no gradient. It may count from the end."""
    def eq(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a = b."""
    def equal(self, b: Operand) -> bool:
        """Whether two tensors have one shape and the same elements, as a Python bool; waits for the device."""
    def erf(self, *, out: Tensor | None = None) -> Value:
        """Error function."""
    def erfc(self, *, out: Tensor | None = None) -> Value:
        """1 - erf(x), exact for large x."""
    def erfinv(self, *, out: Tensor | None = None) -> Value:
        """The inverse of erf: two steps of Newton's from a rational start (Giles, 2012), or above 1/2 one from ndtri."""
    def exp(self, *, out: Tensor | None = None) -> Value:
        """e^x."""
    def exp2(self, *, out: Tensor | None = None) -> Value:
        """2^x."""
    def expand(self, *shape: Numbers) -> Value:
        """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
    def expand_at(self, before: int, *, out: Tensor | None = None) -> Value:
        """A new axis of length 1 behind the first `before` axes."""
    def expand_dims(self, axis: int) -> Value:
        """With a new axis of length 1: a view."""
    def expm1(self, *, out: Tensor | None = None) -> Value:
        """e^x - 1, exact near 0."""
    def fix(self, *, out: Tensor | None = None) -> Value:
        """Round towards 0."""
    def flatten(self, start: int = 0, end: int = -1) -> Value:
        """Axes start to end made into one."""
    def flip(self, axis: Axes = None) -> Value:
        """The order along the named axes reversed: a view."""
    def floor(self, *, out: Tensor | None = None) -> Value:
        """Round down."""
    def floor_divide(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The quotient, rounded down; it has no slope."""
    def fma(self, b: Operand, c: Operand, *, out: Tensor | None = None) -> Value:
        """a * b + c."""
    def fmax(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The larger; where one is NaN, the other."""
    def fmin(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The smaller; where one is NaN, the other."""
    def fmod(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Remainder with the sign of the dividend, as C has it."""
    def fold(self, output_size: Numbers, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
        """Columns added up into images of output_size, each where `unfold` takes it from."""
    def frac(self, *, out: Tensor | None = None) -> Value:
        """What rounding towards 0 takes away."""
    def fused_attention(self, k: Operand, v: Operand, bias: Operand | None = None, mask: Operand | None = None, scale: float = 1, causal: bool = False, *, out: Tensor | None = None) -> Value:
        """Attention (Vaswani et al., 2017): the rows of v, weighted by softmax(scale q @ k^T + bias); zeros where there is nothing to look at. `mask` says what may be looked at; `causal` hides what lies behind each row."""
    def gammainc(self, x: Operand, *, out: Tensor | None = None) -> Value:
        """The regularised lower incomplete gamma function: the part of gamma(a) up to x. It has no gradient by a."""
    def gammaincc(self, x: Operand, *, out: Tensor | None = None) -> Value:
        """The regularised upper incomplete gamma function, 1 - gammainc(a, x) without the loss of digits."""
    def gammaln(self, *, out: Tensor | None = None) -> Value:
        """Logarithm of the absolute value of the gamma function."""
    def gather(self, index: Operand, axis: int, *, out: Tensor | None = None) -> Value:
        """Elements along one axis, at a position of its own for each place of the result."""
    def gaussian_kernel_sum(self, z: Operand, b: Operand, gamma: float = 1, *, out: Tensor | None = None) -> Value:
        """Sum of Gaussians exp(-gamma |x - z|^2) around the points z, weighted by b, at the points x."""
    def gaussian_nll_loss(self, y: Operand, variance: Operand, full: bool = False, eps: float = 1e-06, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Negative log-likelihood of y under normal distributions of mean x and the given variance, which counts as eps at least (Nix and Weigend, 1994); full adds the constant log(2 pi) / 2."""
    def ge(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a >= b."""
    def gelu(self, approximate: Literal["none", "tanh"] = "none", *, out: Tensor | None = None) -> Value:
        """Gaussian error linear unit, exact or in its tanh form."""
    def getitem(self, key: Any) -> Value:
        """`x[key]` as in PyTorch: ints, slices, None, Ellipsis, integer tensors and bool masks of the length of their axes."""
    def glu(self, axis: int = -1) -> Value:
        """The first half along an axis times the sigmoid of the second."""
    def grid_sample(self, grid: Operand, mode: Literal["bilinear", "nearest"] = "bilinear", padding_mode: Literal["zeros", "border", "reflection"] = "zeros", align_corners: bool = False, *, out: Tensor | None = None) -> Value:
        """Images read at the places of a grid: grid[…, 0] goes from -1 to 1 along j, grid[…, 1] along i. Beyond the edges are zeros, the border or the reflection; corners are aligned as those of interpolate."""
    def group_norm(self, w: Operand | None = None, b: Operand | None = None, eps: float = 1e-05, *, groups: int, out: Tensor | None = None) -> Value:
        """Normalization over the channels of each group and all positions; w and b are per channel."""
    def gru(self, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, lengths: Operand | None = None, reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """A layer of gated recurrent units (Cho et al., 2014): every h, and the last of each row. The rows of the weights have the gates r, z and n one after the other. A row ends after `lengths` steps; behind its end y is 0."""
    def gt(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a > b."""
    def gumbel_softmax(self, tau: float = 1, hard: bool = False, axis: int = -1, seed: int | None = None, counter: int = 0) -> Value:
        """A draw from the classes along an axis, which have the logits x (Jang et al., 2017)."""
    def hardshrink(self, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
        """x where its size is above lambd, else 0."""
    def hardsigmoid(self, *, out: Tensor | None = None) -> Value:
        """A piecewise linear sigmoid."""
    def hardswish(self, *, out: Tensor | None = None) -> Value:
        """A piecewise silu."""
    def hardtanh(self, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """x held between lo and hi."""
    def hinge_embedding_loss(self, y: Operand, margin: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """The distance x where y is 1 (positive), max(0, margin - x) where it is -1; PyTorch's."""
    def hinge_loss(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """max(0, 1 - y * x) for targets y of 1 and -1 (Cortes and Vapnik, 1995)."""
    def hmm_forward(self, transition: Operand, emission: Operand, lengths: Operand | None = None, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """The log-likelihood of what a hidden Markov model has emitted, and the logarithms of the forward variables (Rabiner, 1989): start[k] and transition[j, k], from j to k, are logarithms of probabilities, emission[t, n, k] that of what was seen at time t in state k. A row ends after `lengths` steps."""
    def huber_loss(self, y: Operand, delta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Squared error up to delta, absolute error beyond (Huber, 1964)."""
    def hypot(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """sqrt(a^2 + b^2), without overflow on the way; the slope at (0, 0) is 0."""
    def i0(self, *, out: Tensor | None = None) -> Value:
        """The modified function of Bessel of the first kind, of order 0."""
    def i0e(self, *, out: Tensor | None = None) -> Value:
        """exp(-abs(x)) * i0(x), which does not overflow."""
    def i1(self, *, out: Tensor | None = None) -> Value:
        """The modified function of Bessel of the first kind, of order 1."""
    def i1e(self, *, out: Tensor | None = None) -> Value:
        """exp(-abs(x)) * i1(x), which does not overflow."""
    def igamma(self, x: Operand, *, out: Tensor | None = None) -> Value:
        """The regularised lower incomplete gamma function: the part of gamma(a) up to x. It has no gradient by a."""
    def igammac(self, x: Operand, *, out: Tensor | None = None) -> Value:
        """The regularised upper incomplete gamma function, 1 - gammainc(a, x) without the loss of digits."""
    def index_add(self, index: Operand, src: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """x, and src added to the slices that index names along one axis."""
    def index_copy(self, index: Operand, src: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """x, with src for the slices that index names along one axis; of several for one slice the last stays."""
    def index_put(self, idx: Sequence[Any], v: Any, accumulate: bool = False) -> Value:
        """x with v at the positions that `idx` names: integer tensors, which broadcast, for the first axes; or masks."""
    def index_select(self, axis: int, index: Operand) -> Value:
        """The slices at the positions in index along one axis: `take` with PyTorch's order of arguments."""
    def info_nce_loss(self, key: Operand, temperature: float = 0.1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Cross entropy of each query's cosine similarity to its own key among all keys, over a temperature (van den Oord et al., 2018)."""
    def instance_norm(self, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
        """Normalization of each channel of each example over all positions."""
    def interpolate(self, size: Numbers | None = None, mode: str = "nearest", align_corners: bool | None = None, scale_factor: Any = None, recompute_scale_factor: bool | None = None) -> Value:
        """The last two axes of x at another size, of the nearest elements or "bilinear" between the four around."""
    def inv(self, *, out: Tensor | None = None) -> Value:
        """The inverse matrix, by solve; of a singular matrix it is not finite."""
    def isclose(self, b: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False, *, out: Tensor | None = None) -> Value:
        """Whether a and b differ by at most atol + rtol |b|; infinities are close to themselves, NaN with equal_nan alone."""
    def isfinite(self, *, out: Tensor | None = None) -> Value:
        """Whether x is neither infinite nor NaN."""
    def isinf(self, *, out: Tensor | None = None) -> Value:
        """Whether x is infinite."""
    def isnan(self, *, out: Tensor | None = None) -> Value:
        """Whether x is NaN."""
    def kalman_filter(self, a: Operand, q: Operand, h: Operand, r: Operand, m0: Operand, p0: Operand, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
        """The mean and the variance of a hidden state for each step, given what was seen up to it (Kalman, 1960), and the log-likelihood of all: z[t] = a z[t - 1] + noise of variance q, x = h z + noise of variance r; z[0] has the mean m0 and the variance p0. Numbers, or vectors and matrices; then r has the variance of each element of x, independent of the others."""
    def kl_div(self, y: Operand, log_target: bool = False, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Kullback-Leibler divergence of log-probabilities x from probabilities y (logarithms, too, with log_target)."""
    def l1_loss(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Absolute error."""
    def layer_norm(self, w: Operand | None = None, b: Operand | None = None, ndim: int = 1, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
        """Layer normalization over the last axes, those of w and b (ndim of them when both are absent)."""
    def le(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a <= b."""
    def leaky_relu(self, slope: float = 0.01, *, out: Tensor | None = None) -> Value:
        """Leaky rectifier."""
    def lennard_jones(self, sigma: float = 1, epsilon: float = 1, *, out: Tensor | None = None) -> Value:
        """Lennard-Jones energy of n particles: over all pairs, 4 epsilon ((sigma / r)^12 - (sigma / r)^6)."""
    def lerp(self, b: Operand, w: Operand, *, out: Tensor | None = None) -> Value:
        """Linear interpolation from a to b."""
    def lfilter(self, a: Operand, x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
        """The linear filter of a digital signal along an axis: a[0] y[t] = b[0] x[t] + b[1] x[t - 1] + … - a[1] y[t - 1] - …"""
    def lgamma(self, *, out: Tensor | None = None) -> Value:
        """Logarithm of the absolute value of the gamma function."""
    def linear(self, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """x @ w^T + b: w has a row for each output feature."""
    def linear_relu(self, w: Operand, bias: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """relu(x @ w^T + b)."""
    def lion_update(self, g: Operand, m: Operand, lr: float, beta1: float = 0.9, beta2: float = 0.99, weight_decay: float = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Lion (Chen et al., 2023): the sign of an interpolated momentum, with decoupled weight decay."""
    def log(self, *, out: Tensor | None = None) -> Value:
        """Natural logarithm."""
    def log10(self, *, out: Tensor | None = None) -> Value:
        """Logarithm to base 10."""
    def log1p(self, *, out: Tensor | None = None) -> Value:
        """log(1 + x), exact near 0."""
    def log2(self, *, out: Tensor | None = None) -> Value:
        """Logarithm to base 2."""
    def log_softmax(self, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
        """Logarithm of the softmax."""
    def logaddexp(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """log(exp(a) + exp(b)), without overflow on the way."""
    def logaddexp2(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """log2(2^a + 2^b), without overflow on the way."""
    def logcumsumexp(self, axis: int = -1, *, out: Tensor | None = None) -> Value:
        """Logarithm of the sum of the exponentials up to each element along an axis, without overflow."""
    def logical_and(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Both."""
    def logical_not(self, *, out: Tensor | None = None) -> Value:
        """Not."""
    def logical_or(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Either."""
    def logit(self, eps: float | None = None) -> Value:
        """log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps where that is given."""
    def logsigmoid(self, *, out: Tensor | None = None) -> Value:
        """log(sigmoid(x)), written so that nothing overflows."""
    def logsumexp(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """log(sum(exp(x))), with the largest value taken out first."""
    def lstm(self, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, c0: Operand | None = None, lengths: Operand | None = None, reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
        """A layer of long short-term memory (Hochreiter and Schmidhuber, 1997): every h, and the last h and c of each row. The rows of the weights have the gates i, f, g and o one after the other. A row ends after `lengths` steps; behind its end y is 0."""
    def lt(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a < b."""
    def lu(self, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
        """Rows in another order, a lower triangular matrix with ones on its diagonal, and an upper triangular one: the rows a[order] are lower @ upper. Of each column the largest element that is left is the pivot, so that no element of lower is above 1. Of a singular matrix upper has a 0 on its diagonal; derivatives take it for a number that is next to nothing beside the elements of a."""
    def margin_ranking_loss(self, b: Operand, y: Operand, margin: float = 0, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """max(0, margin - y * (a - b)): a should rank above b where y is 1, below where it is -1."""
    def masked_fill(self, mask: Operand, value: Operand, *, out: Tensor | None = None) -> Value:
        """x, and value where the mask holds."""
    def masked_select(self, mask: Operand) -> Value:
        """The elements where the mask holds, in row-major order, as one axis; x and mask broadcast."""
    def matmul(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Matrix product over the last two axes, by numpy's rules for one-dimensional operands."""
    def max(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def max_pool1d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
        """Largest value of each window; the first of several takes the gradient."""
    def max_pool2d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False, *, out: Tensor | None = None) -> Value:
        """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
    def maximum(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The larger; NaN where either is NaN. Ties share the gradient."""
    def maxpool(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False, *, out: Tensor | None = None) -> Value:
        """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
    def mean(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Arithmetic mean."""
    def median(self, axis: int | None = None, keepdims: bool = False) -> Value:
        """The middle element along an axis (or of all), the lower of two; NaN where there is one. The gradient goes to it."""
    def min(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def minimum(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """The smaller; NaN where either is NaN. Ties share the gradient."""
    def mish(self, *, out: Tensor | None = None) -> Value:
        """x * tanh(softplus(x))."""
    def moveaxis(self, source: Numbers, destination: Numbers) -> Value:
        """An axis, or several, moved to other places; the others stay in their order. A view."""
    def movedim(self, source: Numbers, destination: Numbers) -> Value:
        """An axis, or several, moved to other places; the others stay in their order. A view."""
    def mse(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Squared error."""
    def mse_loss(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Squared error."""
    def mul(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Product."""
    def multiply(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Product."""
    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Value:
        """x, with `nan` in the place of NaN and the dtype's ends, or what is given, in the place of the infinities. Integers and bools, which have none of these, stay as they are."""
    def nansum(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Sum of the elements that are not NaN."""
    def narrow(self, axis: int, start: int, length: int) -> Value:
        """`length` elements from `start` on along one axis: a view."""
    def ndtri(self, *, out: Tensor | None = None) -> Value:
        """The quantile of the normal distribution, the inverse of normal_cdf: rational functions (Wichura, 1988, AS 241). In the middle sqrt(2 pi) q is taken out of the quotient, further out one step of Newton's follows, so that little is rounded."""
    def ne(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """a differs from b."""
    def neg(self, *, out: Tensor | None = None) -> Value:
        """The negative."""
    def negative(self, *, out: Tensor | None = None) -> Value:
        """The negative."""
    def nll_loss(self, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, *, out: Tensor | None = None) -> Value:
        """Negative log-likelihood of log-probabilities x (classes along axis 1) with class numbers y."""
    def norm(self, ord: float = 2, axis: Axes = None, keepdims: bool = False) -> Value:
        """The vector norm along the axes: (sum |x|^ord)^(1/ord), the largest |x| for ord inf, the smallest for -inf, and how many are not 0 for ord 0. Powers do not overflow on the way, but for those of ord 2, which is sqrt(sum x^2). Raises ShapeError for ord inf and -inf when there are no elements."""
    def normal(self, mean: float = 0, std: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
        """Numbers of a normal distribution."""
    def normalize(self, axis: Axes = -1, eps: float = 1e-12, *, out: Tensor | None = None) -> Value:
        """x over its Euclidean length along the axes, which counts as eps at least."""
    def one_hot(self, n: int, *, out: Tensor | None = None) -> Value:
        """1 at the position that index names along a new last axis of length n, else 0."""
    def outer(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Every product of an element of a with one of b."""
    def pad(self, widths: Widths, mode: str = "constant", value: float | None = 0) -> Value:
        """x with more around it; `widths` has one (before, after) per axis, and negative ones take away."""
    def pad_axis(self, before: int, length: int, axis: int, mode: Literal["reflect", "replicate", "circular"] = "reflect", *, out: Tensor | None = None) -> Value:
        """x with `before` elements in front along one axis, `length` in all, which repeat its own: reflected at the ends (the end itself once), the nearest ("replicate"), or from the other end ("circular")."""
    def permute(self, *axes: Numbers) -> Value:
        """The axes in the given order; reversed when none is given."""
    def permute_dims(self, *axes: Numbers) -> Value:
        """The axes in the given order; reversed when none is given."""
    def pixel_shuffle(self, factor: int, *, out: Tensor | None = None) -> Value:
        """Images of (channel / factor^2) from groups of factor^2 channels, each of which fills one place of every square (Shi et al., 2016)."""
    def poisson_nll_loss(self, y: Operand, log_input: bool = True, full: bool = False, eps: float = 1e-08, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Negative log-likelihood of counts y under Poisson distributions of rate x, or of rate exp(x) with log_input; full adds Stirling's approximation of log(y!) where y is above 1. PyTorch's."""
    def polygamma(self, n: int, *, out: Tensor | None = None) -> Value:
        """The n-th derivative of digamma, for a whole n from 0 to 100."""
    def positive(self, *, out: Tensor | None = None) -> Value:
        """x itself."""
    def pow(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Power. 0^0 is 1; a negative base needs a whole exponent."""
    def power(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Power. 0^0 is 1; a negative base needs a whole exponent."""
    def power_norm(self, ord: float, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """The vector norm (sum(|x|^ord))^(1/ord) along the axes; where x is 0 it has no slope."""
    def prelu(self, slope: Operand, *, out: Tensor | None = None) -> Value:
        """A rectifier with a slope given as a tensor."""
    def prod(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Product; its gradient is right where factors are 0."""
    def psi(self, *, out: Tensor | None = None) -> Value:
        """The derivative of lgamma."""
    def rad2deg(self, *, out: Tensor | None = None) -> Value:
        """Radians as degrees."""
    def radians(self, *, out: Tensor | None = None) -> Value:
        """Degrees as radians."""
    def reciprocal(self, *, out: Tensor | None = None) -> Value:
        """1 / x."""
    def relu(self, *, out: Tensor | None = None) -> Value:
        """The positive part; NaN stays, and the slope at 0 is 0."""
    def relu6(self, *, out: Tensor | None = None) -> Value:
        """The positive part up to 6."""
    def remainder(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Remainder with the sign of the divisor, as Python has it."""
    def repeat(self, *reps: Numbers) -> Value:
        """x as often as `reps` says along each axis, as numpy's tile."""
    def repeat_interleave(self, n: Numbers | Operand, axis: int | None = None) -> Value:
        """Each slice along an axis so often, one after the other: one number for all, or one for each as a list or Tensor, which is read on the host. Without an axis, the elements in row-major order. Raises ShapeError for other lengths."""
    def reshape(self, *shape: Numbers) -> Value:
        """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
    def rms_norm(self, w: Operand | None = None, eps: float = 1e-06, *, out: Tensor | None = None) -> Value:
        """Root-mean-square normalization over the last axis."""
    def rmsprop_update(self, g: Operand, v: Operand, mean: Operand, m: Operand, lr: float, alpha: float = 0.99, eps: float = 1e-08, weight_decay: float = 0, momentum: float = 0, centered: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value, Value]:
        """RMSprop (Tieleman and Hinton, 2012): over the running size of the gradient, about its running mean if centered."""
    def rnn(self, w_ih: Operand, w_hh: Operand, b_ih: Operand | None = None, b_hh: Operand | None = None, h0: Operand | None = None, lengths: Operand | None = None, nonlinearity: Literal["tanh", "relu"] = "tanh", reverse: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """A layer of a recurrent network (Elman, 1990), h = tanh(x w_ih^T + b_ih + h w_hh^T + b_hh) for each step: every h, and the last of each row. A row ends after `lengths` steps; behind its end y is 0. With `reverse` it is gone through from its end."""
    def roll(self, shift: Numbers, axis: Axes = None) -> Value:
        """The elements shifted along axes, or in row-major order when no axis is named; what leaves comes in again."""
    def rope(self, base: float = 10000, start: int = 0, halves: bool = False, *, out: Tensor | None = None) -> Value:
        """Each pair of the last axis turned by an angle that grows along the axis before it: position * base ^ (-2 p / length) for the p-th pair (Su et al., 2021). Pairs are neighbours, or with `halves` one of each half."""
    def round(self, *, out: Tensor | None = None) -> Value:
        """Round to the nearest, ties to even."""
    def rsample_normal(self, std: Any, seed: int | None = None, counter: int = 0) -> Value:
        """A normal number for each mean and standard deviation, which broadcast; differentiable by both."""
    def rsqrt(self, *, out: Tensor | None = None) -> Value:
        """1 / sqrt(x)."""
    def safe_log(self, eps: float = 1e-12, *, out: Tensor | None = None) -> Value:
        """log(x), where x counts as eps at least."""
    def safe_softmax(self, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
        """Softmax along the given axes, and zeros where all of x is -inf: where there is nothing to choose from."""
    def scale(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Product."""
    def scaled_dot_product_attention(self, k: Operand, v: Operand, attn_mask: Operand | None = None, dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False) -> Value:
        """`attention`, by PyTorch's name and arguments, in their order."""
    def scatter(self, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
        """x, with src where index points along one axis; of several for one position the last stays."""
    def scatter_add(self, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
        """x, and src added where index points along one axis; a position may come more than once."""
    def scatter_amax(self, index: Operand, src: Operand, axis: int, *, out: Tensor | None = None) -> Value:
        """The larger of x and of what index points here along one axis; equal values share the gradient."""
    def select(self, axis: int, at: int, *, out: Tensor | None = None) -> Value:
        """The elements at one position of an axis, which goes."""
    def selective_scan(self, delta: Operand, a: Operand, b: Operand, c: Operand, skip: Operand | None = None, *, out: Tensor | None = None) -> Value:
        """The state-space layer of Mamba (Gu and Dao, 2023): h[t] = exp(delta a) h[t - 1] + delta b u, y = c h + d u."""
    def selu(self, *, out: Tensor | None = None) -> Value:
        """Self-normalising exponential linear unit (Klambauer et al., 2017)."""
    def sgd_update(self, g: Operand, m: Operand, lr: float, momentum: float = 0, weight_decay: float = 0, nesterov: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Stochastic gradient descent with momentum and weight decay (Sutskever et al., 2013)."""
    def sigmoid(self, *, out: Tensor | None = None) -> Value:
        """Logistic sigmoid."""
    def sign(self, *, out: Tensor | None = None) -> Value:
        """-1, 0 or 1."""
    def silu(self, *, out: Tensor | None = None) -> Value:
        """x * sigmoid(x)."""
    def sin(self, *, out: Tensor | None = None) -> Value:
        """Sine."""
    def sinc(self, *, out: Tensor | None = None) -> Value:
        """sin(pi x) / (pi x), and 1 at 0."""
    def sinh(self, *, out: Tensor | None = None) -> Value:
        """Hyperbolic sine."""
    def slice(self, start: Numbers, step: Numbers, length: Numbers, *, out: Tensor | None = None) -> Value:
        """Every step-th element from start on, length of them, along each axis."""
    def slogdet(self, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """The sign of the determinant and the logarithm of its absolute value, by lu."""
    def smooth_l1_loss(self, y: Operand, beta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """Squared error up to beta, absolute error beyond, joined smoothly (Girshick, 2015)."""
    def smooth_max_pool(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, beta: float = 1, *, out: Tensor | None = None) -> Value:
        """log(sum(exp(beta * x))) / beta over each window: the largest value, smoothly."""
    def soft_dtw(self, gamma: float = 1, *, out: Tensor | None = None) -> Value:
        """The soft minimum, -gamma log sum exp(-cost / gamma), over the costs of all alignments of two sequences, of which d has the costs of each pair (Cuturi and Blondel, 2017). No alignment goes through a pair that costs infinity."""
    def soft_margin_loss(self, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
        """log(1 + exp(-y * x)) for targets y of 1 and -1."""
    def softmax(self, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
        """Softmax along the given axes."""
    def softmin(self, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
        """Softmax of -x."""
    def softplus(self, beta: float = 1, *, out: Tensor | None = None) -> Value:
        """Smooth rectifier, log(1 + exp(beta * x)) / beta."""
    def softshrink(self, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
        """x less lambd towards 0."""
    def softsign(self, *, out: Tensor | None = None) -> Value:
        """x / (1 + |x|)."""
    def solve(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """x with a @ x = b, by the factors of a (lu). Of a singular matrix it is not finite. The gradient solves a^T @ db = dx by the same factors (Giles, 2008)."""
    def solve_triangular(self, b: Operand, upper: bool = False, unit: bool = False, *, out: Tensor | None = None) -> Value:
        """x with a x = b, where a is lower triangular, or upper with `upper`; with `unit` its diagonal counts as 1. The other triangle is not read."""
    def solve_tridiagonal(self, diagonal: Operand, upper: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
        """x with lower[i] x[i - 1] + diagonal[i] x[i] + upper[i] x[i + 1] = b[i] (Thomas, 1949), without pivots: for matrices that are diagonally dominant or positive definite. lower[0] and the last of upper are not read."""
    def sort(self, axis: int = -1, descending: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """The elements along one axis in ascending order (or descending), and where they stood; equal ones stay as they stood, and a NaN is larger than any number."""
    def split(self, sections: Numbers, axis: int = 0) -> list[Value]:
        """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
    def sqrt(self, *, out: Tensor | None = None) -> Value:
        """Square root."""
    def square(self, *, out: Tensor | None = None) -> Value:
        """The square."""
    def squeeze(self, axis: Axes = None) -> Value:
        """Without the named axes, each of length 1; without all of them when none is named. A view."""
    def stack(self, axis: int = 0) -> Value:
        """Tensors of one shape side by side along a new axis."""
    def std(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Standard deviation about the mean."""
    def sub(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Difference."""
    def subtract(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Difference."""
    def sum(self, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Sum."""
    def swapaxes(self, first: int, second: int) -> Value:
        """Two axes exchanged: a view."""
    def swapdims(self, first: int, second: int) -> Value:
        """Two axes exchanged: a view."""
    def swish(self, *, out: Tensor | None = None) -> Value:
        """x * sigmoid(x)."""
    def take(self, index: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
        """Elements along one axis, at the positions in index."""
    def tan(self, *, out: Tensor | None = None) -> Value:
        """Tangent."""
    def tanh(self, *, out: Tensor | None = None) -> Value:
        """Hyperbolic tangent."""
    def tanhshrink(self, *, out: Tensor | None = None) -> Value:
        """x - tanh(x)."""
    def tensordot(self, b: Operand, axes: Pairs = 2) -> Value:
        """The sum of products over pairs of axes: as many of the last of a and first of b, or a list for each."""
    def threshold(self, threshold: Operand, value: Operand, *, out: Tensor | None = None) -> Value:
        """x above a limit, else a value."""
    def tile(self, *reps: Numbers) -> Value:
        """x as often as `reps` says along each axis, as numpy's tile."""
    def topk(self, k: int, axis: int = -1, largest: bool = True) -> tuple[Value, Value]:
        """The k largest (or smallest) elements along an axis, in order, and where they stand; of equal ones the first."""
    def trace(self, *, out: Tensor | None = None) -> Value:
        """Sum of the diagonal."""
    def transpose(self, first: Numbers = -2, second: int = -1) -> Value:
        """Two axes exchanged, the last two when none are named: a view. Without or with one axis it is x itself. A list is the order of all axes, as in numpy (see `permute`)."""
    def tril(self, k: int = 0, *, out: Tensor | None = None) -> Value:
        """Elements on and below the k-th diagonal of the last two axes; 0 elsewhere."""
    def triplet_margin_loss(self, positive: Operand, negative: Operand, margin: float = 1, eps: float = 1e-06, reduction: str = "mean", p: float = 2, swap: bool = False) -> Value:
        """max(0, margin + |anchor - positive| - |anchor - negative|), vectors along the last axis (Schroff et al., 2015)."""
    def triu(self, k: int = 0, *, out: Tensor | None = None) -> Value:
        """Elements on and above the k-th diagonal of the last two axes; 0 elsewhere."""
    def trunc(self, *, out: Tensor | None = None) -> Value:
        """Round towards 0."""
    def unbind(self, axis: int = 0) -> list[Value]:
        """The views at each position of an axis, which goes."""
    def unflatten(self, axis: int, lengths: Sequence[int]) -> Value:
        """One axis made into several; one length may be -1."""
    def unfold(self, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
        """The windows of each image as columns: (batch, channel * kernel, number of windows)."""
    def uniform(self, low: float = 0, high: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
        """Numbers drawn evenly from low to high, which is not drawn, but where a number near it rounds to it."""
    def unsqueeze(self, axis: int) -> Value:
        """With a new axis of length 1: a view."""
    def var(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
        """Variance about the mean, divided by the count less correction, which ends at 0."""
    def var_mean(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """Variance about the mean, divided by the count less correction, and the mean."""
    def vecdot(self, b: Operand, *, out: Tensor | None = None) -> Value:
        """Inner product over the last axis."""
    def viterbi(self, transition: Operand, emission: Operand, lengths: Operand | None = None, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
        """The states that most likely have emitted what was seen, and the logarithm of that likelihood (Viterbi, 1967): operands as of hmm_forward; of equal ones the first. Behind the end of a row the path is -1."""
    def where(self, condition: Operand, other: Operand) -> Value:
        """x where the condition holds, else other: `where(condition, x, other)`, in PyTorch's order."""
    def wrap_index(self, length: int, *, out: Tensor | None = None) -> Value:
        """Positions in an axis of the given length, negative ones counted from its end; outside of it is an error."""
    def xlogy(self, y: Operand, *, out: Tensor | None = None) -> Value:
        """x * log(y), and 0 where x is 0."""
    def zeta(self, q: Operand, *, out: Tensor | None = None) -> Value:
        """The zeta function of Hurwitz: the sum of (q + k)^-s over k >= 0, for s > 1. It has no gradient by s."""
    def add_(self, b: Operand) -> Value:
        """Sum."""
    def assign_(self, b: Operand) -> Value:
        """b, broadcast to the shape of a: what `a[...] = b` writes."""
    def div_(self, b: Operand) -> Value:
        """True quotient; integers become floats."""
    def lerp_(self, b: Operand, w: Operand) -> Value:
        """Linear interpolation from a to b."""
    def mul_(self, b: Operand) -> Value:
        """Product."""
    def sub_(self, b: Operand) -> Value:
        """Difference."""
