"""Schedules for CPUs (`schedules`), and how they become kernels.

loops          how a schedule wants the indices gone through: shared out, in vectors, in blocks
nested         the loop nest of a stage in such loops; `units`, which work-item does what
products       matrix products, in tiles of registers
sorting        sorts: by counting, networks of comparisons and digits; long rows in bins
"""
