"""How `make lab` opens the notebooks; the reader's own configuration is kept.

JUPYTER_CONFIG_PATH names this folder. The settings of the page are in `labconfig/`.
"""

import shutil
from pathlib import Path
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

HERE = Path(__file__).resolve().parent
KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language: what a committed notebook carries."""


class CommittedNotebooks(AsyncLargeFileManager):
    """Reads notebooks as the kernel of this Python would have written them.

    A page that starts a kernel writes into the notebook what that kernel says of its language.
    Where the file says something else, the notebook counts as modified before anybody has typed.
    Files leave out what changes from one Python to another: here it is added, and taken off again.
    """

    async def get(self, *words: Any, **options: Any) -> Any:
        """Read a file or folder; a notebook with the language of this Python."""
        model = await super().get(*words, **options)  # type: ignore[no-untyped-call]
        if model["type"] == "notebook" and model["content"]:
            metadata = model["content"]["metadata"]
            if metadata.get("kernelspec", {}).get("name") == "python3":
                metadata["language_info"] = dict(IPythonKernel.language_info)
        return model

    async def save(self, model: dict[str, Any], path: str = "") -> Any:
        """Write a file or folder; a notebook without what changes from one Python to another."""
        if model.get("type") == "notebook" and model.get("content"):
            language = model["content"]["metadata"].get("language_info")
            if language and language.get("name") == "python":
                for name in language.keys() - set(KEPT):
                    del language[name]
        return await super().save(model, path)  # type: ignore[no-untyped-call]


# What is open, and where, is kept in a place of this project. It starts with the contents shown.
workspaces = HERE.parents[1] / "results" / "lab" / "workspaces"
first = HERE / "default-37a8.jupyterlab-workspace"
if not (workspaces / first.name).exists():
    workspaces.mkdir(parents=True, exist_ok=True)
    shutil.copy(first, workspaces)

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - Jupyter gives it to such a file
c.ServerApp.contents_manager_class = CommittedNotebooks
c.LabApp.workspaces_dir = str(workspaces)
