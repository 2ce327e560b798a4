"""How fast a tokenizer is, how much memory it takes, and how many bytes an id stands for."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import perf_counter

from bpe_lab import corpora
from bpe_lab.bench.child import ChildError
from bpe_lab.results.numbers import duration_in_words, size_in_words, three_digits, two_digits
from bpe_lab.results.tables import markdown_table
from bpe_lab.support.columns import named
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.trials.running import Line, how_it_failed
from bpe_lab.trials.speed import lines_that_take_most
from bpe_lab.trials.tokenizer_kinds import Case
from bpe_lab.trials.tokenizer_running import OwnTokenizer
from bpe_lab.words.patterns import PATTERNS

SIZES = (64_000, 250_000, 1_000_000)  # bytes of stories
FIRST_SECONDS = 10.0  # for the smallest
STREAMED = ((1_000_000, 5_000_000), (200_000, 1_000_000))
STREAM_SECONDS = 5.0  # that both of them may take
LARGE = {"12 GB": 12e9, "825 GB": 825e9}  # OpenWebText; The Pile, of which CS336 asks
GROWS = 1.5  # times the memory, above which it grows with the text


def speed(own: OwnTokenizer, seconds: float) -> Iterator[str]:
    """Yield what was measured of a tokenizer: paragraphs and tables.

    :param seconds: at most; half of them to encode.
    """
    case, size, rate, lines = Case("stories", "encode"), 0, 0.0, list[Line]()
    end = perf_counter() + seconds / 2
    for each in SIZES:
        if rate and each / rate > end - perf_counter():
            break
        own.child.restart()
        path = corpora.excerpt("stories", each)
        try:
            left = max(end - perf_counter(), 1)
            n_ids, took = own.call("file", str(path), case, left, measure=True)["result"]
        except ChildError as error:
            if not size:
                failed = how_it_failed(error, seconds / 2)
                yield f"**How fast is it?** Not measured: with {size_in_words(each)} it {failed}."
                return
            break
        size, rate, per_id = each, each / took, each / n_ids
        lines = [Line(*line) for line in own.child.facts["lines"]]
    n_ids = len(case.vocabulary.tokens)
    yield f"**How fast is it?** {size_in_words(size)} of stories, {n_ids:,} ids, n = 1."
    text = corpora.excerpt("stories", size).read_text(encoding="utf-8")
    rows = [(rate, f"**{named(own.name)}**"), *_others(case, text)]
    yield markdown_table(
        ["encode", "MB/s", *LARGE],
        [
            [name, three_digits(each / 1e6), *(_time(n / each) for n in LARGE.values())]
            for each, name in sorted(rows)
        ],
    )
    yield from lines_that_take_most(lines, size)
    languages = corpora.path("languages")
    with suppress(ChildError):
        n_ids, _ = own.call("file", str(languages), case, FIRST_SECONDS)["result"]
        other = languages.stat().st_size / n_ids
        yield f"**Bytes for each id:** {per_id:.2f} of stories, {other:.2f} of many languages."
    if "encode_iterable" in own.methods:
        yield from _memory(own, case, rate)


def _time(seconds: float) -> str:
    days = seconds / 86_400
    return duration_in_words(seconds) if days < 2 else f"{two_digits(days)} days"


def _memory(own: OwnTokenizer, case: Case, rate: float) -> Iterator[str]:
    """Yield how much memory the lines of a text take, and of one five times as long."""
    sizes = next((sizes for sizes in STREAMED if sum(sizes) / rate < STREAM_SECONDS), None)
    if sizes is None:
        return
    peaks = []
    for size in sizes:
        own.child.restart()
        try:
            path = corpora.excerpt("stories", size)
            own.call("lines", str(path), case, 2 * STREAM_SECONDS)
        except ChildError:
            return
        peaks.append(own.child.facts["peak_rss_mb"])
    least, most = (
        f"{three_digits(peak)} MB over {size_in_words(size)}"
        for peak, size in zip(peaks, sizes, strict=True)
    )
    grows = "It grows with the text." if peaks[1] > GROWS * peaks[0] else ""
    yield f"**Peak memory of `encode_iterable`:** {least}, {most}. {grows}"


def _others(case: Case, text: str) -> Iterator[tuple[float, str]]:
    """Yield the bytes a second and the name of other encoders with the same merges."""
    tokenizer = Tokenizer(
        dict(enumerate(case.vocabulary.tokens)), [*case.vocabulary.merges], case.specials
    )
    encoders: dict[str, Callable[[str], object]] = {
        "`bpe_lab`": partial(tokenizer.encode, allowed_special="all")
    }
    with suppress(ImportError):
        import tiktoken

        pattern, ranks = PATTERNS["gpt2"].regex, {**case.vocabulary.ids}
        special_tokens = {token: ranks.pop(token.encode()) for token in case.known}
        encoding = tiktoken.Encoding(
            "own", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens
        )
        encoders["`tiktoken`"] = partial(encoding.encode, allowed_special="all")
    with suppress(ImportError), tempfile.TemporaryDirectory() as folder:
        import tokenizers

        tokenizer.export(folder, "huggingface", force=True)
        file = Path(folder, "tokenizer.json")
        encoders["`tokenizers`"] = tokenizers.Tokenizer.from_file(str(file)).encode
    for name, encode in encoders.items():
        encode(text[:100])
        begun = perf_counter()
        encode(text)
        yield len(text.encode()) / (perf_counter() - begun), name
