"""One file per schedule. Each has a function `fits` that gives its own choice of loops, or None.

`view` needs no kernel and is asked first, on an output of the formula. The others are asked on a Nest, in the order
that `schedule` has them in; the last, `loops`, takes everything.
"""
