"""One trainer on all texts: what it makes of each, which mistakes explain it, what is left open."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from time import perf_counter

from bpe_lab.results.numbers import count_of, size_in_words
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.counter_example import describe_merge, first_difference
from bpe_lab.trials.diagnosis import Kinds, diagnose, expected
from bpe_lab.trials.kinds import KINDS, NAMED, Rules, with_all
from bpe_lab.trials.outcome import Outcome
from bpe_lab.trials.report import Mistake
from bpe_lab.trials.running import IMPORTS, NAME_PYTHON, CannotRunError, Trainer
from bpe_lab.trials.smallest import LONG, Smallest, repeated
from bpe_lab.trials.texts import (
    FIRST,
    TEXTS,
    Text,
    large_texts,
    long_text,
    merging_texts,
    random_texts,
)

TIES: Mapping[str, tuple[Kinds, ...]] = {
    "greatest": ((),),
    "first": ((NAMED["FirstTie"],),),
    "smallest": ((NAMED["SmallestTie"],), (NAMED["SmallestIds"],)),
}
"""Tie rule that may be asked for -> what has it."""

RANDOM = 40  # random words, as stages are tried on

FIRST_SECONDS = 6.0  # for the first text; a sane trainer takes some milliseconds
TEXT_SECONDS, AGAIN_SECONDS = 4.0, 1.5  # for another one, and for one after one that did not end
LARGE_SECONDS = 6.0  # for a large text: a trainer that takes longer is slow, not wrong
SHRINK_SECONDS = 3.0  # for the smallest text of each mistake

MOST_ENDLESS = 3  # texts that do not end, after which no other is tried
NEARLY = 3
"""A text that did not end may only be slow where another one took a third of its time."""

TITLES = {
    **{"error": "An error", "endless": "No end", "unusable": "What it returns"},
    **{"merges": "Merges", "vocab": "The vocabulary"},
}
"""Titles of mistakes of no known kind."""

DEPENDS = "Its result depends on an earlier call."
KEEPS = (
    f"{DEPENDS} In a fresh process it merges this text differently than after other texts: a "
    "global, or a default argument such as `merges=[]`, keeps something from call to call; or the "
    "order of a set decides, which differs from process to process."
)
KEEPS_A_FILE = (
    f"{DEPENDS} Where another text of this name was before, it merges this one differently: it "
    "leaves a file beside the text, and reads it again."
)
SWAPPED = (
    "It returns the merges first, and then the vocabulary: CS336 asks for `return vocab, merges`, "
    "and its tests take them so."
)

BEFORE = Text("before", "another text", 1, b"zyzyzy xx")
"""What is in the file before the text that is looked at."""


def size(text: Text) -> tuple[bool, bool, int]:
    """Return what orders texts by how well they show something: short ones that can be printed."""
    is_long = len(text.content) > LONG
    odd = any(byte < 32 and byte not in b"\r\n\t" for byte in text.content)
    return is_long and repeated(text.content)[1] == 1, odd, len(text.content)


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
        self.trainer, self.rule, self.on_part, self.progress = trainer, ties, on_part, progress
        self.ties: Kinds = TIES[ties][0]
        self.outcomes: dict[Text, Outcome] = {}
        self.untried: list[Text] = []
        self.late = False
        self.used: set[Text] = set()
        self.found: Kinds = ()
        self.mistakes: list[Mistake] = []
        self.remarks: list[str] = []
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
    def keeps(self) -> bool:
        """Whether a result depends on an earlier call."""
        return any(mistake.kind == "keeps" for mistake in self.mistakes)

    @property
    def works(self) -> bool:
        return any(not outcome.failed for outcome in self.outcomes.values())

    def say(self, part: str) -> None:
        self.parts.append(part)
        self.on_part(part)

    def run(self, fast: bool, seconds: float) -> None:
        """Try the small texts, then the large ones if these are right, and say what was found.

        :param seconds: for the small ones; those that tell known mistakes apart come first.
        :raises CannotRunError: it cannot be called at all, or gives what cannot be read.
        """
        small = [*TEXTS, *merging_texts(), *random_texts(RANDOM), long_text(150_000)]
        small.sort(key=lambda text: text.name not in FIRST)
        self.try_texts(small, seconds)
        self.ties = max(TIES[self.rule], key=self.n_explained)
        self.refuse_swapped()
        self.look_for_what_it_keeps()
        if not self.keeps:
            self.judge()
        if not (fast or self.mistakes) and self.works:
            with self.bar(large := [*large_texts()]) as bar:
                for text in large:
                    self.outcomes[text] = self.trainer.run(text, LARGE_SECONDS)
                    self.leave_endless(text)
                    bar.update()
            self.judge()
        self.conclude()

    def n_explained(self, kinds: Kinds) -> int:
        """Return how many texts some kinds explain."""
        texts = (text for text in self.judged if not self.outcomes[text].swapped)
        return sum(self.explained(kinds, text) for text in texts)

    def explained(self, kinds: Kinds, text: Text) -> bool:
        """Whether a trainer with these mistakes makes of a text what this one makes of it."""
        return expected(kinds, text).explains(self.outcomes[text])

    # What it makes

    def bar(self, texts: Sequence[Text]) -> Bar:
        return Bar(self.progress, f"try {self.name}", len(texts), "text")

    def try_texts(self, texts: Sequence[Text], seconds: float) -> None:
        self.trainer.begin()  # its import has its own limit
        end, n_endless, slowest = perf_counter() + seconds, 0, 0.0
        with self.bar(texts) as bar:
            for text in texts:
                begun = perf_counter()
                if begun > end or n_endless >= MOST_ENDLESS:
                    self.untried.append(text)
                    continue
                limit = TEXT_SECONDS if self.outcomes else FIRST_SECONDS
                outcome = self.trainer.run(text, AGAIN_SECONDS if n_endless else limit)
                self.outcomes[text] = outcome
                if outcome.failed == "endless":
                    n_endless += 1
                elif len(text.content) <= LONG:
                    slowest = max(slowest, perf_counter() - begun)
                bar.update()
                self.refuse_what_never_works()
        self.late = bool(self.untried)
        for text in [*self.outcomes]:
            if len(text.content) > LONG or NEARLY * slowest > AGAIN_SECONDS:
                self.leave_endless(text)

    def try_timed(self, text: Text, merges: Sequence[Merge], right: Sequence[Merge]) -> None:
        """Look at the merges of a text on which it was timed.

        :param right: merges of `core`.
        """
        differs = first_difference(right, merges)
        if differs is None or self.mistakes:
            return
        rank, due, other = differs
        shown = f"Merge {rank + 1:,} must be {as_code(f'{due}')}; it makes {as_code(f'{other}')}."
        call, sentence = self.trainer.call(text), "It is wrong on a text that it was timed on."
        self.tell(Mistake(TITLES["merges"], None, sentence, shown, call, text, [text.name]))

    def leave_endless(self, text: Text) -> None:
        """Count a text that may only have taken too long as one that was not tried."""
        if self.outcomes[text].failed == "endless":
            del self.outcomes[text]
            self.untried.append(text)

    def refuse_what_never_works(self) -> None:
        """Refuse a trainer that fails with the first three texts, in the same way."""
        ways, first = {self.key(text) for text in self.outcomes}, next(iter(self.outcomes.values()))
        if len(self.outcomes) == 3 and len(ways) == 1 and first.failed:
            lacks = first.said.startswith(tuple(f"raises `{error}" for error in IMPORTS))
            remedy = f": {NAME_PYTHON}" if lacks else ""
            raise CannotRunError(f"{self.name}: {_it(first)}{first.said}{remedy}")

    def refuse_swapped(self) -> None:
        if texts := [text for text in self.judged if self.outcomes[text].swapped]:
            text, names = min(texts, key=size), [text.name for text in texts]
            call = self.trainer.call(text)
            self.tell(Mistake(TITLES["unusable"], "Swapped", SWAPPED, "", call, text, names))

    # Which mistakes explain it

    def look_for_what_it_keeps(self) -> None:
        """Find out whether a result depends on an earlier call: that is told alone."""
        wrong = [
            text
            for text in self.judged
            if self.outcomes[text].failed != "endless" and not self.explained(self.ties, text)
        ]
        if wrong:
            text = min(wrong, key=size)
            self.trainer.child.restart()
            if self.trainer.run(text, TEXT_SECONDS) != self.outcomes[text]:
                self.tell_what_it_keeps(KEEPS, text, self.outcomes[text])
                return
        # Perhaps it reads what it left beside another text.
        if texts := [text for text in self.judged if self.outcomes[text].merges]:
            text = min(texts, key=size)
            self.trainer.run(BEFORE, TEXT_SECONDS)
            outcome = self.trainer.run(text, TEXT_SECONDS, again=True)
            if not outcome.failed and outcome != self.outcomes[text]:
                self.tell_what_it_keeps(KEEPS_A_FILE, text, outcome)

    def tell_what_it_keeps(self, sentence: str, text: Text, outcome: Outcome) -> None:
        """Tell that a result depends on an earlier call: of the same text, or of another one."""
        mistake = self.mistake("From call to call", "keeps", sentence, (text, outcome), [text])
        call = [*mistake.call, mistake.call[-1]]
        if sentence is KEEPS_A_FILE:
            call = [*self.trainer.call(BEFORE), *mistake.call]
        self.tell(replace(mistake, call=call))

    def judge(self) -> None:
        self.found, unexplained = diagnose(self.outcomes, self.ties)
        shown = {kind: self.explained_by(kind) for kind in self.found}
        for kind in sorted(shown, key=lambda kind: -len(shown[kind])):
            self.tell(self.known_mistake(kind, shown[kind]))
        # An error in the same line is the same mistake.
        told = {self.key(text) for text in self.judged if text not in unexplained}
        for key, texts in groupby(sorted(unexplained, key=self.key), key=self.key):
            if key not in told or key[0] != "error":
                self.tell(self.unknown_mistake(key, [*texts]))

    def tell(self, mistake: Mistake) -> None:
        if not self.mistakes:
            right, tried = self.n_explained(self.ties), len(self.judged)
            but = f"Of {tried} texts it gets {right} right."
            but = f"Its merges of {tried} texts are." if right == tried else but
            self.say(f"**{named(self.name)} is not right.** {but}")
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def key(self, text: Text, outcome: Outcome | None = None) -> tuple[str, str]:
        """Return what two texts have in common that show the same mistake of no known kind."""
        outcome = outcome or self.outcomes[text]
        if outcome.failed:  # where a loop is seen differs from look to look
            return outcome.failed, outcome.place * (outcome.failed != "endless")
        right = outcome.extra or expected(self.ties, text).merges == outcome.merges
        return "vocab" if right else "merges", ""

    def explained_by(self, kind: type[Rules]) -> list[Text]:
        """Return the texts that a known mistake explains, and the others that were found do not."""
        others = self.without(kind)
        return [
            text
            for text in self.judged
            if self.explained(self.everything, text) and not self.explained(others, text)
        ]

    def without(self, kind: type[Rules]) -> Kinds:
        return tuple(other for other in self.everything if other is not kind)

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

        condition = next(each for each in (shows_alone, shows, differs) if any(map(each, texts)))
        texts = [text for text in texts if shows(text)] or texts
        begin = min(filter(condition, texts), key=lambda text: (text in self.used, size(text)))
        place = self.outcomes[begin].place

        def is_it(text: Text, outcome: Outcome) -> bool:
            by_kind, without = (
                expected(kinds, text).explains(outcome) for kinds in (everything, others)
            )
            return outcome.place == place and by_kind and not without

        its = "" if kind.says[0].isupper() else "Your merges are those of a trainer "
        sentence = f"{its}{kind.says}."
        if kind.what == "ties":
            by_it = self.n_explained(alone)
            sentence += f" By this rule {by_it} of {len(self.judged)} texts are right."
        found = self.smallest(begin, condition, is_it)
        return self.mistake(kind.title, kind.__name__, sentence, found, texts)

    def unknown_mistake(self, key: tuple[str, str], texts: Sequence[Text]) -> Mistake:
        begin = min(texts, key=size)

        def is_it(text: Text, outcome: Outcome) -> bool:
            known = expected(self.everything, text).explains(outcome)
            return self.key(text, outcome) == key and not known

        sentence = (
            "It is none of the mistakes that the lab knows. It was seen on a text that tests this: "
            f"{begin.idea} (rule {begin.rule} of book/rules.md)."
        )
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
        names, call = [text.name for text in texts], self.trainer.call(found[0])
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

        def look(smaller: Text) -> Outcome | None:
            if not smaller.content or smaller in self.used or not may_show(smaller):
                return None
            outcome = self.trainer.run(smaller, TEXT_SECONDS)
            return outcome if shows(smaller, outcome) else None

        best = Smallest(text, self.outcomes[text], look, SHRINK_SECONDS)

        def step() -> None:
            best.fewer("special_tokens")
            best.fewer_letters("content")
            n_merges = best.case.vocab_size - 256 - len(best.case.special_tokens)
            any(best.change(n_merges=fewer) for fewer in (0, 1, *range(2, min(n_merges, 50))))

        if best.found.failed != "endless":
            best.repeat(step)
        return best.case, best.found

    def difference(self, text: Text, outcome: Outcome) -> str:
        """Say what is made of a text, and what is right."""
        name = named(self.name)
        if outcome.failed:
            return f"{name}{':' * (outcome.failed == 'unusable')} {outcome.said}."
        if outcome.extra:
            token = as_code(repr(min(outcome.extra)))
            what = "neither a byte, nor a merge, nor one of the special tokens it was given"
            return f"Its vocabulary has {token}, which is {what}."
        right = expected(self.ties, text).merges
        differs = first_difference(right, outcome.merges)
        if differs is None:
            return f"Its vocabulary lacks {as_code(repr(min(outcome.lacking, default=b'')))}."
        rank, _, merge = differs
        n_entries = 256 + len(text.special_tokens) + rank
        before = with_all(self.ties)(text.content, n_entries, text.special_tokens)
        before.train()
        if rank == len(right) and before.pairs:
            its = count_of(len(outcome.merges), "merge")
            has = f"With {count_of(rank, 'merge')} the vocabulary has its {text.vocab_size} entries"
            return f"{has}; {name} makes {its}."
        said = describe_merge(name, before, merge and (merge, None), self.rule)
        return said[0].upper() + said[1:] if said.startswith(("merge", "no ")) else said

    # What is left open

    def conclude(self) -> None:
        """Say what is left open, what was not tried, and that it is right if it is."""
        if not self.mistakes:
            self.say(self.headline())
        notes = dict.fromkeys(note for each in self.outcomes.values() for note in each.notes)
        self.remarks += [f"{note[0].upper()}{note[1:]}." for note in notes]
        self.remarks += [
            self.remark(text)
            for text in self.outcomes
            if text.is_open and not self.explained(self.everything, text)
        ]
        if self.untried:
            which = f"{len(self.untried)} of {len(self.untried) + len(self.outcomes)} texts"
            self.remarks.append(f"{which} were not tried: it is slow, or does not end.")
        if self.remarks:
            self.say("**Left open.** " + " ".join(self.remarks))

    def headline(self) -> str:
        """Say that it is right, on which texts."""
        tried, name = len(self.judged), named(self.name)
        if self.late:
            which = f"**{tried} of {tried + len(self.untried)} texts were tried**"
            longer = "`--seconds 300` gives it longer"
            return f"{which}, and {name} makes their right merges: {longer}."
        most = size_in_words(max(len(text.content) for text in self.judged))
        return f"**{name} makes the right merges** of {tried} texts of up to {most}."

    def remark(self, text: Text) -> str:
        """Say what is made of a text for which the course leaves open what is right."""
        for kind in KINDS:
            if kind.what == "open" and self.explained((kind, *self.everything), text):
                return f"{kind.title}: {kind.says}."
        outcome = self.outcomes[text]
        how = outcome.said or f"makes {count_of(len(outcome.merges), 'merge')}"
        return f"Given {text.idea}, {_it(outcome)}{how}; the course leaves that open."


def _it(outcome: Outcome) -> str:
    """Return the subject of what is said of an outcome, where that lacks it."""
    return "" if outcome.failed == "unusable" else "it "
