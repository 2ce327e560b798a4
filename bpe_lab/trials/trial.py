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
from bpe_lab.support.sizes import size_in_words
from bpe_lab.tokenizer.merges import Merge
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
from bpe_lab.trials.running import IMPORTS, NAME_PYTHON, CannotRunError, Trainer
from bpe_lab.trials.shrinking import fewest
from bpe_lab.trials.speed import Speed
from bpe_lab.trials.texts import (
    FIRST,
    TEXTS,
    Text,
    large_texts,
    long_text,
    merging_texts,
    random_texts,
    repeated,
)
from bpe_lab.trials.wrong_merge import describe_merge

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

AFRESH_SECONDS = 7.0
"""For texts that are tried once more, each in a fresh process."""

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
    "Its result depends on an earlier call. In a fresh process it merges this text differently "
    "than after other texts: a global, or a default argument such as `merges=[]`, keeps something "
    "from call to call; or the order of a set decides, which differs from process to process."
)

KEEPS_A_FILE = (
    "Its result depends on an earlier call. Where another text of this name was before, it merges "
    "this one differently: it leaves a file beside the text, and reads it again."
)

SAME_AGAIN = (
    "Its result depends on an earlier call. It merges this text as another one that it was given "
    "before: it keeps something, in a file or a global, and reads that in place of the text."
)

SWAPPED = (
    "It returns the merges first, and then the vocabulary: CS336 asks for `return vocab, merges`, "
    "and its tests take them so."
)

BEFORE = Text("before", "another text", 1, b"zyzyzy xx")
"""What is in the file before the text that is looked at."""


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
        self.used: set[Text] = set()
        self.found: Kinds = ()
        self.mistakes: list[Mistake] = []
        self.remarks: list[str] = []
        self.told: set[tuple[str, str]] = set()
        self.keeps = False
        self.late: set[Text] = set()
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

    def run(self, fast: bool, seconds: float) -> None:
        """Try the small texts, then the large ones, and say what was found.

        :param seconds: for the small ones; those that tell known mistakes apart come first.
        :raises CannotRunError: it cannot be called at all, or gives what cannot be read.
        """
        small = [*TEXTS, *merging_texts(), *random_texts(RANDOM), long_text(150_000)]
        small.sort(key=lambda text: text.name not in FIRST)
        self.try_texts(small, seconds)
        self.ties = max(TIES[self.rule], key=self.n_explained)
        self.refuse_swapped()
        self.look_for_what_it_keeps()
        self.judge()
        if not fast and self.works:
            self.try_large([*large_texts()])
            self.judge()
        self.conclude()

    def n_explained(self, kinds: Kinds) -> int:
        """Return how many texts some kinds explain."""
        return sum(
            expected(kinds, text).explains(self.outcomes[text])
            for text in self.judged
            if not self.outcomes[text].swapped
        )

    # What it makes

    def bar(self, texts: Sequence[Text]) -> Bar:
        return Bar(self.progress, f"try {self.name}", len(texts), "text", scale=False)

    def try_texts(self, texts: Sequence[Text], seconds: float) -> None:
        self.trainer.begin()  # its import has its own limit
        end, n_endless = perf_counter() + seconds, 0
        with self.bar(texts) as bar:
            for text in texts:
                if perf_counter() > end or n_endless >= MOST_ENDLESS:
                    self.untried.append(text)
                    continue
                limit = TEXT_SECONDS if self.seconds else FIRST_SECONDS
                made = self.make(text, AGAIN_SECONDS if n_endless else limit)
                n_endless += made.failed == "endless"
                bar.update()
                self.refuse_what_never_works()
        self.late = {*self.untried}
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

    def try_timed(self, text: Text, made: Outcome, right: Sequence[Merge]) -> None:
        """Look at the merges of a text on which it was timed.

        :param right: merges of `core`.
        """
        if made.failed or [*made.merges] == [*right]:
            return
        long = long_text(len(text.content))
        if not expected(self.everything, long).explains(self.make(long, LARGE_SECONDS)):
            before = len(self.mistakes)
            self.judge()
            if len(self.mistakes) > before:
                return
        rank, (due, other) = next(
            (rank, both)
            for rank, both in enumerate(zip_longest(right, made.merges), start=1)
            if both[0] != both[1]
        )
        merges = f"Merge {rank:,} must be {as_code(f'{due}')}; it makes {as_code(f'{other}')}."
        call, sentence = self.trainer.call(text), "It is wrong on a text that it was timed on."
        self.tell(Mistake(TITLES["merges"], None, sentence, merges, call, text, [text.name]))

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
            self.trainer.child.restart()
        return self.trainer.run(text, seconds)

    def refuse_what_never_works(self) -> None:
        """Refuse a trainer that gives nothing for the first three texts, or cannot be called."""
        outcomes = [*self.outcomes.values()]
        if len(outcomes) != 3:
            return
        first = outcomes[0]
        if all(one.failed == "unusable" for one in outcomes):
            raise CannotRunError(f"{self.name}: {first.said}")
        errors = tuple(f"raises `{one}" for one in IMPORTS)
        if all(one.said.startswith(errors) for one in outcomes):
            raise CannotRunError(f"{self.name} {first.said}: {NAME_PYTHON}")
        if first.said.startswith("raises `TypeError") and all(
            one.said == first.said and not one.place.partition(" ")[2] for one in outcomes
        ):
            raise CannotRunError(f"{self.name} cannot be called: it {first.said}")

    def refuse_swapped(self) -> None:
        texts = [text for text in self.judged if self.outcomes[text].swapped]
        if texts:
            text = min(texts, key=size)
            call, names = self.trainer.call(text), [one.name for one in texts]
            self.tell(Mistake(TITLES["unusable"], "Swapped", SWAPPED, "", call, text, names))

    # Which mistakes explain it

    def look_for_what_it_keeps(self) -> None:
        """Find out whether it is wrong only because of what it kept from an earlier text."""
        wrong = [
            text
            for text in self.judged
            if self.outcomes[text].failed != "endless"
            if not expected(self.ties, text).explains(self.outcomes[text])
        ]
        if wrong:
            self.run_afresh(wrong)
        if not self.keeps:
            self.look_for_a_file()

    def run_afresh(self, wrong: Sequence[Text]) -> None:
        before = {text: self.outcomes[text] for text in wrong}
        text = min(wrong, key=size)
        self.trainer.child.restart()
        if self.trainer.run(text, TEXT_SECONDS) == before[text]:
            return
        self.keeps = True
        end = perf_counter() + AFRESH_SECONDS
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

    def look_for_a_file(self) -> None:
        """Find out whether it reads what it left beside another text, or elsewhere."""
        text = min(
            (one for one in self.judged if self.outcomes[one].merges), key=size, default=None
        )
        if text is None:
            return
        self.ran(BEFORE, TEXT_SECONDS)
        made = self.trainer.run(text, TEXT_SECONDS, again=True)
        if not made.failed and made != self.outcomes[text]:
            mistake = self.mistake("From call to call", "keeps", KEEPS_A_FILE, (text, made), [text])
            self.tell(replace(mistake, call=[*self.trainer.call(BEFORE), *mistake.call]))
            return
        first, *others = self.judged
        kept = self.outcomes[first].merges
        same = [other for other in others if self.has_merges_of(kept, other)]
        if len(same) > len(self.judged) // 2:
            text = min(same, key=size)
            found = text, self.outcomes[text]
            mistake = self.mistake("From call to call", "keeps", SAME_AGAIN, found, same)
            self.tell(replace(mistake, call=[*self.trainer.call(first), *mistake.call]))
            for other in same:
                del self.outcomes[other]

    def has_merges_of(self, kept: Sequence[Merge], text: Text) -> bool:
        """Whether it makes the merges of another text of a text, and they are wrong."""
        made = self.outcomes[text]
        same = made.merges[: len(kept)] == kept[: len(made.merges)]
        return bool(made.merges) and same and not expected(self.ties, text).explains(made)

    def judge(self) -> None:
        known, unexplained = self.found, self.judged
        if not self.fails_everywhere():
            self.found, unexplained = diagnose(self.outcomes, self.ties, known)
        new = [(kind, self.explained_by(kind)) for kind in self.found if kind not in known]
        for kind, shown in sorted(new, key=lambda one: -len(one[1])):
            self.tell(self.known_mistake(kind, shown))
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
            name, but = named(self.name), f"Of {tried} texts it gets {right} right."
            if right == tried:
                but = f"Its merges of {tried} texts are."
            self.say(f"**{name} is not right.** {but}")
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def key(self, text: Text, made: Outcome | None = None) -> tuple[str, str]:
        """Return what two texts have in common that show the same mistake of no known kind."""
        made = made or self.outcomes[text]
        if made.failed:  # where a loop is seen differs from look to look
            return made.failed, made.place * (made.failed != "endless")
        right = made.extra or expected(self.ties, text).merges == made.merges
        return "vocab" if right else "merges", ""

    def explained_by(self, kind: type[Rules]) -> list[Text]:
        """Return the texts that a known mistake explains, and the others that were found do not."""
        return [
            text
            for text in self.judged
            if expected(self.everything, text).explains(self.outcomes[text])
            if not expected(self.without(kind), text).explains(self.outcomes[text])
        ]

    def without(self, kind: type[Rules]) -> Kinds:
        return tuple(one for one in self.everything if one is not kind)

    def known_mistake(self, kind: type[Rules], texts: Sequence[Text]) -> Mistake:
        """Return a mistake of a known kind, with its smallest text."""
        everything, alone, others = self.everything, (kind, *self.ties), self.without(kind)

        def differs(text: Text) -> bool:
            return expected(everything, text) != expected(others, text)

        def shows(text: Text) -> bool:
            due = expected(everything, text)
            # Of `a` there is no merge that it could repeat.
            return differs(text) and bool(due.merges or not due.more)

        def shows_alone(text: Text) -> bool:
            return shows(text) and expected(alone, text) == expected(everything, text)

        condition = next(one for one in (shows_alone, shows, differs) if any(map(one, texts)))
        texts = [text for text in texts if shows(text)] or texts
        # That it goes on is not seen where it ends with an error at once.
        hides = {text for text in texts if self.outcomes[text].failed and issubclass(kind, GoesOn)}
        begin = min(
            filter(condition, texts),
            key=lambda text: (text in self.used, text in hides, size(text)),
        )
        place = self.outcomes[begin].place

        def is_it(text: Text, made: Outcome) -> bool:
            explains = expected(everything, text).explains(made)
            return made.place == place and explains and not expected(others, text).explains(made)

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
            f"{begin.idea} (rule {begin.rule} of rules.md)."
        )
        if self.fails_everywhere():
            sentence = "It is the same with every text."
        if key[0] == "endless":
            sentence = "It does not end."
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
        self.used.add(found[0])
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
            if not smaller.content or smaller in self.used or perf_counter() > end:
                return False
            if not may_show(smaller):
                return False
            made = self.ran(smaller, TEXT_SECONDS)
            if not shows(smaller, made):
                return False
            best = smaller, made
            return True

        def with_specials(specials: tuple[str, ...]) -> bool:
            return is_smaller(best[0]._replace(special_tokens=specials))

        def with_content(pieces: Sequence[str]) -> bool:
            return is_smaller(best[0]._replace(content="".join(pieces).encode()))

        def with_merges(n_merges: int) -> bool:
            return is_smaller(best[0]._replace(n_merges=n_merges))

        before = None
        while before != best[0] and best[1].failed != "endless":
            before = best[0]
            fewest(before.special_tokens, with_specials)
            content = before.content.decode()
            size = max(1, len(content) // 100) if len(content) > LONG else 1
            fewest([content[at : at + size] for at in range(0, len(content), size)], with_content)
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
            self.say(self.headline())
        notes = dict.fromkeys(note for made in self.outcomes.values() for note in made.notes)
        self.remarks += [f"{note[0].upper()}{note[1:]}." for note in notes]
        self.remarks += [
            self.remark(text, made)
            for text, made in self.outcomes.items()
            if text.is_open and not expected(self.everything, text).explains(made)
        ]
        if self.untried:
            n_texts = len(self.untried) + len(self.outcomes)
            self.remarks.append(
                f"{len(self.untried)} of {n_texts} texts were not tried{self.why()}."
            )
        if self.remarks:
            self.say("**Left open.** " + " ".join(self.remarks))
        lines = self.trainer.child.printed().strip().splitlines()
        if lines and any(self.outcomes[text].failed for text in self.judged):
            last = [part for line in lines[-5:] for part in wrap(line, LINE)]
            self.say("**What it printed last:**\n\n" + "\n".join(f"    {one}" for one in last))

    def headline(self) -> str:
        """Say that it is right, on which texts."""
        tried, name = len(self.judged), named(self.name)
        if self.late:
            return (
                f"**{tried} of {tried + len(self.late)} texts were tried**, and {name} makes their "
                "right merges: `--seconds 300` gives it longer."
            )
        most = max(len(text.content) for text in self.judged)
        return f"**{name} makes the right merges** of {tried} texts of up to {size_in_words(most)}."

    def why(self) -> str:
        """Say why texts were not tried."""
        if all(made.failed == "endless" for made in self.outcomes.values()):
            return f", after {len(self.outcomes)} without an end"
        return f": one takes {self.usual:.2g} s"

    def remark(self, text: Text, made: Outcome) -> str:
        """Say what is made of a text for which the course leaves open what is right."""
        for kind in KINDS:
            if kind.what == "open" and expected((kind, *self.everything), text).explains(made):
                return f"{kind.title}: {kind.says}."
        how = made.said or f"makes {count_of(len(made.merges), 'merge')}"
        it = "" if made.failed == "unusable" else "it "
        return f"Given {text.idea}, {it}{how}; the course leaves that open."

    def report(self, speed: Speed | None) -> TrainerReport:
        passed = not self.mistakes and not self.late
        return TrainerReport(self.name, passed, self.mistakes, self.remarks, self.parts, speed)
