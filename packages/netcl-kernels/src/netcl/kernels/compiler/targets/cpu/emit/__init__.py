"""The text of kernels for CPUs: one function per work-item, vectors written out.

nest           the frame: which work-item does what, loops over outputs, stores
body           expressions as statements; `segments`, `columns`, `words` and `flat` serve it
reductions     the loops of a Reduce; `accumulate`, its accumulators; `runs`, blocks of many rows
contraction    matrix products, with `panels` and `tile`
scan, scatter, sort, dealt    frames of their own; `network` and `ordering` are called by sorts
"""
