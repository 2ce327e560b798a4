"""What every stage offers to the one loop that drives it (`bpe_lab.training.merge_loop`).

A stage of your own is a class in a file of yours; it is not registered anywhere.
`bpe-lab stages --template > mystage.py` writes a small one that is right, to be changed:
`bpe_lab/stages/template.py`.

Name it wherever a stage's id is taken: `bpe-lab train --stage mystage.py:MyStage` (the command
tries it on the worked example first), `bpe-lab bench ladder --stage mystage.py:MyStage`,
`bpe_lab.train(..., stage=MyStage)`, and as "stage" in the cases of a suite. `bpe-lab try
mystage.py:MyStage` says what is wrong with it, or what it is worth. Where Python finds the module,
"mystage:MyStage" is taken, too.
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

    Four members can be left out:

    - `keywords`, a tuple in the class: what it takes beside the words and the vocabulary, of
      "threads" (threads or processes that it may use), "vocab_size" (ids that will be reached),
      "min_count" (its `select` returns None, and its `run` ends, when the best pair is rarer; the
      loop stops any other stage there) and "merges" (see below). The loop gives it these by
      keyword, and no others.
    - `extends`, true in a class that can go on from a tokenizer: then a word in `counts` is a tuple
      of ids, in which the merges of that tokenizer are made, and `vocab` holds its tokens.
      `list(word)` takes bytes and ids alike. Or the class has "merges" among its keywords: it gets
      the words as bytes, and (left id, right id, id of what they make) of each merge, in order.
    - `close()` ends what the stage has started, such as processes. The loop calls it in every case,
      after an error and Ctrl-C, too. What a failing `__init__` has started, it ends itself.
    - `run(first_id, end_id, seconds)` makes many merges in one call: see `CompiledStage.run` in
      `ext/native_stages.pxi`.

    :param counts: word (bytes) -> number of occurrences, all positive.
    :param vocab: id -> bytes; it belongs to the loop, which appends one entry per merge.
    """

    recounts: ClassVar[bool]

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None: ...

    @property
    def operations(self) -> Mapping[str, int]:
        """How often it did what takes its time; the same on every machine."""

    def count_pairs(self) -> None:
        """Build the table of pair counts from the words."""

    def select(self) -> Selection | None:
        """Return the pair to merge and its count, or None when no pair is left."""

    def update(self, pair: Pair, new_id: int) -> None:
        """Replace every occurrence of `pair` by `new_id`."""
