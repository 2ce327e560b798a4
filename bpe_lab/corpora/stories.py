"""Simple children's stories in English, made from a seed: the corpus that needs no download.

What: documents in the spirit of TinyStories, put together from sentences (`story_sentences.toml`)
and words (`story_words.toml`) written for this package. Nothing is copied from another text. Each
document ends with `<|endoftext|>` and a newline, as in the usual training files.

Why: every notebook and test must run offline and print the same digests everywhere. So the bytes
depend on nothing but `size_bytes` and `seed`: the only source of chance is `random.Random.random`,
the one method whose sequence Python promises to keep, and all weights are whole numbers.

What it cannot show: this is not real text. A few hundred sentences come back again and again, the
vocabulary is small, and the long tail of rare words is made of invented names. Ranks and
frequencies follow a curve like that of real text, so merges behave alike, but compression rates
and learned tokens say nothing about English, and times per megabyte flatter the later stages.
"""

import random
import re
import tomllib
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

from bpe_lab.words.special_tokens import END_OF_TEXT

_SLOT = re.compile(r"\{(\w+)\}")

# "a" before a vowel that is heard: "an old unicorn", but "a unicorn", "a useful hour", "an hour".
_ARTICLE = re.compile(
    r"\b([Aa]) (?=(?!uni(?![mn])|use|uku|one|eu)[aeiou]|hour|honest)", re.IGNORECASE
)

_VOWELS = "aeiou"


def generate(size_bytes: int = 5_000_000, seed: int = 2024) -> Iterator[str]:
    """Yield stories, one document at a time, until they hold `size_bytes` bytes of UTF-8.

    :param size_bytes: least total size in bytes; the document that reaches it is the last one.
    :param seed: equal seeds give equal documents on every platform and every Python from 3.11 on.
    """
    teller = _StoryTeller(seed)
    written = 0
    while written < size_bytes:
        document = f"{teller.story()}\n{END_OF_TEXT}\n"
        written += len(document.encode())
        yield document


class _ZipfList:
    """Entries from common to rare: the k-th (from 0) has a weight of about 1 / (k + 4)."""

    def __init__(self, entries: Sequence[str]) -> None:
        self.entries = entries
        weights = (1_000_000 // (k + 4) for k in range(len(entries)))
        self.cumulative = list(accumulate(weights))
        self.total = self.cumulative[-1]

    def pick(self, chance: Callable[[], float]) -> str:
        return self.entries[bisect(self.cumulative, int(chance() * self.total))]


class _StoryTeller:
    """Fills the sentences of one arc after another; holds the choices of the current story."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed).random
        stock, sentences = _read("story_words"), _read("story_sentences")
        self.classes = {name: _ZipfList(words) for name, words in word_classes().items()}
        self.compounds = {
            name: tuple(_ZipfList(_entries(part)) for part in parts)
            for name, parts in stock["compounds"].items()
        }
        self.beats = {
            name: _ZipfList(lines.splitlines()) for name, lines in sentences["beats"].items()
        }
        self.arcs = _ZipfList(sentences["arcs"].splitlines())
        self.voices: dict[str, str] = stock["voices"]
        # A sentence is split once into text, slot, text, slot, ..., text.
        self.parts: dict[str, list[str]] = {}
        self.chosen: dict[str, str] = {}

    def story(self) -> str:
        self.chosen = {}
        self._choose_people()
        paragraphs = []
        told: set[str] = set()
        for paragraph in self.arcs.pick(self.chance).split("/"):
            lines = []
            for beat in paragraph.split():
                if beat.endswith("?") and self.chance() < 0.5:
                    continue
                line = self.beats[beat.rstrip("?")].pick(self.chance)
                while line in told:
                    line = self.beats[beat.rstrip("?")].pick(self.chance)
                told.add(line)
                lines.append(self._fill(line, set()))
            if lines:
                paragraphs.append(" ".join(lines))
        return _ARTICLE.sub(r"\1n ", "\n\n".join(paragraphs))

    def _choose_people(self) -> None:
        """Choose up to three people for a story, and the words that agree with them."""
        chosen = self.chosen
        for role in ("hero", "friend"):
            female = self.chance() < 0.5
            chosen[role] = self._new_word("girl_name" if female else "boy_name", set())
            chosen["girl" if role == "hero" else "friend_girl"] = "girl" if female else "boy"
            self._choose_pronouns("" if role == "hero" else "friend_", female)
        female = self.chance() < 0.5
        title = ("Mrs." if self.chance() < 0.8 else "Miss") if female else "Mr."
        chosen["neighbour"] = f"{title} {self._compound('surname')}"
        self._choose_pronouns("neighbour_", female)

    def _choose_pronouns(self, prefix: str, female: bool) -> None:
        pronouns = ("she", "her", "her", "herself") if female else ("he", "him", "his", "himself")
        for slot, pronoun in zip(("he", "him", "his", "himself"), pronouns, strict=True):
            self.chosen[prefix + slot] = pronoun

    def _fill(self, sentence: str, used: set[str]) -> str:
        """Put words into the slots of a sentence; `used` holds the words already in it."""
        parts = self.parts.get(sentence)
        if parts is None:
            parts = self.parts[sentence] = _SLOT.split(sentence)
        filled = parts.copy()
        for position in range(1, len(parts), 2):
            filled[position] = self._word(parts[position], used)
        return "".join(filled)

    def _word(self, slot: str, used: set[str]) -> str:
        name = slot.lower()
        word = self.chosen.get(name)
        if word is None:
            if name == "voiced":
                word = self.voices.get(self.chosen["animal1"], "squeaked")
            else:
                # "toy1" is a toy that the story keeps.
                word = self._new_word(name.rstrip("12"), used)
                if name[-1] in "12":
                    self.chosen[name] = word
            used.add(word)
        return word if slot == name else word[0].upper() + word[1:]

    def _new_word(self, name: str, used: set[str]) -> str:
        """Draw until the word is new to the sentence, to avoid "plums, plums and pears"."""
        while True:
            word = self._compound(name) if name in self.compounds else self._from_list(name)
            if word not in used and word not in self.chosen.values():
                return word

    def _from_list(self, name: str) -> str:
        if name == "name":
            name = "girl_name" if self.chance() < 0.5 else "boy_name"
        word = self.classes[name].pick(self.chance)
        if name == "sound":
            return self._lengthen(word).lower()
        return self._fill(word, set()) if "{" in word else word

    def _lengthen(self, sound: str) -> str:
        """Hold the bracketed letter of a sound, rarely for long: Whoosh, Whooosh, Whoooosh."""
        before, held, after = re.split(r"[\[\]]", sound)
        times = 1
        while times < 12 and self.chance() < 0.45:
            times += 1
        return before + held * times + after

    def _compound(self, name: str) -> str:
        """Join a part from each column, without a letter three times in a row: Hill + ley."""
        first, *others = self.compounds[name]
        word = first.pick(self.chance)
        for part in others:
            ending = part.pick(self.chance)
            while word.lower().endswith(ending):  # no "Woodwood"
                ending = part.pick(self.chance)
            if ending[0] == word[-1] and (word[-2:-1] == word[-1] or ending[1:2] == ending[0]):
                ending = ending[1:]
            word += ending
        return word


def word_classes() -> dict[str, list[str]]:
    """Return the words of every slot that a story may use, from common to rare."""
    stock = _read("story_words")
    classes = {"digits": [str(number) for number in range(13, 1000)]}
    for table, inflected in (("nouns", _noun_forms), ("verbs", _verb_forms)):
        for name, text in stock[table].items():
            forms = [inflected(entry) for entry in _entries(text)]
            for slot, words in zip(inflected(name), zip(*forms, strict=True), strict=True):
                classes[slot] = list(words)
    for table in ("names", "sounds", "adjectives", "adverbs"):
        classes.update({name: _entries(text) for name, text in stock[table].items()})
    classes.update({name: _entries(text, ";") for name, text in stock["phrases"].items()})
    return classes


@cache
def _read(name: str) -> dict[str, Any]:
    with Path(__file__).with_name(f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def _entries(text: str, separator: str = ",") -> list[str]:
    return [" ".join(entry.split()) for entry in text.split(separator)]


def _noun_forms(entry: str) -> tuple[str, ...]:
    """Singular and plural: "leaf/leaves" as given, "fox" and "berry" by rule."""
    if "/" in entry:
        return tuple(entry.split("/"))
    if entry.endswith(("s", "x", "z", "ch", "sh")):
        return entry, entry + "es"
    if entry.endswith("y") and entry[-2] not in _VOWELS:
        return entry, entry[:-1] + "ies"
    return entry, entry + "s"


def _verb_forms(entry: str) -> tuple[str, ...]:
    """Infinitive, past tense and -ing: "run/ran/running" as given, "bake" and "cry" by rule."""
    if "/" in entry:
        return tuple(entry.split("/"))
    if entry.endswith("e"):
        return entry, entry + "d", entry[:-1] + "ing"
    if entry.endswith("y") and entry[-2] not in _VOWELS:
        return entry, entry[:-1] + "ied", entry + "ing"
    return entry, entry + "ed", entry + "ing"
