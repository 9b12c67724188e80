"""Derivatives of formulas, which are formulas again.

differentiate  gradient and tangent of a formula
formula        the formula around a derivative
partials       one line for each pointwise function
reductions     of sums, extremes, products
scans          derivatives of scans
recurrences    derivatives of recurrences, which are recurrences
linear         whether what is declared is nothing but multiples of the adjoints
jacobians      partial derivatives of an equation by the states it reads
joined         systems that read the states of another one join it
shared_sums    sums that their equations ask for again are states
selected       what a select did not choose has no part in a gradient
solve          the adjoint of a read: deltas are eliminated
saved_states   states from those that are outputs
written_out    sums over a few places that are told apart, term by term
custom         declared gradients go with their formula
materialised   what must be computed once, since a derivative compares it, or would be for many elements
batch          a formula with one more index
"""
