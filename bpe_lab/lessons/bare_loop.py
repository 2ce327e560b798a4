"""The loop that drives every stage, without the clocks of `bpe_lab.training`."""

from collections.abc import Mapping

from bpe_lab.merges import Merge, first_vocab
from bpe_lab.stages.interface import Stage


def merges_of(stage_class: type[Stage], counts: Mapping[bytes, int], n_merges: int) -> list[Merge]:
    """Return the first merges that a stage makes.

    :param stage_class: a class with the methods of a stage, registered or not.
    :param counts: word -> number of occurrences.
    :param n_merges: how many to make; fewer when no pair is left.

    >>> from bpe_lab.stages.naive import Naive
    >>> merges_of(Naive, {b"low": 5}, 2)
    [(b'o', b'w'), (b'l', b'ow')]
    """
    vocab = first_vocab([])
    stage = stage_class(counts, vocab)
    merges: list[Merge] = []
    while len(merges) < n_merges:
        if stage.recounts or not merges:
            stage.count_pairs()
        selection = stage.select()
        if selection is None:
            break
        (left, right), _ = selection
        merges.append((vocab[left], vocab[right]))
        vocab.append(vocab[left] + vocab[right])
        stage.update((left, right), len(vocab) - 1)
    return merges
