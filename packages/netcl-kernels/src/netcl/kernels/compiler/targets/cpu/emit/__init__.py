"""The text of those kernels for CPUs that are no loop nests: one function per work-item, vectors written out.

sort, dealt    in the `frame` of both, with `network` and `ordering`, which they call
body           expressions as statements, for both; `reductions` and `accumulate` serve it
"""
