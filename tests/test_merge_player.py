"""Promise: the merge player shows what stages hold and do, in a browser and without scripts."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

import bpe_lab
from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.lessons.shared import merge_player
from bpe_lab.lessons.shared.merge_player import MOST_MERGES, PLAYED_STAGES, player
from bpe_lab.words.pretokenize import pretokenize


def counts_of(text: str) -> dict[bytes, int]:
    return Counter(word.encode() for word in pretokenize(text))


TEXTS = {
    # (a, a) overlaps itself, and a match right behind another takes a pair away that it has made.
    "runs": counts_of("aaaa aaa aa aaaaaaa a babaaaa"),
    "ties": counts_of("ab ba cd dc ab ba cd dc abcd dcba"),
    "several bytes": counts_of("žluťoučký kůň, größer; größte 東京 東京都 👍👍🏽"),
}


def held_in(html: str) -> dict[str, Any]:
    """Return what the player of a page starts with."""
    [held] = re.findall(r'<script id="start"[^>]*>(.*?)</script>', unescape(html), flags=re.DOTALL)
    return dict(json.loads(held))


@pytest.mark.parametrize("stage", PLAYED_STAGES)
@pytest.mark.parametrize("counts", [WORKED_EXAMPLE, *TEXTS.values()], ids=["example", *TEXTS])
def test_each_moment_is_that_of_the_stage(counts: Any, stage: str) -> None:
    data = held_in(player(counts, MOST_MERGES, stage)._repr_html_())
    moments = data["stages"][stage]["moments"]
    done = Counter[str]()

    def compare(step: bpe_lab.MergeStep) -> None:
        inside: Any = step.stage
        before, after = moments[step.rank], moments[step.rank + 1]
        left, right, new_id, count = data["merges"][step.rank]
        assert (inside.vocab[left], inside.vocab[right]) == step.merge
        assert (new_id, count) == (step.new_id, step.count)
        assert after["words"] == [list(ids) for ids in inside.words]
        if stage == "naive":  # has the counts of before the merge
            pair_counts = before["pair_counts"]
        else:
            pair_counts = after["pair_counts"]
            assert {(a, b): set(listed) for a, b, listed in after["lists"]} == inside.pair_words
        assert {(a, b): count for a, b, count in pair_counts} == dict(inside.pair_counts)
        assert +Counter(before["operations"]) == Counter(inside.operations) - done
        done.update(before["operations"])

    n_merges = len(data["merges"])
    bpe_lab.train_from_counts(counts, 256 + n_merges, [], stage=stage, on_merge=compare)
    assert done and len(moments) == n_merges + 1


@pytest.mark.parametrize("counts", TEXTS.values(), ids=TEXTS)
def test_what_is_touched_fits_the_operations(counts: dict[bytes, int]) -> None:
    data = held_in(player(counts, MOST_MERGES)._repr_html_())
    for stage, held in data["stages"].items():
        for moment in held["moments"][:-1]:
            touched, done = moment["touched"], moment["operations"]
            hows = [how for _, how in touched["words"]]
            assert len(hows) == done["words_scanned"]
            assert hows.count("changed") == done["words_rewritten"]
            assert len(touched["pair_counts"]) >= done.get("pairs_scanned", 1)
            if stage == "max_heap":
                hows = [how for *_, how in touched["heap"]]
                assert hows.count("taken") <= done["heap_pops"] == 1
                assert hows.count("back") + hows.count("gone") <= done.get("stale_pops", 0)


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open a page with two players, from a file, without the network."""
    home = tmp_path_factory.mktemp("page") / "page.html"
    second = player(counts_of("<b>low</b> lower " * 9), 9, "max_heap")
    html = player()._repr_html_() + second._repr_html_()
    home.write_text(f'<!doctype html><meta charset="utf-8"><body>{html}', encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.requested, page.errors = [], []
    page.on("request", lambda request: page.requested.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(home.as_uri())
    for frame in page.frames[1:]:
        frame.wait_for_selector("#told b")
    yield page
    assert [url for url in page.requested if not url.startswith(("file:", "about:srcdoc"))] == []
    assert page.errors == []
    context.close()


def test_players_begin_at_the_second_merge_with_the_stage_that_was_asked_for(page: Any) -> None:
    first, second = page.frames[1:]
    assert first.inner_text("#told").startswith("Merge 2 of 12: (e, st)")
    assert second.inner_text("#told").startswith("Merge 2 of 7")
    chosen = [one.eval_on_selector(":checked", "input => input.value") for one in (first, second)]
    assert chosen == ["naive", "max_heap"]
    assert second.locator("#words b").count() == 0  # markup in a text stays text


def test_without_scripts_it_is_a_picture_of_the_first_merge() -> None:
    outside = player()._repr_html_().partition("<iframe")[0]
    assert "Run this cell (Shift+Enter)" in outside
    left, right = WORKED_EXAMPLE_MERGES[0]
    assert f"<b>({left.decode()}, {right.decode()})</b>" in outside
    # Each list of each word, letter by letter.
    letters = sum(len(word) * count for word, count in WORKED_EXAMPLE.items())
    assert outside.count(merge_player.CHIP) == letters


def test_markup_in_a_text_ends_no_script() -> None:
    counts = counts_of("</script><b>bold</b> bold bold")
    outside, inside = player(counts)._repr_html_().split("srcdoc=", 1)
    assert "<b>bold" not in outside and "<script" not in outside
    ends = merge_player.TEMPLATE.read_text(encoding="utf-8").count("</script>")
    assert unescape(inside).count("</script>") == ends


@pytest.mark.parametrize(
    ("given", "options", "told"),
    [
        ({b"low": 5}, {"n_merges": 0}, f"1 to {MOST_MERGES}"),
        ({b"low": 5}, {"n_merges": MOST_MERGES + 1}, f"1 to {MOST_MERGES}"),
        ({b"low": 5}, {"stage": "core"}, "does not know 'core', but naive, inverted_index"),
        ({b"l": merge_player.MOST_BYTES + 1}, {}, "fewer words"),
        ({}, {}, "nothing to merge"),
        ({b"low": 5}, {"stage": "naive", "stages": ["max_heap"]}, "must be in stages: max_heap"),
    ],
)
def test_what_cannot_be_played_is_an_error(given: Any, options: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        player(given, **options)


def test_stages_that_a_reader_does_not_know_yet_are_left_out() -> None:
    html = player({b"low": 5}, 1, stages=("naive", "inverted_index"))._repr_html_()
    assert "words_rewritten" in html and "heap_pushes" not in html
    assert "heap_pushes" in player({b"low": 5}, 1)._repr_html_()
