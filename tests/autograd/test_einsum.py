"""einsum says what numpy's einsum says: repeated and permuted letters, ellipses, implicit outputs, many operands."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import autograd as ag
from netcl import core
from netcl.core.errors import ShapeError

LENGTHS = {"a": 2, "b": 3, "c": 4, "d": 2, "i": 3, "j": 4, "k": 2, "l": 5, "m": 2, "n": 3, "A": 3, "B": 2}

SPECS = (
    "ij ij-> ij->ij ij->ji ij->i ij->j ji ii ii-> ii->i iji iji->ij iij->ji iii->i ijk->kij ijk->ik ijk->j i->i i i->",
    "i,i i,i-> i,i->i i,j i,j->ji ij,j ij,j->i ij,i->j ij,ij-> ij,ij->ij ij,ij->i ij,ji ij,ji->i ij,ji->ij ,i i, ,",
    "ij,jk ij,jk->ik ij,jk->ki ij,kj->ik ji,jk->ik ji,kj->ik ij,jk-> ij,jk->k ij,jk->ijk ij,kl->ijkl ii,i ii,ij->j",
    "ii,jj-> ii,ii->i aij,ajk->aik aij,ajk->ik aij,jk->aik aij,ajk aibj,ajck->abick abc,cba abc,cd,db->a iAj,jBi->BA",
    "ij,jk,kl->il ij,jk,kl i,j,k->kji ij,ij,ij->i i,i,i-> ij,j,k->ik ij,jk,ki-> ab,bc,cd,da-> ab,ac,ad->bcd i,j,i,j->",
)
FIXED = {
    "...ij,...jk->...ik": ((2, 3, 4), (2, 4, 5)),
    "...ij,...jk": ((2, 1, 3, 4), (5, 4, 2)),
    "...ii->...i": ((2, 4, 3, 3),),
    "...ii": ((2, 3, 3),),
    "i...->...i": ((3, 2, 4),),
    "i...j->j...": ((3, 2, 4),),
    "...,...": ((2, 3), (3,)),
    "...,...->...": ((2, 1), (3,)),
    "i...,i...->...": ((3, 2), (3, 2)),
    "...i,j->...ij": ((2, 3), (4,)),
    "...": ((2, 3),),
    "...ij,jk,...k->...i": ((2, 3, 4), (4, 5), (2, 5)),
    "ij,jk->ik": ((2, 1), (3, 4)),
    "ij , jk -> i k": ((2, 3), (3, 4)),
    "ij,jk": ((2, 0), (0, 3)),
    "ij,kj->ik": ((0, 3), (2, 3)),
    "i->": ((0,),),
    "ea,fb,abcd,gc,hd->efgh": ((3, 3), (3, 3), (3, 3, 3, 3), (3, 3), (3, 3)),
    "bqhd,bkhd->bhqk": ((2, 3, 2, 4), (2, 5, 2, 4)),
}
DIFFERENTIATED = ["ij,jk->ik", "ii->i", "ij,ij->", "aij,jk->aik", "ii,ij->j", "ij,jk,kl->il", "i,i,i->", "ij,j,k->ik"]


def shapes_of(spec: str) -> list[tuple[int, ...]]:
    return [tuple(LENGTHS[letter] for letter in part) for part in spec.partition("->")[0].split(",")]


CASES = {**{spec: shapes_of(spec) for line in SPECS for spec in line.split(" ")}, **FIXED}


@pytest.mark.parametrize("group", range(4))
@pytest.mark.sample(2)
def test_values_and_shapes_are_those_of_numpy(group: int, rng: np.random.Generator) -> None:
    assert len(CASES) >= 60
    for spec in list(CASES)[group::4]:
        arrays = [rng.normal(size=shape) for shape in CASES[spec]]
        expected = np.einsum(spec, *arrays)
        found = ag.einsum(spec, *map(core.from_host, arrays)).to_host()
        assert found.shape == expected.shape, spec
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12, err_msg=spec)


@pytest.mark.parametrize("spec", DIFFERENTIATED)
@pytest.mark.sample(3)
def test_it_is_differentiable_twice(spec: str, rng: np.random.Generator) -> None:
    leaves = [ag.tensor(rng.normal(size=shape), requires_grad=True) for shape in shapes_of(spec)]

    def function(*xs: ag.Node) -> ag.Node:
        return ag.einsum(spec, *xs)

    assert function(*leaves).op_name == "einsum"
    assert ag.gradcheck(function, leaves)
    assert ag.gradgradcheck(function, leaves, fast=True)


def test_integers_stay_integers_and_specs_that_differ_in_letters_are_compiled_once() -> None:
    x = core.from_host(np.arange(6).reshape(2, 3))
    y = core.from_host(np.arange(12).reshape(3, 4))
    first = ag.einsum("ij,jk->ik", x, y)
    assert first.dtype == np.int64
    np.testing.assert_array_equal(first.to_host(), x.to_host() @ y.to_host())
    built = core.counters()["programs_built"]
    np.testing.assert_array_equal(ag.einsum("pq,qr->pr", x, y).to_host(), first.to_host())
    assert core.counters()["programs_built"] == built


@pytest.mark.parametrize(
    ("spec", "shapes", "message"),
    [
        ("ij,jk", [(2, 3)], "einsum('ij,jk'): it names 2 operands, but 1 were given"),
        ("ij->ik", [(2, 3)], "einsum('ij->ik'): the output has 'k' (character 6), but no operand has it"),
        ("ij->ii", [(2, 3)], "einsum('ij->ii'): the output has 'i' (character 6) twice"),
        ("i1", [(2, 3)], "einsum('i1'): '1' (character 2) cannot stand here; indices are letters"),
        (
            "i....j",
            [(2, 3)],
            "einsum('i....j'): '.' (character 5) cannot stand here; an operand has one ellipsis (...)",
        ),
        ("ijk", [(2, 3)], "einsum('ijk'): 'ijk' names 3 axes, but operand 0 (2, 3) has 2"),
        ("ii", [(2, 3)], "einsum('ii'): index i is 2 in operand 0 (2, 3) but 3 in operand 0 (2, 3)"),
        ("...i->i", [(2, 3)], "einsum('...i->i'): the ellipsis stands for 1 axes; the output must have it, too"),
        (
            "ij,jk",
            [(2, 3), (4, 5)],
            "einsum('ij,jk'): index j is 3 in operand 0 (2, 3) but 4 in operand 1 (4, 5)",
        ),
    ],
)
def test_a_mistake_is_said_with_the_specification_and_the_place(
    spec: str, shapes: list[tuple[int, ...]], message: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        ag.einsum(spec, *(core.zeros(shape) for shape in shapes))
    assert str(caught.value) == message
