"""One benchmark value: what a measuring function returns, and what is known of its process."""

import os
from datetime import UTC, datetime
from typing import Any

from bpe_lab.bench.process_child import find_function
from bpe_lab.machine import anonymous_mb, peak_rss_mb


def run_once(
    measure: str, params: dict[str, Any], file: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Call a measuring function and add what is known about its process, which is ours.

    :param measure: "module:function".
    :param params: its keyword arguments.
    :param file: handed to it as `file`, where it is to read a file of the user.
    :return: what the function returned, with utc, peak_rss_mb, anonymous_mb and cpu_seconds, which
        a function may give itself.
    :raises: what the function raises.

    >>> sorted(run_once("bpe_lab.bench.run_once:nothing", {"result": 3}))
    ['anonymous_mb', 'cpu_seconds', 'digest', 'operations', 'peak_rss_mb', 'seconds', 'utc']
    """
    made = find_function(measure)(**params, **({"file": file} if file else {}))
    times = os.times()
    return {
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "peak_rss_mb": peak_rss_mb(),
        "anonymous_mb": anonymous_mb(),
        # Of the workers as well.
        "cpu_seconds": times.user + times.system + times.children_user + times.children_system,
        **made,
    }


def nothing(result: int) -> dict[str, Any]:
    """Measure nothing, for tests of what runs measurements.

    :param result: what its digest is made of.
    """
    return {"seconds": 1.0, "digest": f"{result:02x}", "operations": {"nothing": 1}}
