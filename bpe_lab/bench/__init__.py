"""Benchmarks: validate, then time, each value in a fresh process; one JSON record per value."""

import sys

# jsonschema, of which nbformat takes a part, makes a grammar of addresses when it is imported: that
# takes two seconds, in every process that runs notebooks, and no notebook needs it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
