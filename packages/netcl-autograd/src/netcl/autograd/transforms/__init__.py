"""Derivatives of functions, in both modes, of batches, and in less memory.

transforms     vjp, jvp, linearize, gradients; `jacobians`, Jacobians and Hessians
recorded       where a function is differentiated, and what it gave there
forward        tangents beside values; `linearized`, the linear part of a function
vmapping       one example, run on a batch; `batched`, the values of all calls
inputs         nodes for what a function is differentiated by; `trees`, values in dicts, lists and tuples
checkpointing  computing again instead of keeping; `steps`, segment after segment
"""
