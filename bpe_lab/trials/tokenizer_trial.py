"""One tokenizer on all cases: what it makes of each, which mistakes explain it, what is left open."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from time import perf_counter
from typing import Any

from bpe_lab import corpora
from bpe_lab.bench.child import ChildError, ChildTimeout
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import as_code, named
from bpe_lab.trials.counter_example import fewest, first_difference
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.report import Mistake
from bpe_lab.trials.running import how_it_failed
from bpe_lab.trials.texts import TEXTS, Text, merging_texts
from bpe_lab.trials.tokenizer_kinds import (
    ALL,
    HOWS,
    LONG,
    Answer,
    Case,
    Encoding,
    Kinds,
    all_merges,
    diagnose,
    expected,
)
from bpe_lab.words.special_tokens import END_OF_TEXT

CASE_SECONDS, SHRINK_SECONDS = 4.0, 1.5
MOST_ENDLESS = 3

LAZY = 65_536  # letters within which the first id must come
MOST = 4_000  # bytes of bundled texts
MOST_IDS = 8  # that are shown as a list

NEW = "<|new|>"

OWN_TEXTS = (
    Text("an empty text", "a text may be empty", 7, b"", ()),
    Text("line ends in a row", "white space over line ends is one word", 3, b"a\n\n\nb\r\n\r\nc"),
    Text("a special token twice", "nothing stands between two", 2, b"ab <|new|><|new|> ab",
         (END_OF_TEXT, NEW)),
    Text("a new special token", "it gets the next id", 2, b"ab <|new|> ab", (END_OF_TEXT, NEW)),
)  # fmt: skip

HALVES = ("é", "日本", "🙂", "a\u0301")
"""Characters of several tokens."""


def cases() -> Iterator[Case]:
    """Yield what each tokenizer is asked for."""
    texts = [text for text in (*OWN_TEXTS, *TEXTS, *merging_texts()) if not text.is_open]
    texts += [Text(name, f"{name} of the lab", 5, corpora.path(name).read_bytes()[:MOST].decode(errors="ignore").encode()) for name in ("languages", "stories")]
    for text in texts:
        known = tuple(token for token in text.special_tokens if token != NEW) or (END_OF_TEXT,)
        content = text.content.decode()
        for specials in [text.special_tokens] if text.special_tokens else [None, ()]:
            for how in ("encode", *HOWS):
                if how == "encode" or len(HOWS[how](content, specials or ())) > 1 or not content:
                    if how == "encode" or len(content) <= LONG:
                        yield Case(text, how, known, specials)
            case = Case(text, "decode", known, specials)
            yield case._replace(ids=expected((), case._replace(how="encode")).result)
    yield from _decoded()


def _decoded() -> Iterator[Case]:
    empty = Text("ids", "ids may be any", 1, b"", (END_OF_TEXT,))
    case = Case(empty, "decode", (END_OF_TEXT,), (END_OF_TEXT,))
    n_ids = len(case.vocab())
    for id in range(0, n_ids, 1):
        if id < 300 or id % 16 == 0:
            yield case._replace(ids=(id,), text=empty._replace(name=f"the id {id}"))
    for character in HALVES:
        ids = tuple(1 + byte for byte in character.encode())
        text = empty._replace(name=f"half of {character}")
        yield case._replace(ids=ids[:-1], text=text)
        yield case._replace(ids=ids[::-1], text=text._replace(name=f"{character} from its end"))
        yield case._replace(ids=ids, text=text._replace(name=f"{character} byte by byte"))


class TokenizerTrial:
    """One tokenizer on all cases.

    :param own: it.
    :param on_part: called with each paragraph as soon as it is found.
    """

    def __init__(self, own: Any, on_part: Callable[[str], object]) -> None:
        self.own, self.on_part = own, on_part
        self.answers: dict[Case, Answer] = {}
        self.failures: dict[Case, str] = {}
        self.changed: dict[Case, list[str]] = {}
        self.mistakes: list[Mistake] = []
        self.remarks: list[str] = []
        self.parts: list[str] = []

    def say(self, part: str) -> None:
        self.parts.append(part)
        self.on_part(part)

    def ask(self, case: Case) -> Answer:
        """Return what it makes of a case."""
        call = case.how if case.how in ("encode", "decode") else "encode_iterable"
        argument: Any = case.text.content.decode()
        if call != "encode":
            argument = case.ids if call == "decode" else case.pieces
        try:
            specials = None if case.specials is None else [*case.specials]
            given = {"known": case.known, "specials": specials, "ranks": case.ranks}
            found = self.own.call(call, CASE_SECONDS, argument=argument, **given)
        except ChildError as error:
            self.failures[case] = how_it_failed(error, CASE_SECONDS)
            self.own.n_endless += isinstance(error, ChildTimeout)
            return Answer(failed=True)
        if found["specials"] != specials:
            self.changed[case] = found["specials"]
        result = found["result"]
        return Answer(_frozen(result))

    def run(self) -> None:
        for case in cases():
            if case.how in HOWS and "encode_iterable" not in self.own.methods:
                continue
            if self.own.n_endless < MOST_ENDLESS:
                self.answers[case] = self.ask(case)
        self.judge()
        if "encode_iterable" in self.own.methods:
            self.look_whether_it_is_lazy()
        else:
            self.remarks.append("It has no `encode_iterable`, which CS336 asks for.")

    def judge(self) -> None:
        found, left = diagnose(self.answers)
        self.found = found
        shown = [(kind, self.explained_by(kind)) for kind in found]
        mistakes = [self.known_mistake(kind, texts) for kind, texts in shown if texts]
        for _, group in groupby(sorted(left, key=self.way), key=self.way):
            mistakes.append(self.unknown_mistake([*group]))
        if self.changed:
            mistakes.append(self.changed_list())
        for mistake in mistakes:
            self.tell(mistake)

    def tell(self, mistake: Mistake) -> None:
        if not self.mistakes:
            right = sum(answer == expected((), case) for case, answer in self.answers.items())
            self.say(
                f"**{named(self.own.name)} is not right.** Of {len(self.answers)} calls {right} "
                "return what they should."
            )
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def way(self, case: Case) -> str:
        """Return what two cases have in common that show the same unknown mistake."""
        return self.failures.get(case, "") or ("pieces" if case.how in HOWS else case.how)

    def explained_by(self, kind: type[Rules]) -> list[Case]:
        others = self.without(kind)
        return [
            case
            for case, answer in self.answers.items()
            if expected(self.found, case) == answer != expected(others, case)
        ]

    def without(self, kind: type[Rules]) -> Kinds:
        return tuple(other for other in self.found if other is not kind)

    def known_mistake(self, kind: type[Rules], texts: Sequence[Case]) -> Mistake:
        def alone(case: Case) -> bool:
            return expected((kind,), case) == expected(self.found, case) != expected((), case)

        def differs(case: Case) -> bool:
            return expected(self.found, case) not in (
                expected(self.without(kind), case),
                expected((), case),
            )

        shows = alone if any(map(alone, texts)) else differs
        case = min(filter(shows, texts), key=_size, default=texts[0])
        case, answer = self.smallest(
            case, lambda case, answer: answer == expected(self.found, case), shows
        )
        its = "" if kind.says[0].isupper() else "Your ids are those of a tokenizer "
        if case.how == "decode" and its:
            its = "Your texts are those of a tokenizer "
        return self.mistake(kind.title, kind.__name__, f"{its}{kind.says}.", case, answer, texts)

    def unknown_mistake(self, texts: Sequence[Case]) -> Mistake:
        case, way = min(texts, key=_size), self.way(min(texts, key=_size))

        def shows(case: Case, answer: Answer) -> bool:
            known = (expected((), case), expected(self.found, case))
            return answer not in known and self.way(case) == way

        case, answer = self.smallest(case, shows)
        sentence = "It is none of the mistakes that the lab knows."
        title = "An error" if answer.failed else f"What `{_call(case)}` returns"
        return self.mistake(title, None, sentence, case, answer, texts)

    def changed_list(self) -> Mistake:
        case = min(self.changed, key=_size)
        sentence = "It changes the list of special tokens that it was given: make one of its own."
        mistake = self.mistake("The list of special tokens", "ChangesList", sentence, case, None, [*self.changed])
        return mistake

    def mistake(
        self, title: str, kind: str | None, sentence: str, case: Case, answer: Answer | None,
        texts: Sequence[Case],
    ) -> Mistake:
        names = dict.fromkeys(
            f"{each.text.name} ({each.how})" if each.how in HOWS else each.text.name
            for each in texts
        )
        shown = self.difference(case, answer) if answer else self.list_after(case)
        return Mistake(title, kind, sentence, shown, self.code(case), case.text, [*names])

    def list_after(self, case: Case) -> str:
        return f"Given {as_code(repr([*(case.specials or ())]))}, it leaves {as_code(repr(self.changed[case]))}."

    def smallest(
        self,
        case: Case,
        shows: Callable[[Case, Answer], bool],
        may_show: Callable[[Case], bool] = lambda case: True,
    ) -> tuple[Case, Answer]:
        """Return a small case that shows a mistake, and what is made of it."""
        best, end = (case, self.answers[case]), perf_counter() + SHRINK_SECONDS

        def shows_with(**changes: Any) -> bool:
            nonlocal best
            smaller = best[0]._replace(**changes)
            if perf_counter() > end or not may_show(smaller):
                return False
            answer = self.ask(smaller)
            if answer == expected((), smaller) or not shows(smaller, answer):
                return False
            best = smaller, answer
            return True

        before = None
        while before != best[0]:
            before = best[0]
            fewest(before.specials or (), lambda specials: shows_with(specials=specials))
            fewest(before.known, lambda known: shows_with(known=known))
            if before.how == "decode":
                fewest(before.ids, lambda ids: shows_with(ids=ids))
            else:
                fewest(before.text.content.decode(), lambda text: shows_with(
                    text=before.text._replace(content=text.encode())))  # fmt: skip
            ranks = before.ranks
            if before.how != "decode":
                if ranks is None:
                    content = before.text.content
                    ranks = tuple(
                        rank for rank, pair in enumerate(all_merges()) if b"".join(pair) in content
                    )
                    shows_with(ranks=ranks)
                fewest(ranks, lambda ranks: shows_with(ranks=ranks))
        return best

    def code(self, case: Case) -> list[str]:
        """Return statements that show it."""
        lines = ["tokens = [bytes([byte]) for byte in range(256)]"]
        if case.known:
            first = ", ".join(f"{token.encode()!r}" for token in case.known)
            lines = [f"tokens = [{first}, *(bytes([byte]) for byte in range(256))]"]
        merges = case.merges()
        if case.how == "decode" and max(case.ids, default=0) < 257 + len(case.known):
            merges = []
        if merges:
            lines.append(f"merges = {merges!r}")
            lines.append("tokens += [left + right for left, right in merges]")
        specials = "" if case.specials is None else f", {[*case.specials]!r}"
        given = "merges" if merges else "[]"
        make = f"{self.own.name}(dict(enumerate(tokens)), {given}{specials})"
        argument: Any = case.text.content.decode()
        if case.how == "decode":
            argument = [*case.ids]
        call = f"{make}.{_call(case)}({argument!r})"
        if case.how in HOWS:
            call = f"[*{make}.encode_iterable({case.pieces!r})]"
        return [*lines, call]

    def difference(self, case: Case, answer: Answer) -> str:
        """Say what is made of a case, and what is right."""
        name, right = named(self.own.name), expected((), case)
        if answer.failed:
            return f"{name} {self.failures[case]}."
        if isinstance(answer.result, str) or case.how == "decode":
            return f"It must return {as_code(repr(right.result))}; {name} returns {as_code(repr(answer.result))}."
        its = [*answer.result]
        tokens = case.vocab()

        def shown(ids: Sequence[Any]) -> str:
            return ", ".join(self.token(id, tokens) for id in ids)

        if len(right.result) <= MOST_IDS and len(its) <= MOST_IDS:
            return f"The tokens must be {shown(right.result)}; {name} gives {shown(its) or 'none'}."
        differs = first_difference(right.result, its)
        assert differs is not None
        at, due, made = differs
        return f"Token {at + 1} must be {shown([due])}; {name} gives {shown([made])}."

    def token(self, id: Any, tokens: Sequence[bytes]) -> str:
        if isinstance(id, int) and 0 <= id < len(tokens):
            return f"{id} {as_code(repr(tokens[id]))}"
        if isinstance(id, int):
            return f"{id}, which is not in the vocabulary"
        return as_code(repr([*id] if isinstance(id, tuple) else id)) if id is not None else "none"

    def look_whether_it_is_lazy(self) -> None:
        """Find out how much is asked for before the first id."""
        path = corpora.excerpt("stories", 4 * LAZY)
        pieces = path.read_text(encoding="utf-8").splitlines(keepends=True)
        given = {"known": [END_OF_TEXT], "specials": [END_OF_TEXT]}
        try:
            found = self.own.call("encode_iterable", 30.0, argument=pieces, **given)
        except ChildError:
            return
        self.first = found["first"]
        if self.first is None or self.first > LAZY:
            sentence = """It reads all pieces before it gives the first id: yield the ids of what
            was read, and read on; of a large file all would be in memory."""
            asked = f"Of {4 * LAZY:,} letters it asked for {self.first or 0:,} first; {LAZY:,} are enough."
            call = [f"next(iter({self.own.name}(vocab, merges).encode_iterable(open(\"large.txt\"))))"]
            text = Text("stories", "lazily", 1, b"")
            self.tell(Mistake("Reads all", "ReadsAll", " ".join(sentence.split()), asked, call, text, ["stories"]))


def _call(case: Case) -> str:
    return "encode_iterable" if case.how in HOWS else case.how


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    return value if isinstance(value, (str, int)) else repr(value)


def _size(case: Case) -> tuple[bool, int, int, int]:
    """Return what orders cases by how well they show something: lines before other pieces."""
    odd = any(byte < 32 and byte not in b"\r\n\t" for byte in case.text.content)
    how = [*HOWS].index(case.how) + 1 if case.how in HOWS else 0
    return odd, how, len(case.text.content), len(case.ids)
