"""What every notebook begins with: the look of its figures, a word where a name is missing.

Importing it prints the machine.
"""

import linecache
import re
from types import TracebackType
from typing import Any

import matplotlib.pyplot as plt
from IPython.core.getipython import get_ipython

from bpe_lab.lessons.shared.checking import RUN_FIRST
from bpe_lab.results.machine_facts import machine_line


def explain_missing_names(shell: Any) -> None:
    """Let a cell that uses a name of a cell that has not run say what must run first."""
    shell.set_custom_exc((NameError,), _missing_name)


def _missing_name(
    shell: Any,
    kind: type[NameError],
    error: NameError,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    """Print what must run first, behind the traceback where a function misses the name."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or trace.tb_frame.f_code.co_name != "<module>":
        shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else ""
    if re.match(rf"guess = {error.name}\b", line):
        print(f'`{error.name}` is a name: write it with quotes, guess = "{error.name}".')
    elif not isinstance(error, UnboundLocalError):
        print(f"`{error.name}` is not defined yet. {RUN_FIRST}")


plt.style.use("bpe_lab.plots.bpe_lab")
if _shell := get_ipython():
    explain_missing_names(_shell)
print(machine_line())
