"""meson-python, with an editable install of our own: see `rebuild_on_import.py` for what it does.

meson-python's asks ninja with every import, locks nobody out, keeps no bytecode and fails with a
traceback where a user may not write or has not activated the environment.

Source of the hooks: PEP 517, PEP 660. Of the format of a wheel: the binary distribution format of
the packaging specifications.
"""

import base64
import csv
import hashlib
import io
import os
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import mesonpy
from mesonpy import (
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

LOADER = Path(__file__).with_name("rebuild_on_import.py")

# meson, ninja and cython of this environment, whether or not it is activated.
os.environ["PATH"] = os.pathsep.join(
    [sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]
)


def build_editable(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    """Build meson-python's editable wheel and put our loader in the place of its own.

    :param wheel_directory: where the wheel goes.
    :param config_settings: of meson-python.
    :param metadata_directory: not used, as in meson-python.
    :return: the file name of the wheel.
    """
    settings = dict(config_settings or {})
    if "builddir" in settings:  # meson-python's other name for it
        settings["build-dir"] = settings.pop("builddir")
    # One folder for each binary interface of Python.
    settings.setdefault("build-dir", f"build/{sysconfig.get_config_var('SOABI')}")
    name: str = mesonpy.build_editable(wheel_directory, settings, metadata_directory)
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    loader = f"_{project}_rebuild_on_import"
    arguments = (project, bytes(Path.cwd()), bytes(Path(settings["build-dir"]).resolve()))
    start = f"import sys, {loader}; sys.meta_path.insert(0, {loader}.CheckoutFinder{arguments!r})\n"
    wheel = Path(wheel_directory, name)
    files = {
        file: content
        for file, content in wheel_files(wheel).items()
        if file.partition("/")[0].endswith(".dist-info")
    }
    files[f"{loader}.py"] = LOADER.read_bytes()
    files[f"{loader}.pth"] = start.encode("ascii")  # Python reads it in the encoding of the locale
    write_wheel(wheel, files)
    return name


def wheel_files(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel, name -> content, without its list of them."""
    with zipfile.ZipFile(wheel) as packed:
        return {
            name: packed.read(name) for name in packed.namelist() if not name.endswith("/RECORD")
        }


def write_wheel(wheel: Path, files: dict[str, bytes]) -> None:
    """Write a wheel: its files, and the list of them with their digests."""
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            rows.append((name, f"sha256={digest.decode()}", len(content)))
        metadata = next(name for name in files if name.endswith(".dist-info/METADATA"))
        record = metadata.replace("METADATA", "RECORD")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*rows, (record, "", "")])
        packed.writestr(record, text.getvalue())
