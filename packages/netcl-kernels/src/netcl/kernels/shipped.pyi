"""Ops, as type checkers see them. Made from the declarations; not edited by hand."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from netcl.core.tensor import Tensor

Operand: TypeAlias = Tensor | float
Value: TypeAlias = Tensor
Numbers: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int] | None

def abs(x: Operand, *, out: Tensor | None = None) -> Value:
    """The absolute value; its slope at 0 is 0."""
def acos(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse cosine."""
def acosh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic cosine."""
def adam_update(p: Operand, g: Operand, m: Operand, v: Operand, lr: float, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-08, weight_decay: float = 0, decoupled: float = 0, *, c1: float, c2: float, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """Adam (Kingma and Ba, 2015); with decoupled weight decay it is AdamW (Loshchilov and Hutter, 2019). c1 and c2 are 1 - beta1^t and 1 - beta2^t at step t."""
def adaptive_avg_pool2d(x: Operand, output_size: Numbers, *, out: Tensor | None = None) -> Value:
    """Means of as many windows as asked for, which together cover each image."""
def add(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Sum."""
def add_relu(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """relu(a + b)."""
def addcdiv(c: Operand, a: Operand, b: Operand, value: float = 1, *, out: Tensor | None = None) -> Value:
    """c + value * a / b."""
def addcmul(c: Operand, a: Operand, b: Operand, value: float = 1, *, out: Tensor | None = None) -> Value:
    """c + value * a * b."""
def addmm(c: Operand, a: Any, b: Any, beta: float = 1, alpha: float = 1) -> Value:
    """beta * c + alpha * (a @ b); c broadcasts."""
def all(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Whether each is true."""
def amax(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Largest value; ties share the gradient equally."""
def amin(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Smallest value; ties share the gradient equally."""
def any(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Whether one is true."""
def argmax(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Position of the first largest value; over all axes it is the position in the flat tensor."""
def argmin(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Position of the first smallest value."""
def asin(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse sine."""
def asinh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic sine."""
def assign(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """b, broadcast to the shape of a: what `a[...] = b` writes."""
def astype(x: Operand, dtype: Any, *, out: Tensor | None = None) -> Value:
    """x as another dtype."""
def atan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse tangent."""
def atan2(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The angle of (b, a); its slope at (0, 0) is 0."""
def atanh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Inverse hyperbolic tangent."""
def attention(q: Operand, k: Any, v: Any, causal: bool = False, mask: Any = None) -> Value:
    """softmax(q @ k^T / sqrt(d)) @ v over the last two axes (Vaswani et al., 2017)."""
def avg_pool1d(x: Operand, kernel: int, stride: int | None = None, padding: int = 0, *, out: Tensor | None = None) -> Value:
    """Mean of each window; the padding counts."""
def avg_pool2d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, *, out: Tensor | None = None) -> Value:
    """Mean of each window; the padding counts."""
def batch_norm(x: Operand, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
    """Normalization of each channel (axis 1) over the batch and all positions."""
def batch_norm_inference(x: Operand, mean: Operand, variance: Operand, w: Operand | None = None, b: Operand | None = None, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
    """Normalization of each channel by a mean and a variance that are given."""
def batch_norm_training(x: Operand, w: Operand | None = None, b: Operand | None = None, eps: float = 1e-05, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value, Value]:
    """Normalization of each channel over the batch and all positions; also the mean and the variance it used."""
def bce_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Binary cross entropy of probabilities x; a logarithm counts as -100 at least, as in PyTorch."""
def bce_with_logits(x: Operand, y: Operand, pos_weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Binary cross entropy of logits x; pos_weight is the weight of positive examples."""
def bias_gelu(x: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """gelu(x + b), exact."""
def bmm(a: Operand, b: Any) -> Value:
    """Matrix products of two batches, each of three axes."""
def broadcast_to(x: Operand, shape: Sequence[int]) -> Value:
    """Broadcast to a shape by numpy's rule: a view."""
def cat(xs: Sequence[Operand], axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Tensors end to end along an axis."""
def cbrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """Cube root."""
def ceil(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round up."""
def celu(x: Operand, alpha: float = 1, *, out: Tensor | None = None) -> Value:
    """Exponential linear unit with a continuous slope."""
def chunk(x: Operand, chunks: int, axis: int = 0) -> list[Value]:
    """At most `chunks` views of equal length (the last may be shorter) along one axis."""
def clamp(x: Operand, lo: Operand | None = None, hi: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x, held between lo and hi; NaN stays. The gradient passes where x was inside, the limits included."""
def clone(x: Operand, *, out: Tensor | None = None) -> Value:
    """A copy of x with memory of its own."""
def contiguous(x: Operand) -> Value:
    """x itself where its elements follow each other in memory, else a copy."""
def conv1d(x: Operand, w: Operand, b: Operand | None = None, stride: int = 1, padding: int = 0, dilation: int = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """One-dimensional cross-correlation over (batch, channel, length)."""
def conv2d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1, groups: int = 1, *, out: Tensor | None = None) -> Value:
    """Two-dimensional cross-correlation, as networks call it."""
def conv_transpose2d(x: Operand, w: Operand, b: Operand | None = None, stride: Numbers = 1, padding: Numbers = 0, output_padding: Numbers = 0, groups: int = 1, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Transposed convolution: the gradient of conv2d by its input, as an op; w is (in, out / groups, height, width)."""
def copysign(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The size of a with the sign of b."""
def cos(x: Operand, *, out: Tensor | None = None) -> Value:
    """Cosine."""
def cosh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic cosine."""
def cosine_similarity(a: Operand, b: Any, axis: int = 1, eps: float = 1e-08) -> Value:
    """The cosine of the angle between a and b along an axis; each length counts as eps at least."""
def count_nonzero(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """How many elements are not 0."""
def cross_entropy(x: Operand, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, label_smoothing: float = 0, *, out: Tensor | None = None) -> Value:
    """Cross entropy of logits x (classes along axis 1) with class numbers y; PyTorch's meaning of every option."""
def cummax(x: Operand, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Largest element up to each one along an axis, and where the first such stands."""
def cummin(x: Operand, axis: int = -1, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Smallest element up to each one along an axis, and where the first such stands."""
def cumprod(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Product of all elements up to each one along an axis; with zeros its gradient is right, too."""
def cumsum(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Sum of all elements up to each one along an axis."""
def deg2rad(x: Operand, *, out: Tensor | None = None) -> Value:
    """Degrees as radians."""
def diff(x: Operand, axis: int = -1) -> Value:
    """Each element less the one before it along an axis."""
def div(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """True quotient; integers become floats."""
def dropout(x: Operand, p: float = 0.5, seed: int | None = None) -> Value:
    """Zero with probability p, else x / (1 - p). The mask is a pure function of the seed and the position."""
def elu(x: Operand, alpha: float = 1, *, out: Tensor | None = None) -> Value:
    """Exponential linear unit."""
def embedding(table: Operand, index: Operand, *, out: Tensor | None = None) -> Value:
    """Rows of a table."""
def eq(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a = b."""
def erf(x: Operand, *, out: Tensor | None = None) -> Value:
    """Error function."""
def erfc(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 - erf(x), exact for large x."""
def exp(x: Operand, *, out: Tensor | None = None) -> Value:
    """e^x."""
def exp2(x: Operand, *, out: Tensor | None = None) -> Value:
    """2^x."""
def expand_at(x: Operand, before: int, *, out: Tensor | None = None) -> Value:
    """A new axis of length 1 behind the first `before` axes."""
def expm1(x: Operand, *, out: Tensor | None = None) -> Value:
    """e^x - 1, exact near 0."""
def flatten(x: Operand, start: int = 0, end: int = -1) -> Value:
    """Axes start to end made into one."""
def flip(x: Operand, axis: Any = None) -> Value:
    """The order along the named axes reversed: a view."""
def floor(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round down."""
def floor_divide(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The quotient, rounded down; it has no slope."""
def fmax(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The larger; where one is NaN, the other."""
def fmin(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The smaller; where one is NaN, the other."""
def fmod(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Remainder with the sign of the dividend, as C has it."""
def frac(x: Operand, *, out: Tensor | None = None) -> Value:
    """What rounding towards 0 takes away."""
def gather(x: Operand, index: Operand, axis: int, *, out: Tensor | None = None) -> Value:
    """Elements along one axis, at a position of its own for each place of the result."""
def gaussian_kernel_sum(x: Operand, z: Operand, b: Operand, gamma: float = 1, *, out: Tensor | None = None) -> Value:
    """Sum of Gaussians exp(-gamma |x - z|^2) around the points z, weighted by b, at the points x."""
def ge(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a >= b."""
def gelu(x: Operand, approximate: Literal["none", "tanh"] = "none", *, out: Tensor | None = None) -> Value:
    """Gaussian error linear unit, exact or in its tanh form."""
def getitem(x: Operand, key: Any) -> Value:
    """`x[key]` by numpy's rules: ints, slices, None, Ellipsis, integer tensors and bool masks."""
def glu(x: Operand, axis: int = -1) -> Value:
    """The first half along an axis times the sigmoid of the second."""
def group_norm(x: Operand, w: Operand | None = None, b: Operand | None = None, eps: float = 1e-05, *, groups: int, out: Tensor | None = None) -> Value:
    """Normalization over the channels of each group and all positions; w and b are per channel."""
def gt(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a > b."""
def hardshrink(x: Operand, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
    """x where its size is above lambd, else 0."""
def hardsigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """A piecewise linear sigmoid."""
def hardswish(x: Operand, *, out: Tensor | None = None) -> Value:
    """A piecewise silu."""
def hardtanh(x: Operand, lo: float = -1, hi: float = 1, *, out: Tensor | None = None) -> Value:
    """x held between lo and hi."""
def huber_loss(x: Operand, y: Operand, delta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error up to delta, absolute error beyond (Huber, 1964)."""
def hypot(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """sqrt(a^2 + b^2), without overflow on the way; the slope at (0, 0) is 0."""
def instance_norm(x: Operand, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
    """Normalization of each channel of each example over all positions."""
def isfinite(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is neither infinite nor NaN."""
def isinf(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is infinite."""
def isnan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Whether x is NaN."""
def kl_div(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Kullback-Leibler divergence of log-probabilities x from probabilities y."""
def l1_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Absolute error."""
def l2_norm(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Euclidean length, sqrt(sum(x^2)); its slope at 0 is 0."""
def layer_norm(x: Operand, w: Operand | None = None, b: Operand | None = None, ndim: int = 1, eps: float = 1e-05, *, out: Tensor | None = None) -> Value:
    """Layer normalization over the last axes, those of w and b (ndim of them when both are absent)."""
def le(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a <= b."""
def leaky_relu(x: Operand, slope: float = 0.01, *, out: Tensor | None = None) -> Value:
    """Leaky rectifier."""
def lennard_jones(pos: Operand, sigma: float = 1, epsilon: float = 1, *, out: Tensor | None = None) -> Value:
    """Lennard-Jones energy of n particles: over all pairs, 4 epsilon ((sigma / r)^12 - (sigma / r)^6)."""
def lerp(a: Operand, b: Operand, w: Operand, *, out: Tensor | None = None) -> Value:
    """Linear interpolation from a to b."""
def lgamma(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm of the absolute value of the gamma function."""
def linear(x: Operand, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """x @ w^T + b: w has a row for each output feature."""
def linear_relu(x: Operand, w: Operand, b: Operand | None = None, *, out: Tensor | None = None) -> Value:
    """relu(x @ w^T + b)."""
def log(x: Operand, *, out: Tensor | None = None) -> Value:
    """Natural logarithm."""
def log10(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm to base 10."""
def log1p(x: Operand, *, out: Tensor | None = None) -> Value:
    """log(1 + x), exact near 0."""
def log2(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logarithm to base 2."""
def log_softmax(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Logarithm of the softmax."""
def logaddexp(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """log(exp(a) + exp(b)), without overflow on the way."""
def logcumsumexp(x: Operand, axis: int = -1, *, out: Tensor | None = None) -> Value:
    """Logarithm of the sum of the exponentials up to each element along an axis, without overflow."""
def logical_and(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Both."""
def logical_not(x: Operand, *, out: Tensor | None = None) -> Value:
    """Not."""
def logical_or(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Either."""
def logit(x: Operand, *, out: Tensor | None = None) -> Value:
    """log(x / (1 - x)), the inverse of sigmoid."""
def logsigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """log(sigmoid(x)), written so that nothing overflows."""
def logsumexp(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """log(sum(exp(x))), with the largest value taken out first."""
def lt(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a < b."""
def masked_fill(x: Operand, mask: Operand, value: Operand, *, out: Tensor | None = None) -> Value:
    """x, and value where the mask holds."""
def matmul(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Matrix product over the last two axes, by numpy's rules for one-dimensional operands."""
def max_pool1d(x: Operand, kernel: int, stride: int | None = None, padding: int = 0, dilation: int = 1, *, out: Tensor | None = None) -> Value:
    """Largest value of each window; the first of several takes the gradient."""
def max_pool2d(x: Operand, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, *, out: Tensor | None = None) -> Value:
    """Largest value of each window; the first of several takes the gradient."""
def maximum(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The larger; NaN where either is NaN. Ties share the gradient."""
def mean(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Arithmetic mean."""
def minimum(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """The smaller; NaN where either is NaN. Ties share the gradient."""
def mish(x: Operand, *, out: Tensor | None = None) -> Value:
    """x * tanh(softplus(x))."""
def moveaxis(x: Operand, source: int, destination: int) -> Value:
    """One axis moved to another place: a view."""
def mse_loss(x: Operand, y: Operand, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error."""
def mul(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Product."""
def nansum(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Sum of the elements that are not NaN."""
def narrow(x: Operand, axis: int, start: int, length: int) -> Value:
    """`length` elements from `start` on along one axis: a view."""
def ne(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a differs from b."""
def neg(x: Operand, *, out: Tensor | None = None) -> Value:
    """The negative."""
def nll_loss(x: Operand, y: Operand, weight: Operand | None = None, reduction: Literal["mean", "sum", "none"] = "mean", ignore_index: int = -100, *, out: Tensor | None = None) -> Value:
    """Negative log-likelihood of log-probabilities x (classes along axis 1) with class numbers y."""
def norm(x: Operand, ord: float = 2, axis: Any = None, keepdims: bool = False) -> Value:
    """The vector norm along the axes: (sum |x|^ord)^(1/ord), and the largest |x| for ord inf."""
def normalize(x: Operand, axis: Axes = -1, eps: float = 1e-12, *, out: Tensor | None = None) -> Value:
    """x over its Euclidean length along the axes, which counts as eps at least."""
def one_hot(index: Operand, n: int, *, out: Tensor | None = None) -> Value:
    """1 at the position that index names along a new last axis of length n, else 0."""
def outer(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Every product of an element of a with one of b."""
def pad(x: Operand, widths: Any, mode: str = "constant", value: float = 0) -> Value:
    """x with `value` around it; `widths` has one (before, after) per axis."""
def pad_constant(x: Operand, before: Numbers, length: Numbers, value: float = 0, *, out: Tensor | None = None) -> Value:
    """All of x, and value around it; before is where x begins along each axis of a result of the given lengths."""
def permute(x: Operand, *order: Any) -> Value:
    """The axes in the given order; reversed when none is given."""
def pow(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Power. 0^0 is 1; a negative base needs a whole exponent."""
def prelu(x: Operand, slope: Operand, *, out: Tensor | None = None) -> Value:
    """A rectifier with a slope given as a tensor."""
def prod(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Product; its gradient is right where factors are 0."""
def rad2deg(x: Operand, *, out: Tensor | None = None) -> Value:
    """Radians as degrees."""
def reciprocal(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 / x."""
def relu(x: Operand, *, out: Tensor | None = None) -> Value:
    """The positive part; NaN stays, and the slope at 0 is 0."""
def relu6(x: Operand, *, out: Tensor | None = None) -> Value:
    """The positive part up to 6."""
def remainder(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Remainder with the sign of the divisor, as Python has it."""
def repeat(x: Operand, reps: Any) -> Value:
    """x as often as `reps` says along each axis, as numpy's tile."""
def repeat_interleave(x: Operand, n: int, axis: int, *, out: Tensor | None = None) -> Value:
    """Each element n times in a row along an axis."""
def reshape(x: Operand, *shape: Any) -> Value:
    """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
def rms_norm(x: Operand, w: Operand | None = None, eps: float = 1e-06, *, out: Tensor | None = None) -> Value:
    """Root-mean-square normalization over the last axis."""
def roll(x: Operand, shift: Any, axis: Any = None) -> Value:
    """The elements shifted along axes, or in row-major order when no axis is named; what leaves comes in again."""
def roll_axis(x: Operand, shift: int, axis: int, *, out: Tensor | None = None) -> Value:
    """The elements shifted along an axis; what leaves at one end comes in at the other."""
def round(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round to the nearest, ties to even."""
def rsqrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """1 / sqrt(x)."""
def select(x: Operand, axis: int, at: int, *, out: Tensor | None = None) -> Value:
    """The elements at one position of an axis, which goes."""
def selu(x: Operand, *, out: Tensor | None = None) -> Value:
    """Self-normalising exponential linear unit (Klambauer et al., 2017)."""
def sgd_update(p: Operand, g: Operand, m: Operand, lr: float, momentum: float = 0, weight_decay: float = 0, nesterov: float = 0, *, out: Sequence[Tensor] | None = None) -> tuple[Value, Value]:
    """Stochastic gradient descent with momentum and weight decay (Sutskever et al., 2013, as PyTorch has it)."""
def sigmoid(x: Operand, *, out: Tensor | None = None) -> Value:
    """Logistic sigmoid."""
def sign(x: Operand, *, out: Tensor | None = None) -> Value:
    """-1, 0 or 1."""
def silu(x: Operand, *, out: Tensor | None = None) -> Value:
    """x * sigmoid(x)."""
def sin(x: Operand, *, out: Tensor | None = None) -> Value:
    """Sine."""
def sinh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic sine."""
def slice(x: Operand, start: Numbers, step: Numbers, length: Numbers, *, out: Tensor | None = None) -> Value:
    """Every step-th element from start on, length of them, along each axis."""
def smooth_l1_loss(x: Operand, y: Operand, beta: float = 1, reduction: Literal["mean", "sum", "none"] = "mean", *, out: Tensor | None = None) -> Value:
    """Squared error up to beta, absolute error beyond, joined smoothly (Girshick, 2015)."""
def softmax(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Softmax along the given axes."""
def softmin(x: Operand, axis: Axes = -1, *, out: Tensor | None = None) -> Value:
    """Softmax of -x."""
def softplus(x: Operand, beta: float = 1, *, out: Tensor | None = None) -> Value:
    """Smooth rectifier, log(1 + exp(beta * x)) / beta."""
def softshrink(x: Operand, lambd: float = 0.5, *, out: Tensor | None = None) -> Value:
    """x less lambd towards 0."""
def softsign(x: Operand, *, out: Tensor | None = None) -> Value:
    """x / (1 + |x|)."""
def split(x: Operand, sections: Any, axis: int = 0) -> list[Value]:
    """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
def sqrt(x: Operand, *, out: Tensor | None = None) -> Value:
    """Square root."""
def square(x: Operand, *, out: Tensor | None = None) -> Value:
    """The square."""
def squeeze(x: Operand, axis: Any = None) -> Value:
    """Without the named axes, each of length 1; without all of them when none is named. A view."""
def stack(xs: Sequence[Any], axis: int = 0) -> Value:
    """Tensors of one shape side by side along a new axis."""
def std(x: Operand, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Standard deviation about the mean."""
def sub(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Difference."""
def sum(x: Operand, axis: Axes | None = None, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Sum."""
def swapaxes(x: Operand, first: int, second: int) -> Value:
    """Two axes exchanged: a view."""
def take(x: Operand, index: Operand, axis: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements along one axis, at the positions in index."""
def tan(x: Operand, *, out: Tensor | None = None) -> Value:
    """Tangent."""
def tanh(x: Operand, *, out: Tensor | None = None) -> Value:
    """Hyperbolic tangent."""
def tanhshrink(x: Operand, *, out: Tensor | None = None) -> Value:
    """x - tanh(x)."""
def tensordot(a: Operand, b: Any, axes: Any = 2) -> Value:
    """The sum of products over pairs of axes: as many of the last of a and first of b, or a list for each."""
def threshold(x: Operand, threshold: float, value: float, *, out: Tensor | None = None) -> Value:
    """x above a limit, else a value."""
def trace(x: Operand, *, out: Tensor | None = None) -> Value:
    """Sum of the diagonal."""
def tril(x: Operand, k: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements on and below the k-th diagonal of the last two axes; 0 elsewhere."""
def triu(x: Operand, k: int = 0, *, out: Tensor | None = None) -> Value:
    """Elements on and above the k-th diagonal of the last two axes; 0 elsewhere."""
def trunc(x: Operand, *, out: Tensor | None = None) -> Value:
    """Round towards 0."""
def unbind(x: Operand, axis: int = 0) -> list[Value]:
    """The views at each position of an axis, which goes."""
def unflatten(x: Operand, axis: int, lengths: Sequence[int]) -> Value:
    """One axis made into several; one length may be -1."""
def unsqueeze(x: Operand, axis: int) -> Value:
    """With a new axis of length 1: a view."""
def var(x: Operand, axis: Axes | None = None, correction: float = 0, keepdims: bool = False, *, out: Tensor | None = None) -> Value:
    """Variance about the mean, divided by the count less correction, which ends at 0."""
def vecdot(a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """Inner product over the last axis."""
def where(c: Operand, a: Operand, b: Operand, *, out: Tensor | None = None) -> Value:
    """a where c holds, else b; the branch not taken gets no gradient."""
def xlogy(x: Operand, y: Operand, *, out: Tensor | None = None) -> Value:
    """x * log(y), and 0 where x is 0."""
