"""What `netcl ops` does.

describe       every stage of an op as text
check          declared derivatives beside derived ones and differences; `device_check`, on a device; `sampling`, where
measuring      the time of kernels beside the least that it could be
formatting     one layout for .netcl texts
reference      the page of all ops; `stubs`, their signatures for editors; `template`, a new file
notebook       the cell magic `%%netcl`; `op_html`, what notebooks show of an op
vocabulary     the words of the language, for whatever shows it in colours
"""
