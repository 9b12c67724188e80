"""Schedules for a class of devices, each in a folder: they make loop nests (`compiler.loops`) of stages."""
