"""Sorts on CPUs.

keys        numbers that are ordered as the values are, with the place that each stood at
network     up to a few thousand entries by comparisons of vectors
digits      any number of entries by the digits of their keys
rows        a work-item has whole rows
bins        long rows are shared out: dealt to bins, each of which is sorted on its own
"""
