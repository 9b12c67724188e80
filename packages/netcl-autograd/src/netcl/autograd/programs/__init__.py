"""A function traced once, fused, and replayed.

jitted         what a user calls
tracer         ops written down instead of run, as `trace_nodes`; `trace_writes`, what is written in place;
               `trace_gradients`, backwards through them
surroundings   what Python may have read, and whether it is still so; `kept`, what it gave other values;
               `only_written`, what it only added to
assembled      from a trace to formulas; `replay` runs them, `written_out` those calls in which nothing is recorded, in
               the memory of a `workspace`
"""
