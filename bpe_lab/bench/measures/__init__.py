"""The measuring functions of suites: each is called once, by its name, in its own process.

Parameters mean the same everywhere. `path`: the text, which has been read before, so that a value
does not include the disk; `vocab_size`: ids to reach; `threads`: processes or threads;
`least_seconds`: the work is repeated for this long, and the value is the mean (`loops` of the
record: how often; 0: once); `turns`: how often each of two programs runs; `pattern` and `counter`:
as `bpe_lab.count_words` takes them. They return fields of a record.
"""
