"""Shared by all rooms: files, the machine, progress, processes, signals, errors."""
