"""From text to declarations. Nothing here knows what a formula means.

syntax         the tree of a text, each word with its place
outline        where declarations stand in a text, and their names
parse          text to tree, by `grammar.lark`; the only module that imports lark
messages       what the parser's error becomes for the author
"""
