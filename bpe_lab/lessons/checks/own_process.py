"""A stage of a user in a process of its own: whatever it does, it ends only that."""

import signal
from collections.abc import Mapping
from typing import Any

from bpe_lab.bench.process import Child


class NoVerdictError(RuntimeError):
    """The process ended, or was ended, before it had answered; says how."""


def answer_of(function: str, params: Mapping[str, Any], seconds: float) -> Any:
    """Call a function in a fresh process, with JSON values, and return what it returned.

    :param function: "module:function".
    :param seconds: after which the process is ended, with all that it started.
    :raises NoVerdictError: it did not answer.

    >>> answer_of("os:_exit", {"status": 3}, 60)
    Traceback (most recent call last):
    bpe_lab.lessons.checks.own_process.NoVerdictError: Its process ended with exit code 3
    """
    with Child(function, params) as child:
        try:
            return child.result(seconds)
        except TimeoutError:
            how = f"Its process was still at work after {seconds:g} seconds, and was ended"
        # Also where it printed something that is no answer, and ended itself.
        except (RuntimeError, ValueError, LookupError, TypeError) as error:
            code = child.process.returncode
            if code < 0:
                how = f"Its process was ended by the signal {signal.Signals(-code).name}"
            else:
                how = f"Its process ended with exit code {code}"
                if code and "ended with code" not in str(error):
                    how += f" (`{error}`)"
        raise NoVerdictError(how)
