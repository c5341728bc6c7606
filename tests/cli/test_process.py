"""The command as a process: streams that close, terminals, colours, encodings, and what it imports."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tallystick.audits import AUDITS
from tallystick.pages import page

DATA = Path(__file__).parent / "data"
TALLY = [sys.executable, "-m", "tallystick"]
RUN = ["agreement", str(DATA / "raters.jsonl")]
FAILING = [*RUN, "--min-kappa", "0.9"]


def tally(
    *words: str, data: bytes = b"", settings: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, **(settings or {})}
    return subprocess.run([*TALLY, *words], input=data, capture_output=True, check=False, env=environment)


@pytest.mark.parametrize(("words", "code"), [(RUN, 0), (FAILING, 1), ([*RUN, "--bins", "1"], 2)])
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_pipe_keeps_the_exit_code(words: list[str], code: int, form: str) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*TALLY, *words, "--format", form], stdout=write, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(write)
    assert done.returncode == code
    assert b"BrokenPipe" not in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("words", "code"), [(RUN, 0), (FAILING, 1), ([*RUN, "--bins", "1"], 2)])
def test_closed_streams_keep_the_exit_code(words: list[str], code: int) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-"):
        script = f'"$0" "$@" {closed}'
        done = subprocess.run(["/bin/sh", "-c", script, *TALLY, *words], capture_output=True, check=False)
        assert done.returncode == code, closed


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk_decides_nothing() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*TALLY, *RUN], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard output: cannot be written")


def on_a_terminal(*words: str, **settings: str) -> tuple[int, bytes]:
    leader, follower = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    environment |= {"TERM": "xterm-256color", **settings}
    with subprocess.Popen([*TALLY, *words], stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        said = b""
        while piece := _read(leader):
            said += piece
    os.close(leader)
    return process.returncode, said


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_a_terminal_gets_colours_and_no_color_takes_them_away() -> None:
    code, said = on_a_terminal(*FAILING)
    assert code == 1
    assert b"\x1b[" in said
    assert b"FAILED" in said
    code, said = on_a_terminal(*FAILING, NO_COLOR="1")
    assert code == 1
    assert b"\x1b[3" not in said
    assert b"FAILED" in said


def test_a_terminal_that_has_no_unicode_gets_ascii(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"expected":"\u00e9","predicted":"\u00e9","confidence":0.5}\n', encoding="utf-8")
    _, said = on_a_terminal("calibration", str(path))
    assert "\u2588".encode() in said
    _, said = on_a_terminal("calibration", str(path), NO_COLOR="1")
    assert said.isascii()
    for words in (["calibration", str(path)], ["classification", str(path)]):
        code, said = on_a_terminal(*words, PYTHONIOENCODING="ascii")
        assert code == 0
        assert said.isascii()
    assert b"\\xe9" in said


def test_a_pipe_gets_no_colours() -> None:
    assert b"\x1b" not in tally(*FAILING).stdout


def test_text_of_records_cannot_steer_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"expected":"\\u001b[31m\\u202ex","predicted":"\\u0007"}\n')
    _, said = on_a_terminal("classification", str(tmp_path / "data.jsonl"), NO_COLOR="1")
    assert b"\x1b[31m" not in said
    assert b"\x07" not in said
    assert "\u202e".encode() not in said


@pytest.mark.parametrize("settings", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONUTF8": "0"}])
def test_any_locale_gives_the_same_bytes(settings: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"expected":"é","predicted":"é"}\n', encoding="utf-8")
    usual = tally("classification", str(path)).stdout
    assert tally("classification", str(path), settings=settings).stdout == usual
    assert tally("classification", "nöwhere", settings=settings).returncode == 2


def test_standard_input_is_a_file() -> None:
    done = tally("agreement", "-", "--min-kappa", "0.9", data=(DATA / "raters.jsonl").read_bytes())
    assert done.returncode == 1
    assert tally("agreement", "-").stderr.startswith(b"error: <stdin>: no records")


def test_hash_seeds_change_nothing() -> None:
    words = ["classification", str(DATA / "tickets.jsonl"), "--slice-by", "channel"]
    said = {tally(*words, settings={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1", "4294967295")}
    assert len(said) == 1


@pytest.mark.parametrize(
    ("words", "imported"),
    [
        (["list"], "[]"),
        (["--help"], "[]"),
        (["--version"], "[]"),
        (["nothing"], "[]"),
        (RUN, "['tallystick.audits.agreement']"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
def test_only_the_chosen_audit_is_imported(words: list[str], imported: str) -> None:
    script = (
        "import sys, tallystick.cli as cli; cli.main(sys.argv[1:]);"
        "print([m for m in sys.modules if m.startswith('tallystick.audits.')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, check=True)
    assert done.stderr.decode().splitlines()[-1] == imported


def test_every_audit_is_listed_with_its_question() -> None:
    said = tally("list").stdout.decode()
    for name, question in AUDITS.items():
        assert any(line.split(maxsplit=1) == [name, question] for line in said.splitlines())


def test_explain_prints_the_page_of_an_audit() -> None:
    assert tally("explain", "label-drift").stdout == page("label-drift").encode()


def test_an_interruption_decides_nothing() -> None:
    process = subprocess.Popen(
        [*TALLY, "agreement", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b" " * 200_000)  # more than a pipe holds: once it is written, the command reads
    process.stdin.flush()
    process.send_signal(2)
    _, complained = process.communicate()
    assert process.returncode == 2
    assert complained == b"error: interrupted\n"


def test_a_loaded_pydantic_changes_nothing(tmp_path: Path) -> None:
    """The command-line library checks types with it where it finds it."""
    path = tmp_path / "r.jsonl"
    path.write_text('{"expected": "a", "predicted": "a"}\n', encoding="utf-8")
    words = ["classification", str(path), "--confidence", "0.9", "--min-accuracy", "1/3", "--format", "json"]
    script = f"import pydantic, sys\nfrom tallystick.cli import main\nsys.exit(main({words!r}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "error: --min-accuracy: the limit must be a finite decimal number" in done.stderr
