"""Promise: each step towards the counter finds its words; all ways touch the same places."""

import random
import struct
from pathlib import Path

import pytest

from bpe_lab import corpora, count_words
from bpe_lab.bench.suites import limit
from bpe_lab.bench.suites.limit import walk_text
from bpe_lab.experiments.ablations import count_by
from bpe_lab.experiments.pieces import touch_places
from bpe_lab.results import machine_facts
from bpe_lab.words.special_tokens import END_OF_TEXT


@pytest.mark.parametrize("text", ["languages", "stories"])
def test_each_way_finds_the_words_of_the_counter(text: str) -> None:
    path = corpora.path(text)
    counts = count_words(path, [END_OF_TEXT])
    made = {way: walk_text(way=way, path=path) for way in limit.WALKS}
    size = path.stat().st_size
    assert made.pop("pass")["operations"] == {"bytes": size, "words": 0}
    for way, one in made.items():
        assert one["operations"] == {"bytes": size, "words": counts.occurrences}, way
    assert len({one["digest"] for one in made.values()}) == 1
    n_bytes = sum(len(word) * count for word, count in counts.items())
    assert count_by("scan", path.read_bytes())["fingerprint"] == n_bytes


def test_the_pass_reads_every_byte() -> None:
    # One word: it lies in one block.
    content = bytes(random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz", k=10_001))
    padded = content + bytes(-len(content) % 8)
    total = sum(struct.unpack(f"<{len(padded) // 8}Q", padded))
    assert count_by("pass", content)["fingerprint"] == total % 2**64
    assert count_by("pass", b"")["fingerprint"] == 0


@pytest.mark.parametrize("places", [1, 7, 5000])
def test_in_all_ways_the_same_places_are_touched(places: int) -> None:
    ways = [{"dependent": loads, "ascending": order} for loads in (0, 1) for order in (0, 1)]
    ways.append({"dependent": False, "ascending": True, "fetched": True})
    made = {touch_places(4098, places, **way)["checksum"] for way in ways}
    assert len(made) == 1
    assert min(made) > 0
    assert touch_places(4098, places + 1, True, True)["checksum"] not in made
    # Work between two places touches none.
    assert touch_places(4098, places, False, False, work=9)["checksum"] in made


def test_places_without_a_cell_are_refused() -> None:
    with pytest.raises(ValueError, match="give at least a cell"):
        touch_places(1, 10, False, True)


def test_the_caches_of_a_core_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_facts, "CACHE_FOLDER", tmp_path)
    monkeypatch.setattr(machine_facts, "_sysctl", lambda key: "")
    assert machine_facts.caches_kb() == {}
    for number, (level, kind, size) in enumerate(
        [("1", "Data", "48K"), ("1", "Instruction", "32K"), ("2", "Unified", "1024K"),
         ("3", "Unified", "32768K")]
    ):  # fmt: skip
        folder = tmp_path / f"index{number}"
        folder.mkdir()
        for name, said in (("level", level), ("type", kind), ("size", size)):
            (folder / name).write_text(f"{said}\n")
    # A machine need not tell all of it.
    (tmp_path / "index9").mkdir()
    assert machine_facts.caches_kb() == {"L1d": 48, "L2": 1024, "L3": 32768}
