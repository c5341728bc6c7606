"""What every audit declares, and what stands beside it."""

import inspect
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from msgspec import inspect as types

from tallystick.audits import AUDITS, find
from tallystick.measure import measures, tables

ROOT = Path(__file__).parents[2]
every_audit = pytest.mark.parametrize("name", AUDITS)


def text_of(name: str) -> str:
    return inspect.cleandoc(sys.modules[find(name).__module__].__doc__ or "")


@every_audit
def test_name_module_class_and_question_agree(name: str) -> None:
    audit = find(name)
    assert audit.name == name
    assert audit.__module__ == f"tallystick.audits.{name.replace('-', '_')}"
    assert audit.__name__ == name.title().replace("-", "")
    assert text_of(name).partition("\n")[0] == AUDITS[name]
    assert AUDITS[name].endswith("?")
    assert audit.revision >= 1


def test_every_module_of_audits_is_listed() -> None:
    folder = ROOT / "src" / "tallystick" / "audits"
    modules = {path.stem.replace("_", "-") for path in folder.glob("*.py")} - {"--init--"}
    assert modules == set(AUDITS)


@every_audit
@pytest.mark.parametrize("paragraph", ["What it does not show: ", "Sources: "])
def test_the_page_says_what_it_does_not_show_and_where_it_is_from(name: str, paragraph: str) -> None:
    assert any(part.startswith(paragraph) for part in text_of(name).split("\n\n"))


@every_audit
def test_tests_page_and_golden_cases_stand_beside_it(name: str) -> None:
    module = name.replace("-", "_")
    assert (ROOT / "tests" / "audits" / f"test_{module}.py").is_file()
    assert (ROOT / "docs" / "audits" / f"{name}.md").is_file()
    cases = ROOT / "tests" / "golden" / name
    wanted = {"pass", "fail", "undefined"} if can_be_undefined(name) else {"pass", "fail"}
    assert wanted <= {case.name.partition("-")[0] for case in cases.iterdir()}


def can_be_undefined(name: str) -> bool:
    """Whether a gate can be undefined: always, unless there are no slices and no rows that may be missing."""
    audit = find(name)
    rows = [measures(row) for _, row in tables(audit.Result).values()]
    return audit.sliceable or any(m.better for row in rows for m in row.values())


@every_audit
def test_options_fields_and_inputs_are_described(name: str) -> None:
    audit = find(name)
    for struct in (audit.Options, *audit.inputs.values(), *audit.sides.values()):
        for field in msgspec.structs.fields(struct):
            assert described(field.type), f"{struct.__name__}.{field.name}"


def described(kind: Any) -> bool:
    notes = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, msgspec.Meta)]
    return any(note.description for note in notes)


@every_audit
def test_options_have_defaults_that_they_admit(name: str) -> None:
    for field in msgspec.structs.fields(find(name).Options):
        if not field.required:
            plain = msgspec.to_builtins(field.default)
            assert msgspec.convert(plain, field.type, strict=True) == field.default


@every_audit
def test_a_limit_of_a_table_is_an_option(name: str) -> None:
    audit = find(name)
    options = audit.Options.__struct_fields__
    for table, (declared, row) in tables(audit.Result).items():
        assert declared.limit is None or declared.limit in options, table
        assert declared.about
        assert declared.order
        key = msgspec.structs.fields(row)[0]
        assert bare(key.type) in (str, int, float), f"{table}.{key.name}"


def bare(kind: Any) -> Any:
    info = types.type_info(kind)
    while isinstance(info, types.Metadata):
        info = info.type
    return {types.StrType: str, types.IntType: int, types.FloatType: float}.get(type(info), type(info))


@every_audit
def test_numbers_of_a_result_are_measures(name: str) -> None:
    result = find(name).Result
    hints = get_type_hints(result)
    assert result.__struct_fields__[0] == "records"
    for field in result.__struct_fields__:
        kind = hints[field]
        number = kind is int or Fraction in (kind, *get_args(kind))
        assert float not in (kind, *get_args(kind)), f"{field} is rounded before its time"
        assert not number or field in measures(result), field


@every_audit
def test_measures_say_what_they_are(name: str) -> None:
    result = find(name).Result
    for struct in (result, *(row for _, row in tables(result).values())):
        for field, measure in measures(struct).items():
            assert measure.about.endswith("."), field
            assert measure.undefined
            assert not measure.undefined.endswith("."), field
            assert measure.better is None or measure.within != (None, None) or not measure.counted, field


@every_audit
def test_an_audit_only_counts(name: str) -> None:
    source = inspect.getsource(sys.modules[find(name).__module__])
    for word in ("np.sum", "print(", "open(", "json", "float('nan')", "math.nan"):
        assert word not in source, word
