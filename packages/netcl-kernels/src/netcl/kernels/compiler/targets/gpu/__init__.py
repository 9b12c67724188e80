"""Schedules for graphics cards: work-groups, local memory, neighbours in memory for neighbouring items.

choose         which of these a stage gets
given          what the launch gives a nest: buffers, and numbers by name
contraction    matrix products in tiles of local memory, each item a few results in registers
map            pointwise formulas
rows           reductions with many results, a group for each
scan           running values: an item or a group for each row, or rows in blocks
carry          what a scan carries along a row
scatter        sums of what goes to rows that are read from a tensor
sort           the order of the values of each row: networks in local memory, then merges
"""
