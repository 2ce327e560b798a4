"""What the notebooks use: they show the package's code, run it and define nothing themselves."""

from bpe_lab.lessons.bare_loop import merges_of
from bpe_lab.lessons.prose import digits, duration, say, spell, spell_pair
from bpe_lab.lessons.published_timings import published
from bpe_lab.lessons.road import road
from bpe_lab.lessons.runs import (
    FEW,
    MANY,
    SOME,
    operations_table,
    run,
    same_merges,
    this_machine,
    watch,
    watch_operations,
    words,
)
from bpe_lab.lessons.source import difference_size, show, show_diff
from bpe_lab.lessons.worked_steps import recount, rises, show_tokens, steps

__all__ = [
    "FEW",
    "MANY",
    "SOME",
    "difference_size",
    "digits",
    "duration",
    "merges_of",
    "operations_table",
    "published",
    "recount",
    "rises",
    "road",
    "run",
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
