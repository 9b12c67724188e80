"""Operators and methods of Tensor. Made from the declarations; not edited by hand."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, overload

import numpy as np

from netcl.core.tensor import Tensor

Operand: TypeAlias = Tensor | float | np.generic
Value: TypeAlias = Tensor
Numbers: TypeAlias = int | Sequence[int]
Axes: TypeAlias = int | Sequence[int] | None
Operands: TypeAlias = Sequence[Operand]
Widths: TypeAlias = Sequence[Sequence[int]]
Pairs: TypeAlias = int | Sequence[Axes]

class Arithmetic:
    def __add__(self, other: Operand) -> Tensor: ...
    def __sub__(self, other: Operand) -> Tensor: ...
    def __mul__(self, other: Operand) -> Tensor: ...
    def __truediv__(self, other: Operand) -> Tensor: ...
    def __floordiv__(self, other: Operand) -> Tensor: ...
    def __pow__(self, other: Operand) -> Tensor: ...
    def __matmul__(self, other: Operand) -> Tensor: ...
    def __mod__(self, other: Operand) -> Tensor: ...
    def __and__(self, other: Operand) -> Tensor: ...
    def __or__(self, other: Operand) -> Tensor: ...
    def __xor__(self, other: Operand) -> Tensor: ...
    def __radd__(self, other: Operand) -> Tensor: ...
    def __rsub__(self, other: Operand) -> Tensor: ...
    def __rmul__(self, other: Operand) -> Tensor: ...
    def __rtruediv__(self, other: Operand) -> Tensor: ...
    def __rfloordiv__(self, other: Operand) -> Tensor: ...
    def __rpow__(self, other: Operand) -> Tensor: ...
    def __rmatmul__(self, other: Operand) -> Tensor: ...
    def __rmod__(self, other: Operand) -> Tensor: ...
    def __rand__(self, other: Operand) -> Tensor: ...
    def __ror__(self, other: Operand) -> Tensor: ...
    def __rxor__(self, other: Operand) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __invert__(self) -> Tensor: ...
    def __lt__(self, other: Operand) -> Tensor: ...
    def __le__(self, other: Operand) -> Tensor: ...
    def __gt__(self, other: Operand) -> Tensor: ...
    def __ge__(self, other: Operand) -> Tensor: ...
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __getitem__(self, key: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Operand) -> None: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    @property
    def T(self) -> Tensor:
        """The axes reversed."""
    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged."""
    def abs(self) -> Value:
        """The absolute value; its slope at 0 is 0."""
    def absolute(self) -> Value:
        """The absolute value; its slope at 0 is 0."""
    def acos(self) -> Value:
        """Inverse cosine."""
    def acosh(self) -> Value:
        """Inverse hyperbolic cosine."""
    def adaptive_avg_pool2d(self, output_size: Numbers) -> Value:
        """Means of as many windows as asked for, which together cover each image; of one, the mean of all of it."""
    def all(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Whether each is true."""
    def amax(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def amin(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def any(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Whether one is true."""
    def arccos(self) -> Value:
        """Inverse cosine."""
    def arccosh(self) -> Value:
        """Inverse hyperbolic cosine."""
    def arcsin(self) -> Value:
        """Inverse sine."""
    def arcsinh(self) -> Value:
        """Inverse hyperbolic sine."""
    def arctan(self) -> Value:
        """Inverse tangent."""
    def arctanh(self) -> Value:
        """Inverse hyperbolic tangent."""
    def argmax(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Position of the first largest value; over all axes it is the position in the flat tensor. Raises ShapeError when there are no elements."""
    def argmin(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Position of the first smallest value. Raises ShapeError when there are no elements."""
    def argsort(self, axis: int = -1, descending: bool = False) -> Value:
        """Where the elements along one axis stand when they are in ascending (or descending) order."""
    def asin(self) -> Value:
        """Inverse sine."""
    def asinh(self) -> Value:
        """Inverse hyperbolic sine."""
    def astype(self, dtype: Any) -> Value:
        """x as another dtype."""
    def atan(self) -> Value:
        """Inverse tangent."""
    def atanh(self) -> Value:
        """Inverse hyperbolic tangent."""
    def avg_pool1d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0) -> Value:
        """Mean of each window; the padding counts."""
    def avg_pool2d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Value:
        """Mean of each window. The padding counts unless count_include_pad is false; what stands out by ceil_mode does not."""
    def batch_norm(self, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """Normalization of each channel (axis 1) over the batch and all positions."""
    def batch_norm2d_relu(self, gamma: Any = None, beta: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """relu(batch_norm(x, …)) of images (batch, channel, height, width), as one op."""
    def batchnorm(self, w: Any = None, b: Any = None, running_mean: Any = None, running_var: Any = None, training: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Value:
        """Normalization of each channel (axis 1) over the batch and all positions."""
    def bernoulli(self, seed: int | None = None, counter: int = 0) -> Value:
        """1 with the probability that p gives for each element, else 0."""
    def broadcast_to(self, *shape: Numbers) -> Value:
        """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
    def cat(self, axis: int = 0) -> Value:
        """Tensors end to end along an axis."""
    def cbrt(self) -> Value:
        """Cube root."""
    def ceil(self) -> Value:
        """Round up."""
    def celu(self, alpha: float = 1) -> Value:
        """Exponential linear unit with a continuous slope."""
    def cholesky(self) -> Value:
        """The lower triangular L with L L^T = a, of symmetric matrices that are positive definite."""
    def chunk(self, chunks: int, axis: int = 0) -> list[Value]:
        """At most `chunks` views of equal length (the last may be shorter) along one axis."""
    def clone(self) -> Value:
        """A copy of x with memory of its own."""
    def concat(self, axis: int = 0) -> Value:
        """Tensors end to end along an axis."""
    def concatenate(self, axis: int = 0) -> Value:
        """Tensors end to end along an axis."""
    def contiguous(self) -> Value:
        """x itself where its elements follow each other in memory, else a copy."""
    def cos(self) -> Value:
        """Cosine."""
    def cosh(self) -> Value:
        """Hyperbolic cosine."""
    def count_nonzero(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """How many elements are not 0."""
    def cummax(self, axis: int = -1) -> tuple[Value, Value]:
        """Largest element up to each one along an axis, and where the first such stands."""
    def cummin(self, axis: int = -1) -> tuple[Value, Value]:
        """Smallest element up to each one along an axis, and where the first such stands."""
    def cumprod(self, axis: int = -1) -> Value:
        """Product of all elements up to each one along an axis; with zeros its gradient is right, too."""
    def cumsum(self, axis: int = -1) -> Value:
        """Sum of all elements up to each one along an axis."""
    def deg2rad(self) -> Value:
        """Degrees as radians."""
    def degrees(self) -> Value:
        """Radians as degrees."""
    def det(self) -> Value:
        """The determinant, by lu. Where a pivot is 0 its gradient is that of a matrix next to this one, to nine digits."""
    def diag_embed(self, offset: int = 0) -> Value:
        """Square matrices with the last axis of x on a diagonal, `offset` to the right of the main one, and 0 elsewhere."""
    def diagonal(self, offset: int = 0, first: int = 0, second: int = 1) -> Value:
        """The elements whose positions along two axes differ by offset (second less first), as a new last axis: a view."""
    def diff(self, axis: int = -1) -> Value:
        """Each element less the one before it along an axis."""
    def digamma(self) -> Value:
        """The derivative of lgamma."""
    def dropout(self, p: float = 0.5, seed: int | None = None) -> Value:
        """Zero with probability p, else x / (1 - p). The mask is a pure function of the seed and the position."""
    def elu(self, alpha: float = 1) -> Value:
        """Exponential linear unit."""
    def erf(self) -> Value:
        """Error function."""
    def erfc(self) -> Value:
        """1 - erf(x), exact for large x."""
    def erfinv(self) -> Value:
        """The inverse of erf: two steps of Newton's from a rational start (Giles, 2012), or above 1/2 one from ndtri."""
    def exp(self) -> Value:
        """e^x."""
    def exp2(self) -> Value:
        """2^x."""
    def expand(self, *shape: Numbers) -> Value:
        """Broadcast to a shape by numpy's rule: a view. A length of -1 is that of x."""
    def expand_at(self, before: int) -> Value:
        """A new axis of length 1 behind the first `before` axes."""
    def expand_dims(self, axis: int) -> Value:
        """With a new axis of length 1: a view."""
    def expm1(self) -> Value:
        """e^x - 1, exact near 0."""
    def fix(self) -> Value:
        """Round towards 0."""
    def flatten(self, start: int = 0, end: int = -1) -> Value:
        """Axes start to end made into one."""
    def flip(self, axis: Axes = None) -> Value:
        """The order along the named axes reversed: a view."""
    def floor(self) -> Value:
        """Round down."""
    def fold(self, output_size: Numbers, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1) -> Value:
        """Columns added up into images of output_size, each where `unfold` takes it from."""
    def frac(self) -> Value:
        """What rounding towards 0 takes away."""
    def gammaln(self) -> Value:
        """Logarithm of the absolute value of the gamma function."""
    def gelu(self, approximate: Literal["none", "tanh"] = "none") -> Value:
        """Gaussian error linear unit, exact or in its tanh form."""
    def getitem(self, key: Any) -> Value:
        """`x[key]` as in PyTorch: ints, slices, None, Ellipsis, integer tensors and bool masks of the length of their axes."""
    def glu(self, axis: int = -1) -> Value:
        """The first half along an axis times the sigmoid of the second."""
    def gumbel_softmax(self, tau: float = 1, hard: bool = False, axis: int = -1, seed: int | None = None, counter: int = 0) -> Value:
        """A draw from the classes along an axis, which have the logits x (Jang et al., 2017)."""
    def hardshrink(self, lambd: float = 0.5) -> Value:
        """x where its size is above lambd, else 0."""
    def hardsigmoid(self) -> Value:
        """A piecewise linear sigmoid."""
    def hardswish(self) -> Value:
        """A piecewise silu."""
    def i0(self) -> Value:
        """The modified function of Bessel of the first kind, of order 0."""
    def i0e(self) -> Value:
        """exp(-abs(x)) * i0(x), which does not overflow."""
    def i1(self) -> Value:
        """The modified function of Bessel of the first kind, of order 1."""
    def i1e(self) -> Value:
        """exp(-abs(x)) * i1(x), which does not overflow."""
    def index_put(self, idx: Sequence[Any], v: Any, accumulate: bool = False) -> Value:
        """x with v at the positions that `idx` names: integer tensors, which broadcast, for the first axes; or masks."""
    def instance_norm(self, eps: float = 1e-05) -> Value:
        """Normalization of each channel of each example over all positions."""
    def interpolate(self, size: Numbers | None = None, mode: str = "nearest", align_corners: bool | None = None, scale_factor: Any = None, recompute_scale_factor: bool | None = None) -> Value:
        """The last two axes of x at another size, of the nearest elements or "bilinear" between the four around."""
    def inv(self) -> Value:
        """The inverse matrix, by solve; of a singular matrix it is not finite."""
    def isfinite(self) -> Value:
        """Whether x is neither infinite nor NaN."""
    def isinf(self) -> Value:
        """Whether x is infinite."""
    def isnan(self) -> Value:
        """Whether x is NaN."""
    def leaky_relu(self, slope: float = 0.01) -> Value:
        """Leaky rectifier."""
    def lennard_jones(self, sigma: float = 1, epsilon: float = 1) -> Value:
        """Lennard-Jones energy of n particles: over all pairs, 4 epsilon ((sigma / r)^12 - (sigma / r)^6)."""
    def lgamma(self) -> Value:
        """Logarithm of the absolute value of the gamma function."""
    def log(self) -> Value:
        """Natural logarithm."""
    def log10(self) -> Value:
        """Logarithm to base 10."""
    def log1p(self) -> Value:
        """log(1 + x), exact near 0."""
    def log2(self) -> Value:
        """Logarithm to base 2."""
    def log_softmax(self, axis: Axes = -1) -> Value:
        """Logarithm of the softmax."""
    def logcumsumexp(self, axis: int = -1) -> Value:
        """Logarithm of the sum of the exponentials up to each element along an axis, without overflow."""
    def logical_not(self) -> Value:
        """Not."""
    def logit(self, eps: float | None = None) -> Value:
        """log(x / (1 - x)), the inverse of sigmoid, of x held between eps and 1 - eps where that is given."""
    def logsigmoid(self) -> Value:
        """log(sigmoid(x)), written so that nothing overflows."""
    def logsumexp(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """log(sum(exp(x))), with the largest value taken out first."""
    def lu(self) -> tuple[Value, Value, Value]:
        """Rows in another order, a lower triangular matrix with ones on its diagonal, and an upper triangular one: the rows a[order] are lower @ upper. Of each column the largest element that is left is the pivot, so that no element of lower is above 1. Of a singular matrix upper has a 0 on its diagonal; derivatives take it for a number that is next to nothing beside the elements of a."""
    def max(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Largest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def max_pool1d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1) -> Value:
        """Largest value of each window; the first of several takes the gradient."""
    def max_pool2d(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False) -> Value:
        """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
    def maxpool(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, dilation: Numbers = 1, ceil_mode: bool = False) -> Value:
        """Largest value of each window; the first of several takes the gradient. With ceil_mode a last window may stand out."""
    def mean(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Arithmetic mean."""
    def median(self, axis: int | None = None, keepdims: bool = False) -> Value:
        """The middle element along an axis (or of all), the lower of two; NaN where there is one. The gradient goes to it."""
    def min(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Smallest value; ties share the gradient equally. Raises ShapeError when there are no elements."""
    def mish(self) -> Value:
        """x * tanh(softplus(x))."""
    def moveaxis(self, source: Numbers, destination: Numbers) -> Value:
        """An axis, or several, moved to other places; the others stay in their order. A view."""
    def movedim(self, source: Numbers, destination: Numbers) -> Value:
        """An axis, or several, moved to other places; the others stay in their order. A view."""
    def nan_to_num(self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Value:
        """x, with `nan` in the place of NaN and the dtype's ends, or what is given, in the place of the infinities. Integers and bools, which have none of these, stay as they are."""
    def nansum(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Sum of the elements that are not NaN."""
    def narrow(self, axis: int, start: int, length: int) -> Value:
        """`length` elements from `start` on along one axis: a view."""
    def ndtri(self) -> Value:
        """The quantile of the normal distribution, the inverse of normal_cdf: rational functions (Wichura, 1988, AS 241). In the middle sqrt(2 pi) q is taken out of the quotient, further out one step of Newton's follows, so that little is rounded."""
    def neg(self) -> Value:
        """The negative."""
    def negative(self) -> Value:
        """The negative."""
    def norm(self, ord: float = 2, axis: Axes = None, keepdims: bool = False) -> Value:
        """The vector norm along the axes: (sum |x|^ord)^(1/ord), the largest |x| for ord inf, the smallest for -inf, and how many are not 0 for ord 0. Powers do not overflow on the way, but for those of ord 2, which is sqrt(sum x^2). Raises ShapeError for ord inf and -inf when there are no elements."""
    def normal(self, mean: float = 0, std: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
        """Numbers of a normal distribution."""
    def normalize(self, axis: Axes = -1, eps: float = 1e-12) -> Value:
        """x over its Euclidean length along the axes, which counts as eps at least."""
    def one_hot(self, n: int) -> Value:
        """1 at the position that index names along a new last axis of length n, else 0."""
    def pad(self, widths: Widths, mode: str = "constant", value: float | None = 0) -> Value:
        """x with more around it; `widths` has one (before, after) per axis, and negative ones take away."""
    def pad_axis(self, before: int, length: int, axis: int, mode: Literal["reflect", "replicate", "circular"] = "reflect") -> Value:
        """x with `before` elements in front along one axis, `length` in all, which repeat its own: reflected at the ends (the end itself once), the nearest ("replicate"), or from the other end ("circular")."""
    def permute(self, *axes: Numbers) -> Value:
        """The axes in the given order; reversed when none is given."""
    def permute_dims(self, *axes: Numbers) -> Value:
        """The axes in the given order; reversed when none is given."""
    def pixel_shuffle(self, factor: int) -> Value:
        """Images of (channel / factor^2) from groups of factor^2 channels, each of which fills one place of every square (Shi et al., 2016)."""
    def polygamma(self, n: int) -> Value:
        """The n-th derivative of digamma, for a whole n from 0 to 100."""
    def positive(self) -> Value:
        """x itself."""
    def power_norm(self, ord: float, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """The vector norm (sum(|x|^ord))^(1/ord) along the axes; where x is 0 it has no slope."""
    def prod(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Product; its gradient is right where factors are 0."""
    def psi(self) -> Value:
        """The derivative of lgamma."""
    def rad2deg(self) -> Value:
        """Radians as degrees."""
    def radians(self) -> Value:
        """Degrees as radians."""
    def reciprocal(self) -> Value:
        """1 / x."""
    def relu(self) -> Value:
        """The positive part; NaN stays, and the slope at 0 is 0."""
    def relu6(self) -> Value:
        """The positive part up to 6."""
    def repeat(self, *reps: Numbers) -> Value:
        """x as often as `reps` says along each axis, as numpy's tile."""
    def reshape(self, *shape: Numbers) -> Value:
        """The elements in row-major order under another shape; one length may be -1. A view where that is possible."""
    def roll(self, shift: Numbers, axis: Axes = None) -> Value:
        """The elements shifted along axes, or in row-major order when no axis is named; what leaves comes in again."""
    def rope(self, base: float = 10000, start: int = 0, halves: bool = False) -> Value:
        """Each pair of the last axis turned by an angle that grows along the axis before it: position * base ^ (-2 p / length) for the p-th pair (Su et al., 2021). Pairs are neighbours, or with `halves` one of each half."""
    def round(self) -> Value:
        """Round to the nearest, ties to even."""
    def rsample_normal(self, std: Any, seed: int | None = None, counter: int = 0) -> Value:
        """A normal number for each mean and standard deviation, which broadcast; differentiable by both."""
    def rsqrt(self) -> Value:
        """1 / sqrt(x)."""
    def safe_log(self, eps: float = 1e-12) -> Value:
        """log(x), where x counts as eps at least."""
    def safe_softmax(self, axis: Axes = -1) -> Value:
        """Softmax along the given axes, and zeros where all of x is -inf: where there is nothing to choose from."""
    def select(self, axis: int, at: int) -> Value:
        """The elements at one position of an axis, which goes."""
    def selu(self) -> Value:
        """Self-normalising exponential linear unit (Klambauer et al., 2017)."""
    def sigmoid(self) -> Value:
        """Logistic sigmoid."""
    def sign(self) -> Value:
        """-1, 0 or 1."""
    def silu(self) -> Value:
        """x * sigmoid(x)."""
    def sin(self) -> Value:
        """Sine."""
    def sinc(self) -> Value:
        """sin(pi x) / (pi x), and 1 at 0."""
    def sinh(self) -> Value:
        """Hyperbolic sine."""
    def slice(self, start: Numbers, step: Numbers, length: Numbers) -> Value:
        """Every step-th element from start on, length of them, along each axis."""
    def slogdet(self) -> tuple[Value, Value]:
        """The sign of the determinant and the logarithm of its absolute value, by lu."""
    def smooth_max_pool(self, kernel: Numbers, stride: Numbers | None = None, padding: Numbers = 0, beta: float = 1) -> Value:
        """log(sum(exp(beta * x))) / beta over each window: the largest value, smoothly."""
    def soft_dtw(self, gamma: float = 1) -> Value:
        """The soft minimum, -gamma log sum exp(-cost / gamma), over the costs of all alignments of two sequences, of which d has the costs of each pair (Cuturi and Blondel, 2017). No alignment goes through a pair that costs infinity."""
    def softmax(self, axis: Axes = -1) -> Value:
        """Softmax along the given axes."""
    def softmin(self, axis: Axes = -1) -> Value:
        """Softmax of -x."""
    def softplus(self, beta: float = 1) -> Value:
        """Smooth rectifier, log(1 + exp(beta * x)) / beta."""
    def softshrink(self, lambd: float = 0.5) -> Value:
        """x less lambd towards 0."""
    def softsign(self) -> Value:
        """x / (1 + |x|)."""
    def sort(self, axis: int = -1, descending: bool = False) -> tuple[Value, Value]:
        """The elements along one axis in ascending order (or descending), and where they stood; equal ones stay as they stood, and a NaN is larger than any number."""
    def split(self, sections: Numbers, axis: int = 0) -> list[Value]:
        """Views of equal length `sections` (the last may be shorter), or of the lengths in a list, along one axis."""
    def sqrt(self) -> Value:
        """Square root."""
    def square(self) -> Value:
        """The square."""
    def squeeze(self, axis: Axes = None) -> Value:
        """Without the named axes, each of length 1; without all of them when none is named. A view."""
    def stack(self, axis: int = 0) -> Value:
        """Tensors of one shape side by side along a new axis."""
    def std(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False) -> Value:
        """Standard deviation about the mean."""
    def sum(self, axis: Axes | None = None, keepdims: bool = False) -> Value:
        """Sum."""
    def swapaxes(self, first: int, second: int) -> Value:
        """Two axes exchanged: a view."""
    def swapdims(self, first: int, second: int) -> Value:
        """Two axes exchanged: a view."""
    def swish(self) -> Value:
        """x * sigmoid(x)."""
    def tan(self) -> Value:
        """Tangent."""
    def tanh(self) -> Value:
        """Hyperbolic tangent."""
    def tanhshrink(self) -> Value:
        """x - tanh(x)."""
    def tile(self, *reps: Numbers) -> Value:
        """x as often as `reps` says along each axis, as numpy's tile."""
    def topk(self, k: int, axis: int = -1, largest: bool = True) -> tuple[Value, Value]:
        """The k largest (or smallest) elements along an axis, in order, and where they stand; of equal ones the first."""
    def trace(self) -> Value:
        """Sum of the diagonal."""
    def transpose(self, first: Numbers = -2, second: int = -1) -> Value:
        """Two axes exchanged, the last two when none are named: a view. Without or with one axis it is x itself. A list is the order of all axes, as in numpy (see `permute`)."""
    def tril(self, k: int = 0) -> Value:
        """Elements on and below the k-th diagonal of the last two axes; 0 elsewhere."""
    def triu(self, k: int = 0) -> Value:
        """Elements on and above the k-th diagonal of the last two axes; 0 elsewhere."""
    def trunc(self) -> Value:
        """Round towards 0."""
    def unbind(self, axis: int = 0) -> list[Value]:
        """The views at each position of an axis, which goes."""
    def unflatten(self, axis: int, lengths: Sequence[int]) -> Value:
        """One axis made into several; one length may be -1."""
    def unfold(self, kernel: Numbers, stride: Numbers = 1, padding: Numbers = 0, dilation: Numbers = 1) -> Value:
        """The windows of each image as columns: (batch, channel * kernel, number of windows)."""
    def uniform(self, low: float = 0, high: float = 1, seed: int | None = None, counter: int = 0, dtype: Any = "float32") -> Value:
        """Numbers drawn evenly from low to high, which is not drawn, but where a number near it rounds to it."""
    def unsqueeze(self, axis: int) -> Value:
        """With a new axis of length 1: a view."""
    def var(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False) -> Value:
        """Variance about the mean, divided by the count less correction, which ends at 0."""
    def var_mean(self, axis: Axes | None = None, correction: float = 0, keepdims: bool = False) -> tuple[Value, Value]:
        """Variance about the mean, divided by the count less correction, and the mean."""
    def wrap_index(self, length: int) -> Value:
        """Positions in an axis of the given length, negative ones counted from its end; outside of it is an error."""
