"""From a formula to the kernels of a plan: what all targets share.

lower          what only earlier stages know is taken out; reductions that put values into rows become scatters
               (`as_scatters`)
stages         what is computed together, and what gets a temporary; `scans`, `recurrences`, `pairs` and
               `loop_cost` serve it
product        a sum of products as a matrix product; `operand_packing` brings its factors into a plain form
strided_sums   sums of which every s-th step counts; `narrow_sums`, of which few count that follow each other;
               `exact_places`, of which every s-th is a place of a shorter index
accesses       reads become affine accesses; `merge_indices`, fewer and longer indices; `index_sets`, parts of an index
host_numbers   what is the same for all elements and computed of attributes, by the host
guards         reads that are only done in range
reductions     how they are taken apart, with `partial_results`
loop_bounds    loops that need not go from one end to the other
nest           what a schedule is given, and what it gives; `kernel`, what an emitter is given
scattering     what a stage asks for that puts values into rows read from a tensor
views          outputs that need no kernel
sharing        which kernels share a launch
verify_plan    what is legal of a plan; `magnitude`, how large positions become
"""
