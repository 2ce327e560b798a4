"""Figures of benchmark records: one message each, the same colours everywhere."""
