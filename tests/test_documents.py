"""Promise: documents without a file are counted as a file of each would be, and none is kept."""

import gc
import random
import threading
import weakref
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pandas
import pyarrow
import pytest

import bpe_lab
from bpe_lab import corpora, count_documents
from bpe_lab.counting.documents import SEPARATORS
from bpe_lab.words.pretokenize import pretokenize

TAKERS = [entry.id for entry in bpe_lab.COUNTERS.values() if entry.documents]
END = "<|endoftext|>"


class Rows:
    """What a table of another library has."""

    columns = column_names = ("text",)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


FRAME = pandas.DataFrame({"text": ["low", "lower"]})
TABLES: list[Any] = [
    FRAME, FRAME[["text"]], FRAME.to_numpy(), pyarrow.table(FRAME), Rows(),
    {"text": ["low"]}, {"train": FRAME, "test": FRAME},
]  # fmt: skip


@pytest.fixture(params=TAKERS)
def taker(request: pytest.FixtureRequest) -> str:
    """Every counter that takes documents."""
    return str(request.param)


def defined(documents: list[str], special_tokens: list[str]) -> dict[bytes, int]:
    """What the definition says."""
    words = (word for document in documents for word in pretokenize(document, special_tokens))
    return {word.encode(): count for word, count in Counter(words).items()}


def test_a_document_is_a_text_of_its_own(taker: str) -> None:
    # Joined by nothing, by spaces, by line ends or by a special token, each would count otherwise.
    documents = ["low", "er  ", "  low", "", "\n", "'s", "<|endof", "text|>", "12", "3", " "]
    assert dict(count_documents(documents, [END], counter=taker)) == defined(documents, [END])


@pytest.mark.parametrize("seed", range(6))
def test_random_documents_are_counted_as_the_definition_says(taker: str, seed: int) -> None:
    draw = random.Random(seed)
    pieces = ["a", "b", " ", "\n", "'", "s", "é", "世", "1", "ab", "aba", *SEPARATORS[:2], "\ufffd"]
    sizes = [draw.randrange(12) for _ in range(draw.randrange(200))]
    documents = ["".join(draw.choices(pieces, k=size)) for size in sizes]
    # One may be the end of another, or what is put between documents.
    specials = draw.choice([[], ["ab"], ["ab", "aba"], [f"a{SEPARATORS[0]}"], SEPARATORS[:1]])
    counts = count_documents(documents, specials, counter=taker)
    assert dict(counts) == defined(documents, specials)


def test_a_long_document_goes_over_many_reads(taker: str) -> None:
    text = corpora.path("stories").read_text(encoding="utf-8")[:400_000]
    documents = [text, "", text[::-1]]
    assert dict(count_documents(documents, [], counter=taker)) == defined(documents, [])


class Document(str):
    """A string that can be watched."""


def test_no_document_is_kept(taker: str) -> None:
    alive: list[int] = []
    watched: list[weakref.ref[Document]] = []

    def documents() -> Iterator[str]:
        for _ in range(8):
            document = Document("low lower " * 10_000)
            watched.append(weakref.ref(document))
            yield document
            del document
            gc.collect()
            alive.append(sum(one() is not None for one in watched))

    gc.collect()
    gc.freeze()  # what other tests have left need not be looked through for each document
    try:
        count_documents(documents(), counter=taker)
    finally:
        gc.unfreeze()
    assert max(alive) <= 2


def test_documents_are_taken_by_the_thread_that_calls(taker: str) -> None:
    # A database answers no other one.
    ours, threads = threading.get_ident(), set()

    def documents() -> Iterator[str]:
        for _ in range(3_000):
            threads.add(threading.get_ident())
            yield "low lower " * 100

    count_documents(documents(), counter=taker)
    assert threads == {ours}


@pytest.mark.parametrize("bad", [b"lo\xffw", "lo\ud800w"])
def test_what_is_no_text_is_refused_or_replaced(taker: str, bad: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"document 2 \(the first is 0\) is not valid text.*fix"):
        count_documents(iter(["a", "b", bad]), counter=taker)
    counts = count_documents([bad], counter=taker, errors="replace")
    assert dict(counts) == {b"lo": 1, "\ufffd".encode(): 1, b"w": 1}


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("low", "documents is str: give an iterable"),
        (b"low", "documents is bytes: give an iterable"),
        (7, "documents is int: give an iterable"),
        ([["low"]], r"document 0 \(the first is 0\) is list: give a str or bytes"),
        (["low", None], r"document 1 \(the first is 0\) is NoneType"),
        *((table, r"documents is .*: give one column, such as df\['text'\]") for table in TABLES),
    ],
)
def test_what_is_no_document_is_named(taker: str, documents: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        count_documents(documents, counter=taker)


def test_a_table_is_no_texts_and_a_column_is(taker: str) -> None:
    tokenizer: Any = bpe_lab.train_from_counts({b"low": 2}, 258, []).tokenizer()
    takers = (tokenizer.encode_batch, tokenizer.encode_batch_to_arrays)
    for table in TABLES:
        for take in (*takers, lambda one: [*tokenizer.encode_iterable(one)], bpe_lab.count_words):
            with pytest.raises(TypeError, match=r" is .*: give one column, such as "):
                take(table)
    for column in (FRAME["text"], FRAME["text"].to_numpy(), FRAME["text"].tolist()):
        assert dict(count_documents(column, counter=taker)) == {b"low": 1, b"lower": 1}
        assert [len(take(column)[1]) for take in takers] == [3, 3]


def test_what_the_generator_raises_is_raised(taker: str) -> None:
    def documents() -> Iterator[str]:
        yield "low"
        raise LookupError("it has gone")

    with pytest.raises(LookupError, match="it has gone"):
        count_documents(documents(), counter=taker)


def test_a_counter_of_files_says_which_take_documents() -> None:
    with pytest.raises(ValueError, match="'regex_parallel' takes files only: use one of regex, na"):
        count_documents(["low"], counter="regex_parallel")
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        count_documents(["low"], errors="ignore")
    for taker in TAKERS:
        with pytest.raises(ValueError, match="every noncharacter"):
            count_documents(["low"], SEPARATORS, counter=taker)
