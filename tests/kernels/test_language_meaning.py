"""What declarations mean: values by the reference evaluator, dtypes, shapes, and how formulas are shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from evaluated import call, catalogue, compiled, value

from netcl.core.errors import DtypeError, ShapeError
from netcl.kernels.compiler.derive.differentiate import gradient, tangent
from netcl.kernels.compiler.derive.formula import NoDerivative
from netcl.kernels.compiler.ir.show import expression_text, formula_text
from netcl.kernels.compiler.language import syntax
from netcl.kernels.compiler.language.parse import parse
from netcl.kernels.compiler.specialise.canonical import canonical_signature
from netcl.kernels.compiler.specialise.signature import NumberSignature, Signature, TensorSignature
from netcl.kernels.compiler.specialise.specialise import specialise

RNG = np.random.default_rng(3)


def shown(text: str, **dtypes: str) -> str:
    """The formula of the plainest call."""
    (declaration,) = parse(syntax.Source(text))
    return formula_text(specialise(declaration, canonical_signature(declaration)))


def test_every_word_of_the_syntax_tree_knows_its_place() -> None:
    text = '# first\n"""Doc."""\nop f(x: float)\n  -> y {\n    y = exp(x)\n      + 1;\n}\n'
    (declaration,) = parse(syntax.Source(text, "mine.netcl"))
    assert (declaration.doc, declaration.span.line, declaration.span.column) == ("Doc.", 3, 4)
    (definition,) = declaration.definitions
    assert isinstance(definition.value, syntax.Infix)
    left, right = definition.value.left, definition.value.right
    assert (left.span.line, left.span.column, left.span.end) == (5, 9, 15)
    assert (right.span.line, right.span.column) == (6, 9)
    assert str(declaration.span) == "mine.netcl:3"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + 2 * x", 9.0), ("-x ^ 2", -9.0), ("2 ^ x ^ 0", 2.0), ("(2 ^ x) ^ 2", 64.0), ("x - 1 - 1", 1.0),
        ("6 / x / 2", 1.0),
        ("x > 2 and not x > 4 ? 1 : 0", 1.0), ("x < 1 or x == 3 ? 1 : 0", 1.0), ("x < 1 ? 1 : x < 4 ? 2 : 3", 2.0),
        ("2 ^ -1 * x", 1.5), ("7 // 2 + x", 6.0), ("-7 // 2 * x", -12.0), ("-7 % 3 + x", 5.0),
        ("max(x, 5) - min(x, 1)", 4.0),
        ("1e1 + .5 + x", 13.5), ("true ? x : 1", 3.0), ("x == inf ? 1 : nan", np.nan),
    ],
)  # fmt: skip
def test_operators_bind_as_in_mathematics(expression: str, expected: float) -> None:
    op = compiled(f"op f(x: float) -> y {{ y = {expression}; }}")
    np.testing.assert_array_equal(value(op, np.array(3.0)), expected)


@pytest.mark.parametrize(
    "text",
    [
        "(a + b) * a",
        "a - (b - a)",
        "a / (b / a)",
        "(a ^ b) ^ a",
        "a ^ (b ^ a)",
        "-a ^ b",
        "a < b ? a : b",
        "a * (a < b ? a : b)",
    ],
)
def test_a_shown_expression_reads_back_as_the_same_expression(text: str) -> None:
    def expression(written: str) -> Any:
        (declaration,) = parse(syntax.Source(f"op f(a: float, b: float) -> y {{ y = {written}; }}"))
        number = NumberSignature("float")
        return specialise(declaration, Signature((("a", number), ("b", number)), ())).outputs[0].expr

    found = expression(text)
    assert expression(expression_text(found)) is found


@pytest.mark.parametrize("name", ["sample_rate", "grad_x", "nothing", "inflow", "opening", "order", "pint", "truest"])
def test_a_name_may_begin_with_a_word_of_the_language(name: str) -> None:
    [declaration] = parse(syntax.Source(f"op f(x: float) -> y {{ {name} = x; y = 2 * {name} - {name}; }}"))
    assert [each.name for each in declaration.definitions] == [name, "y"]


def test_a_formula_is_shown_with_names_for_what_is_used_twice() -> None:
    text = shown("op f(x[i]: float) -> y[i] { e = exp(x * x); y = e / sum[i](e); }")
    assert text.splitlines()[1:] == [
        "    t1 = exp(x[i0] * x[i0])".replace("i0", "i"),
        "    y[i]: float32 = t1 / sum[i](t1)",
    ]


def test_what_is_too_long_to_read_is_cut() -> None:
    text = (
        "op f(x: float) -> y { a0 = x; "
        + " ".join(f"a{at + 1} = sin(a{at}) + a{at};" for at in range(40))
        + " y = a40; }"
    )
    (declaration,) = parse(syntax.Source(text))
    formula = specialise(declaration, canonical_signature(declaration))
    assert len(expression_text(formula.outputs[0].expr)) < 400
    assert len(formula_text(gradient(formula, ("x",)))) < 20_000


def test_packs_broadcast_as_numpy_does_and_units_have_no_index() -> None:
    op = compiled("op f(a: float, b: float) -> y { y = a - b; }")
    for left, right in [
        ((2, 3), (3,)),
        ((2, 1), (3,)),
        ((1,), (2, 1, 3)),
        ((), (2,)),
        ((0, 1), (1, 3)),
        ((1, 1), (1,)),
    ]:
        a, b = RNG.normal(size=left), RNG.normal(size=right)
        np.testing.assert_array_equal(value(op, a, b), a - b)
    bound = op.bind([_wrapped(np.ones((2, 1))), _wrapped(np.ones(3))], {})
    assert [each.axes for each in bound.formula.operands] == [(("i0",), ()), (("i1",),)]


def test_reductions_over_axes_are_numpys_with_and_without_keepdims() -> None:
    x = RNG.normal(size=(2, 3, 4))
    for axis in (None, 0, -1, (0, 2), ()):
        for keepdims in (False, True):
            found = value(catalogue["sum"], x, axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(found, np.sum(x, axis=axis, keepdims=keepdims))
    np.testing.assert_array_equal(value(catalogue["argmax"], x), np.argmax(x))
    np.testing.assert_array_equal(value(catalogue["argmin"], x, axis=1), np.argmin(x, axis=1))


def test_a_reduction_of_nothing_is_its_neutral_element() -> None:
    x = np.ones((0, 2))
    for name, neutral in {"sum": 0, "prod": 1, "amax": -np.inf, "amin": np.inf, "any": False, "all": True}.items():
        np.testing.assert_array_equal(value(catalogue[name], x, axis=0), [neutral, neutral], err_msg=name)


def test_shapes_split_join_permute_and_flatten() -> None:
    x = RNG.normal(size=(2, 3, 4))
    np.testing.assert_array_equal(value(catalogue["permute"], x, order=(2, 0, 1)), x.transpose(2, 0, 1))
    np.testing.assert_array_equal(value(catalogue["reshape"], x, (4, 6)), x.reshape(4, 6))
    np.testing.assert_array_equal(value(catalogue["broadcast_to"], x, (5, 2, 3, 4)), np.broadcast_to(x, (5, 2, 3, 4)))
    np.testing.assert_array_equal(value(catalogue["slice"], x, (1, 0, 1), (1, 2, 1), (1, 2, 3)), x[1:2, 0:3:2, 1:4])
    np.testing.assert_array_equal(value(catalogue["select"], x, 1, 2), x[:, 2])
    np.testing.assert_array_equal(value(catalogue["expand_at"], x, 1), x[:, None])
    split = compiled("op f(x[(g c), i]: float; groups: int = 2) -> y[g, c, i] where g = groups { y = x; }")
    np.testing.assert_array_equal(value(split, x[0].T, groups=2), x[0].T.reshape(2, 2, 3))


def test_several_outputs_may_use_each_other() -> None:
    op = compiled("op f(x[i]: float) -> (s[], y[i], k[]) { s = sum[i](x); y = x / s; k = argmax[i](y); }")
    s, y, k = call(op, np.array([1.0, 3.0]))
    assert (s.array, y.array.tolist(), k.array) == (4, [0.25, 0.75], 1)


@pytest.mark.parametrize(
    ("types", "given", "expected"),
    [
        (("float", "float"), ("int32", "float64"), "float64"), (("float", "float"), ("int32", "int64"), "float32"),
        (("number", "number"), ("uint8", "int32"), "int32"), (("number", "number"), ("int64", "float32"), "float32"),
        (("float", "float"), ("float16", "float16"), "float16"), (("float", "float"), ("float16", "float32"),
        "float32"),
        (("number", "number"), ("bool", "uint8"), "uint8"),
    ],
)  # fmt: skip
def test_operands_promote_together(types: tuple[str, str], given: tuple[str, str], expected: str) -> None:
    (declaration,) = parse(syntax.Source(f"op f(a: {types[0]}, b: {types[1]}) -> y {{ y = a + b; }}"))
    tensors = tuple((name, TensorSignature(dtype, ())) for name, dtype in zip("ab", given, strict=True))
    assert specialise(declaration, Signature(tensors, ())).outputs[0].dtype == expected


def test_a_number_does_not_widen_a_tensor_but_a_float_makes_integers_floats() -> None:
    add = catalogue["add"]
    assert call(add, np.ones(2, np.int32), 2)[0].record.formula.outputs[0].dtype == "int32"  # type: ignore[union-attr]
    assert call(add, np.ones(2, np.float32), 2.0)[0].record.formula.outputs[0].dtype == "float32"  # type: ignore[union-attr]
    assert call(add, np.ones(2, np.int32), 2.0)[0].record.formula.outputs[0].dtype == "float32"  # type: ignore[union-attr]
    with pytest.raises(DtypeError, match="index must hold integers"):
        call(catalogue["embedding"], np.ones((2, 2)), np.ones(2))


def test_checks_on_sizes_name_the_condition() -> None:
    op = compiled("op f(x[n]: float; k: int) -> y[n] where size[n] > k { y = x; }")
    assert value(op, np.ones(3), k=2).shape == (3,)
    (condition,) = op.bind([_wrapped(np.ones(3))], {"k": 3}).formula.checks
    assert condition[1] == "needs size[n] > k"


def test_a_gradient_and_a_tangent_have_names_of_their_own_at_any_order() -> None:
    formula = _formula("op f(x: float, w: float) -> y { y = sin(x) * w; }")
    names: set[str] = set()
    for order in range(3):
        formula = gradient(formula, ("x", "w"))
        operands = [each.name for each in formula.operands]
        outputs = [each.name for each in formula.outputs]
        assert len({*operands, *outputs}) == len(operands) + len(outputs)
        assert not {"d" + each for each in outputs} & set(operands), f"order {order}"
        names.update(outputs)
    twice = tangent(tangent(_formula("op f(x: float) -> y { y = sin(x); }"), ("x",)), ("x", "tangent_x"))
    assert [each.name for each in twice.operands] == ["x", "tangent_x", "tangent2_x", "tangent_tangent_x"]


def test_what_cannot_be_differentiated_says_which_operand_and_why() -> None:
    formula = _formula("op f(x: float, n: int, w: float) -> y { y = x * n * w; nograd w; }")
    with pytest.raises(NoDerivative, match=r"f: operand w is declared nograd \(<string>:1\)"):
        gradient(formula, ("w",))
    with pytest.raises(NoDerivative, match="f: operand n is int64; only floats have a gradient"):
        gradient(formula, ("n",))
    members = _formula("op f(*xs[n]: float) -> y[m] where m = size[n] { y = join[m](xs); nograd xs; }")
    with pytest.raises(NoDerivative, match="operand xs0 is declared nograd"):
        gradient(members, ("xs0",))


def test_a_step_of_zero_is_refused_where_it_would_be_divided_by() -> None:
    formula = _formula("op f(x[n]: float; step: int) -> y[p] where p = 2 { y = x[p * step]; }")
    (check,) = gradient(formula, ("x",)).checks
    assert check[1] == "is not defined where step is 0"


def test_an_axis_outside_of_a_tensor_is_refused() -> None:
    with pytest.raises(ShapeError, match="take: axis 2 does not exist in x, which has 2 axes"):
        call(catalogue["take"], np.ones((2, 3)), np.array([0]), axis=2)


def _formula(text: str) -> Any:
    (declaration,) = parse(syntax.Source(text))
    return specialise(declaration, canonical_signature(declaration))


def _wrapped(array: Any) -> Any:
    from evaluated import Value

    return Value(array)


def test_an_output_gradient_is_something_else_outside_of_its_output() -> None:
    text = "op twice(x[i]: float) -> y[n] where n = 2 * size[i] { y = x[n // 2]; grad x = dy[2 * i + 1] else 7; }"
    (declaration,) = parse(syntax.Source(text))
    signature = canonical_signature(declaration)
    (found,) = gradient(specialise(declaration, signature), ("x",)).outputs
    assert expression_text(found.expr) == "dy[i * 2 + 1]"
    text = text.replace("2 * i + 1", "2 * i + 3")
    (found,) = gradient(specialise(parse(syntax.Source(text))[0], signature), ("x",)).outputs
    assert expression_text(found.expr) == "i * 2 + 3 < size[n] ? dy[i * 2 + 3] : 7"
