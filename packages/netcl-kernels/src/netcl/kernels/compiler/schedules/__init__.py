"""One file per schedule. Each has `fits(nest) -> Kernel | None` (or a list of kernels): its own choice of loops, or None.

`view` needs no kernel and is asked first, on the formula. The others are asked in the order of `ORDER` on a Nest; the last,
`loops`, takes everything.
"""
