"""Matrix products on CPUs, as loop nests.

tiling      how a product is cut into tiles, chunks of steps and blocks for a work-item
factor      filling panels: copying a block of a factor in the order in which it is multiplied
tile        the innermost loop: one tile of sums in registers
asked       which tiles anybody asks for
results     storing the sums, with the expression around them
kernels     the two kernels that are made of these
"""
