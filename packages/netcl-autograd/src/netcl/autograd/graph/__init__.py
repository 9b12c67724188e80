"""The graph: nodes that a user holds, records joined by edges, and the ways into it.

node           the handle of a value; record, what an op did, with edges to what it used
apply          the way into the graph; `function` and `simple` are a user's own ops
saved          what is kept for backward; `views` and `inplace`, what may be overwritten
hooks          what happens on the way
modes          whether ops are recorded; `state`, what a thread remembers; `levels`, the transforms around
values         the few things that are asked of a value
picture        nodes and the records behind them as HTML and SVG
frames         which line of a user's code is running
results        errors as values
"""
