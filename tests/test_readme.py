"""Promise: the numbers in the README are those of the recorded runs."""

from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is in the extra `lab`")

from bpe_lab.bench import readme

ROOT = Path(__file__).resolve().parents[1]

if not (ROOT / "data" / "recorded").is_dir():
    pytest.skip("needs the checkout", allow_module_level=True)


def test_the_table_is_made_from_the_recorded_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = readme.table(ROOT / "data" / "recorded" / "bench" / "ladder.jsonl")
    assert readme.with_table(text, block) == text, "stale: run bpe_lab.bench.readme (see its head)"
    assert "`core`" in block


def test_a_readme_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="ladder:begin"):
        readme.with_table("no table here\n", "new\n")
