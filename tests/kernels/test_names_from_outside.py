"""Any word may name anything: what OpenCL, C, Python or the compiler itself calls something is no other's business."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core, kernels
from netcl.core.errors import KernelLanguageError
from netcl.kernels.compiler.opencl.names import Names, function_name
from netcl.kernels.compiler.specialise.check_names import RESERVED
from netcl.kernels.tools.stubs import functions

_TEXT = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
_WORDS = [word for line in _TEXT.splitlines() if not line.startswith("#") for word in line.split()]
_FREE = [word for word in _WORDS if word not in {*RESERVED, "out"} and not keyword.iskeyword(word)]
_AT_ONCE = 40
_GROUPS = range(0, len(_FREE), _AT_ONCE)


def _words(first: int) -> list[str]:
    """As many words, from this one on."""
    return [_FREE[at % len(_FREE)] for at in range(first, first + _AT_ONCE)]


@pytest.mark.parametrize("first", _GROUPS)
@pytest.mark.sample(3)
def test_a_word_may_be_an_op_an_operand_an_attribute_an_output_and_a_definition(first: int) -> None:
    ops, operands, attributes, outputs, definitions = (_words(first + part * _AT_ONCE) for part in range(5))
    lines = [
        f"{definition} = {operand} + 1; {output} = {definition} * {attribute};"
        for operand, attribute, output, definition in zip(operands, attributes, outputs, definitions, strict=True)
    ]
    op = _only(f"""op {ops[0]}({", ".join(f"{each}[n]: float" for each in operands)};
        {", ".join(f"{each}: float = {at}" for at, each in enumerate(attributes))})
        -> ({", ".join(f"{each}[n]" for each in outputs)}) {{ {" ".join(lines)} }}""")
    ones = core.ones((5,))
    for at, output in enumerate(op(*[ones] * _AT_ONCE)):
        assert output.to_host().tolist() == [2 * at] * 5


@pytest.mark.parametrize("first", _GROUPS)
@pytest.mark.sample(5)
def test_a_word_may_be_an_index(first: int) -> None:
    indices = _words(first)
    operands = ", ".join(f"x{at}[{index}]: int" for at, index in enumerate(indices))
    sums = " + ".join(f"sum[{index}](x{at} * {at})" for at, index in enumerate(indices))
    op = _only(f"op f({operands}) -> outcome[] {{ outcome = {sums}; }}")
    assert op(*[core.ones((3,), dtype="int64")] * _AT_ONCE).to_host() == 3 * sum(range(_AT_ONCE))


def test_a_word_may_be_an_op() -> None:
    text = "\n".join(f"op {word}(x: float) -> y {{ y = x + {at}; }}" for at, word in enumerate(_FREE))
    compiled = kernels.compile(text)
    for at, word in enumerate(_FREE):
        if at % 40 == 0:
            assert getattr(compiled, word)(core.ones((2,))).to_host().tolist() == [at + 1] * 2


def test_a_word_of_the_language_or_of_python_is_refused_with_a_sentence() -> None:
    for word in sorted({*keyword.kwlist, *RESERVED}):
        texts = [f"op f({word}: float) -> y {{ y = {word}; }}"]
        texts += [f"op {word}(x: float) -> y {{ y = x; }}"] if keyword.iskeyword(word) else []
        for text in texts:
            with pytest.raises(KernelLanguageError) as caught:
                kernels.compile(text)
            assert word in str(caught.value)


COLLIDING: dict[str, tuple[str, tuple[tuple[int, ...], ...], Callable[..., np.ndarray]]] = {
    "a second reading of an operand and another operand": (
        "op f(x[n]: float, x_2[n]: float) -> y[n] { y = x + (x[n - 1] else 0) + x_2; }",
        ((5,), (5,)),
        lambda x, other: x + np.concatenate([[0], x[:-1]]) + other,
    ),
    "a temporary for a part of a formula and an output": (
        "op f(x[n, k]: float) -> (part_1[n], y[n, k]) { part_1 = sum[k](x);"
        " y = sum[s <= k](x[n, s] * sum[r <= s](x[n, r])); }",
        ((3, 4),),
        lambda x: np.cumsum(x * np.cumsum(x, 1), 1),
    ),
    "a temporary for running values and an output": (
        "op f(x[n, k]: float) -> (running_1[n], y[n, k]) { running_1 = sum[k](x);"
        " y = sum[s <= k](x[n, s] * sum[r <= s](x[n, r])); }",
        ((3, 4),),
        lambda x: np.cumsum(x * np.cumsum(x, 1), 1),
    ),
    "the packed factor of a product and its operands": (
        "op f(f_panels[i, k]: float, f_part[k, j]: float) -> f_parts[i, j] { f_parts = sum[k](f_panels * f_part); }",
        ((300, 300), (300, 300)),
        lambda a, b: a @ b,
    ),
    "the partial sums of blocks and operands": (
        "op f(f_part_1[k]: float, f_blocks[k]: float) -> f_part_2[] { f_part_2 = sum[k](f_part_1 * f_blocks); }",
        ((300_000,), (300_000,)),
        lambda a, b: a @ b,
    ),
    "two indices that are one and a third": (
        "op f(x[n, c]: float, z[n_c]: float) -> y[n, c, n_c] { y = x * z; }",
        ((3, 4), (5,)),
        lambda x, z: x[..., None] * z,
    ),
    "where an index begins and an operand": (
        "op g(k_begin[k]: float, k_end[k]: float, k_run[k]: float) -> k_stop[]"
        " { k_stop = sum[k](k_begin * k_end + k_run); }",
        ((300_000,), (300_000,), (300_000,)),
        lambda a, b, c: a @ b + c.sum(),
    ),
    "what is written for an operand and another operand": (
        "op f(x[n]: float, x_offset[n]: float, x_value[n]: float, x_[n]: float, size_n[n]: float) -> n_[n] "
        "{ n_ = x * x + x_offset + x_value * x_value + x_ + size_n; }",
        ((40,),) * 5,
        lambda x, offset, value, x_, size: x * x + offset + value * value + x_ + size,
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", COLLIDING)
def test_what_the_compiler_names_is_no_name_of_the_author(what: str) -> None:
    text, shapes, expected = COLLIDING[what]
    random = np.random.default_rng(0)
    given = [random.normal(size=shape).astype(np.float32) for shape in shapes]
    result = _only(text)(*map(core.from_host, given))
    last = result[-1] if isinstance(result, tuple) else result
    wanted = expected(*[each.astype(np.float64) for each in given])
    np.testing.assert_allclose(last.to_host(), wanted, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("text", ["op f(*xs[n]: float, xs0[n]: float) -> y[n] { y = xs0; }",
                                  "op f(*dy[n]: float) -> y0[m] where m = size[n] { y0 = join[m](dy); }"])  # fmt: skip
def test_the_name_of_a_member_is_taken(text: str) -> None:
    with pytest.raises(KernelLanguageError, match="is what a member of"):
        kernels.compile(text)


def test_names_are_readable_bounded_and_given_once() -> None:
    long = ["x" * 4000, "x" * 4000 + "y", "grad_" + "_".join(f"x{at}" for at in range(64))]
    wanted = ["x", "x", "x_", "_x", "__x__", "x.2", "x_2", "k'", "k#", "stride.0", "7", "", "é", "日", "x\ny", *long]
    names = Names()
    found = [names.fresh(each) for each in wanted]
    assert len(set(found)) == len(found)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_", each) and len(each) <= 70 for each in found)
    assert found[:2] == ["x_", "x_2_"]
    functions = {function_name(each, "item") for each in long}
    assert len(functions) == len(long)
    assert all(re.fullmatch(r"\w{1,75}__item", each) for each in functions)
    assert function_name("sigmoid", "item") == "sigmoid__item"
    assert function_name(long[0], "item") == function_name(long[0], "item")


def test_a_stub_is_python_whatever_is_in_the_declaration() -> None:
    op = _only('''"""It is "so" \\ and ends with a "quote" "
        """
        op f(x: float, self: float; mode: word = "it's \\", None_: float = inf, of: ints = [1, 2], k: word) -> y {
            y = mode == "a\u2028b\\" ? x : k == "é" ? self * None_ : x + of[0]; }''')
    for method in (False, True):
        lines = functions([("f", op)], method=method)  # type: ignore[list-item]
        (made,) = ast.parse("\n".join(["class A:", *lines] if method else lines)).body
        (made,) = made.body if isinstance(made, ast.ClassDef) else (made,)
        assert isinstance(made, ast.FunctionDef)
        assert ast.get_docstring(made) == 'It is "so" \\ and ends with a "quote" "'
        types = {each.arg: ast.unparse(each.annotation) for each in made.args.args if each.annotation}
        assert types["mode"] == """Literal["it's \\\\", 'a\\u2028b\\\\']"""


@pytest.mark.parametrize("text", ["op f(out: float) -> y { y = out; }",
                                  "op f(x: float; out: int = 1) -> y { y = x * out; }",
                                  "op f also lambda(x: float) -> y { y = x; }"])  # fmt: skip
def test_a_name_that_a_call_needs_is_refused(text: str) -> None:
    with pytest.raises(KernelLanguageError, match="choose another"):
        kernels.compile(text)


def _only(text: str) -> Callable[..., core.Tensor]:
    """The op of a text."""
    (op,) = vars(kernels.compile(text)).values()
    return op  # type: ignore[no-any-return]


@pytest.mark.parametrize("word", ["state", "part", "running"])
@pytest.mark.sample(2)
def test_an_output_may_be_called_as_temporaries_are(word: str) -> None:
    """What is read of `state` at a second place was called as the second temporary of a recurrence is."""

    def found(name: str) -> list[np.ndarray]:
        op = _only(f"""op f(s[b, k]: float, m[k]: float) -> {name}[t, b, k] where t = 4 {{
            a[t, b, k] = t == 0 ? s : {name}[t - 1, b, k];
            far[t, b, k] = exp(-(a[t, b, 0] - m) ^ 2);
            near[t, b] = sum[k](far[t, b, k]) + 1e-3;
            {name} = k == 0 ? a + a[t, b, 1] / near : tanh(a * near) + a[t, b, 0];
        }}""")
        rng = np.random.default_rng(0)
        s, m = (ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in ((3, 2), (2,)))
        y = op(s, m)
        gradients = ag.grad((y * y).sum(), [s, m], create_graph=True)
        second = ag.grad(sum((each * each).sum() for each in gradients), [s, m])
        return [each.to_host() for each in (y, *gradients, *second)]

    for ours, theirs in zip(found(word), found("h"), strict=True):
        np.testing.assert_array_equal(ours, theirs)
