"""One tokenizer on all cases: what it makes of each, and which mistakes explain it."""

from collections.abc import Callable, Iterator, Sequence
from pprint import pformat
from time import perf_counter
from typing import Any

from bpe_lab import corpora
from bpe_lab.bench.child import ChildError, ChildTimeout
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.progress import Bar
from bpe_lab.trials.counter_example import first_difference
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.report import LINE, Mistake
from bpe_lab.trials.running import CannotRunError, how_it_failed
from bpe_lab.trials.smallest import Smallest, fewest, kept
from bpe_lab.trials.texts import TEXTS, merging_texts
from bpe_lab.trials.tokenizer_kinds import (
    ALL,
    HOWS,
    LONG,
    Answer,
    Case,
    Kinds,
    diagnose,
    expected,
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
MOST_GIVEN = 24  # letters of a list or a text within a statement
MOST_IDS = 6  # that are shown as a list

KEEPS = (
    "What a call returns depends on the calls before it: something is kept in the class, in the "
    "module, or in a default argument, or the order of a set decides. The other mistakes come once "
    "it is repaired."
)

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

LONG_PIECE = Case("a long piece", "one piece", "abcd" + "ab\n\n\n\n\n" * 1_500 + " b" + "a" * 1_500)
"""A tokenizer may cut what it holds at some thousands of letters, or a word."""

HALVES = ("é", "日本", "🙂")
"""Characters of several bytes."""

IDS = 300  # each of these is decoded alone, and of the others every fiftieth


def cases() -> Iterator[Case]:
    """Yield what each tokenizer is asked for."""
    for case in _to_encode():
        content, specials = case.content, case.specials or ()
        yield case
        for how in HOWS if len(content) <= LONG else ["lines"]:
            if how == "one piece" or not content or len(HOWS[how](content, specials)) > 1:
                yield case._replace(how=how)
        ids, tokens = expected((), case).result, case.vocabulary.tokens
        if max(ids, default=0) < len(tokens):
            yield case._replace(how="decode", content="", tokens=tuple(tokens[id] for id in ids))
    yield from _to_decode()
    yield LONG_PIECE


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
    tokens = case.vocabulary.tokens
    for token in (*tokens[:IDS], *tokens[IDS::50]):
        yield case._replace(tokens=(token,))
    for character in HALVES:
        parts = tuple(bytes([byte]) for byte in character.encode())
        for what, some in (
            ("half of", parts[:-1]),
            ("backwards", parts[::-1]),
            ("byte by byte", parts),
        ):
            yield case._replace(name=f"{what} {character}", tokens=some)


def is_new(case: Case) -> bool:
    """Whether a special token is given that is not in the vocabulary."""
    return NEW in (case.specials or ())


class TokenizerTrial:
    """One tokenizer on all cases.

    :param own: it.
    :param seconds: for all calls.
    :param on_part: called with each paragraph as soon as it is found.
    :param progress: show a bar.
    """

    def __init__(
        self,
        own: OwnTokenizer,
        seconds: float,
        on_part: Callable[[str], object],
        progress: bool = False,
    ) -> None:
        self.own, self.seconds, self.on_part, self.progress = own, seconds, on_part, progress
        self.answers: dict[Case, Answer] = {}
        self.late: dict[Case, str] = {}  # long texts for which it may only be slow
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
        self.ask_all([case for case in cases() if case.call in self.own.methods])
        if not self.depends_on_what_was_before():
            self.judge()
        if "encode_iterable" in self.own.methods:
            self.look_whether_it_is_lazy()
        else:
            self.remarks.append("It has no `encode_iterable`, which CS336 asks for.")
        for case, said in [*self.late.items()][:1]:
            self.remarks.append(f"Given {len(case.content):,} letters of {case.name}, it {said}.")
        if self.n_untried and self.mistakes:
            self.remarks.append(f"{count_of(self.n_untried, 'call')} were not made.")
        if not self.mistakes:
            self.say(self.headline())
        if self.remarks:
            self.say("**Left open.** " + " ".join(self.remarks))

    def headline(self) -> str:
        """Say that it is right, in which calls."""
        name, n_calls = named(self.own.name), len(self.answers)
        if self.n_untried:
            which = f"**{n_calls} of {n_calls + self.n_untried} calls were made**"
            return f"{which}, and {name} is right in them: `--seconds 300` gives it longer."
        tried = dict.fromkeys(as_code(case.call) for case in self.answers)
        return f"**{name} is right** in {n_calls} calls of {', '.join(tried)}."

    # What it makes

    def ask_all(self, asked: Sequence[Case]) -> None:
        end = perf_counter() + self.seconds
        with Bar(self.progress, f"try {self.own.name}", len(asked), " calls") as bar:
            for case in asked:
                bar.update()
                if self.n_endless >= MOST_ENDLESS or perf_counter() > end:
                    self.n_untried += 1
                    continue
                answer = self.ask(case)
                if case not in self.late:
                    self.answers[case] = answer
                self.refuse_what_never_works()

    def ask(self, case: Case) -> Answer:
        """Return what it makes of a case."""
        is_long = len(case.content) > LONG
        seconds = LONG_SECONDS if is_long else CASE_SECONDS
        try:
            answer = self.own.call(case.call, case.argument, case, seconds)
        except ChildError as error:
            said = how_it_failed(error, seconds)
            if isinstance(error, ChildTimeout):
                self.n_endless += 1
                self.late |= {case: said} if is_long else {}
            return Answer(failed=True, said=said)
        given, after = case.specials, answer["specials"]
        changed = None if given is None or [*given] == after else after
        return Answer(answer["result"], changed=changed)

    def refuse_what_never_works(self) -> None:
        """Refuse a tokenizer that fails in the same way with all of the first texts."""
        said = [answer.said for case, answer in self.answers.items() if case.content]
        if len(said) == FEW and said[0] and len({*said}) == 1:
            raise CannotRunError(f"{self.own.name} {said[0]}")

    # Which mistakes explain it

    def wrong(self) -> list[Case]:
        return [case for case, answer in self.answers.items() if answer != expected((), case)]

    def depends_on_what_was_before(self) -> bool:
        """Tell a mistake, and return True, if in a fresh process an answer is another one."""
        wrong = self.wrong()
        if not wrong:
            return False
        case = min(wrong, key=order)
        self.own.child.restart()
        before, answer = self.answers[case], self.ask(case)
        if answer == before or answer.failed:
            return False
        among = before.said or f"returns {_written(before.result)}"
        fresh = f"in a fresh process it returns {_written(answer.result)}"
        shown = f"Among other calls it {among}; {fresh}."
        code = self.code(case)
        self.tell(Mistake("From call to call", "keeps", KEEPS, shown, code, case, _names(wrong)))
        return True

    def judge(self) -> None:
        """Say which mistakes it makes: those of whole texts first, of odd pieces last."""
        self.found, left = diagnose(self.without_repeated())
        explained = [(kind, self.explained_by(kind)) for kind in self.found]
        mistakes = [self.known_mistake(kind, cases) for kind, cases in explained if cases]
        # What goes wrong in pieces of a text that shows a known mistake is no other one.
        shown = {case.content for case in self.wrong() if self.is_explained(self.found, case)}
        left = [case for case in left if case.how not in HOWS or case.content not in shown]
        are_new = all(map(is_new, left))
        groups = dict[str, list[Case]]()
        for case in left:
            groups.setdefault("" if are_new else self.way(case), []).append(case)
        mistakes += [self.unknown_mistake(cases, are_new) for cases in groups.values()]
        if changed := [case for case, made in self.answers.items() if made.changed is not None]:
            mistakes.append(self.changed_list(changed))
        for mistake in sorted(mistakes, key=lambda each: (order(each.text)[1], -len(each.names))):
            self.tell(mistake)

    def without_repeated(self) -> dict[Case, Answer]:
        """Return what it made, without pieces of texts that go wrong as whole texts do: by the
        same ids, or with an error of the same line."""

        def what(case: Case) -> str:
            answer = self.answers[case]
            return answer.said or f"{case.content!r} {answer.result}"

        wrong = self.wrong()
        whole = {what(case) for case in wrong if case.how == "encode"}
        repeated = {case for case in wrong if case.how in HOWS and what(case) in whole}
        return {case: answer for case, answer in self.answers.items() if case not in repeated}

    def is_explained(self, kinds: Kinds, case: Case) -> bool:
        return self.answers[case] == expected(kinds, case)

    def way(self, case: Case) -> str:
        """Return what cases have in common that show the same mistake of no known kind."""
        return self.answers[case].said or case.call

    def without(self, kind: type[Rules]) -> Kinds:
        return tuple(other for other in self.found if other is not kind)

    def explained_by(self, kind: type[Rules]) -> list[Case]:
        """Return the cases that a mistake explains, and the others that were found do not."""
        others = self.without(kind)
        explained = (case for case in self.answers if self.is_explained(self.found, case))
        return [case for case in explained if not self.is_explained(others, case)]

    def tell(self, mistake: Mistake) -> None:
        if not self.mistakes:
            right = len(self.answers) - len(self.wrong())
            calls = f"{right} of {len(self.answers)} calls return what they should."
            self.say(f"**{named(self.own.name)} is not right.** {calls}")
        self.mistakes.append(mistake)
        self.say(mistake.paragraph())

    def known_mistake(self, kind: type[Rules], cases: Sequence[Case]) -> Mistake:
        others = self.without(kind)

        def shows_alone(case: Case) -> bool:
            return expected((), case) != expected((kind,), case) == expected(self.found, case)

        def shows(case: Case) -> bool:
            return expected(self.found, case) not in (expected(others, case), expected((), case))

        may_show = shows_alone if any(map(shows_alone, cases)) else shows
        case, answer = self.smallest(
            [*filter(may_show, cases)],
            lambda case, answer: answer == expected(self.found, case),
            may_show,
        )
        its = "" if kind.says[0].isupper() else "Your ids are those of a tokenizer "
        its = its.replace("ids are", "texts are") if case.how == "decode" else its
        sentence = f"{its}{kind.says}."
        if case.how in HOWS and not any(case.how == "lines" for case in cases):
            sentence += " Over the lines of a file its ids are right."
        return Mistake(kind.title, kind.__name__, sentence, *self.evidence(case, answer, cases))

    def unknown_mistake(self, cases: Sequence[Case], are_new: bool) -> Mistake:
        """Return a mistake of no known kind; of new special tokens it is one in whatever way."""
        way = self.way(cases[0])

        def is_it(case: Case, answer: Answer) -> bool:
            known = answer in (expected((), case), expected(self.found, case))
            return not known and (are_new or (answer.said or case.call) == way)

        def may_show(case: Case) -> bool:
            return not are_new or (NEW in case.content and is_new(case))

        case, answer = self.smallest(cases, is_it, may_show)
        evidence = self.evidence(case, answer, cases)
        if are_new:
            kind = next(kind for kind in ALL if kind.__name__ == "NotAdded")
            return Mistake(kind.title, "NotAdded", f"It is a tokenizer {kind.says}.", *evidence)
        title = "An error" if answer.failed else f"What `{case.call}` returns"
        return Mistake(title, None, "It is none of the mistakes that the lab knows.", *evidence)

    def changed_list(self, cases: Sequence[Case]) -> Mistake:
        case, answer = self.smallest(cases, lambda _, answer: answer.changed is not None)
        sentence = "It changes the list of special tokens that it was given: make one of its own."
        shown = f"`given` becomes {as_code(repr(answer.changed))}."
        code = [*self.code(case, shows_given=True), "given"]
        title, names = "The list of special tokens", _names(cases)
        return Mistake(title, "ChangesList", sentence, shown, code, case, names)

    def evidence(
        self, case: Case, answer: Answer, cases: Sequence[Case]
    ) -> tuple[str, list[str], Case, list[str]]:
        """Return what a `Mistake` has after its sentence."""
        return self.difference(case, answer), self.code(case), case, _names(cases)

    def smallest(
        self,
        cases: Sequence[Case],
        is_it: Callable[[Case, Answer], bool],
        may_show: Callable[[Case], bool] = lambda case: True,
    ) -> tuple[Case, Answer]:
        """Return a small case that shows a mistake, and what is made of it.

        :param may_show: is asked first: it does not run the tokenizer.
        """

        def look(smaller: Case) -> Answer | None:
            if not (smaller.vocabulary.ids.keys() >= {*smaller.tokens} and may_show(smaller)):
                return None
            answer = self.ask(smaller)
            return answer if is_it(smaller, answer) else None

        case = min(cases, key=order)
        best = Smallest(case, self.answers[case], look, SHRINK_SECONDS)

        def fewer_specials(specials: tuple[str, ...]) -> bool:
            # What is given is in the vocabulary, if it was.
            known = tuple(token for token in case.known if token in specials)
            return best.change(specials=specials, known=known)

        def step() -> None:
            fewest(best.case.specials or (), fewer_specials)
            best.fewer("tokens")
            if best.case.merged:
                best.fewer("merged")
            best.fewer_letters("content")

        best.change(merged=case.content.encode() + b"".join(case.tokens))
        if not case.specials:
            best.change(known=())
        best.repeat(step)
        return best.case, best.found

    # What is said of it

    def code(self, case: Case, shows_given: bool = False) -> list[str]:
        """Return statements that show it, in lines that fit a report."""
        known, merges = [token.encode() for token in case.known], [*case.vocabulary.merges]
        lines = _assigned("tokens", known) if known else []
        lines.append(f"tokens {'+=' if known else '='} [bytes([byte]) for byte in range(256)]")
        if len(repr(merges)) > MOST_WRITTEN:
            lines.insert(0, "from bpe_lab.trials.tokenizer_kinds import all_merges")
            lines.append("merges = all_merges()")
        elif merges:
            lines += _assigned("merges", merges)
        if merges:
            lines.append("tokens += [left + right for left, right in merges]")
        given, argument = repr([*(case.specials or ())]), repr(case.argument)
        if shows_given or len(given) > MOST_GIVEN:
            lines += _assigned("given", [*(case.specials or ())])
            given = "given"
        if len(case.content) > LONG:  # it is in a file
            text = f'open("{kept(case.content.encode())}", newline="").read()'
            argument = {"encode": text, "lines": f"{text}.splitlines(True)"}.get(
                case.how, f"[{text}]"
            )
        elif len(argument) > MOST_GIVEN:
            lines += _assigned("argument", case.argument)
            argument = "argument"
        specials = "" if case.specials is None else f", {given}"
        made_with = f"dict(enumerate(tokens)), {'merges' if merges else '[]'}{specials}"
        lines.append(f"own = {self.own.name}({made_with})")
        call = f"own.{case.call}({argument})"
        return [*lines, f"[*{call}]" if case.how in HOWS else call]

    def difference(self, case: Case, answer: Answer) -> str:
        """Say what is made of a case, and what is right."""
        name, right, made = named(self.own.name), expected((), case).result, answer.result
        if answer.failed:
            return f"{name} {answer.said}."
        if not isinstance(right, list) or not isinstance(made, list):
            return f"It must return {_written(right)}; {name} returns {_written(made)}."
        tokens = dict.fromkeys([*case.vocabulary.tokens, *map(str.encode, case.specials or ())])

        def shown(ids: Sequence[Any]) -> str:
            return ", ".join(_shown(id, [*tokens]) for id in ids) or "none"

        if max(len(right), len(made)) <= MOST_IDS:
            return f"It must give {shown(right)}; {name} gives {shown(made)}."
        rank, right_id, its_id = first_difference(right, made) or (0, None, None)
        return f"Id {rank + 1} must be {shown([right_id])}; {name} gives {shown([its_id])}."

    # Whether it is lazy

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
            *self.code(case._replace(content="", specials=None, known=(), merged=b""))[:-1],
            'pieces = iter(["a piece\\n"] * 100_000)',
            "next(iter(own.encode_iterable(pieces)))",
            "len([*pieces])  # that are left",
        ]
        return Mistake("Reads all", "ReadsAll", sentence, shown, call, case, [case.name])


def _names(cases: Sequence[Case]) -> list[str]:
    return list(dict.fromkeys(case.name for case in cases))


def _assigned(name: str, value: object) -> list[str]:
    """Return a statement that names a value, in lines that fit a report."""
    first, *others = pformat(value, width=LINE - len(f"{name} = "), compact=True).splitlines()
    return [f"{name} = {first}", *(f"    {line}" for line in others)]


def _written(result: Any) -> str:
    """Return a result as code; of the program a dict is what is no id."""
    is_other = isinstance(result, dict)
    return as_code(f"an object of type {result['type']}" if is_other else repr(result))


def _shown(id: Any, tokens: Sequence[bytes]) -> str:
    if not isinstance(id, int):
        return "none" if id is None else as_code(repr(id))
    return f"{id} {as_code(repr(tokens[id]))}" if 0 <= id < len(tokens) else f"{id}, a new id"


def order(case: Case) -> tuple[bool, int, int, int]:
    """Return what orders cases by how well they show something: whole texts, lines, odd pieces."""
    odd = any(not letter.isprintable() and letter not in "\r\n\t" for letter in case.content)
    how = FIRST.index(case.how) if case.how in FIRST else len(FIRST)
    return odd, how, len(case.content), len(case.tokens)
