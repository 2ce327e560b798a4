"""Promise: what the suite says of encoders is of the same ids, of one turn, and on one
CPU; and nothing else is called a speed.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpe_lab import corpora
from bpe_lab.bench.suites import encoding
from bpe_lab.bench.suites.encoding import encode_text
from bpe_lab.results.records import load, to_dataframe
from bpe_lab.results.spread import turn_ratios

LANGUAGES = corpora.path("languages")


@pytest.fixture
def frame_of(tiny: Callable[[str], Path]) -> Callable[[str], Any]:
    """The records of a suite at tiny scale."""
    return lambda suite: load(tiny(suite) / f"{suite}.jsonl")


def written_in(figure: Any) -> list[str]:
    """All that is written in the axes of a figure."""
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.parametrize("encoder", encoding.PACKAGES)
def test_an_encoder_gives_our_ids(encoder: str) -> None:
    if encoder not in encoding.installed():
        pytest.skip(f"{encoder} is not installed: it is in the extra `peers`")
    made = encode_text(encoder=encoder, path=LANGUAGES, vocab_size=300, pattern="llama3", turns=2)
    assert made["ids_equal"]
    assert len(made["in_turns"]) == len(made["again_in_turns"]) == 2


def test_other_ids_of_ours_are_an_error_and_of_others_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("readable", "tiktoken"):
        monkeypatch.setitem(encoding.ENCODERS, name, lambda tokenizer: lambda text: [1, 2])
    words: dict[str, Any] = {"path": LANGUAGES, "vocab_size": 300, "pattern": "gpt2", "turns": 1}
    with pytest.raises(RuntimeError, match="readable and bpe_lab give different ids"):
        encode_text(encoder="readable", **words)
    assert not encode_text(encoder="tiktoken", **words)["ids_equal"]


def test_other_ids_are_no_speed(frame_of: Callable[[str], Any]) -> None:
    records = frame_of("encoding")
    records.loc[records["case"].str.startswith("readable"), "ids_equal"] = False
    rows = encoding.table(records).splitlines()
    [row] = [row for row in rows if "| readable" in row and "languages" in row]
    assert [cell.strip() for cell in row.split("|")][3:6] == ["other ids", "", ""]
    figure = encoding.figure(records)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert "bpe_lab" in labels and "readable" not in labels


def test_encoders_have_one_cpu_and_one_thread() -> None:
    cases = encoding.cases("full")
    assert {case.cpus for case in cases} == {1}
    assert {case.environment["RAYON_NUM_THREADS"] for case in cases} == {"1"}
    words = [case.params for case in cases if case.facts["kind"] == "word"]
    longest = {one["encoder"]: one["letters"] for one in words}  # the last one counts
    assert longest.pop("bpe_lab") == 10_000_000
    assert longest and max(longest.values()) <= 100_000


def test_what_is_not_installed_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tiktoken" else find(name)
    )
    cases = encoding.cases("tiny")
    assert not [case.name for case in cases if "tiktoken" in case.name]
    assert all("tiktoken" in case.facts["left_out"] for case in cases)


def test_a_ratio_is_of_one_turn() -> None:
    # The machine was ten times slower in the second turn; a ratio of medians would say 1.1.
    turns = [[1.0, 0.5], [10.0, 5.0], [1.0, 0.5]] * 3
    ratios = turn_ratios(to_dataframe([{"case": "one", "in_turns": turns}, {"case": "two"}]))  # type: ignore[typeddict-item]
    assert ratios.map(str).to_dict() == {"one": "2.00"}


def test_the_figures_of_encoders_have_what_was_measured(frame_of: Callable[[str], Any]) -> None:
    records = frame_of("encoding")
    figure = encoding.figure(records)
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == ["", *encoding.installed()]
    assert figure.axes[0].lines[0].get_xdata()[0] == 1, "our own time"
    words = encoding.long_words(records)
    assert set(written_in(words)) == set(encoding.installed()) - {"bpe_lab_list"}
