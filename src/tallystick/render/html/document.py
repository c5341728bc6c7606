"""From reports to the bytes of a page, by the templates of this package."""

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...errors import UsageError
from ...report import Report, SuiteReport
from ..charts import COLOURS, plots, svg
from ..layout import clean
from .view import Verdict, gates_table, section

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from ...glossary import Glossary
    from ...recipe import Recipe

EXTRA = ("jinja2", "altair", "vl_convert")
"""What only the extra `html` installs."""

LARGEST = 2_000_000
"""Bytes that a page stays below, as long as fewer rows of its tables help."""

FOLDED = (480, 80, 0)
"""Rows of a table that are folded away, at most: the first of these numbers that makes no page too large."""


def needed() -> None:
    """Refuse where what pages are made with is not installed.

    Raises
    ------
    UsageError
        Saying what to install.
    """
    if not is_installed():
        hint = "or tally render REPORT --markdown, which needs nothing more"
        raise UsageError("", "install tallystick[html] to write pages", hint)


def is_installed() -> bool:
    """Whether what pages are made with is there."""
    return all(find_spec(module) for module in EXTRA)


def page(
    made: Report | SuiteReport,
    known: "Mapping[str, Glossary]",
    recipe: "Recipe | None" = None,
) -> str:
    """Write the page of an audit's report, or of a suite's.

    Parameters
    ----------
    made
        The report.
    known
        What its words mean, by audit; an audit that is not among them is shown without.
    recipe
        How to verify it.
    """
    return _smallest("page.html.jinja", made, known, "", recipe=recipe)


def fragment(report: Report, known: "Mapping[str, Glossary]") -> str:
    """Write what a notebook shows of a report: no script, and ids that no other report's have."""
    return _smallest("fragment.html.jinja", report, known, f"tally-{report.digest[:12]}-", recipe=None)


def _smallest(
    template: str, made: Report | SuiteReport, known: "Mapping[str, Glossary]", prefix: str, **more: Any
) -> str:
    """Write with as many rows as keep it below `LARGEST`, and at least those that are always shown."""
    needed()
    suite = made if isinstance(made, SuiteReport) else None
    named = list(made.reports.items()) if isinstance(made, SuiteReport) else [(made.audit, made)]
    drawn = [
        [(plot, _sized(svg(report, plot.name, themed=True))) for plot in plots(report)] for _, report in named
    ]
    text = ""
    for most in FOLDED:
        sections = [
            section(
                f"{prefix}a{place}-" if suite else prefix,
                name,
                report,
                known.get(report.audit),
                drawn[place - 1],
                most,
            )
            for place, (name, report) in enumerate(named, 1)
        ]
        short = [(name, gate) for name, report in named for gate in report.shortfalls]
        text = (
            _templates()
            .get_template(template)
            .render(
                made=made,
                suite=suite,
                sections=sections,
                short=gates_table("short-table", short, most) if suite and short else None,
                verdict=_of_suite(suite) if suite else sections[0].verdict,
                style=_style(),
                script=_file("page.js"),
                policy=_policy(),
                **more,
            )
        )
        if len(text.encode("utf-8")) < LARGEST:
            break
    return text


def _sized(drawn: str) -> str:
    """Give a plot its natural width, beyond which it need not be drawn."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ', drawn)
    return drawn.replace("<svg ", f'<svg width="{found[1]}" ', 1) if found else drawn


def _of_suite(made: SuiteReport) -> Verdict:
    gates = sum(len(report.gates) for report in made.reports.values())
    short = sum(len(report.shortfalls) for report in made.reports.values())
    audits = f"{len(made.reports)} audit{'s' if len(made.reports) != 1 else ''}"
    said = f"{short} of {gates} gates did not pass" if short else f"all {gates} gates passed"
    return Verdict(made.verdict, f"{audits}; {said}", "passed" if made.passed else "failed")


@cache
def _templates() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined  # noqa: PLC0415  of the extra
    from markupsafe import Markup  # noqa: PLC0415  likewise

    environment = Environment(
        loader=PackageLoader("tallystick.render.html", "."),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: value if isinstance(value, Markup | Undefined) else clean(str(value)),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["ours"] = Markup  # stylesheet, script, SVG and escaped JSON: made by us
    environment.filters["prose"] = _prose
    environment.filters["name"] = _name
    return environment


def _prose(text: str) -> "Markup":
    """Set what stands between backticks as code, in a text of an audit's declarations."""
    from markupsafe import Markup, escape  # noqa: PLC0415  of the extra

    return Markup(re.sub(r"(`+)(.+?)\1", r"<code>\2</code>", str(escape(clean(text)))))  # noqa: S704  escaped


def _name(text: str) -> "Markup":
    """Let a name break after its underscores and brackets, where a narrow page needs that."""
    from markupsafe import Markup, escape  # noqa: PLC0415  of the extra

    return Markup(re.sub(r"([_\[])", r"\1<wbr>", str(escape(clean(text)))))  # noqa: S704  escaped


@cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8").strip()


@cache
def _style() -> str:
    """Give the stylesheet, with the colours of charts in their two values."""
    light, dark = (
        "".join(f"{name}:{values[place]};" for name, values in COLOURS.items()) for place in (0, 1)
    )
    charts = f".tally{{{light}}}\n@media screen and (prefers-color-scheme:dark){{.tally{{{dark}}}}}"
    return f"{_file('page.css')}\n{charts}"


def _policy() -> str:
    style, script = _digest(_style()), _digest(_file("page.js"))
    return f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode()}'"
