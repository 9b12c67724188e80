"""The loop-nest IR: what the work-items of one kernel do, as statements over memory.

    ir           the statements: loops (serial, unrolled, in the lanes of a vector), loads, stores, barriers
    check        what is legal: names, positions within buffers, barriers that all items of a group come to
    linear       ends of addresses under conditions on positions
    interpret    runs a nest on NumPy, item by item, and sees races and what was never written
    calls        what a call of a function means: its statements
    text         OpenCL C of a nest; `vectors`, of its loops over lanes
    given        what a launch gives a nest: buffers, and numbers by name
    scope        the loops in which statements stand, and what they bind
    values       expressions as statements: every value once, in the loop where it belongs
    accumulate   what a reduction accumulates, and how parts of it come together
    carry        what a scan carries along a row
    folding      reductions in the lanes of a vector, which are brought together behind the loops
    searching    the first place that has the best value, once that is known
    recurrent    the steps of a recurrence; `diagonals`, of one over a plane, and the `windows` that its lanes read
    stepped      the reductions in the steps of a recurrence
    lanes        loops over an index in vectors, and what is left behind the last
    memory       what a nest asks of memory: segments, traffic, banks, registers; nothing is run

A schedule of `targets` makes a `LoopNest`, `text` prints it, the tests interpret it; nothing here knows a device.
"""
