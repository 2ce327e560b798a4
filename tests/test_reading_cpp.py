"""Promise: what is said about a line of C++ stands at that line, or the line is named as gone."""

import json
import re
from pathlib import Path

import pytest

from bpe_lab.lessons.shared.call_outs import CALL_OUTS, noted
from bpe_lab.lessons.shared.source import show

CHECKOUT = Path(__file__).parents[1]
PIECE = "words_stage.hpp:WordsStage.merge_word"


@pytest.mark.parametrize("piece", CALL_OUTS)
def test_every_call_out_is_at_the_line_that_it_is_about(piece: str) -> None:
    code, notes = noted(piece).text.rsplit("\n\n", 1)
    said = dict(line.split(" ", 1) for line in notes.splitlines())
    assert set(said.values()) == set(CALL_OUTS[piece].values())
    for part, note in CALL_OUTS[piece].items():
        [mark] = (mark for mark, what in said.items() if what == note)
        [line] = (line for line in code.splitlines() if part in line)
        assert line.endswith(f"  {mark}")


@pytest.mark.parametrize(("part", "places"), [("no such text", 0), ("tokens[written++]", 2)])
def test_a_note_on_a_line_that_is_gone_or_in_doubt_is_an_error(part: str, places: int) -> None:
    with pytest.raises(LookupError, match=f"is in {places} of the lines"):
        show(PIECE, notes=[{part: "x"}])


def test_each_term_of_the_folded_list_has_a_line_of_the_file_that_it_names() -> None:
    notebook = json.loads((CHECKOUT / "notebooks/05_cython.ipynb").read_text(encoding="utf-8"))
    said = "".join(line for cell in notebook["cells"] for line in cell["source"])
    terms = re.findall(r"- \*\*[\w ]+\*\* \(`(ext/[\w.]+)`\): `(.+?)`, in Python `.+?`\. ", said)
    assert len(terms) == 6
    for file, line in terms:
        assert line in (CHECKOUT / file).read_text(encoding="utf-8")
