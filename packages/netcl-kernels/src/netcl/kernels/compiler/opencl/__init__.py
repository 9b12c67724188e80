"""What all generated OpenCL C has in common.

names          how names are spelled; `comment`, how comments are written
types          dtypes, literals, conversions
spelling       the functions of the IR; `helpers`, `elementary` and `special` are those that OpenCL lacks
apart          lanes of a vector that are no neighbours in memory; `transpose`, vectors turned over in registers
lines          statements as lines; `parameters`, parameter lists
heading        the comment above a kernel
entry          the kernel that is launched
"""
