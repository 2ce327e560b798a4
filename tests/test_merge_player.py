"""Promise: the merge player makes and counts in a browser what the package makes and counts."""

import random
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from html import unescape
from typing import Any

import pytest

import bpe_lab
from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.lessons.merge_player import (
    MOST_CHARACTERS,
    MOST_MERGES,
    PLAYED_STAGES,
    TEMPLATE,
    operations_by_merge,
    player,
)
from bpe_lab.native import word_table
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.words.pretokenize import pretokenize

TEXTS = {
    # (a, a) overlaps itself, and a match right behind another takes a pair away that it has made.
    "runs": "aaaa aaa aa aaaaaaa a babaaaa",
    "ties": "ab ba cd dc ab ba cd dc abcd dcba",
    "characters of several bytes": "žluťoučký kůň, größer; größte 東京 東京都 naïve naïvety",
    "emoji": "👍👍🏽 👩‍👩‍👧 👍👍🏽🎉🎉🎉🎉 ok👍ok",
    "white space": "a\tb\n\n  c\u00a0d \u2003\ufeff e\u0085f   g12 345!?'ll I'll don't  ",
    "lines": "the cat sat on the mat\nthe cat sat on the hat\n" * 3,
    "random": "".join(random.Random(13).choices("ab c", k=400)),
}


def counts_of(text: str) -> dict[bytes, int]:
    """Return the words of a text in the order in which they are met, as the player counts them."""
    return dict(Counter(word.encode() for word in pretokenize(text)))


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open a page with two players, from a file, without the network."""
    home = tmp_path_factory.mktemp("page") / "page.html"
    html = player()._repr_html_() + player("low lower\n" * 300, 9, "max_heap")._repr_html_()
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
    context.close()


@pytest.fixture
def frame(page: Any) -> Any:
    """Return the frame of the first player, at the first merge, with all panes."""
    first = page.frames[1]
    first.evaluate("() => { state.Stage = Naive; state.everything = true; reset(); go_to(0); }")
    return first


def trained_in_javascript(frame: Any, counts: Mapping[bytes, int], n_merges: int) -> Any:
    # How often `cpp_positions` pushes depends on the order of words that occur equally often: that
    # of its hash table. The others do not ask.
    words = [[word.decode("latin-1"), count] for word, count in word_table(counts).items()]
    return frame.evaluate(
        """([words, n_merges]) => Object.fromEntries(STAGES.map(
             Stage => [Stage.id, train(Stage, new Map(words), n_merges)
               .map(({merge, count, operations}) => ({merge, count, operations}))]))""",
        [words, n_merges],
    )


def without_zeros(operations: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in operations.items() if count}


@pytest.mark.parametrize("name", ["worked example", *TEXTS])
def test_merges_and_operations_of_every_merge_are_those_of_the_package(
    frame: Any, name: str
) -> None:
    counts = WORKED_EXAMPLE if name == "worked example" else counts_of(TEXTS[name])
    played = trained_in_javascript(frame, counts, MOST_MERGES)
    assert tuple(played) == PLAYED_STAGES
    for stage, steps in played.items():
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # no pair is left
            training = bpe_lab.train_from_counts(
                counts, 256 + MOST_MERGES, [], stage=stage, threads=1
            )
            by_merge = operations_by_merge(counts, MOST_MERGES, stage)
        made = [step for step in steps if step["merge"] is not None]
        assert [
            tuple(side.encode("latin-1") for side in step["merge"]) for step in made
        ] == training.merges
        assert [step["count"] for step in made] == list(training.trace.counts)
        assert [without_zeros(step["operations"]) for step in made] == [
            without_zeros(operations) for operations in by_merge
        ], stage
        total: Counter[str] = Counter()
        for step in steps:  # the last one, in which no pair is found, too
            total.update(step["operations"])
        assert without_zeros(total) == without_zeros(training.operations), stage


@pytest.mark.parametrize("name", ["runs", "characters of several bytes", "random"])
def test_what_stages_hold_after_some_merges_is_what_the_package_holds(
    frame: Any, name: str
) -> None:
    counts = counts_of(TEXTS[name])
    for stage in ("naive", "word_counts", "pair_table", "inverted_index", "max_heap"):
        held: list[Any] = []

        def look(step: bpe_lab.MergeStep, held: list[Any] = held) -> None:
            inside: Any = step.stage
            held.append([list(map(list, inside.words))])
            # Who counts anew has the counts of before the merge.
            if not inside.recounts:
                held[-1].append(sorted([*pair, n] for pair, n in inside.pair_counts.items()))
            lists = getattr(inside, "pair_words", {})
            held[-1].append(sorted([[*pair], sorted(words)] for pair, words in lists.items()))
            held[-1].append(
                sorted([*entry[3:], -entry[0]] for entry in getattr(inside, "heap", []))
            )

        bpe_lab.train_from_counts(counts, 256 + 8, [], stage=stage, on_merge=look)
        words = [[word.decode("latin-1"), count] for word, count in counts.items()]
        played = frame.evaluate(
            """([id, words]) => {
              const loop = new MergeLoop(STAGES.find(Stage => Stage.id === id), new Map(words));
              const ids = pair => [left_of(pair), right_of(pair)];
              return Array.from({length: 8}, () => {
                loop.step();
                const {words, pair_counts, pair_words, heap} = loop.stage;
                const held = [words];
                if (!loop.stage.constructor.recounts) {
                  held.push([...pair_counts].map(([pair, count]) => [...ids(pair), count]));
                }
                held.push([...pair_words ?? []].map(([pair, words]) => [ids(pair), [...words]]));
                held.push((heap?.entries ?? []).map(({pair, count}) => [...ids(pair), count]));
                return structuredClone(held);
              });
            }""",
            [stage, words],
        )
        for moment in played:
            for table in moment[1:]:
                for row in table:
                    if isinstance(row[-1], list):
                        row[-1].sort()
                table.sort()
        assert played == held, stage


@pytest.mark.parametrize("name", ["runs", "characters of several bytes", "random"])
def test_the_flat_array_holds_the_words_and_its_table_the_counts(frame: Any, name: str) -> None:
    # The package does not let anybody look into `cpp_positions`.
    held = frame.evaluate(
        """text => {
          const counts = count_words(text);
          const flat = new MergeLoop(PositionsStage, counts);
          const words = new MergeLoop(MaxHeap, counts);
          const sorted = table => [...table].map(String).sort();
          return Array.from({length: 8}, () => {
            flat.step();
            words.step();
            const live = flat.stage.cells.filter(cell => cell !== DEAD).join(" ").split(SEPARATOR);
            return [
              [live.map(word => word.trim()).filter(Boolean).sort(),
                words.stage.words.map(tokens => tokens.join(" ")).sort()],
              [sorted(flat.stage.pair_counts), sorted(words.stage.pair_counts)],
              [sorted(flat.stage.positions.keys()), sorted(words.stage.pair_words.keys())],
            ];
          });
        }""",
        TEXTS[name],
    )
    for moment in held:
        for of_cells, of_words in moment:
            assert of_cells == of_words


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_coloured_is_what_is_counted(frame: Any, name: str) -> None:
    steps = frame.evaluate(
        """text => STAGES.flatMap(Stage => train(Stage, count_words(text), MOST_MERGES)
          .slice(1).filter(({merge}) => merge !== null).map(({operations, touched}) => {
            const changed = pane =>
              [...touched[pane].values()].filter(how => how !== "read").length;
            return {
              ...operations, words: touched.words.size, words_changed: changed("words"),
              cells_changed: changed("cells"), pairs: touched.pair_counts.size,
              entries: touched.heap.size,
            };
          }))""",
        TEXTS[name],
    )
    for step in steps:
        assert step["words"] == step.get("words_scanned", 0)
        assert step["words_changed"] == step.get("words_rewritten", 0)
        replaced = step.get("positions_read", 0) - step.get("stale_positions", 0)
        assert step["cells_changed"] == 2 * replaced
        assert step["pairs"] >= step.get("pairs_scanned", 1)
        met = step.get("heap_pushes", 0) + step.get("stale_pops", 0) + 1
        assert step["entries"] <= met


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_cut_into_the_words_of_the_package(frame: Any, name: str) -> None:
    counted = frame.evaluate("text => [...count_words(text)]", TEXTS[name])
    expected = [[word.decode("latin-1"), count] for word, count in counts_of(TEXTS[name]).items()]
    assert counted == expected


def test_every_character_is_of_the_same_class_as_in_the_package(frame: Any) -> None:
    # A word of "x" and a character tells its class. Characters that are newer than one of the two
    # Unicode versions differ, and are none that anybody types: up to a thousandth.
    codes = [code for code in range(1, 0x3000) if not 0x378 <= code < 0x380]
    differ = frame.evaluate(
        "codes => codes.map(code => count_words(`x${String.fromCodePoint(code)}x`).size)", codes
    )
    expected = [len(counts_of(f"x{chr(code)}x")) for code in codes]
    differing = [code for code, a, b in zip(codes, differ, expected, strict=True) if a != b]
    assert len(differing) <= len(codes) // 1000, [hex(code) for code in differing]


def test_tokens_are_spelled_as_in_the_package(frame: Any) -> None:
    tokens = [
        "é".encode()[:1],
        "東".encode()[1:],
        b" low",
        b"\n\t\r\x00\x7f",
        "\u0085\u200b".encode(),
    ]
    tokens += ["👍a".encode(), "\ufeff\u3000".encode(), b"\xf0\x9f\x91", b"a\xffb", b"\\"]
    spelled = frame.evaluate("tokens => tokens.map(spell)", [t.decode("latin-1") for t in tokens])
    assert spelled == [spell(token) for token in tokens]


def test_the_slider_is_moved_with_the_keyboard(frame: Any) -> None:
    frame.focus("#slider")
    for _ in range(2):
        frame.press("#slider", "ArrowRight")
    assert frame.inner_text("#told").startswith("Merge 3 of 12: (o, w) → ow, count 7.")
    assert frame.get_attribute("#slider", "aria-valuetext") == "3 of 12: (o, w)"
    frame.press("#slider", "End")
    assert frame.inner_text("#told").startswith("After 12 merges. No pair is left")
    assert [frame.inner_text(f".word >> nth={n}") for n in (5, 15)] == ["5: lower", "15: newest"]
    frame.press("#slider", "Home")
    assert "(s, t) → st" in frame.inner_text("#told")
    assert len(WORKED_EXAMPLE_MERGES) == 12


def test_the_operations_that_are_shown_are_those_of_the_stage(frame: Any) -> None:
    for stage in PLAYED_STAGES:
        frame.check(f"input[value={stage}]")
        done = operations_by_merge(WORKED_EXAMPLE, 12, stage)
        for rank in (0, 6, 11):
            frame.evaluate("go_to", rank)
            row = frame.locator(".stage", has=frame.locator(f"input[value={stage}]"))
            told = row.locator("small").text_content().replace("\u00a0", " ")
            shown = {part.split()[1]: int(part.split()[0]) for part in told.split(", ")}
            assert shown == without_zeros(done[rank])
            assert int(row.locator(".sum").inner_text()) == sum(done[rank].values())


def test_later_stages_touch_less(frame: Any) -> None:
    # Step 5, (w, est): it stands in `newest` only.
    def marked(pane: str, stage: str) -> list[int]:
        frame.check(f"input[value={stage}]")
        frame.evaluate("go_to(4)")
        marks = (".read", ".changed")
        return [frame.locator(f"#{pane} .body {mark}").count() for mark in marks]

    assert marked("words", "naive") == [0, 16]
    assert marked("words", "word_counts") == [0, 4]
    assert marked("words", "pair_table") == [3, 1]
    assert marked("words", "inverted_index") == [0, 1]
    assert marked("words", "max_heap") == [0, 1]
    assert marked("pair_counts", "inverted_index") == [5, 4]
    assert marked("pair_counts", "max_heap") == [0, 3]
    assert marked("words", "cpp_positions") == [0, 0]
    assert frame.locator("#words.not-kept").count() == 1
    read, changed = marked("cells", "cpp_positions")
    assert (read, changed) == (4, 2)


@pytest.mark.parametrize("by", ["hover", "focus"])
def test_pointing_at_a_pair_lights_its_places_in_all_panes(frame: Any, by: str) -> None:
    frame.check("input[value=max_heap]")
    button = frame.locator("#pair_counts button.pair", has_text=re.compile("^e w$"))
    button.hover() if by == "hover" else button.focus()
    lit = {
        pane: frame.locator(f"#{pane} .lit").count()
        for pane in ("words", "pair_counts", "lists", "heap", "cells")
    }
    assert lit == {"words": 2, "pair_counts": 1, "lists": 1, "heap": 1, "cells": 2}
    assert frame.locator("#words .lit").all_inner_texts() == ["e", "w"]
    assert frame.inner_text("#pointed") == "(e, w): count 6, in 1 distinct word."
    if by == "hover":
        frame.hover("#told")
    else:
        frame.focus("#slider")
    assert frame.locator(".panes .lit").count() == 0


def test_the_tab_key_reaches_the_pairs(frame: Any) -> None:
    frame.focus("#pair_counts .body")
    reached = []
    for _ in range(3):
        frame.page.keyboard.press("Tab")
        reached.append(frame.evaluate("document.activeElement.textContent"))
    assert reached == ["s t", "e s", "w e"]


def test_the_heap_shows_stale_entries_and_the_array_dead_cells(frame: Any) -> None:
    frame.check("input[value=cpp_positions]")
    frame.evaluate("go_to(4)")
    # (e, s), (s, t) and (o, w) had entries; those of (l, o), (w, e), (d, e), (ow, e) are stale now.
    assert frame.locator("#heap .stale").all_inner_texts() == ["7", "3", "2", "2"]
    assert "8 dead" in frame.inner_text("#cells p")
    assert frame.locator("#cells .dead").count() == 8


def test_a_typed_text_is_trained_on_and_a_long_one_is_cut_and_says_so(frame: Any) -> None:
    frame.click("summary")
    frame.fill("#text", "aaaa <b>aaaa</b> & aaaa")
    frame.wait_for_function("document.querySelector('#inventory').textContent.includes('word')")
    assert frame.inner_text("#inventory") == "10 words, 7 distinct."
    assert frame.locator("#words b").count() == 0  # markup in a text stays text
    frame.fill("#text", "👍" + "ab " * MOST_CHARACTERS)
    frame.wait_for_function("document.querySelector('#inventory').textContent.includes('Cut')")
    assert frame.inner_text("#inventory").startswith(
        "Cut: only the first 2,000 of 6,001 characters are trained on."
    )
    frame.click("#reset")
    assert "(e, st) → est" in frame.inner_text("#told")
    frame.click("summary")


def test_it_starts_with_the_text_that_python_gives(page: Any) -> None:
    second = page.frames[2]
    assert second.inner_text("#inventory") == (
        "Cut: only the first 2,000 of 3,000 characters are trained on. 600 words, 3 distinct."
    )
    assert second.evaluate("[MOST_CHARACTERS, MOST_MERGES]") == [MOST_CHARACTERS, MOST_MERGES]
    assert second.input_value("#text") == "low lower\n" * 200


def test_nothing_to_merge_is_said(frame: Any) -> None:
    # Of one or two merges the first is shown, for there is no other.
    frame.evaluate("begin(count_words('a b'), 5)")
    assert frame.inner_text("#told").startswith("Merge 1 of 1: (␣, b)")
    frame.evaluate("begin(count_words(''), 5)")
    assert frame.inner_text("#told") == "After 0 merges. No pair is left: the training ends."


def test_a_stage_can_be_chosen_for_the_reader(page: Any) -> None:
    chosen = [one.eval_on_selector(":checked", "input => input.value") for one in page.frames[1:]]
    assert chosen == ["naive", "max_heap"]
    with pytest.raises(ValueError, match="does not know 'core', but naive, word_counts"):
        player(stage="core")


def test_only_what_a_stage_keeps_is_shown_until_the_reader_asks_for_more(frame: Any) -> None:
    def shown() -> list[str]:
        return [
            str(one.get_attribute("id"))
            for one in frame.locator(".panes > section").all()
            if one.is_visible()
        ]

    frame.evaluate("state.everything = start.everything, draw()")
    assert shown() == ["words", "pair_counts"]
    assert not frame.is_visible("#key_dead") and not frame.is_visible("#key_stale")
    frame.check("input[value=max_heap]")
    assert shown() == ["words", "pair_counts", "lists", "heap"]
    assert frame.is_visible("#key_stale")
    frame.check("input[value=cpp_positions]")
    assert shown() == ["pair_counts", "lists", "heap", "cells"]
    frame.check("#everything")
    assert len(shown()) == 5
    assert "keeps none; shown as" in frame.inner_text("#words p")


def test_the_slider_begins_where_the_caller_says(page: Any, frame: Any) -> None:
    frame.evaluate("reset()")
    assert frame.inner_text("#told").startswith("Merge 2 of 12: (e, st)")
    begun = frame.evaluate(
        """firsts => firsts.map(first => {
          const before = start.first;
          start.first = first;
          reset();
          start.first = before;
          return state.rank + 1;
        })""",
        [1, 7, 12],
    )
    assert begun == [1, 7, 12]


def test_start_and_panes_are_handed_over() -> None:
    html = unescape(player(start=3, panes="all")._repr_html_())
    assert '"first": 3, "everything": true' in html
    with pytest.raises(ValueError, match="start is 3; the slider goes from 1 to 2"):
        player(n_merges=2, start=3)
    with pytest.raises(ValueError, match="panes is 'some'"):
        player(panes="some")  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [390, 830, 1280])
def test_nothing_of_the_heap_is_cut_off(page: Any, frame: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    frame.check("input[value=max_heap]")
    for rank in range(1, 8):
        frame.evaluate("go_to", rank)
        body, inside = frame.evaluate(
            """() => [
              by_id("heap").querySelector(".body").getBoundingClientRect().right,
              Math.max(...[...document.querySelectorAll(".entry")].map(
                entry => entry.getBoundingClientRect().right))]"""
        )
        assert inside <= body
        over = frame.evaluate(
            """() => [...document.querySelectorAll(".level")].some(level =>
              [...level.children].slice(1).some((entry, index) =>
                entry.getBoundingClientRect().left
                  < level.children[index].getBoundingClientRect().right - 0.5))"""
        )
        assert not over, "entries lie on each other"
    page.set_viewport_size({"width": 1280, "height": 720})


def test_two_players_of_a_page_do_not_meet(page: Any, frame: Any) -> None:
    frame.evaluate("go_to(5)")
    assert page.frames[2].inner_text("#told").startswith("Merge 2 of ")
    assert frame.inner_text("#told").startswith("Merge 6 of 12")


def test_the_frame_is_as_high_as_the_player_and_the_tables_are_hidden(page: Any) -> None:
    # Nothing of it is cut off, and nothing scrolls twice.
    page.wait_for_function(
        """() => [...document.querySelectorAll("iframe")].every(frame => {
          const {height} = frame.contentDocument.body.getBoundingClientRect();
          return height > 500 && Math.abs(frame.clientHeight - height) <= 1;
        })"""
    )
    assert page.locator("[data-without-scripts]:visible").count() == 0


def test_a_narrow_screen_needs_no_scrolling_sideways(page: Any, frame: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for stage in PLAYED_STAGES:
        frame.check(f"input[value={stage}]")
        frame.evaluate("go_to(6)")
        wide = frame.evaluate("[document.body.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1]
    page.set_viewport_size({"width": 1280, "height": 720})


def test_the_colours_follow_the_page_and_the_reader(page: Any, frame: Any) -> None:
    page.evaluate("document.body.style.background = '#111'")
    frame.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    page.evaluate("document.body.style.background = '#fff'")
    frame.wait_for_function("document.documentElement.dataset.theme === 'light'")
    page.emulate_media(color_scheme="dark")
    frame.evaluate("() => new Promise(requestAnimationFrame)")
    # The page is light, whatever the reader prefers elsewhere.
    assert frame.evaluate("document.documentElement.dataset.theme") == "light"
    page.evaluate("document.body.style.background = ''")
    frame.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    page.emulate_media(color_scheme="light")
    frame.wait_for_function("document.documentElement.dataset.theme === 'light'")


def test_no_request_leaves_the_page_and_no_script_fails(page: Any) -> None:
    assert [url for url in page.requested if not url.startswith(("file:", "about:srcdoc"))] == []
    assert page.errors == []


def test_no_address_is_in_it() -> None:
    html = unescape(player()._repr_html_())
    assert re.findall(r"(?:https?:)?//[\w.-]+\.\w+|url\(|@import|\bfetch\(", html) == []
    assert len(player()._repr_html_()) < 60_000
    assert max(map(len, TEMPLATE.read_text(encoding="utf-8").splitlines())) <= 100


def test_without_scripts_tables_tell_the_first_merges() -> None:
    html = player()._repr_html_()
    stripped = re.sub(r"<iframe.*?</iframe>", "", html, flags=re.DOTALL)
    stripped = re.sub(r' style="[^"]*"', "", stripped)
    for left, right in WORKED_EXAMPLE_MERGES[:3]:
        assert f"<b>{left.decode()} {right.decode()}</b>" in stripped
    assert stripped.count("<table>") == 2
    for stage in PLAYED_STAGES:
        assert f"<code>{stage}</code>" in stripped
    assert "106 96 87 45 pairs_counted, 10 pairs_scanned" in re.sub(
        "<[^>]*>+", " ", stripped
    ).replace("  ", " ")


def test_markup_in_a_text_stays_text() -> None:
    html = player("</script><b>bold</b> bold bold")._repr_html_()
    outside, inside = html.split("srcdoc=", 1)
    assert "<b>bold</b> bold" not in outside and "<script" not in outside
    assert unescape(inside).count("</script>") == TEMPLATE.read_text(encoding="utf-8").count(
        "</script>"
    )


@pytest.mark.parametrize(
    ("given", "n_merges", "told"),
    [
        ({b"low": 5}, 0, "1 to 100"),
        ({b"low": 5}, 101, "1 to 100"),
        ({b"low": MOST_CHARACTERS + 1}, 1, "fewer words"),
        ({b"l": 5}, 1, "nothing to merge"),
        ("", 1, "nothing to merge"),
    ],
)
def test_what_cannot_be_played_is_an_error(given: Any, n_merges: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        player(given, n_merges)
