"""What `tally peek` prints of a file, with commands that are ready to paste."""

from collections.abc import Iterable, Mapping

from .audits import find
from .fields import line
from .look import Field, Fit, Look
from .options import spelled
from .recipe import quoted

TITLES = {
    "jsonl": "JSON Lines",
    "json": "a JSON array",
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "arrow": "Arrow",
}


def command(fit: Fit, path: str, input_format: str | None = None) -> str:
    """Give the command line that makes an audit of a file."""
    audit = find(fit.audit)
    form = audit.sides if fit.source in audit.sides else audit.inputs
    words = ["tally", fit.audit]
    for source in form:
        words += [f"--{source}"] if len(form) > 1 else []
        words.append(quoted(path) if source == fit.source else f"OTHER-{source.upper()}")
    prefix = f"{fit.source}:" if len(form) > 1 else ""
    for field, name in fit.map.items():
        words += ["--map", quoted(f"{prefix}{field}={name}")]
    for field in fit.as_text:
        words += ["--as-text", quoted(prefix + field)]
    for option in fit.options:
        words += [spelled(option), option.upper()]
    if input_format is not None:
        words += ["--input-format", input_format]
    return " ".join(words)


def page(seen: Look, input_format: str | None = None) -> str:
    """Write what was seen, with commands that are ready to paste."""
    taken = seen.sample
    packed = f", compressed with {taken.packed}" if taken.packed else ""
    lines = [f"{taken.path}: {TITLES[taken.format]}{packed}; looked at the first {len(taken.rows)} records"]
    if taken.format == "json":
        lines.append("  An array is held in memory whole; JSON Lines (one object a line) streams.")
    lines += [
        "",
        "fields",
        *_table([[line(f.path), f.kind, _often(f, len(taken.rows)), f.shape] for f in seen.fields]),
    ]
    parts: Mapping[str, list[Fit]] = {
        "audits that read it as it is": [f for f in seen.fits if f.whole and not (f.map or f.as_text)],
        "audits that read it under other names (check that they mean the same)": [
            f for f in seen.fits if f.whole and (f.map or f.as_text)
        ],
        "audits that need another file or an option besides": _one_each(f for f in seen.fits if not f.whole),
    }
    for title, fits in parts.items():
        if fits:
            lines += ["", title, *(f"  {command(fit, taken.path, input_format)}" for fit in fits)]
    if not seen.fits:
        lines += [
            "",
            "no audit reads it as it is: `tally schema AUDIT` says what each needs, --map names fields",
        ]
    return "".join(f"{line(one)}\n" for one in lines)


def _one_each(fits: Iterable[Fit]) -> list[Fit]:
    """Keep the first of the inputs that a file can be in an audit."""
    return list({fit.audit: fit for fit in reversed(list(fits))}.values())[::-1]


def _often(field: Field, records: int) -> str:
    return "" if field.records == records else f"in {field.records} of {records}"


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
