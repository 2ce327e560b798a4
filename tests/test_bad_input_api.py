"""Promise: bad input to the API is an error of the right type that names the thing and the remedy.

Every error that a docstring promises is here, and every one of the issue's list that the API can
meet. The command has its own test.
"""

import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
import bpe_lab.registry
import bpe_lab.training.training
from bpe_lab import corpora
from bpe_lab.counting.counts_files import write_counts
from bpe_lab.registry import COUNTERS, STAGES

WriteText = Callable[..., Path]


def not_to_be_called(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("the long part has begun")


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("gone.txt", FileNotFoundError, "gone"),
        ("low lower\n", FileNotFoundError, "count_documents"),
        ("low" * 99, FileNotFoundError, "count_documents"),
        ("corpora", ValueError, "holds no file of text that is not hidden"),
        ("pipe", ValueError, "pipe"),
        ("", TypeError, "path"),  # not the folder we are in
        ([], ValueError, "no file"),  # nobody means that
    ],
)
def test_what_is_no_text_is_named(
    name: Any, error: type[Exception], message: str, counter: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("corpora/empty").mkdir(parents=True)
    Path("corpora/.hidden").write_text("low")
    if name == "pipe":
        os.mkfifo(name)  # who reads it waits for ever
    with pytest.raises(error, match=message):
        bpe_lab.count_words(name, counter=counter)


def test_an_unreadable_file_is_named(counter: str, write_text: WriteText) -> None:
    path = write_text("low", "secret.txt")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # the administrator may read everything
    try:
        with pytest.raises(PermissionError, match=r"secret\.txt"):
            bpe_lab.count_words(path, counter=counter)
    finally:
        os.seteuid(user)


@pytest.mark.parametrize("given", [None, 5, b"corpus.txt", [None], ["ok.txt", 5], [b"corpus.txt"]])
def test_bad_path_is_named(given: Any, counter: str, write_text: WriteText) -> None:
    write_text("low", "ok.txt")
    with pytest.raises(TypeError, match="no file"):
        bpe_lab.count_words(given, counter=counter)


def test_all_files_are_looked_at_before_the_first_is_counted(
    write_text: WriteText, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_lab.counting.regex_counter.count_range", not_to_be_called)
    with pytest.raises(FileNotFoundError, match=r"gone\.txt"):
        bpe_lab.count_words([write_text("low"), tmp_path / "gone.txt"])


def test_an_empty_file_is_a_valid_empty_training(stage: str, write_text: WriteText) -> None:
    with pytest.warns(UserWarning, match="no pair is left"):
        training = bpe_lab.train(write_text(""), 300, stage=stage)
    assert training.merges == []
    assert len(training.vocab) == 257
    assert training.exhausted


BadOption = tuple[dict[str, Any], str]


def check_refusal(message: str, call: Callable[..., object], *given: Any, **options: Any) -> None:
    """Check the type and the message of the error of a call."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call(*given, **options)
    assert re.match(message, f"{caught.typename}: {caught.value}")


BAD_COUNTING: list[BadOption] = [
    ({"special_tokens": ["<s>", ""]}, "ValueError: a special token is empty: remove it"),
    ({"special_tokens": ["<s>", "<s>"]}, "ValueError: .* token '<s>' appears twice: give it once"),
    ({"special_tokens": "<s>"}, r"TypeError: .* is one string, '<s>': give a list .*, \['<s>'\]"),
    ({"special_tokens": [b"<s>"]}, "TypeError: special token b'<s>' is bytes: give a str"),
    ({"special_tokens": ["\ud83d"]}, "UnicodeEncodeError: .* surrogates"),
    ({"counter": "wc"}, "ValueError: unknown counter 'wc': choose one of " + ", ".join(COUNTERS)),
    ({"counter": []}, r"ValueError: unknown counter \[\]: choose one"),
    ({"errors": "ignore"}, "ValueError: errors is 'ignore': give 'strict' or 'replace'"),
    ({"threads": 0}, "ValueError: threads is 0: give 1 or more"),
]


BAD_MERGING: list[BadOption] = [
    ({"stage": "fast"}, f"ValueError: unknown stage 'fast': choose one of {', '.join(STAGES)}; "),
    ({"vocab_size": 257, "special_tokens": ["<s>", "<t>"]}, "ValueError: .* give at least 258"),
    ({"vocab_size": 2**32}, "ValueError: vocab_size 4294967296 is too large"),
    ({"vocab_size": 300.5}, r"TypeError: vocab_size is 300\.5: give an integer"),
    ({"min_count": 0}, "ValueError: min_count 0 is too small"),
    ({"max_token_bytes": 1}, "ValueError: max_token_bytes 1 is too small"),
    ({"max_token_bytes": "9"}, "TypeError: max_token_bytes is '9': give an integer"),
    ({"max_token_bytes": 9, "stage": "naive"}, "TypeError: stage 'naive' has no max_token_bytes"),
    ({"min_count": 2**63}, f"ValueError: min_count {2**63} is too large"),
    ({"time_budget": 0}, "ValueError: time_budget is 0: give seconds"),
    ({"time_budget": float("nan")}, "ValueError: time_budget is nan: "),
]


SETS: list[BadOption] = [
    ({"special_tokens": kind({"<s>"})}, "TypeError: .* a (frozen)?set, whose order .* give a list")
    for kind in (set, frozenset)
]
SETS.append(({"special_tokens": {"<s>": 9}}, "TypeError: .* a dict, whose .* give a list"))


@pytest.mark.parametrize(("options", "message"), BAD_COUNTING + BAD_MERGING + SETS)
def test_train_finds_bad_options_before_it_counts(
    options: dict[str, Any], message: str, write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counting may take hours: a mistyped stage must not show after it.
    monkeypatch.setattr("bpe_lab.training.api.count_texts", not_to_be_called)
    path = write_text("low")
    check_refusal(message, bpe_lab.train, path, **{"vocab_size": 300, **options})
    if (options, message) in SETS:
        check_refusal(message, write_counts, path, {b"low": 1}, **options)
        assert bpe_lab.count_words(path, **options) == {b"low": 1}
    if (options, message) in BAD_COUNTING:
        check_refusal(message, bpe_lab.count_words, path, **options)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        *((no, r"TypeError: counts is \w+: give a mapping") for no in (None, [(b"low", 5)], 5)),
        ({"low": 5}, r"TypeError: word 'low' is str: give bytes, as str\.encode"),
        ({(1, 2): 5}, r"TypeError: word \(1, 2\) is tuple: give bytes"),
        ({b"lower": 2.0}, "TypeError: 'float' object cannot be interpreted as an integer"),
        ({b"low": -5}, "ValueError: the count of b'low' is -5: give 0 or more"),
        ({b"ab": 2**63}, r"ValueError: .*the words hold at most 2\*\*63 - 1 bytes"),
        ({b"ab": 2**61, b"cab": 2**62}, r"ValueError: .*the words hold at most 2\*\*63 - 1"),
    ],
)
def test_bad_counts_are_named(counts: Any, message: str, stage: str) -> None:
    check_refusal(message, bpe_lab.train_from_counts, counts, 300, stage=stage)


def test_empty_words_and_counts_of_zero_are_left_out(stage: str) -> None:
    counts = {b"low": 5, b"": 7, b"zz": 0}
    training = bpe_lab.train_from_counts(counts, 258, [], stage=stage)
    assert training.merges == [(b"o", b"w"), (b"l", b"ow")]
    assert counts == {b"low": 5, b"": 7, b"zz": 0}, "what was given is not changed"


BYTES = {byte: bytes([byte]) for byte in range(256)}
TOKENIZER_CLASS: Any = bpe_lab.Tokenizer
TOKENIZER = TOKENIZER_CLASS(BYTES, [])


BAD_TOKENIZERS: list[tuple[Callable[[], object], str]] = [
    (lambda: TOKENIZER.save(None), r"TypeError: "),
    (lambda: TOKENIZER.export(b"", "gpt2"), "TypeError: "),
    (lambda: TOKENIZER.load(float("nan")), "TypeError: "),
    (lambda: TOKENIZER.export("out", []), r"ValueError: unknown format \[\]: choose one of"),
    (lambda: corpora.path([]), r"ValueError: unknown corpus \[\]: choose one of"),  # type: ignore[arg-type]
    (lambda: TOKENIZER_CLASS(BYTES, [], {"<s>"}), "TypeError: special_tokens is a set, whose or"),
]


@pytest.mark.parametrize(("call", "message"), BAD_TOKENIZERS)
def test_an_argument_of_a_tokenizer_is_named(
    call: Callable[[], object], message: str, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    check_refusal(message, call)
    assert list(tmp_path.iterdir()) == []


def test_a_script_from_standard_input_cannot_start_workers(write_text: WriteText) -> None:
    path, counter = str(write_text("low")), "counter='regex_parallel'"
    script = f"import bpe_lab\nif __name__ == '__main__': bpe_lab.count_words({path!r}, {counter})"
    done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True)
    *_, last = done.stderr.splitlines()
    assert re.match("RuntimeError: a script from standard input", last)
    assert done.stderr.count("Traceback") == 1


def die_at_once(*arguments: object) -> None:
    os._exit(9)


def die_while_sending(parent: Connection, *arguments: object) -> None:
    """Send the beginning of a message that says it is longer, and end."""
    os.write(parent.fileno(), (1 << 20).to_bytes(4, "big") + b"the beginning")
    os._exit(9)


@pytest.mark.parametrize("die", [die_at_once, die_while_sending])
def test_a_dead_worker_is_an_error_with_a_remedy(
    die: Callable[..., None], write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As one does that the system takes away for lack of memory, while others live.
    monkeypatch.setattr("bpe_lab.counting.regex_parallel_counter.count_ranges", die)
    path = write_text("low lower\n" * 100)
    with pytest.raises(RuntimeError, match="worker process died"):
        bpe_lab.count_words(path, counter="regex_parallel", threads=2, block_bytes=100)
    assert multiprocessing.active_children() == []
