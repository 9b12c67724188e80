"""Schedules for graphics cards: work-groups, local memory, neighbours in memory for neighbouring items.

choose         which of these a stage gets
contraction    sums of products: in `tiles` of local memory, or `skinny`; `sums` is what both have in common
windows        contractions over windows, whose strides become phases
map            pointwise formulas
rows           reductions that several items share, along rows or across columns
blocks         reductions with few results, in two launches, each as in rows
each           any formula, an item for each element of an output
scan           running values: an item or a group for each row, in `scan_chunks`, or rows in `scan_blocks`
recurrence     states that read earlier elements of themselves: an item or a group for each row, step by step
scatter        sums of what goes to rows that are read from a tensor
sort           the order of the values of each row: networks in local memory, then merges
transpose      those that read along one index what they write along another, in squares of local memory
pairs          reductions over all pairs of rows, without a table of them: the other rows in tiles of local memory
steps          the statements of an item for expressions with reductions inside
"""
