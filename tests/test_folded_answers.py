"""Promise: counts in the folded answers of notebooks are those of the changes that they name."""

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


@pytest.mark.parametrize("name", CHANGES)
def test_the_checker_says_of_a_change_what_the_answer_says(name: str) -> None:
    begins, old, new = CHANGES[name]
    sources = sources_of(name)
    imports = imports_of(name)
    head = re.compile(f"^{begins}", re.MULTILINE)
    [at] = [number for number, source in enumerate(sources) if head.search(source)]
    assert sources[at].count(old) == 1
    changed, unchanged = (
        said_by(source, imports) for source in (sources[at].replace(old, new), sources[at])
    )
    assert "makes the right merges" in changed
    given = re.findall(r"\b(\d[\d,]+)\D* (?:instead|in place) of (\d[\d,]+)", sources[at + 1])
    assert given
    for with_change, without in given:
        assert re.search(rf"\b{with_change}\b", changed)
        assert re.search(rf"\b{without}\b", changed + unchanged)


@pytest.mark.slow
def test_the_repaired_index_scans_as_many_words_as_its_answer_says() -> None:
    [answer] = [source for source in sources_of("03_inverted_index") if "looks into\nno" in source]
    text = corpora.path("stories")
    stages = ("inverted_index", "fine_grained")
    scanned = [train(text, 2_000, stage=one).operations["words_scanned"] for one in stages]
    assert "scans {:,} words instead of {:,}".format(*scanned) in " ".join(answer.split())
