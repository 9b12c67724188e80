"""Random contractions, as einsum writes them: values and gradients are numpy.einsum's, diagonals included."""

from __future__ import annotations

import numpy as np
from evaluated import Value, call, compiled, vjp
from hypothesis import given, settings
from hypothesis import strategies as st

EXTENTS = {"a": 1, "b": 2, "c": 3, "d": 2, "e": 4}


@st.composite
def patterns(draw: st.DrawFn) -> tuple[list[str], str]:
    """Subscripts of one to three operands, repeated letters allowed, and an output of some of the letters."""
    operands = draw(st.lists(st.text("abcde", min_size=0, max_size=3), min_size=1, max_size=3))
    letters = sorted(set("".join(operands)))
    output = draw(st.lists(st.sampled_from(letters), unique=True)) if letters else []
    return operands, "".join(draw(st.permutations(output)))


def einsum(operands: list[str], output: str) -> str:
    """The op for a pattern, with every reading written out."""
    names = [f"x{at}" for at in range(len(operands))]
    declared = ", ".join(f"{name}[{', '.join(letters)}]: float" for name, letters in zip(names, operands, strict=True))
    bound = sorted(set("".join(operands)) - set(output))
    product = " * ".join(names)
    body = f"sum[{', '.join(bound)}]({product})" if bound else product
    return f"op contraction({declared}) -> y[{', '.join(output)}] {{ y = {body}; }}"


@settings(max_examples=60)
@given(patterns())
def test_a_contraction_and_its_gradients_are_numpys(pattern: tuple[list[str], str]) -> None:
    operands, output = pattern
    rng = np.random.default_rng(len(output))
    arrays = [rng.normal(size=[EXTENTS[each] for each in letters]) for letters in operands]
    values = [Value(each) for each in arrays]
    (found,) = call(compiled(einsum(operands, output)), *values)
    subscripts = f"{','.join(operands)}->{output}"
    np.testing.assert_allclose(found.array, np.einsum(subscripts, *arrays), rtol=1e-10, atol=1e-12)
    seed = rng.normal(size=found.shape)
    gradients = vjp([found], [Value(seed)], values)
    for at, letters in enumerate(operands):
        # einsum is linear in each operand: the gradient at an element is the seed times einsum of a unit array
        expected = np.zeros(arrays[at].shape)
        for place in np.ndindex(arrays[at].shape):
            unit = np.zeros(arrays[at].shape)
            unit[place] = 1
            expected[place] = np.sum(seed * np.einsum(subscripts, *arrays[:at], unit, *arrays[at + 1 :]))
        np.testing.assert_allclose(gradients[at].array, expected, rtol=1e-9, atol=1e-10, err_msg=f"by {letters}")
