"""Several processes: the findings of one, true line numbers, and a clean end whatever becomes of them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import golden_cases
import tallystick
from members import echo
from tallystick import dispatch
from tallystick.engines.processes import Crew
from tallystick.errors import EngineError, RecordError, UsageError
from tallystick.plan import plan
from tallystick.share import processes, shared

PASSING = [case for case in golden_cases.cases() if case.name.startswith("pass")]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "PART", 200)
    monkeypatch.setattr(dispatch, "SMALL", 200)


def test_every_audit_has_a_case_that_passes() -> None:
    assert {case.parent.name for case in PASSING} >= set(tallystick.audits) - {"release"}


@pytest.mark.parametrize("case", PASSING, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_three_processes_give_the_golden_report(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = golden_cases.words(case)
    made = []
    for jobs in ("1", "3"):
        monkeypatch.setattr(golden_cases, "words", lambda _case, jobs=jobs: [*words, "--jobs", jobs])
        made.append(golden_cases.run(case))
    assert made[1] == made[0]
    assert made[0].code == 0


def rows(path: Path, count: int, at: int | None = None, line: str = "") -> Path:
    """Write records with ids of their own; one line may be another."""
    lines = [f'{{"id": "item-{row}", "reference": "a", "rater": "{"ab"[row % 2]}"}}' for row in range(count)]
    if at is not None:
        lines[at] = line
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("at", [0, 150, 299])
def test_a_fault_names_its_true_line(tmp_path: Path, at: int) -> None:
    path = rows(tmp_path / "r.jsonl", 300, at, '{"id": "x", "reference": 7, "rater": "a"}')
    with pytest.raises(RecordError, match=f"r.jsonl:{at + 1}: reference: ") as several:
        tallystick.run("agreement", path, jobs=2)
    with pytest.raises(RecordError) as one:
        tallystick.run("agreement", path, jobs=1)
    assert str(several.value) == str(one.value)


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_an_id_twice_is_named_wherever_its_two_records_are_read(tmp_path: Path, jobs: int) -> None:
    path = rows(tmp_path / "r.jsonl", 400, 390, '{"id": "item-3", "reference": "a", "rater": "a"}')
    with pytest.raises(RecordError, match=r'r\.jsonl:391: id: "item-3" occurs more than once'):
        tallystick.run("agreement", path, jobs=jobs)


def test_a_fault_among_records_that_were_dealt_out_names_its_true_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    shown = '{"pair_id": "p%d", "first": "%s", "second": "%s", "winner": "first"}\n'
    pairs = [shown % (pair, *order) for pair in range(40) for order in ("AB", "BA")]
    path.write_text("\n".join(pairs) + shown % (7, "A", "B"), encoding="utf-8")
    with pytest.raises(RecordError) as one:
        tallystick.run("position-bias", path, jobs=1)
    with pytest.raises(RecordError) as several:
        tallystick.run("position-bias", path, jobs=2)
    assert several.value.where == one.value.where == f"{path}:160"
    assert str(several.value) == str(one.value)


def test_several_files_are_read_together(tmp_path: Path) -> None:
    whole = rows(tmp_path / "whole.jsonl", 90).read_text().splitlines(keepends=True)
    for number in range(3):
        (tmp_path / f"part{number}.jsonl").write_text("".join(whole[number * 30 : number * 30 + 30]))
    (tmp_path / "empty.jsonl").write_text("")
    parts = tallystick.run("agreement", [tmp_path / "part*.jsonl", tmp_path / "empty.jsonl"], jobs=2)
    assert parts.result == tallystick.run("agreement", tmp_path / "whole.jsonl", jobs=1).result
    assert len(parts.body["inputs"]) == 4


def test_files_without_records_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("\n\n")
    with pytest.raises(tallystick.SourceError, match="no records"):
        tallystick.run("agreement", tmp_path / "r.jsonl", jobs=2)


@pytest.mark.parametrize("jobs", [0, -1, True, 1.5, "2"])
def test_a_number_of_processes_is_whole_and_at_least_one(tmp_path: Path, jobs: object) -> None:
    with pytest.raises(UsageError, match="jobs: expected a whole number from 1"):
        tallystick.run("agreement", rows(tmp_path / "r.jsonl", 3), jobs=jobs)  # type: ignore[arg-type]


def test_small_files_and_what_is_no_file_are_read_in_one_process(tmp_path: Path) -> None:
    made = plan("agreement", ["records"], {}, {}, [])
    assert shared(made, {"records": [rows(tmp_path / "r.jsonl", 3)]}, None) is None
    assert shared(made, {"records": ["-"]}, 4) is None
    assert shared(made, {"records": [[{"id": "a"}]]}, 4) is None
    assert shared(made, {"records": [tmp_path / "none.jsonl"]}, 4) is None
    assert shared(made, {"records": [tmp_path / "r.jsonl"]}, 4) is not None


def asked(request: bytes, count: int = 2) -> dict[int, bytes]:
    """Have a crew answer requests, slowly enough here that all take part."""
    answers: dict[int, bytes] = {}
    with Crew(echo, b"order", count) as crew:
        crew.share([request] * 60, answers.__setitem__)
        last = crew.all(b"last")
        assert set(last) == {b"order:last"}
        assert 1 < len(last) <= count
    return answers


def test_every_request_is_answered_once() -> None:
    assert asked(b"a", 3) == dict.fromkeys(range(60), b"order:a")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (b"die", r"a process ended before its work was done \(exit -9\)"),
        (b"break", "a process failed: ZeroDivisionError: by zero"),
    ],
)
def test_a_process_that_dies_or_fails_is_a_fault(request_: bytes, message: str) -> None:
    with pytest.raises(EngineError, match=message) as caught:
        asked(request_)
    assert caught.value.hint is not None
    assert caught.value.exit_code == 2


def test_a_fault_elsewhere_is_raised_here_as_it_was() -> None:
    with pytest.raises(RecordError) as caught:
        asked(b"refuse")
    assert (caught.value.where, caught.value.what, caught.value.hint) == ("f:7", "no", "a hint")


def test_who_is_not_ready_when_all_is_done_is_let_go() -> None:
    answers: dict[int, bytes] = {}
    with Crew(echo, b"", 8) as crew:
        crew.share([b"a"], answers.__setitem__)
        assert len(crew.all(b"b")) <= 2
    assert answers == {0: b":a"}


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux tells them")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL of another process"])
def test_an_interrupted_or_crippled_run_exits_2_and_leaves_nothing(tmp_path: Path, how: str) -> None:
    path = pairs(tmp_path / "r.jsonl", 300_000)
    folder = tmp_path / "meanwhile"
    folder.mkdir()
    report = tmp_path / "report.json"
    words = ["position-bias", str(path), "--jobs", "2", "--output", str(report)]
    running = subprocess.Popen(
        [sys.executable, "-m", "tallystick", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    others = child_of(running.pid)
    until(lambda: any(folder.glob("*/*")))
    name, _, elsewhere = how.partition(" ")
    os.kill(others[0] if elsewhere else running.pid, getattr(signal, name))
    said = running.communicate(timeout=60)
    assert running.returncode == 2, said
    assert b"Traceback" not in said[1]
    assert said[1].startswith(b"error: a process ended" if elsewhere else b"error: interrupted")
    assert not report.exists()
    assert not list(folder.iterdir())
    until(lambda: not any(map(alive, others)))  # who has no parent is reaped a little later


def pairs(path: Path, count: int) -> Path:
    """Write presentations of pairs, two of each."""
    shown = '{"pair_id": "p%d", "first": "%s", "second": "%s", "winner": "first"}\n'
    path.write_text("".join(shown % (row // 2, *("AB", "BA")[row % 2]) for row in range(count)))
    return path


def until(true: Callable[[], bool]) -> None:
    """Wait until something holds."""
    for _ in range(4000):
        if true():
            return
        time.sleep(0.005)
    raise AssertionError("waited in vain")


@pytest.mark.parametrize("missing", ["nowhere", "file"])
def test_records_are_kept_only_where_the_user_wants_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    (tmp_path / "file").write_text("")
    path = pairs(tmp_path / "r.jsonl", 40)
    monkeypatch.setenv("TMPDIR", str(tmp_path / missing))
    with pytest.raises(EngineError, match=f"{missing}: records cannot be kept meanwhile: "):
        tallystick.run("position-bias", path, jobs=2)
    assert tallystick.run("agreement", rows(tmp_path / "a.jsonl", 40), jobs=2).records == 40


def child_of(pid: int) -> list[int]:
    """Wait for the processes that a process starts."""
    until(lambda: bool(children(pid)))
    return children(pid)


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_script_needs_no_guard_around_a_run(tmp_path: Path) -> None:
    path = rows(tmp_path / "r.jsonl", 50_000)
    script = tmp_path / "script.py"
    script.write_text(
        f"import tallystick\nprint(tallystick.run('agreement', {str(path)!r}, jobs=2).records)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=True, text=True)
    assert done.stdout == "50000\n"


def test_a_python_within_another_program_stays_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert processes(5, 1) == 5
    assert processes(None, 0) == 1
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert processes(5, 5) == 1


def test_where_no_process_can_be_started_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        pytest.raises(EngineError, match="no further process can be started: No such file"),
        Crew(echo, b"", 2),
    ):
        pass
