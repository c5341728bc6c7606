"""Slices: how many there may be."""

from pathlib import Path

import pytest

import tallystick
from tallystick.audit import Sliced
from tallystick.audits import find
from tallystick.errors import UsageError
from tallystick.recipe import recipe


def rows(values: int) -> list[dict[str, str]]:
    return [{"id": f"i{n}", "expected": "a", "predicted": "a", "part": f"p{n}"} for n in range(values)]


def test_a_field_of_too_many_values_is_refused() -> None:
    assert (
        len(tallystick.run("classification", rows(5), slice_by="part", max_slices=5).slices[0]["slices"]) == 5
    )
    with pytest.raises(UsageError, match="--slice-by: 'part' has more than 5 values") as caught:
        tallystick.run("classification", rows(6), slice_by="part", max_slices=5)
    assert caught.value.hint is not None
    assert "--max-slices" in caught.value.hint


def test_each_field_has_its_own_slices() -> None:
    report = tallystick.run("classification", rows(5), slice_by=["part", "id"], max_slices=5)
    assert [len(part["slices"]) for part in report.slices] == [5, 5]


def test_merging_refuses_too_many_as_well() -> None:
    audit = find("classification")
    one, other = (Sliced(audit, audit.Options(), ("part",), 1) for _ in range(2))
    one.slices["part"]["x"] = other.slices["part"]["y"] = audit(audit.Options())
    with pytest.raises(UsageError, match="has more than 1 values"):
        one.merge(other)


def test_the_limit_shapes_no_number_and_is_not_stated() -> None:
    wide = tallystick.run("classification", rows(5), slice_by="part", max_slices=50)
    assert wide == tallystick.run("classification", rows(5), slice_by="part")
    assert "max_slices" not in wide.options


def test_the_command_that_verifies_admits_the_slices_there_are(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("expected,predicted,part\n" + "".join(f"a,a,p{n}\n" for n in range(10_001)))
    report = tallystick.run("classification", path, slice_by="part", min_slice_count=2, max_slices=10_001)
    assert "--max-slices 10001" in (recipe(report).command or "")
