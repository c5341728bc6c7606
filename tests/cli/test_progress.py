"""Progress on standard error: for people at a terminal, after a second, and gone without a trace."""

import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

import pytest

from nasty import unsafe, unstyled
from tallystick.terminal import PATIENCE, _short, _words

TALLY = [sys.executable, "-m", "tallystick"]
BAR = re.compile(rb"\d[kM]?B?  ?.* rows")
FAILING = ["--min-accuracy", "1"]


def line(count: int) -> bytes:
    """Write records, half of them wrong, as lines."""
    return b"".join(
        json.dumps({"expected": "a", "predicted": "ab"[row % 2], "confidence": 0.5}).encode() + b"\n"
        for row in range(count)
    )


@contextmanager
def slow(folder: Path, pieces: int, pause: float = 0.25) -> Iterator[str]:
    """Make a pipe with a name, which gives its records in pieces, with a pause after each."""
    path, open_ = folder / "slow.jsonl", threading.Event()
    os.mkfifo(path)

    def feed() -> None:
        try:
            with path.open("wb", buffering=0) as stream:
                open_.set()
                for _ in range(pieces):
                    stream.write(line(2000))
                    time.sleep(pause)
        except BrokenPipeError:
            pass

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    yield str(path)
    if not open_.is_set():  # nobody read it
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        open_.wait(5)
        os.close(reader)
    feeding.join(20)


def run(
    words: Sequence[str],
    *,
    piped: str = "",
    columns: int = 80,
    interrupt: bool = False,
    term: str = "xterm-256color",
) -> tuple[int, bytes, bytes]:
    """Run a command on a terminal, some streams piped; give its code, and what terminal and pipes got."""
    leader, follower = pty.openpty()
    ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    streams = {name: subprocess.PIPE if name in piped.split() else follower for name in ("stdout", "stderr")}
    with subprocess.Popen(
        [*TALLY, *words],
        stdin=follower,
        env=environment | {"TERM": term},
        start_new_session=True,
        **streams,  # type: ignore[call-overload]
    ) as process:
        os.close(follower)
        said = b""
        while piece := read(leader):
            said += piece
            if interrupt and BAR.search(said):
                interrupt = False
                os.kill(process.pid, signal.SIGINT)
        rest = b"".join(stream.read() for stream in (process.stdout, process.stderr) if stream)
    os.close(leader)
    return process.returncode, said, rest


def read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def screen(said: bytes) -> list[str]:
    """Give the lines that remain on a terminal: what was written over or erased is gone."""
    lines, row = [""], 0
    for part in re.split(rb"(\r\n|\r|\n|\x1b\[1A|\x1b\[2K|\x1b\[\?25[lh])", said):
        if part in (b"\r\n", b"\n"):
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif part == b"\x1b[1A":
            row -= 1
        elif part == b"\x1b[2K":
            lines[row] = ""
        elif part and part != b"\r" and not part.startswith(b"\x1b[?25"):
            lines[row] += unstyled(part.decode("utf-8"))
    return lines


def check_gone(said: bytes) -> list[str]:
    """Hold what remains of a run to a report or an error alone, and the cursor to be seen; give its lines."""
    assert said.count(b"\x1b[?25l") == said.count(b"\x1b[?25h")
    remains = screen(said)
    assert " rows" not in "".join(remains)
    assert not unsafe("\n".join(remains))
    return remains


@pytest.mark.parametrize("columns", [40, 80])
def test_slow_work_shows_how_far_it_is_and_then_its_report_alone(tmp_path: Path, columns: int) -> None:
    with slow(tmp_path, 10) as path:
        code, said, _ = run(["calibration", path, *FAILING], columns=columns)
    assert code == 1
    assert BAR.search(said)
    remains = check_gone(said)
    assert remains[0].startswith("calibration: FAILED")
    assert all(len(one) <= columns for one in screen(said))


def test_words_say_how_much_is_read_and_how_long_the_rest_takes() -> None:
    words = _words(500_000, 2_000_000, 1234, 2.0, roomy=True)
    assert words == "500kB/2MB  1.23k rows  250kB/s  0:06 left"
    assert _words(500_000, 2_000_000, 1234, 2.0, roomy=False) == "500kB/2MB 1.23k rows 0:06 left"
    assert _words(500_000, None, 1234, 2.0, roomy=True) == "500kB  1.23k rows  250kB/s"
    assert _words(2_000_000, 2_000_000, 10, 2.0, roomy=True) == "2MB/2MB  10 rows  1MB/s"
    assert _words(1000, 10_000_000, 1, 1.0, roomy=False).endswith("2:46:39 left")
    assert _words(0, None, 7, 1.0, roomy=True) == "7 rows"


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (999, "999"), (1000, "1k"), (999_499, "999k"), (999_500, "1M"), (2.5e12, "2.5T")],
)
def test_counts_are_written_in_three_digits(number: float, said: str) -> None:
    assert _short(number) == said


@pytest.mark.parametrize(
    ("piped", "words"),
    [("stderr", []), ("stdout", []), ("stdout stderr", []), ("", ["--quiet"])],
    ids=["errors piped", "report piped", "all piped", "quiet"],
)
def test_none_is_shown_where_it_is_piped_or_quiet(tmp_path: Path, piped: str, words: list[str]) -> None:
    with slow(tmp_path, 8) as path:
        code, said, rest = run(["calibration", path, *FAILING, *words], piped=piped)
    assert code == 1
    assert b" rows" not in said + rest
    assert b"\x1b[?25" not in said + rest
    assert b"calibration: FAILED" in said + rest


def test_none_is_shown_on_a_terminal_that_cannot_go_back(tmp_path: Path) -> None:
    with slow(tmp_path, 8) as path:
        code, said, _ = run(["calibration", path], term="dumb")
    assert code == 0
    assert b" rows" not in said


def test_none_is_shown_for_work_of_less_than_a_second(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    path.write_bytes(line(100))
    code, said, _ = run(["calibration", str(path)])
    assert code == 0
    assert b" rows" not in said
    assert b"\x1b[?25" not in said


def test_an_interruption_leaves_a_clean_line(tmp_path: Path) -> None:
    with slow(tmp_path, 40) as path:
        code, said, _ = run(["calibration", path], interrupt=True)
    assert code == 2
    assert BAR.search(said)
    assert [one for one in check_gone(said) if one] == ["error: interrupted"]


def test_an_error_leaves_a_clean_line(tmp_path: Path) -> None:
    path = tmp_path / "slow.jsonl"
    os.mkfifo(path)

    def feed() -> None:
        with path.open("wb", buffering=0) as stream:
            stream.write(line(2000))
            time.sleep(PATIENCE + 3)
            stream.write(b"{]\n")

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    code, said, _ = run(["calibration", str(path)])
    feeding.join()
    assert code == 2
    assert BAR.search(said)
    assert next(one for one in check_gone(said) if one).startswith(f"error: {path}:2001: not valid JSON")


def test_a_suite_shows_all_of_its_inputs_together_and_verifying_it_too(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(
        '[calibration]\nfiles = "slow.jsonl"\ngates = ["accuracy >= 0.9"]\n', encoding="utf-8"
    )
    commands = [
        ["run", "suite.toml", "--output", "report.json"],
        ["run", "suite.toml", "--quiet"],
        ["verify", "report.json", "--suite", "suite.toml"],
        ["verify", "report.json", "--suite", "suite.toml", "--quiet"],
    ]
    for words, code in zip(commands, (1, 1, 0, 0), strict=True):
        named = [str(tmp_path / word) if "." in word else word for word in words]
        with slow(tmp_path, 8):
            done, said, _ = run(named)
        (tmp_path / "slow.jsonl").unlink()
        assert done == code
        assert bool(BAR.search(said)) == ("--quiet" not in words), words
        check_gone(said)


def test_what_is_typed_is_not_written_over() -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*TALLY, "calibration", "-"], stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        for _ in range(4):
            os.write(leader, line(1))
            time.sleep(PATIENCE)
        while process.poll() is None:  # each read that waits is ended by one
            os.write(leader, b"\x04")
            time.sleep(0.1)
        said = b"".join(iter(lambda: read(leader), b""))
    os.close(leader)
    assert process.returncode == 0
    assert b" rows" not in said


def test_what_draws_it_is_not_imported_for_short_work(tmp_path: Path) -> None:
    path = tmp_path / "small.jsonl"
    path.write_bytes(line(10))
    script = (
        "import sys, tallystick.cli as cli; sys.stderr.isatty = lambda: True; cli.main(sys.argv[1:]);"
        "print([m for m in sys.modules if m in ('rich.progress', 'rich.live')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "calibration", str(path), "--output", str(tmp_path / "r.json")],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True,
    )  # fmt: skip
    assert done.stderr.decode().splitlines()[-1] == "[]"
