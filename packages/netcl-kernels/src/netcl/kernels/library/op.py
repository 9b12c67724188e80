"""An op as a person holds it: declared forms, a Python signature, and calls bound to formulas.

`Op.bind` turns the arguments of a call into a `Call`: the formula of the form that fits, the operands in the formula's
order and the caller's numbers. `Op.__call__` runs it. What an op does not know is a tape: packages that have handles of
their own (netcl-autograd's Node) register them with `register_handle`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar

from netcl.core.bounded import Limit, Recent
from netcl.core.errors import DtypeError, ShapeError
from netcl.core.tensor import Tensor
from netcl.kernels.compiler.ir import Formula
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.pipeline import visible
from netcl.kernels.compiler.specialise.scope import walk
from netcl.kernels.compiler.specialise.signature import Signature
from netcl.kernels.compiler.specialise.specialise import DoesNotFit, specialise
from netcl.kernels.library.aliases import spelled
from netcl.kernels.library.source_text import declaration_text
from netcl.kernels.runtime import launch
from netcl.kernels.runtime.arguments import check_words, described, fitted, named, separate, targets
from netcl.kernels.runtime.call_cache import Key, Keys, Recall
from netcl.kernels.runtime.operand_lists import in_few, joins_alone
from netcl.kernels.runtime.position_checks import guarded

if TYPE_CHECKING:
    from netcl.kernels.interop.on_jax import JaxFunction
    from netcl.kernels.interop.on_numpy import NumpyFunction
    from netcl.kernels.interop.on_torch import TorchFunction
    from netcl.kernels.interop.tensors import Gradient

Parameters = ParamSpec("Parameters")
Value = TypeVar("Value", covariant=True)

_handles: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}
_tensor_types: tuple[type, ...] = (Tensor,)


def register_handle(kind: type, caller: Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]) -> None:
    """Let ops take values of `kind` (with a Tensor's shape and dtype): `caller(op, arguments, keywords)` runs them."""
    global _tensor_types
    _handles[kind] = caller
    _tensor_types = (Tensor, *_handles)


_tape_caller: Callable[[Op, tuple[Any, ...], dict[str, Any]], Any] | None = None


def register_tape(caller: Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]) -> None:
    """Let `caller` run the ops that draw random numbers or have no operand, whatever they are called with: only a tape
    can know whether such a call is being traced."""
    global _tape_caller
    _tape_caller = caller


_traces = 0
_counting = Lock()


@contextmanager
def all_on_tape() -> Iterator[None]:
    """While inside, the tape's caller runs all ops, of Tensors alone, too: what they read may change before a trace is
    run again."""
    global _traces
    with _counting:
        _traces += 1
    try:
        yield
    finally:
        with _counting:
            _traces -= 1


@dataclass(slots=True)
class Call:
    """One call, bound: `operands` (Tensors or handles, in the formula's order) and `attributes` by name.

    `recall` is what is remembered of calls like it.
    """

    op: Op
    formula: Formula
    operands: Sequence[Any]
    attributes: Mapping[str, Any]
    recall: Recall | None = None

    def run(self, tensors: Sequence[Tensor], out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...]:
        """Launch on the operands' Tensors. With `out` the results are written there."""
        recall = self.recall if out is None and tensors is self.operands else None
        if recall is not None and recall.run is not None:
            return recall.run(tensors, self.attributes)
        formula = visible(self.formula)
        for target in out or ():
            if target.layout.repeats:
                raise ShapeError(
                    f"{self.op.name}: the target is a broadcast view that shows elements more than once; "
                    "write to a tensor of its own"
                )
        plan = launch.prepare(formula, tensors, self.attributes)
        run = guarded(plan) if plan.has_bounds else plan.run
        if recall is not None and not self.op.draws:  # a tape may come that has to see what is drawn
            recall.settle(run, plan.static)
        return run(tensors, self.attributes, out)


_CALLS = Limit("calls")


class _Help:
    """`__doc__` of an op: its docstring, and its formula as it is declared."""

    def __get__(self, op: Op | None, kind: type) -> str:
        if op is None:
            return "A differentiable operation. Call it with Tensors and numbers; `help(op)` shows its formula."
        formulas = "\n".join(declaration_text(form) for form in op.forms)
        return f"{op.summary}\n\n{formulas}" if op.summary else formulas


class Portable:
    """What an op, and the gradient of one, is in other frameworks."""

    def numpy(self) -> NumpyFunction:
        """The op on numpy arrays, with `vjp` and `jvp`."""
        from netcl.kernels.interop.on_numpy import NumpyFunction

        return NumpyFunction(self)  # type: ignore[arg-type]

    def torch(self) -> TorchFunction:
        """The op on tensors of PyTorch, as a function that its autograd records."""
        _need("torch", "PyTorch")
        from netcl.kernels.interop.on_torch import TorchFunction

        return TorchFunction(self)  # type: ignore[arg-type]

    def jax(self) -> JaxFunction:
        """The op on arrays of JAX, as a primitive that its transformations know."""
        _need("jax", "JAX")
        from netcl.kernels.interop.on_jax import JaxFunction

        return JaxFunction(self)  # type: ignore[arg-type]


def _need(package: str, framework: str) -> None:
    """Raise ModuleNotFoundError where another framework is not installed, with what installs it."""
    if find_spec(package) is None:
        raise ModuleNotFoundError(f"{framework} is not installed: `pip install {package}`", name=package)


class Op(Portable, Generic[Parameters, Value]):  # for type checkers: what it takes, and what it gives
    __doc__ = _Help()  # type: ignore[assignment]

    def __init__(
        self, name: str, also: tuple[str, ...], summary: str, read: Callable[[], Sequence[syntax.Declaration]]
    ) -> None:
        """`read` gives the forms, when they are asked for; `also` are the op's other names."""
        self.name = self.__name__ = name
        self.also = also
        self.summary = summary
        self.used: Mapping[str, Op] = {}  # what its text uses of other texts that are not in the catalogue
        self._read = read
        self._calls: Recent[Key, Recall] = Recent(_CALLS)

    @classmethod
    def of(cls, name: str, forms: Sequence[syntax.Declaration]) -> Op:
        """The op with these forms."""
        also = tuple(dict.fromkeys(each.name for form in forms for each in form.also))
        return cls(name, also, next((form.doc for form in forms if form.doc), ""), lambda: forms)

    def __copy__(self) -> Op:
        return self

    def __deepcopy__(self, memo: Any) -> Op:
        return self

    def __reduce__(self) -> Any:
        """By name where it is one of the catalogue, else by the text that it was compiled from."""
        from netcl.kernels.namespace import catalogue

        if self.name in catalogue and catalogue[self.name] is self:
            return _of_catalogue, (self.name,)
        source = self.forms[0].source
        return _of_text, (source.text, source.file, self.name, self.used)

    @cached_property
    def forms(self) -> tuple[syntax.Declaration, ...]:
        """The declarations of this name, in the order in which a call tries them."""
        return tuple(self._read())

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self.forms)

    def __repr__(self) -> str:
        return f"<op {self.name}{self.__signature__}>"

    def _repr_html_(self) -> str:
        """In a notebook: its signature, formula and derivative, and its kernels where they are short."""
        from netcl.core.html import safely
        from netcl.kernels.tools.op_html import op_html

        return safely(op_html, self)

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
        """Run on Tensors and numbers. `out=` has a Tensor for the result, or one for each of several.

        Raises ShapeError or DtypeError for what does not fit. The operators of other packages' handles are theirs.
        """
        if args and args[0].__class__ in _handles:
            return _handles[args[0].__class__](self, args, kwargs)
        recall = None if _traces or "out" in kwargs else self.recall(args, kwargs)
        if recall is not None and (run := recall.run) is not None:
            outputs = run(*recall.bind(args, kwargs))
            return outputs[0] if len(outputs) == 1 else outputs
        if self._variadic is not None:
            args, kwargs = in_few(self, self._variadic, self._joins, args, kwargs)
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind in _handles:
                return _handles[kind](self, args, kwargs)
            if kind is list or kind is tuple:
                for each in value:
                    if type(each) in _handles:
                        return _handles[type(each)](self, args, kwargs)
        if (_traces or self.draws) and _tape_caller is not None:
            return _tape_caller(self, args, kwargs)
        if "out" in kwargs:
            kwargs = dict(kwargs)
            if kwargs["out"] is not None:
                return self._into(args, kwargs)
            del kwargs["out"]
        if not self.forms[0].operands and _tape_caller is not None:
            return _tape_caller(self, args, kwargs)
        call = self.bind(args, kwargs)
        outputs = call.run(call.operands)
        return outputs[0] if len(outputs) == 1 else outputs

    def _into(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Write the result into `out`, which counts as a write in place, and return `out`."""
        out = kwargs.pop("out")
        call = self.bind(args, kwargs)
        into = targets(self.name, out, (Tensor,))
        call.run(call.operands, into)
        for target in into:
            target.bump_version()
        return out

    @cached_property
    def _variadic(self) -> str | None:
        """The operand that takes a list of tensors."""
        return next((each.name for each in self.forms[0].operands if each.variadic), None)

    @cached_property
    def _joins(self) -> bool:
        """Whether it does nothing but join what it is given, so that parts may be joined before."""
        return all(joins_alone(form) for form in self.forms)

    @cached_property
    def draws(self) -> bool:
        """Whether it draws random numbers."""
        pieces = (piece for form in self.forms for piece in walk(form.definitions))
        return any(isinstance(piece, syntax.Call) and piece.function == "random" for piece in pieces)

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """The Python signature: operands first, then attributes, as the first form declares them."""
        form = self.forms[0]
        parameters = []
        for operand in form.operands:
            default = inspect.Parameter.empty if operand.default is None else None
            parameters.append(inspect.Parameter(operand.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default))
        for attribute in form.attributes:
            default = attribute.default
            shown: Any = inspect.Parameter.empty
            if isinstance(default, tuple):
                shown = tuple(each.value for each in default)
            elif isinstance(default, (syntax.Literal, syntax.Text)):
                shown = default.value
            elif isinstance(default, syntax.Name):
                shown = None
            parameters.append(inspect.Parameter(attribute.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=shown))
        seen_default = False
        for at, parameter in enumerate(parameters):
            if seen_default and parameter.default is inspect.Parameter.empty:
                parameters[at] = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            seen_default = seen_default or parameter.default is not inspect.Parameter.empty
        parameters.sort(key=lambda parameter: parameter.kind)
        return inspect.Signature(parameters)

    # --- derivatives, and other frameworks ----------------------------------------------------------------------------

    def vjp(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> tuple[Any, Callable[..., tuple[Any, ...]]]:
        """The result for Tensors, and `pull`: from the gradient of each result that is a float to a tuple of those of
        the Tensors given, in the op's order; None for one that has none. Raises GraphError where there is none."""
        from netcl.kernels.interop.tensors import vjp

        return vjp(self, args, kwargs)

    def jvp(self, args: Sequence[Any], tangents: Sequence[Any], **kwargs: Any) -> tuple[Any, Any]:
        """The result for the arguments `args`, and its tangent along `tangents`: one for each Tensor among them, None
        for one that does not move. A Tensor alone is one argument."""
        from netcl.kernels.interop.tensors import jvp

        return jvp(self, args, tangents, kwargs)

    @cached_property
    def gradient(self) -> Gradient:
        """The gradient as an op: `gradient(x, dy)`, and `gradient.gradient(x, dy, ddx)`."""
        from netcl.kernels.interop.tensors import Gradient

        return Gradient(self)

    def source(self, stage: str = "opencl", target: str = "cpu") -> str:
        """What a stage of the compiler makes of the op, as `netcl ops show` prints it."""
        from netcl.kernels.tools.describe import describe

        return describe(self, stage, target)

    # --- binding ------------------------------------------------------------------------------------------------------

    def spelled(self, kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Keyword arguments under the op's own names, where they have others elsewhere (`dim` for `axis`)."""
        return spelled(kwargs, self._keys.names)

    def recall(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Recall | None:
        """What is remembered of calls like this one without handles, `spelled`; None if there is nothing."""
        try:
            return self._calls[self._keys.key(args, kwargs)]
        except TypeError:  # an argument that cannot be a key
            return None

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
        """The call for these arguments. Raises the error of the form that comes nearest when no form fits."""
        if kwargs:
            kwargs = spelled(kwargs, self._keys.names)
        try:
            key = self._keys.key(args, kwargs, _handles)
            recall = self._calls[key]
        except TypeError:  # an argument that cannot be a key
            key = recall = None
        if recall is not None:
            operands, numbers = recall.bind(args, kwargs)
            return Call(self, recall.formula, operands, numbers, recall)
        given = named(self.name, self.forms[0], args, kwargs, _tensor_types)
        check_words(self.name, self.forms, given)
        misfits: list[str] = []
        wrong_dtype: DtypeError | None = None
        for form in self.forms:
            try:
                operands, numbers, signature = separate(self.name, form, given, _tensor_types)
                formula = formula_of(form, signature)
            except DoesNotFit as misfit:
                misfits.append(str(misfit))
                continue
            except DtypeError as error:  # another form may take this dtype
                wrong_dtype = wrong_dtype or error
                continue
            numbers = {
                name: fitted(self.name, name, value, formula.attributes.get(name, ""))
                for name, value in numbers.items()
            }
            if key is not None:
                self._calls.keep(key, Recall(self.name, formula, form, self._keys.names, args, kwargs, numbers))
            return Call(self, formula, operands, numbers)
        if wrong_dtype is not None:
            raise wrong_dtype
        reasons = misfits[0] if len(misfits) == 1 else "; or ".join(dict.fromkeys(misfits))
        raise ShapeError(f"{self.name}: {reasons}. Given: {described(given, _tensor_types)}")


def _of_catalogue(name: str) -> Op:
    from netcl.kernels.namespace import catalogue

    return catalogue[name]


def _of_text(text: str, file: str, name: str, used: Mapping[str, Op]) -> Op:
    from netcl.kernels.library.registry import compile_text

    found: Op = getattr(compile_text(text, file, used), name)
    return found


_formulas: Recent[tuple[int, Signature], tuple[syntax.Declaration, Formula]] = Recent(Limit("formulas", 4096))


def formula_of(form: syntax.Declaration, signature: Signature) -> Formula:
    """The specialised formula, remembered for each signature."""
    key = (id(form), signature)  # an id is of nothing else as long as its declaration is held, and that is beside it
    found = _formulas[key]
    if found is None:
        found = _formulas.keep(key, (form, specialise(form, signature)))
    return found[1]
