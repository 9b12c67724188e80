"""A function traced once, fused, and replayed.

jitted         what a user calls
tracer         ops written down instead of run, as `trace_nodes`; `trace_writes`, what is written in place;
               `trace_gradients`, backwards through them
surroundings   what Python may have read, and whether it is still so
assembled      from a trace to formulas; `replay` runs them
"""
