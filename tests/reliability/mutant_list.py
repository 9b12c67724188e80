"""All faults that `mutants.py` plants, in the order in which the page has them."""

from __future__ import annotations

import faults_of_derivatives
import faults_of_formulas
import faults_of_nests
import faults_of_the_engine
from planted import Mutant

MUTANTS: list[Mutant] = [
    *faults_of_derivatives.FAULTS,
    *faults_of_formulas.FAULTS,
    *faults_of_nests.FAULTS,
    *faults_of_the_engine.FAULTS,
]
