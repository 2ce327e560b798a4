"""Run the tests, or check sdist and wheel, on every Python from 3.11 on that is found.

    nox                    # both, on each
    nox -s tests-3.12      # the tests on one

A Python that is not found is left out and named.
"""

import nox

PYTHONS = ["3.11", "3.12", "3.13"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests in an environment of their own."""
    extras = nox.project.load_toml("pyproject.toml")["project"]["optional-dependencies"]
    session.install(*extras["build"])
    session.install("--no-build-isolation", "--editable", ".[lab,test,formats]")
    session.run("python", "-m", "pytest", "--numprocesses", "logical", *session.posargs)


@nox.session(python=PYTHONS)
def dist(session: nox.Session) -> None:
    """Build sdist and wheel and use them."""
    session.install("build>=1.2")
    session.run("python", "tools/check_dist.py")
