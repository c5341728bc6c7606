"""What a run leaves behind besides what it prints: the report's file, and what CI systems read.

Where everything will be written is checked before a file is read; all of it is made before anything is
written; each file is written whole or not at all. So a refused run writes nothing.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from .errors import ReportError, UsageError
from .report import Report, SuiteReport, guard, write

Made = Report | SuiteReport
Reports = Sequence[tuple[str, Report]]

WRITTEN = {
    "output": "Write the report to this file, as JSON.",
    "junit": "Write the gates to this file, as JUnit XML.",
    "markdown": "Write the report to this file, as Markdown.",
    "html": "Write the report to this file, as one HTML page.",
}
"""The flags that name a file to write, and what they say of themselves."""

GITHUB = "Speak to a GitHub runner: annotations and a summary of the step. On where GITHUB_ACTIONS is true."
"""What the flag `--github` says of itself."""

QUIET = "Show no progress while reading. The report, warnings and errors are printed all the same."
"""What the flag `--quiet` says of itself."""

SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which a GitHub runner names the file that a step's summary is appended to."""


class Outputs(Struct, frozen=True):
    """Which files a run writes, and whether it speaks to a GitHub runner."""

    output: str | None = None
    junit: str | None = None
    markdown: str | None = None
    html: str | None = None
    github: bool = False
    summary: str | None = None

    def check(self, inputs: Iterable[str]) -> None:
        """Refuse to write onto an input, two files onto each other, or a page where pages cannot be made.

        Raises
        ------
        UsageError
            Naming the flag.
        """
        read = list(inputs)
        written: dict[str, str] = {}
        for flag, path in self._files():
            guard(path, read, flag)
            for other, earlier in written.items():
                if _same(path, earlier):
                    raise UsageError(flag, f"{path!r} is what {other} writes")
            written[flag] = path
        if self.html is not None:
            from .render.html import needed  # noqa: PLC0415  only where a page is asked for

            needed()
        if self.summary and any(_same(self.summary, path) for path in [*read, *written.values()]):
            raise UsageError(SUMMARY, f"{self.summary!r} is read or written by this command")

    def save(self, made: Made, reports: Reports, title: str | None = None) -> None:
        """Write every file that was asked for; the title heads the Markdown of a suite."""
        ready = [(path, self._text(flag, made, reports, title)) for flag, path in self._files()]
        for path, data in ready:
            write(path, data)

    def summarise(self, reports: Reports, title: str | None = None) -> None:
        """Append the Markdown to the summary of a GitHub step, if there is one.

        Raises
        ------
        ReportError
            Where that cannot be done.
        """
        if not self.summary:
            return
        try:
            with open(self.summary, "ab") as stream:
                stream.write(_markdown(reports, title))
        except OSError as fault:
            raise ReportError(SUMMARY, f"cannot be written: {fault.strerror}") from fault

    def _files(self) -> Iterator[tuple[str, str]]:
        for name in WRITTEN:
            if (path := getattr(self, name)) is not None:
                yield f"--{name}", path

    def _text(self, flag: str, made: Made, reports: Reports, title: str | None) -> bytes:
        if flag == "--output":
            return made.to_json()
        if flag == "--markdown":
            return _markdown(reports, title)
        if flag == "--html":
            from .picture import html  # noqa: PLC0415  only where a page is asked for

            return html(made, self.output)
        from .render.junit import junit  # noqa: PLC0415  with its XML library, only where it is asked for

        return junit(reports).encode("utf-8")


def asked(given: Mapping[str, Any], environment: Mapping[str, str]) -> Outputs:
    """Read from flags and the environment what a run is to leave behind."""
    github = bool(given["github"]) or environment.get("GITHUB_ACTIONS") == "true"
    summary = environment.get(SUMMARY) if github else None
    return Outputs(**{name: given[name] for name in WRITTEN}, github=github, summary=summary)


def _markdown(reports: Reports, title: str | None) -> bytes:
    from .render.markdown import markdown  # noqa: PLC0415  only where it is asked for

    return markdown(reports, title).encode("utf-8")


def _same(one: str, other: str) -> bool:
    """Whether two names are of one file; a device is no file."""
    with suppress(OSError):
        if os.path.exists(one) and not os.path.isfile(one):
            return False
        if os.path.samefile(one, other):
            return True
    return os.path.realpath(one) == os.path.realpath(other)
