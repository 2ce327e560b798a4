"""Promise: the prose of the notebooks has the numbers of the records that it speaks of."""

import json
import math
from pathlib import Path

import pytest

from bpe_lab.bench.suites import ablation
from bpe_lab.bench.suites import ladder as bench_ladder
from bpe_lab.corpora import data_path
from bpe_lab.lessons.shared.predictions import check_guess, guessed
from bpe_lab.results.numbers import duration, duration_in_words, three_digits, two_digits
from bpe_lab.results.records import MERGING, load, read_records
from bpe_lab.results.spread import ratio_by_round, spread_of
from bpe_lab.results.tables import median_run

ROOT = Path(__file__).resolve().parents[1]
LADDER = data_path("recorded/bench/ladder.jsonl")


def middle(suite: str, column: str = "seconds") -> dict[str, float]:
    """Return the median of each case of a recorded suite."""
    records = load(data_path(f"recorded/bench/{suite}.jsonl"))
    return dict(records.groupby("case")[column].median())


def said_by_the_records() -> dict[str, list[str]]:
    """Return, for each notebook, what its prose has to say by the records."""
    ladder = load(LADDER)
    runs = median_run(ladder)
    job, merging = middle("ladder"), middle("ladder", "merge_seconds")
    work = dict(ladder.drop_duplicates("case").set_index("case")["operations"])
    n = dict(ladder.groupby("case").size())

    def phase(rung: str, name: str) -> float:
        return float(runs.loc[rung, f"phase_{name}"])

    def share(rung: str, name: str) -> float:
        return 100 * phase(rung, name) / float(runs.loc[rung, "seconds"])

    def times(slow: str, fast: str) -> str:
        ours, base = (
            dict(zip(of["round"], of["seconds"], strict=True))
            for of in (ladder[ladder["case"] == one] for one in (fast, slow))
        )
        return two_digits(ratio_by_round(ours, base).inverse.median)

    def fewer(name: str, slow: str, fast: str) -> str:
        return two_digits(work[slow][name] / work[fast][name])

    def gain(slow: str, fast: str, name: str) -> str:
        return two_digits(phase(slow, name) / phase(fast, name))

    def tokens(rung: str) -> int:  # n tokens, n - 1 pairs
        return int(work[rung]["words_scanned"] + work[rung]["pairs_counted"])

    def ms(seconds: float) -> str:
        return f"{1e3 * seconds:.0f}" if seconds > 0.02 else two_digits(1e3 * seconds)

    loop = phase("count natively", "select") + phase("count natively", "update")
    each = 1e6 * loop / runs.loc["count natively", "n_merges"]
    hour, end = (duration_in_words(job[one]) for one in ("naive", "core, two threads"))
    whole = two_digits(job["naive"] / job["core, two threads"])
    trace = runs.loc["naive", "trace"]["seconds"]
    forecast = trace[3] / 4 * runs.loc["naive", "n_merges"] / trace[-1]
    update = share("word_counts", "update") / 100
    collector = middle("negative", "merge_seconds")
    both = middle("negative", "phase_update")
    updates = both["naive, with it"] / both["naive, no collector"]
    fewer_tokens = tokens("naive") / tokens("word_counts")
    unexplained = phase("naive", "update") / phase("word_counts", "update") / fewer_tokens
    scans = work["fine_grained"]["pairs_scanned"]
    moves = sum(work["max_heap"][name] for name in ("heap_pushes", "heap_pops", "stale_pops"))
    heaps = load(data_path("recorded/experiments/ladder-heaps.jsonl"))
    heaps = heaps.groupby("case")["merge_seconds"].median()
    by_hand, library, compiled = (
        ms(heaps[f"max_heap_{one}"]) for one in ("python", "heapq", "cython")
    )
    heap_gains = 100 * (1 - heaps["max_heap_cython"] / heaps["max_heap_heapq"])
    early = merging["max_heap"] + phase("count natively", "count")
    wake = {case: 1e6 * seconds for case, seconds in middle("waking").items()}
    one, asleep, spinning = (
        wake[f"small table, {way}"] for way in ("one thread", "two, asleep", "two, spinning")
    )
    large = [wake[f"large table, {way}"] for way in ("one thread", "two, asleep", "two, spinning")]
    counted = middle("threads")
    first = middle("threads", "phase_count_pairs")
    loads = {case: 1e9 * seconds for case, seconds in middle("loads").items()}
    apart, waits = loads["overlapping, random places"], loads["one after another, random places"]
    floor = bench_ladder.floor(ladder, load(data_path("recorded/bench/limit.jsonl")))
    assert floor
    words = load(data_path("recorded/bench/distinct.jsonl"))
    least, *_, giga, _, most = words.sort_values("corpus_bytes")["operations"]
    larger = load(data_path("recorded/experiments/openwebtext.jsonl"))
    larger = larger.groupby("case")["merge_seconds"].median()
    big = load(data_path("recorded/experiments/openwebtext-1.1.0.jsonl")).set_index("case")
    growth = load(data_path("recorded/bench/scaling.jsonl"))
    turns = growth[growth["param_text"] == "many_words"].set_index(["stage", "corpus_bytes"])
    turns = turns.set_index("round", append=True)["merge_seconds"]
    leads = (turns["cpp_map"] / turns["core"]).groupby("corpus_bytes")
    lead = [spread_of(list(of)) for _, of in leads]
    growth = turns.groupby(["stage", "corpus_bytes"]).median()
    taken = "n = {}, of `word_counts` and `word_filter` {}, of `naive` {}".format(
        n["core"], n["word_counts"], n["naive"]
    )
    assert n["word_counts"] == n["word_filter"]
    ten = {
        name: job["cpp_flat"]
        / (job["cpp_flat"] - phase("cpp_flat", name) + phase("cpp_flat", name) / 10)
        for name in ("count", "update")
    }
    ten["merging"] = job["cpp_flat"] / (phase("cpp_flat", "count") + merging["cpp_flat"] / 10)
    return {
        "00": [
            taken,
            f"Its first program takes {hour}. Its last one takes {end}, and makes",
            f"On the machine of our records they took {hour}.",
            f"The forecast is {two_digits(forecast)} times too high.",
        ],
        "01": [
            f'"{hour} for 5 MB (recorded)"',
            f"One dot: {hour}, from the text to the last merge.",
            f"takes {share('naive', 'count_pairs'):.0f} % of the time, replacing them "
            f"{share('naive', 'update'):.0f} %",
        ],
        "02": [
            f'"{hour} become {three_digits(job["word_counts"])} seconds (recorded)"',
            f"{times('naive', 'word_counts')} times as fast. One line of thought",
            f"`count_pairs` reads {fewer('pairs_counted', 'naive', 'word_counts')} times fewer "
            f"pairs, and became {gain('naive', 'word_counts', 'count_pairs')} times as fast. "
            "`update` reads "
            f"{two_digits(fewer_tokens)} times fewer tokens, and became "
            f"{gain('naive', 'word_counts', 'update')} times as fast.",
            f"`naive` merges for {collector['naive, with it']:.1f} seconds with the collector and "
            f"for {collector['naive, no collector']:.1f} without it.",
            f"`update` is {100 * update:.1f} % of the time; without it the job would be "
            f"{1 / (1 - update):.2f} times as fast, which is 1 / (1 − {update:.3f}).",
            f"a factor of {unexplained:.1f} is still unexplained.",
            f"`update` alone takes {updates:.1f} times as long.",
            f"{work['word_filter']['words_rewritten']:,} words are rewritten in place of "
            f"{work['word_counts']['words_rewritten']:,}. The job becomes "
            f"{job['word_counts'] / job['word_filter']:.2f} times as fast",
        ],
        "03": [
            f'"{hour}, {duration(job["word_counts"])}, {duration(job["fine_grained"])}: '
            'the same merges (recorded)"',
            f"makes the job {times('word_filter', 'pair_table')} times as fast.",
            f"The index looks into {fewer('words_scanned', 'pair_table', 'inverted_index')} times "
            f"fewer words, and gains another {times('pair_table', 'inverted_index')}.",
            f"Changing single counts gains {times('inverted_index', 'fine_grained')} more.",
            f"{scans / runs.loc['fine_grained', 'n_merges']:,.0f} counts on average",
        ],
        "04": [
            f'"{hour} to {duration(job["max_heap"])}, in plain Python (recorded)"',
            f"`select` falls from {ms(phase('fine_grained', 'select'))} ms to "
            f"{ms(phase('max_heap', 'select'))}. For the {scans / 1e6:.1f} million entries that "
            f"the scans read, the heap makes {moves:,} moves.",
            "Merging, the hollow dot, is "
            f"{two_digits(merging['fine_grained'] / merging['max_heap'])} times as fast; "
            f"the whole job {times('fine_grained', 'max_heap')} times.",
            f"in {by_hand} ms with a heap written by hand in Python, in {library} with the one of "
            f"the library, and in {compiled} with a compiled one.",
            f"Compiling the heap gains {heap_gains:.0f} %.",
        ],
        "05": [
            "merging becomes "
            f"{two_digits(merging['max_heap'] / merging['cpp_flat'])} times as fast, the job "
            f"{times('max_heap', 'cpp_flat')} times (recorded)",
            f"Merging took {ms(merging['max_heap'])} ms with `max_heap` and takes "
            f"{ms(merging['cpp_flat'])} with `cpp_flat`",
            f"{three_digits(job['max_heap'])} seconds become {three_digits(job['cpp_flat'])}.",
            f"{share('cpp_flat', 'count'):.0f} % of the job is `count`",
            f"and {two_digits(merging['max_heap'] / merging['cython'])} in the time of merging.",
            f"its merging is {two_digits(merging['cpp_map'] / merging['cpp_flat'])} times as fast.",
            *(f"{number:.2f}" for number in ten.values()),
        ],
        "06": [
            f"It needs {two_digits(1e9 * phase('cpp_flat', 'count') / 5_000_331)} nanoseconds for "
            "each byte. Reading a byte from memory takes "
            f"{two_digits(1e9 * floor / 5_000_331)}.",
            f"the job is {times('cpp_flat', 'count natively')} times as fast, by one change",
            f"{ms(job['cpp_flat'])} milliseconds become {ms(job['count natively'])}.",
            f"Counting alone became {gain('cpp_flat', 'count natively', 'count')} times as fast, "
            "on one thread.",
        ],
        "07": [
            f"{one:.0f} microseconds. Two threads share the table, and are done after "
            f"{asleep:.0f}. The third row is the same two threads, and they need {spinning:.0f}.",
            f"`select` takes {ms(phase('cpp_scan', 'select'))} ms with one thread and "
            f"{ms(phase('openmp_scan', 'select'))} with two.",
            f"Waking it costs {asleep - spinning:.0f} microseconds. The scan itself "
            f"takes {one:.0f}. You cannot save {one - spinning:.0f} by paying "
            f"{asleep - spinning:.0f}.",
            f"The scan falls to {spinning:.0f}, and a whole processor pays for it.",
            f"{large[0]:.0f} microseconds become {large[1]:.0f} with a thread that is woken, and "
            f"{large[2]:.0f} with one that spins. The scan saves {large[0] - large[2]:.0f} now, "
            f"and the waking costs {large[1] - large[2]:.0f}.",
            "for the whole text: "
            f"{counted['counter native, 1'] / counted['counter native, 2']:.1f} times as fast.",
            f"Choosing and merging a pair takes {each:.1f} microseconds now",
            "Counting the first pairs wakes them once: "
            f"{first['first counts, core, 1'] / first['first counts, core, 2']:.1f} times.",
        ],
        "08": [
            f'"{hour} to {end} (recorded)"',
            f"takes {two_digits(waits)} nanoseconds to come",
            f"the waits overlap: {two_digits(waits / apart)} times as fast (recorded).",
            f"one after another, take {loads['one after another, ascending']:.0f}.",
            f"{larger['cpp_flat']:.0f} seconds of merging become {larger['core']:.1f}.",
            f"so all of this is worth {1e3 * (merging['count natively'] - merging['core']):.0f} ms "
            f"here: {ms(merging['count natively'])} ms of merging became {ms(merging['core'])}.",
            f"two threads, which count: {end}.",
            f"We need {two_digits(job['core, two threads'] / floor)} times as long as that.",
        ],
        "09": [
            f"{hour} became {end}: {whole} times as fast.",
            f"In this order the ideas gave {times('naive', 'word_filter')} times by distinct "
            "words and the filter, "
            f"{times('word_filter', 'fine_grained')} by the table and the index, "
            f"{times('fine_grained', 'max_heap')} by the heap, {times('max_heap', 'cpp_flat')} by "
            f"compiling, {times('cpp_flat', 'count natively')} by counting without an expression, "
            f"{times('count natively', 'core')} by the core. And threads, "
            f"{times('core', 'core, two threads')}.",
            f"counting is worth {two_digits(job['max_heap'] / early)} and compiling "
            f"{two_digits(early / job['count natively'])}.",
            "from 16 to 256 KB, 16 times the text, it takes "
            f"{growth['naive'].iloc[-1] / growth['naive'].iloc[0]:.0f} times as long.",
            f"1 MB takes it {growth['word_counts'].iloc[-1]:.0f} seconds.",
            f"At 16 KB `core` merges {lead[0]} times as fast as `cpp_map`, at 1 MB {lead[3]}, "
            f"at 16 MB {lead[-1]}.",
        ],
        "10": [
            f"{two_digits(most['distinct_words'] / least['distinct_words'])} times as many.",
            f"12 GB of this text have {most['distinct_words']:,} different words",
            "From 1 to 12 GB the different words became "
            f"{two_digits(most['distinct_words'] / giga['distinct_words'])} times as many",
            f"`core` counts for {two_digits(big.loc['core', 'phase_count'])} seconds "
            f"and merges for {two_digits(big.loc['core', 'merge_seconds'])} (recorded",
        ],
    }


@pytest.mark.parametrize("notebook", [f"{number:02}" for number in range(11)])
def test_the_prose_of_a_notebook_has_the_numbers_of_the_records(notebook: str) -> None:
    [path] = (ROOT / "notebooks").glob(f"{notebook}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = " ".join(" ".join("".join(cell["source"]) for cell in cells).split())
    for sentence in said_by_the_records()[notebook]:
        assert sentence in text, sentence


def test_what_is_said_of_simulated_events_is_recorded() -> None:
    found = {one["case"]: one for one in read_records(data_path("recorded/bench/processor.jsonl"))}

    def of(case: str, event: str) -> str:
        return three_digits(found[case]["simulated"]["merge"][event] / found[case]["n_merges"])

    texts = {
        name: " ".join((ROOT / name).read_text(encoding="utf-8").split())
        for name in (
            "notebooks/05_cython.ipynb",
            "notebooks/08_core.ipynb",
            "book/not_in_course.md",
        )
    }
    five, eight, page = texts.values()
    first = {
        stage: of(f"stories, first merges, {stage}", "instructions")
        for stage in ("word_counts", "max_heap", "cython", "cpp_map")
    }
    assert "from {word_counts} instructions to {max_heap}.".format(**first) in five
    assert f"the tables stay objects of Python: {first['cython']}." in five
    assert f"the objects go: {first['cpp_map']}." in five
    many = [of(f"many_words, {stage}", "ll_misses") for stage in ("cpp_positions", "core")]
    assert (
        f"{many[0]} times in `cpp_positions`, and {round(float(many[1]))} times in `core`" in eight
    )
    flat, nodes = (of(f"many_words, {stage}", "instructions") for stage in ("cpp_flat", "cpp_map"))
    assert f"{flat} in place of {nodes}" in page
    misses = [of(f"many_words, {stage}", "ll_misses") for stage in ("cpp_flat", "cpp_map")]
    assert "simulated: {} and {} of a last cache".format(*misses) in page


def test_what_is_said_of_the_core_without_an_idea_is_recorded() -> None:
    takes: dict[str, dict[str, float]] = {}
    for one in ablation.compared(load(data_path("recorded/bench/ablation.jsonl"))).to_dict(
        "records"
    ):
        takes.setdefault(one["group"].split()[1], {})[one["idea"]] = one["factor"].median
    web, languages = takes["openwebtext"], takes["languages"]
    mark = takes["letter_runs"]["a token's id in its last cell, too"]
    table = "a small table before the large one"
    said = [
        f"looks the weights up takes {two_digits(web['weights by position'])} times as long, "
        f"one without prefetches {two_digits(web['prefetched cells'])} times, "
        f"one without the sums {web['sums by neighbour']:.2f} times.",
        f"`core` takes {two_digits(mark)} times as long without the second",
        f"counted {languages[table]:.2f} times as fast with it; web text",
        f"rare words takes {1 / web[table]:.2f} times as long.",
    ]
    pages = ("notebooks/08_core.ipynb", "book/not_in_course.md")
    text = " ".join(" ".join((ROOT / page).read_text("utf-8") for page in pages).split())
    assert all(sentence in text for sentence in said), said


def test_what_is_said_of_prefetches_is_recorded() -> None:
    page = " ".join((ROOT / "book/not_in_course.md").read_text(encoding="utf-8").split())
    loads = load(data_path("recorded/bench/loads.jsonl")).groupby("case")["seconds"].median() * 1e9
    way, fetched = "overlapping, ascending", "overlapping, ascending, prefetched"
    alone, with_it = three_digits(loads[way]), three_digits(loads[fetched])
    assert f"takes {alone} ns without a prefetch and {with_it} ns with one" in page
    slow, fast = (loads[f"{one}, 16 steps of work"] for one in (way, fetched))
    assert f"takes {three_digits(slow)} ns, and {three_digits(fast)} ns with a prefetch." in page


def test_a_floor_of_another_machine_is_none() -> None:
    ladder, limit = load(LADDER), load(data_path("recorded/bench/limit.jsonl"))
    assert bench_ladder.floor(ladder, limit)
    machine = ladder["machine"].iloc[0] | {"caches_kb": {}}
    assert bench_ladder.floor(ladder.assign(machine=[machine] * len(ladder)), limit) is None


def test_merging_is_all_phases_but_count() -> None:
    for one in read_records(LADDER):
        phases = sum(one["phases"][phase] for phase in MERGING)
        assert one["merge_seconds"] == pytest.approx(phases, rel=1e-6)


@pytest.mark.parametrize("guess", [0, -1, math.nan, math.inf, "many"])
def test_a_guess_that_is_no_number_says_so(guess: object) -> None:
    with pytest.raises(ValueError, match="number"):
        guessed(guess, 3.0, "times")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="number"):
        check_guess(guess)  # type: ignore[arg-type]
    check_guess(None)
