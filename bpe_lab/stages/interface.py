"""The interface between a stage and the loop that drives it (`bpe_lab.training.merge_loop`).

A stage of your own is a class in your own file; it is not registered anywhere. `bpe-lab stages
--template > mystage.py` writes a small, correct one to change: `bpe_lab/stages/template.py`;
`--template cython > mystage.pyx` one in Cython, which is compiled where it is named.

It works wherever a stage's id does: `bpe-lab train --stage mystage.py` (the command tries it on the
worked example first), `bpe-lab bench ladder --stage mystage.py`, `bpe_lab.train(...,
stage=MyStage)`, and as "stage" in the cases of a suite. `bpe-lab try mystage.py` says what is wrong
with it, or how fast it is. If the file has several, "mystage.py:MyStage" names one; if Python finds
the module, "mystage:MyStage" works, too.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

Pair = tuple[int, int]
"""Two token ids that stand next to each other."""

Selection = tuple[Pair, int]
"""The chosen pair and its count."""


class Stage(Protocol):
    """One way to choose and make merges; all stages make the same ones.

    The loop calls `count_pairs` once (before every merge when `recounts` is true), then `select`
    and `update` in turn. When it calls `update`, the new token's bytes are already in `vocab`.

    A word in `counts` is bytes, and where a tokenizer is extended a tuple of ids, with its merges
    applied; `list(word)` takes both.

    Four members can be left out:

    - `operations`, name -> count: how often it did its expensive steps, the same on every machine.
      Of the lab's stages in Python, and of classes that change one, the loop counts them.
    - `keywords`, a tuple in the class: what it takes besides the words and the vocabulary: any of
      "threads" (threads or processes that it may use), "vocab_size" (ids to reach), "min_count"
      (its `select` returns None, and its `run` ends, when the best pair is rarer; other stages are
      stopped by the loop), "max_token_bytes" (its `select` and `run` leave out pairs whose token
      would be longer, None: no limit; of other stages a training with such a limit is refused) and
      "merges" (words are always bytes, and it gets the left id, right id and new id of each merge
      of a tokenizer to extend). The loop passes only these, by keyword.
    - `close()` ends what the stage has started, such as processes. The loop always calls it, also
      after an error and Ctrl-C. An `__init__` that fails must clean up itself.
    - `run(first_id, end_id, seconds)` makes many merges in one call: see `CompiledStage.run` in
      `ext/native_stages.pxi`.

    :param counts: word -> number of occurrences, all positive.
    :param vocab: id -> bytes; it belongs to the loop, which appends one entry per merge.
    """

    recounts: ClassVar[bool]

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None: ...

    def count_pairs(self) -> None:
        """Build the table of pair counts from the words."""

    def select(self) -> Selection | None:
        """Return the pair to merge and its count, or None when no pair is left."""

    def update(self, pair: Pair, new_id: int) -> None:
        """Replace every occurrence of `pair` by `new_id`."""
