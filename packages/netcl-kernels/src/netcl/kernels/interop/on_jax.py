"""`op.jax()`: an op on JAX's arrays, as a primitive: jit, grad, jvp, vmap and what is made of them, of any order.

A call of a formula is the primitive. Its tangent is another such call, which is linear in the tangents; what is linear
is transposed by the pullback, again such a call; and a batch of calls is one of the formula with an axis more. So both
modes come from these three rules (Frostig et al., Decomposing reverse-mode automatic differentiation, 2021).
Compiled programs come back to the host for each call (`jax.pure_callback`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from netcl.core import dtypes
from netcl.core.errors import DtypeError
from netcl.kernels.interop.applied import Applied, Operand, Source
from netcl.kernels.interop.arrays import array_of, tensor_on
from netcl.kernels.interop.functions import Function
from netcl.kernels.interop.tensors import one_or_all
from netcl.kernels.library.op import Op

Array = np.ndarray[Any, Any]


class JaxFunction(Function):
    """An op whose operands and results are JAX's arrays. Numbers and strings are what they are to the op; they are no
    operands of a transformed function, and so have to be known when it is traced."""

    framework = "JAX"
    method = "jax"
    advice = "give an array: jnp.asarray(x)"
    of_numbers = "it has to be known when a function is traced (static_argnames), or be declared an operand"
    operand = "an array"
    maker = "jnp.asarray makes one"
    integers = "{name}.astype(int)"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, or a tuple of them. Raises DtypeError for a dtype that netcl does not have, and what the op
        itself raises."""
        chain, operands = self.bound(self._operand, *self._as_arrays(args, kwargs))
        run = [each.value for each in operands]
        return one_or_all(chain.run(run, lambda call, values: call_p.bind(*values, call=call, linear=())))

    def _as_arrays(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """The arguments, where JAX would make others of them as in a function that is traced: in a call without arrays,
        Python's floats among the operands are of 64 bits if it is told to have these; and so are integers of 64 bits
        where the op takes floats, if no array of floats is among the arguments."""
        op = self.callee if isinstance(self.callee, Op) else self.callee.op
        operands = op.forms[0].operands
        names = [each.name for each in operands]
        of_floats = {each.name for each in operands if each.type == "float"}
        given = (*args, *kwargs.values())
        alone = all(isinstance(each, (bool, int, float, str, type(None))) for each in given)
        arrays = [each for each in given if isinstance(each, (jax.Array, np.ndarray, np.generic))]
        widens = jax.config.jax_enable_x64 and not any(jnp.issubdtype(each.dtype, jnp.floating) for each in arrays)

        def array(value: Any, name: str) -> Any:
            if alone and isinstance(value, float) and name in names:
                return jnp.asarray(value)
            if widens and name in of_floats:
                is_whole = any(value is each and each.dtype == np.int64 for each in arrays)
                if is_whole or (alone and isinstance(value, int) and not isinstance(value, bool)):
                    return jnp.asarray(value, jnp.float64)
            return value

        by_place = [array(each, name) for each, name in zip(args, names, strict=False)]
        return [*by_place, *args[len(names) :]], {name: array(each, name) for name, each in kwargs.items()}

    def _operand(self, value: Any) -> Any:
        """What stands for an array, also in a list; everything else as it is."""
        if isinstance(value, (jax.Array, np.ndarray, np.floating)):
            array = jnp.asarray(value)
            return Operand(tuple(array.shape), _netcl_dtype(array.dtype), array)
        if isinstance(value, (list, tuple)) and any(isinstance(each, (jax.Array, np.ndarray)) for each in value):
            return [self._operand(each) for each in value]
        self.refuse(value)
        return value


def _netcl_dtype(dtype: Any) -> np.dtype[Any]:
    if dtype == jax.dtypes.float0:
        raise DtypeError("an integer has no gradient to compute with; its float0 is no operand")
    return dtypes.canonical(dtype)


def _jax_dtype(dtype: np.dtype[Any]) -> Any:
    """That of a result: 64 bits are 32 unless JAX is told to have them."""
    if dtype is dtypes.bfloat16:
        return np.dtype(jnp.bfloat16)
    return jax.dtypes.canonicalize_dtype(dtype)


# --- the primitive ----------------------------------------------------------------------------------------------------

call_p = Primitive("netcl_call")
"""Operands: those of `call`, an Applied, in order. Results: all its outputs. `linear` has the places of the operands
that it is linear in, all of them together."""
call_p.multiple_results = True


def _specs(call: Applied, operands: Sequence[Any]) -> list[Any]:
    found = call.outputs([tuple(each.shape) for each in operands])
    return [jax.ShapeDtypeStruct(shape, _jax_dtype(dtype)) for shape, dtype in found]


@call_p.def_abstract_eval
def _abstract(*operands: Any, call: Applied, linear: tuple[int, ...]) -> list[Any]:
    return [jax.core.ShapedArray(each.shape, each.dtype) for each in _specs(call, operands)]


def _computed(call: Applied, arrays: Sequence[Any]) -> list[Array]:
    """All outputs, on the host."""
    given = []
    for array, operand in zip(arrays, call.formula.operands, strict=True):
        host = np.asarray(array)
        dtype = dtypes.canonical(operand.dtype)
        if dtype is dtypes.bfloat16:
            host = host.view(np.uint16).view(dtypes.bfloat16)
        given.append(tensor_on(host if host.dtype == dtype else host.astype(dtype)))
    found = []
    for tensor in call.run(given):
        array, dtype = array_of(tensor), _jax_dtype(tensor.dtype)
        found.append(array.view(dtype) if tensor.dtype is dtypes.bfloat16 else array.astype(dtype, copy=False))
    return found


@call_p.def_impl
def _now(*operands: Any, call: Applied, linear: tuple[int, ...]) -> list[jax.Array]:
    return [jnp.asarray(each) for each in _computed(call, operands)]


def _compiled(*operands: Any, call: Applied, linear: tuple[int, ...]) -> Any:
    return jax.pure_callback(lambda *arrays: _computed(call, arrays), _specs(call, operands), *operands)


mlir.register_lowering(call_p, mlir.lower_fun(_compiled, multiple_results=True))


def _seeds(sources: Sequence[Source]) -> tuple[int, ...]:
    return tuple(at for at, (kind, _) in enumerate(sources) if kind == "seed")


def _tangent(primals: Any, tangents: Any, *, call: Applied, linear: tuple[int, ...]) -> tuple[Any, Any]:
    outputs = call_p.bind(*primals, call=call, linear=linear)
    found = [ad.Zero(jax.typeof(each).to_tangent_aval()) for each in outputs]
    given = [None if isinstance(each, ad.Zero) else each for each in tangents]
    derived = call.tangent([each.shape for each in primals], [each is not None for each in given])
    if derived is not None:
        known = {"input": primals, "output": outputs, "seed": given}
        operands = [known[kind][at] for kind, at in derived.sources]
        made = call_p.bind(*operands, call=derived.call, linear=_seeds(derived.sources))
        for at, each in zip(derived.places, made, strict=True):
            found[at] = each
    return outputs, found


ad.primitive_jvps[call_p] = _tangent


def _transposed(cotangents: Any, *operands: Any, call: Applied, linear: tuple[int, ...]) -> list[Any]:
    needs = [ad.is_undefined_primal(each) for each in operands]
    avals = [each.aval if need else each for each, need in zip(operands, needs, strict=True)]
    shapes = [tuple(each.shape) for each in avals]
    came = [not isinstance(each, ad.Zero) for each in cotangents]
    found: list[Any] = [ad.Zero(aval) if need else None for aval, need in zip(avals, needs, strict=True)]
    if not any(came):
        return found
    derived = call.pullback(shapes, needs, came)
    if derived is None:
        return found

    def value(kind: str, at: int) -> Any:
        if kind == "seed":
            return cotangents[at] if came[at] else jnp.zeros(cotangents[at].aval.shape, cotangents[at].aval.dtype)
        if kind == "input" and needs[at]:  # it is linear in it, so that any value does
            return jnp.zeros(avals[at].shape, avals[at].dtype)
        assert kind == "input", "a tangent declares no gradient that reads its result"
        return operands[at]

    given = [value(*each) for each in derived.sources]
    made = call_p.bind(*given, call=derived.call, linear=_seeds(derived.sources))
    for at, each in zip(derived.places, made, strict=True):
        found[at] = each
    return found


ad.primitive_transposes[call_p] = _transposed


def _batched(operands: Any, dims: Any, *, call: Applied, linear: tuple[int, ...]) -> tuple[Any, Any]:
    length = next(each.shape[dim] for each, dim in zip(operands, dims, strict=True) if dim is not None)
    carriers = {at for at, dim in enumerate(dims) if dim is not None} | {*call.carried}
    given, shapes = [], []
    for at, (each, dim) in enumerate(zip(operands, dims, strict=True)):
        wide = each if dim is None else jnp.moveaxis(each, dim, 0)
        shapes.append(tuple(each.shape) if dim is None else tuple(wide.shape[1:]))
        given.append(jnp.broadcast_to(each, (length, *each.shape)) if dim is None and at in carriers else wide)
    outputs = call_p.bind(*given, call=call.batched(shapes, carriers, length), linear=linear)
    return outputs, [0] * len(outputs)


batching.primitive_batchers[call_p] = _batched
