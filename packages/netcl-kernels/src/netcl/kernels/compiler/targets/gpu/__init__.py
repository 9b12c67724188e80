"""Schedules for graphics cards: work-groups, local memory, neighbours in memory for neighbouring items.

choose         which of these a stage gets
given          what the launch gives a nest: buffers, and numbers by name
contraction    sums of products: in `tiles` of local memory, or `skinny`; `sums` is what both have in common
windows        contractions over windows, whose strides become phases
map            pointwise formulas
rows           reductions that several items share, along rows or across columns
blocks         reductions with few results, in two launches, each as in rows
each           any formula, an item for each element of an output
values         expressions as statements: every value once, in the loop where it belongs
accumulate     what a reduction accumulates, and how parts of it come together
"""
