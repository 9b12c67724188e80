"""Schedules for CPUs (`schedules`), and how they become kernels.

loops          how a schedule wants the indices gone through: shared out, in vectors, in blocks
nested         the loop nest of a stage in such loops; `units`, which work-item does what
emit           the text of what is no loop nest yet: rows, pairs, products, scatters, sorts
`tiles` and `scattered` are what the schedules of products and scatters add to a kernel
"""
