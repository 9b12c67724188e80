"""Backward: gradients flow from the roots along the edges.

engine         the pass itself: records run from the newest to the oldest
plan           which records run
accumulation   adding gradients up; `contract`, what a rule may return
functional     backward and grad, the two ways to start one
tape           the records of a block by number; `tape_gradients`, gradients by number; `session`, short words for both
"""

import netcl.core.alone  # noqa: F401
