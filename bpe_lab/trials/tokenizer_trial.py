"""One tokenizer on all cases: what it makes of each, and which mistakes explain it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from bpe_lab import corpora
from bpe_lab.bench.child import ChildError, ChildTimeout
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.counter_example import first_difference
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.report import Mistake
from bpe_lab.trials.running import CannotRunError, how_it_failed
from bpe_lab.trials.smallest import Smallest, fewest
from bpe_lab.trials.texts import TEXTS, merging_texts
from bpe_lab.trials.tokenizer_kinds import (
    ALL,
    HOWS,
    LONG,
    Answer,
    Case,
    Kinds,
    all_merges,
    diagnose,
    expected,
    frozen,
)
from bpe_lab.trials.tokenizer_running import OwnTokenizer
from bpe_lab.words.special_tokens import END_OF_TEXT

CASE_SECONDS, LONG_SECONDS, SHRINK_SECONDS = 4.0, 10.0, 3.0
FIRST = ("encode", "lines", "decode")  # mistakes in odd pieces come last
MOST_ENDLESS = 3  # cases that do not end, after which no other is tried
LAZY = 65_536  # letters within which the first id must come
MOST = 1_000  # letters of a bundled text
FEW = 20  # calls that all fail, after which no other is made
MOST_WRITTEN = 400  # letters of merges in a statement
MOST_IDS = 6  # that are shown as a list

NEW, NEWER = "<|new|>", "<|two|>"
"""Special tokens that are not in the vocabulary."""

OWN = (
    Case("an empty text", "encode", ""),
    Case("line ends in a row", "encode", "a\n\n\nb"),
    Case("tokens that overlap", "encode", "but link us or her at the end"),
    Case("white space of two kinds", "encode", " \nab c d"),
    Case("a special token twice", "encode", "ab<|endoftext|><|endoftext|> ab"),
    Case("a new special token", "encode", "ab <|new|> ab", (END_OF_TEXT, NEW)),
    Case("two new special tokens", "encode", "<|new|><|two|>", (END_OF_TEXT, NEW, NEWER)),
    Case("a special token with a space", "encode", "a b<a b>a", ("<a b>",), ("<a b>",)),
    Case("a word that is special elsewhere", "encode", "end it", None, ("end",)),
    Case("contractions alone", "encode", "we'll do", None),
)
"""Cases that no text for trainers has."""

HALVES = ("é", "日本", "🙂")
"""Characters of several bytes."""

IDS = 300  # each of these is decoded alone, and of the others every fiftieth


def cases() -> Iterator[Case]:
    """Yield what each tokenizer is asked for."""
    for case in _to_encode():
        content, specials = case.content, case.specials or ()
        yield case
        ways = (how for how in HOWS if not content or len(HOWS[how](content, specials)) > 1)
        yield from (
            case._replace(how=how) for how in ways if len(content) <= LONG or how == "lines"
        )
        ids = expected((), case).result
        if max(ids, default=0) < len(case.vocab()):
            yield case._replace(how="decode", content="", ids=ids)
    yield from _to_decode()


def _to_encode() -> Iterator[Case]:
    yield from OWN
    for text in (*TEXTS, *merging_texts()):
        if not text.is_open and len(text.content) <= LONG:
            content, given = text.content.decode(), text.special_tokens
            for specials in [given] if given else [None, ()]:
                yield Case(text.name, "encode", content, specials, given or (END_OF_TEXT,))
    for name in ("languages", "stories"):
        yield Case(name, "encode", corpora.path(name).read_text(encoding="utf-8")[:MOST])


def _to_decode() -> Iterator[Case]:
    case = Case("single ids", "decode")
    for id in (*range(IDS), *range(IDS, len(case.vocab()), 50)):
        yield case._replace(ids=(id,))
    for character in HALVES:
        ids = tuple(case.vocab().index(bytes([byte])) for byte in character.encode())
        for what, some in ("half of", ids[:-1]), ("backwards", ids[::-1]), ("byte by byte", ids):
            yield case._replace(name=f"{what} {character}", ids=some)


class TokenizerTrial:
    """One tokenizer on all cases.

    :param own: it.
    :param on_part: called with each paragraph as soon as it is found.
    :param progress: show a bar.
    """

    def __init__(
        self, own: OwnTokenizer, on_part: Callable[[str], object], progress: bool = False
    ) -> None:
        self.own, self.on_part, self.progress = own, on_part, progress
        self.answers: dict[Case, Answer] = {}
        self.failures: dict[Case, str] = {}
        self.changed: dict[Case, list[str]] = {}
        self.late: set[Case] = set()  # long texts for which it may only be slow
        self.grows = False
        self.n_endless = self.n_untried = 0
        self.found: Kinds = ()
        self.mistakes: list[Mistake] = []
        self.remarks: list[str] = []
        self.parts: list[str] = []

    def say(self, part: str) -> None:
        self.parts.append(part)
        self.on_part(part)

    def run(self) -> None:
        """Find out what it makes of all cases, and say what is wrong."""
        asked = [case for case in cases() if case.call in self.own.methods]
        with Bar(self.progress, f"try {self.own.name}", len(asked), " calls") as bar:
            for case in asked:
                bar.update()
                if self.n_endless < MOST_ENDLESS:
                    answer = self.ask(case)
                    if case not in self.late:
                        self.answers[case] = answer
                    self.refuse_what_never_works()
                else:
                    self.n_untried += 1
        if not self.depends_on_what_was_before():
            self.judge()
        if "encode_iterable" in self.own.methods:
            self.look_whether_it_is_lazy()
        else:
            self.remarks.append("It has no `encode_iterable`, which CS336 asks for.")
        if self.late:
            call = next(iter(self.late))
            self.remarks.append(f"Given {MOST:,} letters of {call.name}, it {self.failures[call]}.")
        if self.grows:
            self.remarks.append("It adds to the vocabulary that it was given.")
        if self.n_untried:
            self.remarks.append(f"{count_of(self.n_untried, 'call')} were not tried.")
        if not self.mistakes:
            calls = f"{len(self.answers)} calls of {', '.join(map(as_code, self._tried()))}"
            self.say(f"**{named(self.own.name)} is right** in {calls}.")

    def _tried(self) -> list[str]:
        return list(dict.fromkeys(case.call for case in self.answers))

    def ask(self, case: Case) -> Answer:
        """Return what it makes of a case."""
        is_long = len(case.content) > LONG
        seconds = LONG_SECONDS if is_long else CASE_SECONDS
        try:
            answer = self.own.call(case.call, case.argument, case, seconds)
        except ChildError as error:
            self.failures[case] = how_it_failed(error, seconds)
            if isinstance(error, ChildTimeout):
                self.n_endless += 1
                self.late.update([case] * is_long)
            return Answer(failed=True)
        if answer["specials"] != (None if case.specials is None else [*case.specials]):
            self.changed[case] = answer["specials"]
        self.grows = self.grows or answer["grown"]
        return Answer(frozen(answer["result"]))

    def refuse_what_never_works(self) -> None:
        """Refuse a tokenizer that fails in the same way with all of the first texts."""
        failed = [self.failures.get(case) for case in self.answers if case.content]
        if len(failed) == FEW and len({*failed}) == 1 and failed[0] is not None:
            raise CannotRunError(f"{self.own.name} {failed[0]}")

    def depends_on_what_was_before(self) -> bool:
        """Tell a mistake, and return True, if in a fresh process an answer is another one."""
        wrong = [case for case, answer in self.answers.items() if answer != expected((), case)]
        if not wrong:
            return False
        case = min(wrong, key=order)
        self.own.child.restart()
        answer = self.ask(case)
        if answer == self.answers[case] or answer.failed:
            return False
        sentence = (
            "What a call returns depends on the calls before it: something is kept in the class, "
            "in the module, or in a default argument, or the order of a set decides. The other "
            "mistakes come once it is repaired."
        )
        shown = f"Among other calls it {self.returned(case)}; in a fresh process it returns "
        shown += f"{as_code(repr(_listed(answer.result)))}."
        names = list(dict.fromkeys(each.name for each in wrong))
        self.tell(
            Mistake("From call to call", "keeps", sentence, shown, self.code(case), case, names)
        )
        return True

    def returned(self, case: Case) -> str:
        answer = self.answers[case]
        said = f"returns {as_code(repr(_listed(answer.result)))}"
        return self.failures[case] if answer.failed else said

    def judge(self) -> None:
        """Say which mistakes it makes: those of whole texts first, of odd pieces last."""
        # An error of the same line is the same mistake, in pieces as in the whole text.
        failed = {self.failures.get(case) for case in self.answers if case.how == "encode"} - {None}
        for case in [case for case in self.answers if case.how in HOWS]:
            if self.failures.get(case) in failed:
                del self.answers[case]
        self.found, left = diagnose(self.answers)
        left += self.of_other_failures(left)
        explained = [(kind, self.explained_by(kind)) for kind in self.found]
        mistakes = [self.known_mistake(kind, cases) for kind, cases in explained if cases]
        # What goes wrong in pieces of a text that shows a known mistake is no other one.
        shown = {case.content for case in self.answers if self.shows_a_known_one(case)}
        left = [case for case in left if case.how not in HOWS or case.content not in shown]
        # Nor is what goes wrong in the whole text in the same way.
        whole = {case: self.answers.get(case._replace(how="encode")) for case in left}
        left = [case for case in left if case.how not in HOWS or whole[case] != self.answers[case]]
        new = [case for case in left if NEW in (case.specials or ())]
        if new and new == left:  # in whatever way it goes wrong
            mistakes.append(self.new_one(new))
            left = []
        for _, group in groupby(sorted(left, key=self.way), key=self.way):
            mistakes.append(self.unknown_mistake([*group]))
        if self.changed:
            mistakes.append(self.changed_list())
        for _, mistake in sorted(mistakes, key=lambda mistake: mistake[0]):
            self.tell(mistake)

    def of_other_failures(self, left: Sequence[Case]) -> list[Case]:
        """Take back mistakes that explain nothing but a failure which others show, too."""
        others, taken = (
            {self.failures[case] for case in left if case in self.failures},
            list[Case](),
        )
        for kind in self.found:
            cases = self.explained_by(kind)
            if cases and all(self.failures.get(case) in others for case in cases):
                self.found, taken = self.without(kind), taken + cases
        return taken

    def shows_a_known_one(self, case: Case) -> bool:
        return expected((), case) != self.answers[case] == expected(self.found, case)

    def tell(self, mistake: Mistake) -> None:
        if not self.mistakes:
            right = sum(answer == expected((), case) for case, answer in self.answers.items())
            return_it = f"{len(self.answers)} calls return what they should."
            begin = f"**{named(self.own.name)} is not right"
            if right == len(self.answers):
                self.say(f"{begin}**, though its {return_it}")
            else:
                self.say(f"{begin}.** {right} of {return_it}")
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def way(self, case: Case) -> str:
        """Return what cases have in common that show the same mistake of no known kind."""
        return self.failures.get(case, "") or case.call

    def without(self, kind: type[Rules]) -> Kinds:
        return tuple(other for other in self.found if other is not kind)

    def explained_by(self, kind: type[Rules]) -> list[Case]:
        """Return the cases that a mistake explains, and the others that were found do not."""
        return [
            case
            for case, answer in self.answers.items()
            if expected(self.found, case) == answer != expected(self.without(kind), case)
        ]

    def known_mistake(self, kind: type[Rules], cases: Sequence[Case]) -> "Ordered":
        def shows_alone(case: Case) -> bool:
            return expected((), case) != expected((kind,), case) == expected(self.found, case)

        def shows(case: Case) -> bool:
            others = expected(self.without(kind), case), expected((), case)
            return expected(self.found, case) not in others

        condition = shows_alone if any(map(shows_alone, cases)) else shows

        def look(case: Case) -> Answer | None:
            if not condition(case):
                return None
            answer = self.ask(case)
            return answer if answer == expected(self.found, case) else None

        case, answer = self.smallest(filter(condition, cases), look)
        its = "" if kind.says[0].isupper() else "Your ids are those of a tokenizer "
        its = its.replace("ids are", "texts are") if case.how == "decode" else its
        sentence = f"{its}{kind.says}."
        if case.how in HOWS and not any(case.how == "lines" for case in cases):
            sentence += " Over the lines of a file its ids are right."
        return self.mistake(kind.title, kind.__name__, sentence, case, answer, cases)

    def unknown_mistake(self, cases: Sequence[Case]) -> "Ordered":
        way = self.way(cases[0])

        def look(case: Case) -> Answer | None:
            answer = self.ask(case)
            known = answer in (expected((), case), expected(self.found, case))
            return None if known or self.way(case) != way else answer

        case, answer = self.smallest(cases, look)
        title = "An error" if answer.failed else f"What `{case.call}` returns"
        sentence = "It is none of the mistakes that the lab knows."
        return self.mistake(title, None, sentence, case, answer, cases)

    def new_one(self, cases: Sequence[Case]) -> "Ordered":
        kind = next(kind for kind in ALL if kind.__name__ == "NotAdded")

        def look(case: Case) -> Answer | None:
            answer = self.ask(case)
            has_one = NEW in case.content and NEW in (case.specials or ())
            return answer if has_one and answer != expected(self.found, case) else None

        case, answer = self.smallest(cases, look)
        sentence = f"It is a tokenizer {kind.says}."
        return self.mistake(kind.title, kind.__name__, sentence, case, answer, cases)

    def changed_list(self) -> "Ordered":
        case = min(self.changed, key=order)
        sentence = "It changes the list of special tokens that it was given: make one of its own."
        return self.mistake(
            "The list of special tokens", "ChangesList", sentence, case, None, [*self.changed]
        )

    def mistake(
        self,
        title: str,
        kind: str | None,
        sentence: str,
        case: Case,
        answer: Answer | None,
        cases: Sequence[Case],
    ) -> "Ordered":
        """Return a mistake with what orders it."""
        shown = self.difference(case, answer)
        names = list(dict.fromkeys(each.name for each in cases))
        mistake = Mistake(title, kind, sentence, shown, self.code(case), case, names)
        return (order(case)[1], -len(cases)), mistake

    def smallest(
        self, cases: "filter[Case] | Sequence[Case]", look: Callable[[Case], Answer | None]
    ) -> tuple[Case, Answer]:
        """Return a small case that shows a mistake, and what is made of it."""
        case = min(cases, key=order)

        def look_at(smaller: Case) -> Answer | None:
            if case.how != "decode" and not _can_be_made(smaller.merges()):
                return None
            answer = look(smaller)
            return None if answer == expected((), smaller) else answer

        best = Smallest(case, self.answers[case], look_at, SHRINK_SECONDS)

        def fewer_specials(specials: tuple[str, ...]) -> bool:
            # What is given is in the vocabulary, if it was.
            known = tuple(token for token in case.known if token in specials)
            return best.change(specials=specials, known=known)

        def step() -> None:
            if case.how == "decode":
                best.fewer("ids")
                best.change(**_with_few_merges(best.case))
                return
            fewest(best.case.specials or (), fewer_specials)
            fewest(best.case.ranks or (), lambda ranks: best.change(ranks=ranks))
            best.fewer_letters("content")

        if case.how != "decode":
            text = case.content.encode()
            ranks = (rank for rank, pair in enumerate(all_merges()) if b"".join(pair) in text)
            best.change(ranks=tuple(ranks))
        if not case.specials and case.how != "decode":
            best.change(known=())
        best.repeat(step)
        return best.case, best.found

    def code(self, case: Case) -> list[str]:
        """Return statements that show it."""
        first = "".join(f"{token.encode()!r}, " for token in case.known)
        lines = [f"tokens = [{first}*(bytes([byte]) for byte in range(256))]"]
        if not case.known:
            lines = ["tokens = [bytes([byte]) for byte in range(256)]"]
        merges = case.merges()
        given = "merges" if merges else "[]"
        if merges:
            written = repr(merges)
            if len(written) > MOST_WRITTEN:
                lines.insert(0, "from bpe_lab.trials.tokenizer_kinds import all_merges")
                written = "all_merges()"
            lines.append(f"merges = {written}")
            lines.append("tokens += [left + right for left, right in merges]")
        specials = "" if case.specials is None else f", {[*case.specials]!r}"
        lines.append(f"own = {self.own.name}(dict(enumerate(tokens)), {given}{specials})")
        call = f"own.{case.call}({case.argument!r})"
        return [*lines, f"[*{call}]" if case.how in HOWS else call]

    def difference(self, case: Case, answer: Answer | None) -> str:
        """Say what is made of a case, and what is right."""
        name, right = named(self.own.name), expected((), case).result
        if answer is None:
            was, now = [*(case.specials or ())], self.changed[case]
            return f"{as_code(repr(was))} becomes {as_code(repr(now))}."
        if answer.failed:
            return f"{name} {self.failures[case]}."
        made = answer.result
        if not isinstance(right, tuple) or not isinstance(made, tuple):
            due, its = (as_code(repr(_listed(each))) for each in (right, made))
            return f"It must return {due}; {name} returns {its}."
        tokens = case.vocab()
        tokens = tokens + [
            token.encode() for token in case.specials or () if token.encode() not in tokens
        ]

        def shown(ids: Sequence[Any]) -> str:
            return ", ".join(_shown(id, tokens) for id in ids) or "none"

        if max(len(right), len(made)) <= MOST_IDS:
            return f"It must give {shown(right)}; {name} gives {shown(made)}."
        rank, right_id, its_id = first_difference(right, made) or (0, None, None)
        return f"Id {rank + 1} must be {shown([right_id])}; {name} gives {shown([its_id])}."

    def look_whether_it_is_lazy(self) -> None:
        """Find out how much is asked for before the first id, with special tokens and without."""
        text = corpora.excerpt("stories", 2 * LAZY).read_text(encoding="utf-8")
        for specials in ((END_OF_TEXT,), None):
            case = Case("stories", "lines", text, specials)
            try:
                first = self.own.call("first", case.argument, case, LONG_SECONDS)["result"]
            except ChildError as error:
                failed = how_it_failed(error, LONG_SECONDS)
                self.remarks.append(f"Before the first id of {len(text):,} letters, it {failed}.")
                return
            if first > LAZY:
                self.tell(self.reads_all(case, first))
                return

    def reads_all(self, case: Case, first: int) -> Mistake:
        where = "" if case.specials else " where no special tokens are given"
        sentence = (
            f"`encode_iterable` reads everything before it gives the first id{where}, and a large "
            "file is not to be in memory: yield the ids of what was read, and read on."
        )
        shown = f"It asked for {first:,} of {len(case.content):,} letters first."
        call = [
            *self.code(case._replace(content="", specials=None, known=(), ranks=()))[:-1],
            'pieces = iter(["a piece\\n"] * 100_000)',
            "next(iter(own.encode_iterable(pieces)))",
            "len([*pieces])  # that are left",
        ]
        return Mistake("Reads all", "ReadsAll", sentence, shown, call, case, [case.name])


def _can_be_made(merges: Sequence[Merge]) -> bool:
    """Whether each merge joins bytes and tokens that others make."""
    made = {b"".join(pair) for pair in merges}
    return all(len(side) == 1 or side in made for pair in merges for side in pair)


def _with_few_merges(case: Case) -> dict[str, tuple[int, ...]]:
    """Return ids to decode with the merges that they need only."""
    tokens, ranks = case.vocab(), {b"".join(pair): rank for rank, pair in enumerate(all_merges())}
    if max(case.ids, default=0) >= len(tokens):
        return {}
    needed, left = set[int](), [tokens[id] for id in case.ids]
    while left:
        rank = ranks.get(left.pop())
        if rank is not None and rank not in needed:
            needed.add(rank)
            left += all_merges()[rank]
    few = case._replace(ranks=tuple(sorted(needed)))
    assert few.ranks is not None
    return {"ranks": few.ranks, "ids": tuple(few.vocab().index(tokens[id]) for id in case.ids)}


Ordered = tuple[tuple[int, int], Mistake]


def _listed(result: Any) -> Any:
    if isinstance(result, dict):  # of the program: what is no id
        return f"an object of type {result['type']}"
    return [*result] if isinstance(result, tuple) else result


def _shown(id: Any, tokens: Sequence[bytes]) -> str:
    if isinstance(id, int) and 0 <= id < len(tokens):
        return f"{id} {as_code(repr(tokens[id]))}"
    if isinstance(id, int):
        return f"{id}, a new id"
    return "none" if id is None else as_code(repr([*id] if isinstance(id, tuple) else id))


def order(case: Case) -> tuple[bool, int, int, int]:
    """Return what orders cases by how well they show something: whole texts, lines, odd pieces."""
    odd = any(not letter.isprintable() and letter not in "\r\n\t" for letter in case.content)
    how = FIRST.index(case.how) if case.how in FIRST else len(FIRST)
    return odd, how, len(case.content), len(case.ids)
