"""Benchmarks: asv suites (`steps`, `start`, `operations`), `against_numpy.py`, and other frameworks in `peers/`."""
