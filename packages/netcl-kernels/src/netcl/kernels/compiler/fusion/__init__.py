"""Several formulas as one.

groups         which steps of a program become one formula
fuse           what one reads of another is computed in its place
unify          which indices are one then
"""
