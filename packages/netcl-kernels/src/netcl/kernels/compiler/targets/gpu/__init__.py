"""Schedules for graphics cards: work-groups, local memory, neighbours in memory for neighbouring items.

choose         which of these a stage gets
given          what the launch gives a nest: buffers, and numbers by name
contraction    matrix products in tiles of local memory, each item a few results in registers
map            pointwise formulas
transpose      those that read along one index what they write along another, in squares of local memory
rows           reductions with many results, a group for each
pairs          reductions over all pairs of rows, without a table of them: the other rows in tiles of local memory
steps          the statements of an item for expressions with reductions inside; `accumulated` for one reduction
"""
