"""Schedules for graphics cards: work-groups, local memory, neighbours in memory for neighbouring items.

choose         which of these a stage gets
given          what the launch gives a nest: buffers, and numbers by name
contraction    sums of products: in `tiles` of local memory, or `skinny`; `sums` is what both have in common
windows        contractions over windows, whose strides become phases
map            pointwise formulas
rows           reductions with many results, a group for each
"""
