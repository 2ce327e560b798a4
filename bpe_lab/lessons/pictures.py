"""The still pictures of memory and of the core, each drawn from data that the lab has.

What belongs to a concept stands in the file of that concept; here they are by name.
"""

from bpe_lab.lessons.boxed_integers import draw as boxed_integers
from bpe_lab.lessons.hash_tables import open_and_chained
from bpe_lab.lessons.memory_levels import draw as memory_levels
from bpe_lab.lessons.neighbour_sums import draw as sums_per_neighbour

__all__ = [
    "boxed_integers",
    "memory_levels",
    "open_and_chained",
    "sums_per_neighbour",
]
