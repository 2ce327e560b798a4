"""What a training is asked for, and what it will do: checked once, before anything is read."""

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.counting.api import plan_counting
from bpe_lab.counting.word_table import MAX_TOTAL
from bpe_lab.registry import DEFAULT_STAGE, load_stage
from bpe_lab.stages.interface import Stage
from bpe_lab.support.errors import checked_integer
from bpe_lab.support.machine import threads_used
from bpe_lab.tokenizer.formats.hugging_face import warn_of_words
from bpe_lab.tokenizer.merges import MAX_ID, Merge, MergeIds, first_vocab, merge_word
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer
    from bpe_lab.training.merge_loop import MergeStep


class Options(NamedTuple):
    """What a training is asked for; all but the first two are given by name.

    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings at which the text is cut; they get the ids from 256 on and never
        take part in a merge. None: `<|endoftext|>`, or those of the tokenizer to extend, at which
        the text is always cut.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges. Or one of your own: a
        class with the methods of `bpe_lab.stages.interface.Stage`, or "module:Class". Its merges
        are not checked.
    :param counter: id of a counter (`bpe_lab.COUNTERS`), chosen as `count_words` does when None.
    :param threads: threads or processes; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param progress: show progress bars for whatever takes longer than two seconds.
    :param pattern: what the words are: an id of `bpe_lab.PATTERNS`, or a regex; the tokenizer uses
        the same. None: "gpt2", or that of the tokenizer to extend, which must be the same.
    :param on_merge: called after each merge with a `MergeStep`; its time is in no phase.
    :param time_budget: seconds of all phases but `count`; training stops before a merge that
        would exceed it if it took as long as the last one, so perhaps before the first.
    :param text_field: key or column of the text, if the files are JSON lines, CSV or Parquet.
    :param skip_bad_records: leave out records that have no text, and warn how many.
    :param min_count: training stops when the best pair is rarer. If your own stage has a `run`, its
        operation counts may include a few merges more.
    :param max_token_bytes: pairs whose token would be longer are not merged; None: any are. Tokens
        of a tokenizer to extend stay. For stages that name it in their `keywords`: `max_heap`, all
        in C++.
    :param count_work: count the `operations` of the lab's stages in Python, outside of all phases;
        the compiled ones always count.
    :param extend: a tokenizer from which it continues, as if its merges had been made here: they
        and its ids are kept, the next ids follow its greatest: first those of special tokens that
        it does not have yet, then those of the new merges.
    """

    vocab_size: int
    special_tokens: Iterable[str] | None = None
    stage: str | type[Stage] = DEFAULT_STAGE
    counter: str | None = None
    threads: int | None = None
    errors: str = "strict"
    progress: bool = False
    pattern: str | None = None
    on_merge: "Callable[[MergeStep], object] | None" = None
    time_budget: float | None = None
    text_field: str | None = None
    skip_bad_records: bool = False
    min_count: int = 1
    max_token_bytes: int | None = None
    count_work: bool = True
    extend: "Tokenizer | None" = None


COUNTING = ("counter", "errors", "text_field", "skip_bad_records")
"""Options that only counting uses."""


def show_options(function: Callable[..., object], without: Iterable[str] = ()) -> None:
    """Let help() show the options of a function in the place of `**options`."""
    from inspect import signature  # takes 10 ms, and no command needs it

    own, options = signature(function), signature(Options).parameters
    shown = [given for given in own.parameters.values() if given.kind != given.VAR_KEYWORD]
    names = [name for name in options if name not in own.parameters and name not in without]
    shown += [options[name].replace(kind=options[name].KEYWORD_ONLY) for name in names]
    function.__dict__["__signature__"] = own.replace(parameters=shown)


class Plan:
    """The request for a training, checked, and what follows from it; nothing changes it.

    Stages count ids without gaps, the bytes first; those of a public vocabulary may differ.

    :param stage: name of the stage, `stage_class` its class, `keywords` what that takes besides
        words and vocabulary, `stage_threads` how many threads or processes it may use.
    :param counting: how words are counted.
    :param vocab: bytes of each id of the stage before the first new merge.
    :param ids: the id that each of them has in public; the next follow the greatest.
    :param special_ids: special token -> public id, in the order of the ids.
    :param merges: of the tokenizer to extend; `base` has them in ids of the stage.

    >>> Plan(Options(300, ["<a>"], stage="naive")).special_ids
    {'<a>': 256}
    """

    def __init__(self, options: Options) -> None:
        numbers: dict[str, Any] = {"vocab_size": options.vocab_size, "min_count": options.min_count}
        if options.max_token_bytes is not None:
            numbers["max_token_bytes"] = options.max_token_bytes
        numbers = {name: checked_integer(name, number) for name, number in numbers.items()}
        self.options = options._replace(**numbers)  # also of NumPy's integers
        extend, specials = options.extend, options.special_tokens
        if specials is None:
            specials = [END_OF_TEXT] if extend is None else []
        specials = check_special_tokens(specials)
        warn_of_words(specials)
        self.vocab, self.ids, self.base = first_vocab([]), list(range(256)), list[MergeIds]()
        self.merges, self.special_ids = list[Merge](), dict[str, int]()
        if extend is not None:
            self.vocab, self.ids, self.base = _stage_ids(extend)
            self.merges, self.special_ids = extend.merges, dict(extend.special_ids)
        new = [token for token in specials if token not in self.special_ids]
        new_ids = range(max(self.ids) + 1, max(self.ids) + 1 + len(new))
        self.special_ids |= zip(new, new_ids, strict=True)
        self.vocab += [token.encode() for token in new]
        self.ids += new_ids
        pattern = options.pattern
        if extend is not None:
            kept = extend.pattern
            if pattern is not None and find_pattern(pattern).regex != kept.regex:
                raise ValueError(
                    f"the tokenizer that is extended has the pattern {kept.name!r}, and "
                    f"{pattern!r} is asked for: words of two patterns do not go together"
                )
            pattern = kept.name
        self.counting = plan_counting(
            tuple(self.special_ids),
            pattern=DEFAULT_PATTERN if pattern is None else pattern,
            threads=options.threads,
            **{name: getattr(options, name) for name in COUNTING},
        )
        self.stage, self.stage_class = load_stage(options.stage)
        self.keywords: tuple[str, ...] = getattr(self.stage_class, "keywords", ())
        self._check()
        threads = self.counting.threads if "threads" in self.keywords else 1
        openmp = getattr(self.stage_class, "openmp", False)
        self.stage_threads = threads_used(threads, openmp=openmp)

    def _check(self) -> None:
        """Check the options that only merging uses."""
        options, least = self.options, len(self.vocab)
        limit, budget = options.max_token_bytes, options.time_budget
        for name, number, lowest, highest in (
            ("vocab_size", options.vocab_size, least, MAX_ID),
            ("min_count", options.min_count, 1, MAX_TOTAL),
            ("max_token_bytes", 2 if limit is None else limit, 2, 2**32 - 1),
        ):
            if not lowest <= number <= highest:
                size = "small" if number < lowest else "large"
                why = " (bytes, special tokens, those of the tokenizer that is extended)"
                need = f"give at least {lowest}{why * (number < least)}, at most {highest}"
                raise ValueError(f"{name} {number} is too {size}: {need}")
        if budget is not None and not 0 < budget < math.inf:
            raise ValueError(f"time_budget is {budget}: give seconds above 0")
        if limit is not None and "max_token_bytes" not in self.keywords:
            raise TypeError(
                f"stage {self.stage!r} has no max_token_bytes: use {DEFAULT_STAGE!r}, or let your "
                "stage name it in its keywords (bpe_lab.stages.interface)"
            )


def _stage_ids(tokenizer: "Tokenizer") -> tuple[list[bytes], list[int], list[MergeIds]]:
    """Return a tokenizer in ids of a stage: bytes of each, id of each in it, and the merges."""
    if not hasattr(tokenizer, "special_ids"):
        raise TypeError(f"extend is {type(tokenizer).__name__}: give a bpe_lab.Tokenizer, or None")
    special, id_of = set(tokenizer.special_ids.values()), tokenizer.data.ids()
    singles = [id_of[token] for token in first_vocab([])]
    ids = singles + sorted(tokenizer.vocab.keys() - set(singles))
    vocab = [tokenizer.vocab[id_] for id_ in ids]
    places = {vocab[place]: place for place, id_ in enumerate(ids) if id_ not in special}
    base = [(places[left], places[right], places[left + right]) for left, right in tokenizer.merges]
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}
    for token, place in places.items():
        # No merge makes it, or an earlier one crosses its middle: (a, a) comes first in `aaa`.
        if merge_word(token, ranks) != [token]:
            raise ValueError(
                f"this tokenizer cannot be extended: its merges do not make id {ids[place]}, "
                f"{token[:40]!r}, of these bytes; extend one that leaves this token out"
            )
    return vocab, ids, base
