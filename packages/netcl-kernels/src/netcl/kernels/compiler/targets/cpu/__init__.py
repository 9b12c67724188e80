"""Schedules for CPUs (`schedules`), and how they become kernels.

loops          how a schedule wants the indices gone through: shared out, in vectors, in blocks
nested         the loop nest of a stage in such loops; `units`, which work-item does what
products       matrix products, in tiles of registers
emit           the text of what is no loop nest yet: sorts
"""
