"""How `make lab` opens copies of the notebooks; the reader's own configuration is kept.

JUPYTER_CONFIG_PATH names this folder. The settings of the page are in `labconfig/`.
"""

import json
import shutil
from pathlib import Path

from ipykernel.ipkernel import IPythonKernel

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
LAB = CHECKOUT / "results" / "lab"

COPIES = LAB / "notebooks"
COPIES.mkdir(parents=True, exist_ok=True)
kept = []
for notebook in sorted((CHECKOUT / "notebooks").glob("*.ipynb")):
    copy = COPIES / notebook.name
    if copy.exists():
        kept.append(copy)
        continue
    content = json.loads(notebook.read_text(encoding="utf-8"))
    # The page writes into a notebook what the kernel says of its language, and a notebook that says
    # something else would count as modified before anybody has typed.
    content["metadata"]["language_info"] = IPythonKernel.language_info
    copy.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
if kept:
    said = f"{len(kept)} notebooks in {COPIES} are as you left them; delete one for a fresh copy."
    print(said, flush=True)  # the server may be killed before its output is written

# What is open, and where, is kept in a place of this project. It starts with the contents shown.
WORKSPACES = LAB / "workspaces"
first = HERE / "default-37a8.jupyterlab-workspace"
if not (WORKSPACES / first.name).exists():
    WORKSPACES.mkdir(exist_ok=True)
    shutil.copy(first, WORKSPACES)

c = get_config()  # type: ignore[name-defined]  # noqa: F821 - Jupyter gives it to such a file
c.ServerApp.root_dir = str(COPIES)
c.LabApp.workspaces_dir = str(WORKSPACES)
