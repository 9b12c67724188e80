"""One file per schedule. Each has a function `fits` that gives its own choice of loops, or None.

They are asked on a Nest, in the order that `schedule` has them in; the last, `loops`, takes everything.
"""
