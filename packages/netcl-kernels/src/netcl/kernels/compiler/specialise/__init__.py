"""From a declaration and the signature of a call to a formula with concrete indices and dtypes.

specialise     the whole of it
check          whether a declaration can mean something, before it is called; `check_names`, whether its names are free
signature      what a formula depends on: dtypes, ranks, axes of length 1, attributes that decide the form
context        what is known meanwhile, and shared by the modules here
axes           packs become indices, broadcasting is written out
lengths        how long an index is that nothing gives a length
scope          what a name means
translate      expressions; `reducers`, those of reducers, and `readings`, those at positions
seen_inside    positions that need no check, since they are seen to be in range
systems        definitions that read earlier elements of themselves
inline         `use`: the formula of another op in its place; `call_site`, what it is given
canonical      the plainest call of a declaration
"""
