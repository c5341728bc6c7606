"""What can go wrong, one class a kind, each with its exit code.

An error says where (in the caller's spelling: a flag, a keyword, `file:line`), what is wrong with the
value that was found, and, as a hint, what to do next.
"""

from collections.abc import Iterable

from .fields import Lines, line


class TallystickError(Exception):
    """Nothing was decided.

    Parameters
    ----------
    where
        The place in the caller's spelling: ``--bins``, ``data.jsonl:12``. May be empty.
    what
        What is wrong there, with the value that was found.
    hint
        What to do next, if there is something to say.
    """

    exit_code = 2

    def __init__(self, where: str, what: str, hint: str | None = None) -> None:
        super().__init__(where, what, hint)
        self.where, self.what, self.hint = where, what, hint

    def __str__(self) -> str:
        what = self.what if isinstance(self.what, Lines) else line(self.what)
        return f"{line(self.where)}: {what}" if self.where else what


class UsageError(TallystickError):
    """A flag, keyword, gate or option that cannot be honoured."""


class SourceError(TallystickError):
    """An input that cannot be read, or holds no records."""


class RecordError(TallystickError):
    """A record that is not what the audit declares."""


class EngineError(TallystickError):
    """A process, or what it needs of the machine, that failed."""


class ReportError(TallystickError):
    """A report that cannot be read or written."""


def suggest(word: str, known: Iterable[str]) -> str | None:
    """Give the hint for a misspelt name, or None where nothing known is near it."""
    import difflib  # noqa: PLC0415  only where something is misspelt

    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]!r}?" if near else None
