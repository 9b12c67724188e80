"""Training over several processes.

data_parallel  each rank a share of a batch, all get the mean gradient; `ranks`, the processes of the others
"""
