"""The loop-nest IR: what the work-items of one kernel do, as statements over memory.

    ir           the statements: loops (over groups, items, serial, unrolled), loads, stores, accumulations, barriers
    check        what is legal: names, positions within buffers, barriers that all items of a group come to
    linear       ends of addresses under conditions on positions
    interpret    runs a nest on NumPy, item by item, and sees races and what was never written
    text         OpenCL C of a nest
    memory       what a nest asks of memory: segments, traffic, banks, registers; nothing is run

A schedule of `targets` makes a `LoopNest`, `text` prints it, the tests interpret it; nothing here knows a device.
"""
