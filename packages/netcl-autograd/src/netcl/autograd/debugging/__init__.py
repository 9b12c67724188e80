"""Seeing what goes on.

anomaly        where a NaN or an Inf came from; `nonfinite` looks for them in host arrays
gradcheck      gradients beside differences
drawing        graphs as text and pictures, and what they keep in memory; `reporting`, gradients of parameters
"""
