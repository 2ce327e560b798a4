"""What the notebooks use: they show the package's code, run it and define nothing themselves."""

from bpe_lab.inspection.spelling import spell, spell_pair
from bpe_lab.lessons.aims import aims
from bpe_lab.lessons.call_outs import noted
from bpe_lab.lessons.frequency_floor import least_final_count
from bpe_lab.lessons.merging import in_turns, make_merges, merging_seconds
from bpe_lab.lessons.own_stage import check_stage, try_stage
from bpe_lab.lessons.own_table import check_table
from bpe_lab.lessons.predictions import guessed
from bpe_lab.lessons.prose import say
from bpe_lab.lessons.race import race
from bpe_lab.lessons.reading_cpp import reading_cpp
from bpe_lab.lessons.recorded import beside, gain, recorded_factor
from bpe_lab.lessons.road import road, stage_table
from bpe_lab.lessons.runs import operations_table, run, same_merges, this_machine
from bpe_lab.lessons.scale import FEW, MANY, SOME, TURNS
from bpe_lab.lessons.source import show
from bpe_lab.lessons.stage_diff import difference_size, show_diff
from bpe_lab.lessons.texts import inventory, random_word, words
from bpe_lab.lessons.watching import pair_counts_after, watch, watch_operations
from bpe_lab.lessons.worked_steps import recount, rises, show_tokens, steps
from bpe_lab.results.numbers import duration, significant
from bpe_lab.results.published import published

__all__ = [
    "FEW",
    "MANY",
    "SOME",
    "TURNS",
    "aims",
    "beside",
    "check_stage",
    "check_table",
    "difference_size",
    "duration",
    "gain",
    "guessed",
    "in_turns",
    "inventory",
    "least_final_count",
    "make_merges",
    "merging_seconds",
    "noted",
    "operations_table",
    "pair_counts_after",
    "published",
    "race",
    "random_word",
    "reading_cpp",
    "recorded_factor",
    "recount",
    "rises",
    "road",
    "run",
    "same_merges",
    "say",
    "show",
    "show_diff",
    "show_tokens",
    "significant",
    "spell",
    "spell_pair",
    "stage_table",
    "steps",
    "this_machine",
    "try_stage",
    "watch",
    "watch_operations",
    "words",
]
