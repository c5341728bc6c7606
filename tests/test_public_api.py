"""What the library offers, and which part of it may import which."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tallystick
from tallystick.audits import AUDITS

SOURCE = Path(tallystick.__file__).parent
NAMES = [
    "RecordError",
    "Report",
    "ReportError",
    "SourceError",
    "TallystickError",
    "UsageError",
    "audits",
    "run",
    "verify",
]
SPINE = (
    "baseline", "cli", "command", "commands", "deliver", "engines", "findings", "flags", "gate", "options",
    "outputs", "pages", "plan",
    "render", "report", "run", "schema", "starter", "suite", "terminal", "units", "verify",
)  # fmt: skip
HEAVY = {
    "pyarrow": ("sources.",),
    "narwhals": ("sources.",),
    "pyspark": ("engines.spark",),
    "jinja2": ("render.",),
    "altair": ("render.charts.",),
    "vl_convert": ("render.charts.",),
    "rich": ("cli", "commands", "deliver", "render.diagram", "render.grid", "render.paper", "terminal"),
    "cyclopts": ("cli", "commands", "flags"),
}


def test_the_library_offers_these_names_and_no_others() -> None:
    assert sorted(tallystick.__all__) == NAMES
    assert tallystick.audits == tuple(AUDITS)
    assert tallystick.__version__


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_documented(name: str) -> None:
    offered = getattr(tallystick, name)
    if callable(offered):
        assert inspect.getdoc(offered)


def test_the_package_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()


def test_errors_have_one_root_and_exit_with_2() -> None:
    for name in NAMES:
        if name.endswith("Error"):
            kind = getattr(tallystick, name)
            assert issubclass(kind, tallystick.TallystickError)
            assert kind.exit_code == 2


def imports(path: Path) -> set[str]:
    """Give all that a module imports, anywhere in it: our modules as `.name`, others by their first name."""
    package = ["", *path.relative_to(SOURCE).parent.parts]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) + 1 - node.level])
            modules = [node.module] if node.module else [alias.name for alias in node.names]
            found |= {f"{base}.{module}" for module in modules}
    return found


MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts): imports(path) for path in SOURCE.rglob("*.py")
}


def within(module: str, *parts: str) -> bool:
    """Whether a module is one of some parts, or inside one."""
    return any(module == part or module.startswith(f"{part}.") for part in parts)


@pytest.mark.parametrize("layer", ["metrics", "tallies"])
def test_definitions_and_tallies_import_nothing_else_of_ours(layer: str) -> None:
    for module, found in MODULES.items():
        if within(module, layer):
            assert all(within(name, f".{layer}") for name in found if name.startswith(".")), module


def test_audits_import_no_part_of_the_spine_but_what_they_are_made_of() -> None:
    for module, found in MODULES.items():
        if within(module, "audits", "parts"):
            assert not [name for name in found if within(name, *(f".{part}" for part in SPINE))], module
            assert not [name for name in found if within(name, ".sources") and name != ".sources.batch"], (
                module
            )
            assert module == "audits.__init__" or not [name for name in found if within(name, ".audits")], (
                module
            )


def test_pictures_of_a_report_know_nothing_of_how_it_was_made() -> None:
    making = tuple(
        f".{part}" for part in ("audits", "audit", "sources", "engines", "run", "cli", "commands", "units")
    )
    for module, found in MODULES.items():
        if within(module, "render"):
            assert not [name for name in found if within(name, *making)], module


def test_engines_and_sources_know_no_audit() -> None:
    for module, found in MODULES.items():
        if within(module, "engines", "sources", "units", "audit"):
            assert not [name for name in found if within(name, ".audits", ".cli", ".run")], module


def test_nothing_imports_the_command_line() -> None:
    assert [module for module, found in MODULES.items() if ".cli" in found] == ["__main__"]


def test_only_the_command_line_prints_or_reads_argv() -> None:
    for module in MODULES.keys() - {"cli"}:
        text = (SOURCE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert "sys.argv" not in text, module
        names = [node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        assert "print" not in names, module


@pytest.mark.parametrize("library", HEAVY)
def test_heavy_libraries_stay_where_they_belong(library: str) -> None:
    for module, found in MODULES.items():
        assert library not in found or module.startswith(HEAVY[library]), module


def test_importing_the_library_imports_no_audit_and_nothing_heavy() -> None:
    script = "import sys, tallystick; print(*[m for m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    loaded = done.stdout.split()
    assert not [name for name in loaded if name.startswith("tallystick.audits.")]
    assert not {"rich", "cyclopts", "pyarrow", "pandas", "pyspark", "scipy"} & set(loaded)


def test_only_the_terminal_writes_to_standard_output_and_error() -> None:
    for module in MODULES.keys() - {"cli", "commands", "terminal"}:
        text = (SOURCE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
        assert "sys.stdout" not in text, module
        assert "sys.stderr" not in text, module
    assert {module for module, found in MODULES.items() if ".terminal" in found} == {
        "cli",
        "commands",
        "deliver",
    }
