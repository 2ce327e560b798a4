"""What the notebooks use: they show the package's code, run it and define nothing themselves."""

from bpe_lab.lessons.bare_loop import merges_of
from bpe_lab.lessons.prose import digits, duration, say, spell, spell_pair
from bpe_lab.lessons.published_timings import published
from bpe_lab.lessons.road import road
from bpe_lab.lessons.runs import (
    FEW,
    MANY,
    SOME,
    TURNS,
    in_turns,
    inventory,
    least_final_count,
    list_lengths,
    operations_table,
    pair_counts_after,
    random_word,
    run,
    run_bare,
    same_merges,
    this_machine,
    watch,
    watch_operations,
    words,
)
from bpe_lab.lessons.source import show
from bpe_lab.lessons.stage_diff import difference_size, show_diff
from bpe_lab.lessons.worked_steps import recount, rises, show_tokens, steps

__all__ = [
    "FEW",
    "MANY",
    "SOME",
    "TURNS",
    "difference_size",
    "digits",
    "duration",
    "in_turns",
    "inventory",
    "least_final_count",
    "list_lengths",
    "merges_of",
    "operations_table",
    "pair_counts_after",
    "published",
    "random_word",
    "recount",
    "rises",
    "road",
    "run",
    "run_bare",
    "same_merges",
    "say",
    "show",
    "show_diff",
    "show_tokens",
    "spell",
    "spell_pair",
    "steps",
    "this_machine",
    "watch",
    "watch_operations",
    "words",
]
