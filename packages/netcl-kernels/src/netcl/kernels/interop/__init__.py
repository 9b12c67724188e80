"""Ops in other frameworks: each call there is one record of its tape, whose derivatives are again such calls.

| module | Input → Output |
| --- | --- |
| `applied` | an op and a call → a formula with its numbers; its value, pullback, tangent and batch |
| `arrays` | arrays of the host → Tensors on their memory, and back |
| `chains` | a call → calls one after the other; their gradient, a longer list |
| `tensors` | `op.vjp`, `op.jvp`, `op.gradient`: on Tensors, without a tape |
| `functions` | what the three below have in common |
| `on_numpy` | `op.numpy()`: numpy arrays in and out |
| `on_torch` | `op.torch()`: a `torch.autograd.Function`; `compiled_torch`, the same within `torch.compile` |
| `on_jax` | `op.jax()`: a primitive of JAX with its rules |

The frameworks are imported when they are asked for; none is needed to install netcl.
"""
