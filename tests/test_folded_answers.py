"""Promise: the folded answers of notebooks say what the checker says of the changes they name."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bpe_lab import corpora, train

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"

CHANGES = {
    "02_word_counts": ("class MyFilter", "left in tokens and", "left in tokens or"),
    "03_inverted_index": ("class MyInvertedIndex", "self.pair_words[old].discard(index)", "pass"),
}
"""Notebook -> how its cell begins, and what the reader changes there."""

FAULTS = {
    "01_naive": [
        (
            "class MyNaive",
            "max(ties, key=lambda pair: (self.vocab[pair[0]], self.vocab[pair[1]])), top",
            "max(ties), top",
        )
    ],
    "02_word_counts": [("class MyWordCounts", "in pairwise(tokens)", "in set(pairwise(tokens))")],
    "04_max_heap": [("class MyMaxHeap", "if count == -negative_count:", "if count:")],
    "05_cython": [("class MyWords", "del tokens[written:]", "pass")],
    "08_core": [("class MyCore", "cells[p] != left or ", "")],
}
"""The same for changes that make other merges; the answer names the words of the message."""


def cells_of(name: str) -> list[tuple[str, str]]:
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_bytes())["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in cells]


def sources_of(name: str) -> list[str]:
    return [source for _, source in cells_of(name)]


def imports_of(name: str) -> str:
    code = "\n".join(source for kind, source in cells_of(name) if kind == "code")
    return "\n".join(re.findall(r"^(?:import|from) .+", code, re.MULTILINE))


def said_by(source: str, imports: str) -> str:
    """Run a cell that ends in an expression, and return what this shows."""
    names: dict[str, Any] = {}
    exec(imports, names)
    *body, last = ast.parse(source).body
    assert isinstance(last, ast.Expr)
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return repr(eval(compile(ast.Expression(last.value), "cell", "eval"), names))


def changed_cell(name: str, begins: str, old: str, new: str) -> tuple[str, str, str]:
    """Return what the checker says with the change and without it, and the answer."""
    sources, imports = sources_of(name), imports_of(name)
    head = re.compile(f"^{begins}", re.MULTILINE)
    [at] = [number for number, source in enumerate(sources) if head.search(source)]
    assert sources[at].count(old) == 1
    changed, unchanged = (
        said_by(source, imports) for source in (sources[at].replace(old, new), sources[at])
    )
    behind = next(one for one in sources[at:] if "What you will see" in one)
    answer = behind.partition("What you will see")[2].partition("</details>")[0]
    return changed, unchanged, " ".join(answer.split())


@pytest.mark.parametrize("name", CHANGES)
def test_the_checker_says_of_a_change_what_the_answer_says(name: str) -> None:
    changed, unchanged, answer = changed_cell(name, *CHANGES[name])
    assert "makes the right merges" in changed
    given = re.findall(r"\b(\d[\d,]+)\D* (?:instead|in place) of (\d[\d,]+)", answer)
    assert given
    for with_change, without in given:
        assert re.search(rf"\b{with_change}\b", changed)
        assert re.search(rf"\b{without}\b", changed + unchanged)


@pytest.mark.parametrize(
    ("name", "change"), [(name, change) for name in FAULTS for change in FAULTS[name]]
)
def test_the_answer_names_the_words_on_which_a_change_fails(
    name: str, change: tuple[str, str, str]
) -> None:
    changed, _, answer = changed_cell(name, *change)
    [words] = re.findall(r"On the words `?\{([^}]*)\}", " ".join(changed.split()))
    named = re.findall(r"b'(\w+)'", words)
    assert named and all(f"*{word}*" in answer for word in named), (words, answer)


@pytest.mark.slow
def test_the_repaired_index_scans_as_many_words_as_its_answer_says() -> None:
    [answer] = [
        source
        for source in sources_of("03_inverted_index")
        if "looks into no word" in " ".join(source.split())
    ]
    text = corpora.path("stories")
    stages = ("inverted_index", "fine_grained")
    scanned = [train(text, 2_000, stage=one).operations["words_scanned"] for one in stages]
    assert "scans {:,} words instead of {:,}".format(*scanned) in " ".join(answer.split())
