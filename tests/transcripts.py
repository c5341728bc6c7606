"""Transcripts: what `tally` prints, command by command, with the exit code of each.

A transcript is a text of blocks: a line `$ tally ...`, all that it prints (standard output, then standard
error), and a line `exit N`. Commands run in a copy of `tests/cli/data`, one after another, so that one may
use what another wrote. `< FILE` gives standard input, and `> FILE` keeps standard output out of the text.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

from tallystick.cli import main

CLI = Path(__file__).parent / "cli"
TRANSCRIPTS = CLI / "transcripts"
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1"}

_MASKED = (
    (re.compile(r'"at": "[^"]*"'), '"at": "TIME"'),
    (re.compile(r'"seconds": [\d.e-]+'), '"seconds": SECONDS'),
)


def transcripts() -> list[Path]:
    """List all transcripts."""
    return sorted(TRANSCRIPTS.glob("*.txt"))


def commands(transcript: str) -> list[str]:
    """Give the commands of a transcript."""
    return [line.removeprefix("$ ") for line in transcript.splitlines() if line.startswith("$ ")]


def perform(transcript: str, folder: Path) -> str:
    """Run the commands of a transcript in a new folder, and write the transcript that they make."""
    shutil.copytree(CLI / "data", folder)
    with chdir(folder), _environment():
        return "\n".join(_block(command) for command in commands(transcript))


def _block(command: str) -> str:
    words = shlex.split(command)
    assert words.pop(0) == "tally", command
    source, target = _redirection(words, "<"), _redirection(words, ">")
    said, complained = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    with _standard_input(source), redirect_stdout(said), redirect_stderr(complained):
        code = main(words)
    printed = _text(said)
    if target:
        Path(target).write_text(printed, encoding="utf-8")
        printed = ""
    text = (printed + _text(complained)).replace(os.getcwd(), "FOLDER")
    for pattern, word in _MASKED:
        text = pattern.sub(word, text)
    return f"$ {command}\n{text}{'' if not text or text.endswith(chr(10)) else chr(10)}exit {code}\n"


def _redirection(words: list[str], sign: str) -> str | None:
    if sign not in words:
        return None
    place = words.index(sign)
    name = words[place + 1]
    del words[place : place + 2]
    return name


def _text(stream: TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, BytesIO)
    return buffer.getvalue().decode("utf-8")


@contextmanager
def _standard_input(name: str | None) -> Iterator[None]:
    before = sys.stdin
    sys.stdin = TextIOWrapper(BytesIO(Path(name).read_bytes() if name else b""), "utf-8")
    try:
        yield
    finally:
        sys.stdin = before


@contextmanager
def _environment() -> Iterator[None]:
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "TALLY_"))]:
        del os.environ[name]
    os.environ |= ENVIRONMENT
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before
