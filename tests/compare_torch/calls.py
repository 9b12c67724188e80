"""Ops on arrays beside PyTorch's: `CALLS` continues the table of `pairs`.

Each call is an op, a tag, the call in both spellings, and its inputs.
"""

from __future__ import annotations

from calls_lengths import lengths
from calls_losing import broadcasting, held, integers, losses, ranking
from calls_moving import indexing, shapes
from calls_multiplying import convolutions, products
from calls_placing import many, order, resampling, writing
from calls_reducing import close, norms, reductions, softmaxes
from calls_stepping import factors, networks, sequences

CALLS = [
    *reductions(), *close(), *softmaxes(), *norms(), *products(), *convolutions(), *indexing(), *shapes(), *losses(),
    *ranking(),
    *held(), *integers(), *broadcasting(), *writing(), *order(), *resampling(), *many(), *networks(), *sequences(),
    *lengths(), *factors(),
]  # fmt: skip
