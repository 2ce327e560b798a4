"""Execute notebooks in place, as they are committed.

python -m bpe_lab.lessons.execute notebooks/10_scoreboard.ipynb
"""

import os
import sys
from pathlib import Path

import nbclient
import nbformat

from bpe_lab.files import check_file, write_aside

KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language; the rest changes with its version."""


def execute(path: Path) -> None:
    """Execute a notebook on this interpreter; the file is replaced when every cell has run.

    :param path: the notebook.
    :raises nbclient.exceptions.CellExecutionError: a cell failed.
    :raises OSError: it cannot be read or written.
    """
    check_file(path)
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": path.resolve().parent}},
    ).execute()
    language = notebook.metadata["language_info"]
    notebook.metadata["language_info"] = {name: language[name] for name in KEPT}
    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    write_aside(path, f"{text}\n".encode())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        execute(Path(name))
        print(f"executed: {name}")
