"""What suites measure: each function is called once in a process of its own, by its name.

Parameters mean the same everywhere. `path`: the text, which has been read, so that the disk is
no part of a value; `vocab_size`: ids to reach; `threads`: processes or threads;
`least_seconds`: the work is repeated until it has taken so long, and the value is the mean (`loops`
of the record: how often it was; 0: once); `turns`: how often each of two programs runs; `pattern`
and `counter`: as `bpe_lab.count_words` takes them. What is returned are fields of a record.
"""
