"""Which dtypes there are, what they are called, and how they combine."""

from __future__ import annotations

import numpy as np
import pytest

from netcl import core
from netcl.core.dtypes import SUPPORTED, canonical, name_of, promote


@pytest.mark.parametrize("dtype", SUPPORTED, ids=name_of)
def test_a_dtype_is_found_by_its_name_its_numpy_type_and_itself(dtype: np.dtype) -> None:
    assert canonical(name_of(dtype)) is dtype
    assert dtype is core.bfloat16 or canonical(dtype.type) is dtype
    assert canonical(dtype) is dtype
    assert canonical(np.dtype(dtype.descr if dtype.names else dtype.str)) is dtype


def test_python_types_mean_the_default_dtypes() -> None:
    assert (canonical(float), canonical(int), canonical(bool)) == (core.float32, core.int64, core.bool_)


def test_a_foreign_byte_order_means_the_native_dtype() -> None:
    assert canonical(np.dtype(">f4")) is core.float32


@pytest.mark.parametrize("dtype", [np.complex64, "int16", np.uint32, "longdouble", "banana", object, np.str_])
def test_an_unsupported_dtype_is_refused_with_the_list_of_those_there_are(dtype: object) -> None:
    with pytest.raises(core.DtypeError, match="float32, float64, float16, int32, int64, uint8, bool, bfloat16"):
        canonical(dtype)


@pytest.mark.parametrize(
    ("operands", "result"),
    [
        ((core.float32, core.float64), "float64"),
        ((core.float16, core.float32), "float32"),
        ((core.int32, core.int64), "int64"),
        ((core.uint8, core.int32), "int32"),
        ((core.bool_, core.uint8), "uint8"),
        ((core.int64, core.float32), "float32"),
        ((core.int64, core.float16), "float16"),
        ((core.int64, core.bfloat16), "bfloat16"),
        ((core.float16, core.bfloat16), "float32"),
        ((core.float64, core.bfloat16), "float64"),
        ((core.bfloat16, 2.5), "bfloat16"),
        ((core.float32, 2.5), "float32"),
        ((core.float16, 2.5), "float16"),
        ((core.float64, 1), "float64"),
        ((core.int32, 7), "int32"),
        ((core.uint8, 1), "uint8"),
        ((core.int32, 2.5), "float32"),
        ((core.bool_, 1), "int64"),
        ((core.bool_, 1.0), "float32"),
        ((core.bool_, True), "bool"),
        ((1, 2.0), "float32"),
        ((1, 2), "int64"),
        ((True, False), "bool"),
        ((np.float64(1.0), core.float32), "float64"),
    ],
    ids=str,
)
def test_operands_promote_as_documented_in_either_order(operands: tuple, result: str) -> None:
    assert name_of(promote(*operands)) == result
    assert name_of(promote(*reversed(operands))) == result


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(core.DtypeError, match="real numbers"):
        promote(core.float32, 1j)
