"""One trainer on all texts: what it makes of each, which mistakes explain it, what is left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, zip_longest
from statistics import median
from textwrap import wrap
from time import perf_counter

from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.progress import Bar
from bpe_lab.trials.diagnosis import Kinds, diagnose, expected
from bpe_lab.trials.kinds import (
    KINDS,
    FirstTie,
    GoesOn,
    Rules,
    SmallestIds,
    SmallestTie,
    with_all,
)
from bpe_lab.trials.outcome import Outcome
from bpe_lab.trials.report import LINE, Mistake, TrainerReport
from bpe_lab.trials.running import CannotRunError, Trainer
from bpe_lab.trials.sentences import describe_merge
from bpe_lab.trials.shrinking import fewest
from bpe_lab.trials.speed import Speed
from bpe_lab.trials.texts import (
    FIRST,
    TEXTS,
    Text,
    large_texts,
    merging_texts,
    random_texts,
    repeated,
)

TIES: Mapping[str, tuple[Kinds, ...]] = {
    "greatest": ((),),
    "first": ((FirstTie,),),
    "smallest": ((SmallestTie,), (SmallestIds,)),
}
"""Tie rule that may be asked for -> what has it."""

RANDOM = 40
"""Random words, as stages are tried on."""

FIRST_SECONDS, TEXT_SECONDS, AGAIN_SECONDS = 6.0, 4.0, 1.5
"""For the first text, for another small one, and for one after a text that did not end; a sane
trainer takes some milliseconds."""

SMALL_SECONDS, MORE_SECONDS = 7.0, 23.0
"""For all small texts, and how much longer those may take that tell known mistakes apart: many a
trainer starts a pool of processes for each text."""

LARGE_SECONDS = 6.0
"""For a large text: a trainer that takes longer is slow, not wrong."""

SHRINK_SECONDS, MOST_SHRINK_SECONDS, SHRINK_TRIES = 1.5, 6.0, 20
"""For the smallest text of each mistake; a slow trainer has so many tries, up to a limit."""

MOST_ENDLESS = 3
"""Texts that do not end, after which no other is tried."""

SLOW, NEARLY = 20, 3
"""A text that did not end may only be slow: if it had less than so many times the usual time, and
less than so many times that of the slowest other text (a pool takes as long for each). So may a
long word."""

LONG = 2_000
"""Bytes of a text that is not shrunk letter by letter."""

TITLES = {
    "error": "An error",
    "endless": "No end",
    "unusable": "What it returns",
    "merges": "Merges",
    "vocab": "The vocabulary",
}
"""Titles of mistakes of no known kind."""

KEEPS = (
    "In a fresh process it merges this text differently than after other texts: a global, or a "
    "default argument such as `merges=[]`, keeps something from call to call; or the result "
    "depends on the order of a set, which differs from process to process."
)


def size(text: Text) -> tuple[bool, int]:
    """Return what orders texts by how small they may become: long ones that repeat come first."""
    is_long = len(text.content) > LONG
    return is_long and repeated(text.content)[1] == 1, len(text.content)


class Trial:
    """One trainer on all texts.

    :param trainer: it.
    :param ties: a key of `TIES`.
    :param on_part: called with each paragraph as soon as it is found.
    :param progress: show a bar.
    """

    def __init__(
        self, trainer: Trainer, ties: str, on_part: Callable[[str], object], progress: bool
    ) -> None:
        self.trainer, self.rule = trainer, ties
        self.on_part, self.progress = on_part, progress
        self.ties: Kinds = TIES[ties][0]
        self.outcomes: dict[Text, Outcome] = {}
        self.seconds: dict[Text, float] = {}
        self.usual = 0.0
        self.untried: list[Text] = []
        self.found: Kinds = ()
        self.mistakes: list[Mistake] = []
        self.remarks: list[str] = []
        self.told: set[tuple[str, str]] = set()
        self.keeps = False
        self.parts: list[str] = []

    @property
    def judged(self) -> list[Text]:
        """The texts that were tried, without those that the course leaves open."""
        return [text for text in self.outcomes if not text.is_open]

    @property
    def name(self) -> str:
        """The name of the trainer; it may be known only after its import."""
        return self.trainer.name

    @property
    def everything(self) -> Kinds:
        """All kinds of which its merges are."""
        return (*self.found, *self.ties)

    @property
    def works(self) -> bool:
        return any(not outcome.failed for outcome in self.outcomes.values())

    def say(self, part: str) -> None:
        self.parts.append(part)
        self.on_part(part)

    def run(self, fast: bool) -> None:
        """Try the small texts, then the large ones, and say what was found.

        :raises CannotRunError: it cannot be called at all, gives what cannot be read, or is too
            slow.
        """
        small = [*TEXTS, *merging_texts(), *random_texts(RANDOM)]
        small.sort(key=lambda text: text.name not in FIRST)
        self.try_texts(small)
        self.ties = max(TIES[self.rule], key=self.n_explained)
        self.run_wrong_ones_afresh()
        self.judge()
        self.refuse_what_is_too_slow()
        if not fast and self.works:
            self.try_large([*large_texts()])
            self.judge()
        self.conclude()

    def n_explained(self, kinds: Kinds) -> int:
        """Return how many texts some kinds explain."""
        return sum(expected(kinds, text).explains(self.outcomes[text]) for text in self.judged)

    # What it makes

    def bar(self, texts: Sequence[Text]) -> Bar:
        return Bar(self.progress, f"try {self.name}", len(texts), "text", scale=False)

    def try_texts(self, texts: Sequence[Text]) -> None:
        end, n_endless = perf_counter() + SMALL_SECONDS, 0
        with self.bar(texts) as bar:
            for text in texts:
                more = MORE_SECONDS if text.name in FIRST else 0.0
                if perf_counter() > end + more or n_endless >= MOST_ENDLESS:
                    self.untried.append(text)
                    continue
                limit = TEXT_SECONDS if self.seconds else FIRST_SECONDS
                made = self.make(text, AGAIN_SECONDS if n_endless else limit)
                n_endless += made.failed == "endless"
                bar.update()
                self.refuse_what_never_works()
        ended = [
            self.seconds[text]
            for text, made in self.outcomes.items()
            if made.failed != "endless" and len(text.content) <= LONG
        ]
        self.usual = median(ended or [0.0])
        slow = min(SLOW * self.usual, NEARLY * max(ended, default=0.0))
        for text in [*self.outcomes]:
            if self.seconds[text] < slow or len(text.content) > LONG:
                self.leave_endless(text)

    def try_large(self, texts: Sequence[Text]) -> None:
        """Note what it makes of large texts, where it is quick enough."""
        with self.bar(texts) as bar:
            for text in texts:
                self.make(text, LARGE_SECONDS)
                self.leave_endless(text)
                bar.update()

    def leave_endless(self, text: Text) -> None:
        """Count a text that may only have taken too long as one that was not tried."""
        if self.outcomes[text].failed == "endless":
            del self.outcomes[text]
            self.untried.append(text)

    def make(self, text: Text, seconds: float) -> Outcome:
        begun = perf_counter()
        made = self.outcomes[text] = self.ran(text, seconds)
        self.seconds[text] = perf_counter() - begun
        return made

    def ran(self, text: Text, seconds: float) -> Outcome:
        """Return what it makes of a text, in a fresh process where it keeps something."""
        if self.keeps:
            self.trainer.restart()
        return self.trainer.run(text, seconds)

    def refuse_what_never_works(self) -> None:
        """Refuse a trainer that gives nothing for the first three texts, or cannot be called."""
        outcomes = [*self.outcomes.values()]
        if len(outcomes) != 3:
            return
        first = outcomes[0]
        if all(one.failed == "unusable" for one in outcomes):
            raise CannotRunError(f"{self.name}: {first.said}")
        if first.said.startswith("raises `TypeError") and all(
            one.said == first.said and not one.place.partition(" ")[2] for one in outcomes
        ):
            raise CannotRunError(f"{self.name} cannot be called: it {first.said}")

    def refuse_what_is_too_slow(self) -> None:
        """Refuse a trainer without a mistake that was not tried on all texts that may show one."""
        missed = [text for text in self.untried if text.name in FIRST]
        if missed and not self.mistakes:
            raise CannotRunError(
                f"{self.name} is too slow to be judged: it was tried on "
                f"{count_of(len(self.outcomes), 'text')}, {self.usual:.2g} s for each, and "
                f"{count_of(len(missed), 'other')} may show a mistake; if it starts processes, "
                "let it start only one, or none for a small file"
            )

    # Which mistakes explain it

    def run_wrong_ones_afresh(self) -> None:
        """Find out whether it is wrong only because of what it kept from an earlier text."""
        wrong = [
            text
            for text in self.judged
            if self.outcomes[text].failed != "endless"
            if not expected(self.ties, text).explains(self.outcomes[text])
        ]
        if not wrong:
            return
        before = {text: self.outcomes[text] for text in wrong}
        text = min(wrong, key=size)
        self.trainer.restart()
        if self.trainer.run(text, TEXT_SECONDS) == before[text]:
            return
        self.keeps = True
        end = perf_counter() + SMALL_SECONDS
        for text in wrong:
            if perf_counter() < end:
                self.make(text, TEXT_SECONDS)
            else:
                del self.outcomes[text]
                self.untried.append(text)
        changed = [text for text in wrong if self.outcomes.get(text, before[text]) != before[text]]
        shown = changed or wrong
        text = min(shown, key=size)
        mistake = self.mistake("From call to call", "keeps", KEEPS, (text, before[text]), shown)
        self.tell(replace(mistake, call=[*mistake.call, mistake.call[-1]]))

    def judge(self) -> None:
        known, unexplained = self.found, self.judged
        if not self.fails_everywhere():
            self.found, unexplained = diagnose(self.outcomes, self.ties, known)
        for kind in self.found:
            if kind not in known:
                self.tell(self.known_mistake(kind))
        if self.found:  # an error in the same line is the same mistake
            explained = (text for text in self.judged if text not in unexplained)
            self.told.update(self.key(text) for text in explained if self.outcomes[text].place)
        for key, texts in groupby(sorted(unexplained, key=self.key), key=self.key):
            if key not in self.told:
                self.told.add(key)
                self.tell(self.unknown_mistake(key, [*texts]))

    def fails_everywhere(self) -> bool:
        """Whether it fails in the same way whatever it is given: that is no known mistake."""
        ways = {self.key(text) for text in self.judged}
        return len(ways) == 1 and not any(one in ("merges", "vocab") for one, _ in ways)

    def tell(self, mistake: Mistake) -> None:
        if not self.mistakes:
            right, tried = self.n_explained(self.ties), len(self.judged)
            self.say(
                f"**{named(self.name)} is not right.** Of {tried} texts it gets {right} right."
            )
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def key(self, text: Text, made: Outcome | None = None) -> tuple[str, str]:
        """Return what two texts have in common that show the same mistake of no known kind."""
        made = made or self.outcomes[text]
        if made.failed:
            return made.failed, made.place
        right = made.extra or expected(self.ties, text).merges == made.merges
        return "vocab" if right else "merges", ""

    def known_mistake(self, kind: type[Rules]) -> Mistake:
        """Return a mistake of a known kind, with its smallest text."""
        everything, alone = self.everything, (kind, *self.ties)
        others = tuple(one for one in everything if one is not kind)

        def differs(text: Text) -> bool:
            return expected(everything, text) != expected(others, text)

        def shows(text: Text) -> bool:
            due = expected(everything, text)
            # Of `a` there is no merge that it could repeat.
            return differs(text) and bool(due.merges or not due.more)

        def shows_alone(text: Text) -> bool:
            return shows(text) and expected(alone, text) == expected(everything, text)

        texts = [
            text
            for text in self.judged
            if differs(text) and expected(everything, text).explains(self.outcomes[text])
        ]
        condition = next(one for one in (shows_alone, shows, differs) if any(map(one, texts)))
        texts = [*filter(shows, texts)] or texts
        # That it goes on is not seen where it ends with an error at once.
        hides = {text for text in texts if self.outcomes[text].failed and issubclass(kind, GoesOn)}
        begin = min(filter(condition, texts), key=lambda text: (text in hides, size(text)))
        place = self.outcomes[begin].place

        def is_it(text: Text, made: Outcome) -> bool:
            return made.place == place and expected(everything, text).explains(made)

        sentence = f"{kind.says}."
        if kind.says.startswith("a trainer "):
            sentence = f"Your merges are those of {sentence}"
        if kind.what == "ties":
            by_it = self.n_explained(alone)
            sentence += f" By this rule {by_it} of {len(self.judged)} texts are right."
        found = self.smallest(begin, condition, is_it)
        return self.mistake(kind.title, kind.__name__, sentence, found, texts)

    def unknown_mistake(self, key: tuple[str, str], texts: Sequence[Text]) -> Mistake:
        begin = min(texts, key=size)

        def is_it(text: Text, made: Outcome) -> bool:
            known = expected(self.everything, text).explains(made)
            return self.key(text, made) == key and not known

        sentence = (
            "It is none of the mistakes that the lab knows. It was seen on a text that tests this: "
            f"{begin.idea} (rule {begin.rule})."
        )
        if self.fails_everywhere():
            sentence = "It is the same with every text."
        found = self.smallest(begin, lambda text: True, is_it)
        return self.mistake(TITLES[key[0]], None, sentence, found, texts)

    def mistake(
        self,
        title: str,
        kind: str | None,
        sentence: str,
        found: tuple[Text, Outcome],
        texts: Sequence[Text],
    ) -> Mistake:
        """Return a mistake with the text that shows it, and all texts that do."""
        names, call = [one.name for one in texts], self.trainer.call(found[0])
        return Mistake(title, kind, sentence, self.difference(*found), call, found[0], names)

    def smallest(
        self,
        text: Text,
        may_show: Callable[[Text], bool],
        shows: Callable[[Text, Outcome], bool],
    ) -> tuple[Text, Outcome]:
        """Return a small text that shows a mistake, and what is made of it.

        :param may_show: is asked first: it does not run the trainer.
        :param shows: whether what it makes of a text shows the mistake.
        """
        most = min(SHRINK_TRIES * self.usual, MOST_SHRINK_SECONDS)
        end = perf_counter() + max(SHRINK_SECONDS, most)
        best = text, self.outcomes[text]

        def is_smaller(smaller: Text) -> bool:
            nonlocal best
            if not smaller.content or perf_counter() > end or not may_show(smaller):
                return False
            made = self.ran(smaller, TEXT_SECONDS)
            if not shows(smaller, made):
                return False
            best = smaller, made
            return True

        def with_specials(specials: tuple[str, ...]) -> bool:
            return is_smaller(best[0]._replace(special_tokens=specials))

        def with_content(letters: Sequence[str]) -> bool:
            return is_smaller(best[0]._replace(content="".join(letters).encode()))

        def with_merges(n_merges: int) -> bool:
            return is_smaller(best[0]._replace(n_merges=n_merges))

        before = None
        while before != best[0] and best[1].failed != "endless":
            before = best[0]
            fewest(before.special_tokens, with_specials)
            unit, count = repeated(before.content)
            is_long = len(before.content) > LONG
            fewest([unit.decode()] * count if is_long else [*before.content.decode()], with_content)
            n_merges = best[0].vocab_size - 256 - len(best[0].special_tokens)
            any(with_merges(fewer) for fewer in (0, 1, *range(2, min(n_merges, 50))))
        return best

    def difference(self, text: Text, made: Outcome) -> str:
        name = named(self.name)
        if made.failed:
            return f"{name}{':' * (made.failed == 'unusable')} {made.said}."
        if made.extra:
            token = as_code(repr(min(made.extra)))
            return (
                f"Its vocabulary has {token}, which is neither a byte, nor a merge, nor one of the "
                "special tokens it was given."
            )
        right = expected(self.ties, text).merges
        for rank, (one, other) in enumerate(zip_longest(right, made.merges)):
            if one == other:
                continue
            n_entries = 256 + len(text.special_tokens) + rank
            before = with_all(self.ties)(text.content, n_entries, text.special_tokens)
            before.train()
            if rank == len(right) and before.pairs:
                return (
                    f"With {count_of(rank, 'merge')} the vocabulary has its {text.vocab_size} "
                    f"entries; {name} makes {count_of(len(made.merges), 'merge')}."
                )
            said = describe_merge(name, before, other and (other, None), self.rule)
            return said[0].upper() + said[1:] if said.startswith(("merge", "no ")) else said
        return f"Its vocabulary lacks {as_code(repr(min(made.lacking, default=b'')))}."

    # What is left open

    def conclude(self) -> None:
        """Say what is left open, what was not tried, and that it is right if it is."""
        if not self.mistakes:
            tried = count_of(len(self.judged), "text")
            self.say(f"**{named(self.name)} makes the right merges** of {tried}.")
        notes = dict.fromkeys(note for made in self.outcomes.values() for note in made.notes)
        self.remarks += [f"{note[0].upper()}{note[1:]}." for note in notes]
        self.remarks += [
            self.remark(text, made)
            for text, made in self.outcomes.items()
            if text.is_open and not expected(self.everything, text).explains(made)
        ]
        if self.untried:
            self.remarks.append(
                f"{len(self.untried)} of {len(self.untried) + len(self.outcomes)} texts were not "
                f"tried: one takes {self.usual:.2g} s."
            )
        if self.remarks:
            self.say("**Left open.** " + " ".join(self.remarks))
        lines = self.trainer.printed().strip().splitlines()
        if lines and any(self.outcomes[text].failed for text in self.judged):
            last = [part for line in lines[-5:] for part in wrap(line, LINE)]
            self.say("**What it printed last:**\n\n" + "\n".join(f"    {one}" for one in last))

    def remark(self, text: Text, made: Outcome) -> str:
        """Say what is made of a text for which the course leaves open what is right."""
        for kind in KINDS:
            if kind.what == "open" and expected((kind, *self.everything), text).explains(made):
                return f"{kind.title}: {kind.says}."
        how = made.said or f"makes {count_of(len(made.merges), 'merge')}"
        it = "" if made.failed == "unusable" else "it "
        return f"Given {text.idea}, {it}{how}; the course leaves that open."

    def report(self, speed: Speed | None) -> TrainerReport:
        passed = not self.mistakes
        return TrainerReport(self.name, passed, self.mistakes, self.remarks, self.parts, speed)
