"""Benchmarks: validate, then time, each value in a fresh process; one JSON record per value."""
