"""The project's checks: `nox` runs them all, as CI does."""

import nox

nox.options.sessions = ["lint", "types", "generated", "tests", "lowest"]
nox.options.default_venv_backend = "venv"

PYPROJECT = nox.project.load_toml("pyproject.toml")
TEST = nox.project.dependency_groups(PYPROJECT, "test")
LOWEST = ["cyclopts==5.0.0", "msgspec==0.19.0", "numpy==1.26.0", "rich==13.7.0"]
LOWEST += ["altair==5.4.0", "vl-convert-python==1.6.0"]
"""The oldest versions that the package promises to work with."""
CHARTS = ["tests/render/test_charts.py", "tests/render/test_chart_marks.py"]


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, and look for common mistakes."""
    session.install("ruff>=0.15")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    session.install("-q", ".", "mypy>=1.18", "nox", *TEST)
    session.run("mypy")


@nox.session
def generated(session: nox.Session) -> None:
    """Compare generated pages with what their sources say."""
    session.install("-q", ".")
    session.run("python", "tools/generate.py", "--check")


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests on the newest dependencies, with branch coverage of what makes numbers."""
    session.install("-q", "-e", ".", *TEST)
    session.run("pytest", "-n", "2", "--cov", "--cov-report=", *session.posargs)
    if not session.posargs:
        session.run("coverage", "report", "--skip-covered", "--fail-under=98")


@nox.session
def lowest(session: nox.Session) -> None:
    """Run golden cases, sources, tallies and charts on the oldest dependencies, without oracles."""
    session.install("-q", "-e", ".", *LOWEST, "pytest>=8.2", "hypothesis>=6.100", "jsonschema>=4.21")
    session.run("pytest", "tests/tallies", "tests/sources", "tests/test_golden.py", *CHARTS)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure speed and memory beside peers, as ratios; CI does not."""
    session.install("-q", ".", *nox.project.dependency_groups(PYPROJECT, "bench"))
    apart = f"{session.virtualenv.location}/evidently"
    session.run("python", "-m", "venv", apart)
    evidently = nox.project.dependency_groups(PYPROJECT, "bench-evidently")
    session.run(f"{apart}/bin/python", "-m", "pip", "install", "-q", *evidently, external=True)
    session.run("python", "bench/run.py", "--evidently", f"{apart}/bin/python", *session.posargs)
