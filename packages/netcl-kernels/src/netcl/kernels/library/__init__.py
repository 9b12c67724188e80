"""The ops there are.

registry       shipped ones, those of packages and of strings; `syntax_cache`, what is parsed of them; `linking`, what
               each uses; `taken`, names that none of them can have, and `reserved`, those of netcl-autograd
op             an op as a person holds it; `source_text`, what its author wrote
composites     functions made of ops; further ones in `indexing`, `randomness`, `recipes`, `einsum`, `losses`,
               `resampling`
aliases        other spellings of arguments; `elsewhere`, functions of other libraries, and what does the same here
attached       the catalogue of shipped ops, and what is attached to Tensor: operators and methods
derivatives    what a tape wants to know of a formula's derivatives
"""
