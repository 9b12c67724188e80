"""Schedules for CPUs (`schedules`) and the text of their kernels (`emit`).

`tiles` and `scattered` are what the schedules of matrix products and scatters add to a kernel.
"""
