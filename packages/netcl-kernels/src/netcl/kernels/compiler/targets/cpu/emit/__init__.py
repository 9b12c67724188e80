"""The text of those kernels for CPUs that are no loop nests: one function per work-item, vectors written out.

nest           the frame: which work-item does what, loops over outputs, stores
body           expressions as statements; `segments`, `columns` and `flat` serve it
reductions     the loops of a Reduce; `accumulate`, its accumulators
contraction    matrix products, with `panels` and `tile`
scatter, sort, dealt    frames of their own; `network` and `ordering` are called by sorts
"""
