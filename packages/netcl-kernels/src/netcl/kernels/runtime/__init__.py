"""From a call to launches.

arguments      a call as one form of an op takes it; `operand_lists`, calls with many tensors in one list
call_cache     the second call of an op with arguments like these skips binding
bindings       extents of indices and shapes of tensors; `position_checks`, that positions are in range
launch         plans, one for each operand signature; `schemes`, the launches of all shapes that come out alike
plan_code      the function that runs a plan, written out for it
launcher       a kernel on one stream of a queue; `partition`, over how many work-items; `blame`, errors of a driver
copying        copies on the device; `in_place`, ops that write into their first operand
"""
