"""The text of those kernels for CPUs that are no loop nests: one function per work-item, vectors written out.

contraction    matrix products, with `panels` and `tile`
sort, dealt    in the `frame` of both, with `network` and `ordering`, which they call
body           expressions as statements, for all of these; `reductions`, `accumulate` and `flat` serve it
"""
