"""Figures as tables in Markdown."""

from collections.abc import Iterable, Sequence

from cases import CASES, HELD, MILLION, SIZES
from figures import ALONE, Figures, Timing
from machine import Machine
from targets import targets


def page(machine: Machine, timings: Iterable[Timing]) -> str:
    """Make all tables."""
    figures = Figures(timings)
    parts = [
        _about(machine),
        _targets(figures),
        _audits(figures),
        _growth(figures),
        _peers(figures),
        _bootstrap(figures),
        _columns(figures),
        _processes(figures),
        _memory(figures),
    ]
    return "\n".join(part for part in parts if part)


def _table(title: str, about: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Lay a table out, or nothing where it has no rows; all but the first column are numbers."""
    body = ["| " + " | ".join(row) + " |" for row in rows]
    if not body:
        return ""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join([f"## {title}", "", *([about, ""] if about else []), *lines, *body, ""])


def _about(machine: Machine) -> str:
    libraries = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    left_out = "".join(f" {name} was left out ({why})." for name, why in machine.skipped.items())
    return (
        f"Measured on {machine.date}: {machine.cores} cores ({machine.processor}), {machine.gigabytes} GB, "
        f"{machine.python}; {libraries}. Other work took {machine.elsewhere:.0%} of the time of the cores "
        f"meanwhile.{left_out}\n"
    )


def _targets(figures: Figures) -> str:
    rows = [
        (
            target.about,
            f"{'at least' if target.least else 'at most'} {target.limit:g}",
            _ratio(target.found),
            "yes" if target.met else "**no**",
        )
        for target in targets(figures)
        if target.found is not None
    ]
    return _table("Targets", "", ("ratio", "target", "measured", "met"), rows)


def _audits(figures: Figures) -> str:
    """Lay out every audit on a million records, the nearest to its floor first."""
    listed = []
    for case in CASES:
        ratio, ours = figures.to_floor(case.name, MILLION), figures.of(case.name, MILLION)
        floor = figures.of(case.name, MILLION, "floor: decode")
        if ratio and ours and floor:
            listed.append((ratio, case, ours, floor))
    rows = [
        (
            case.name,
            f"{ours.seconds:.2f}",
            f"{MILLION / ours.seconds:,.0f}",
            f"{ours.processor:.2f}",
            _megabytes(ours.peak),
            f"{floor.inside:.2f}",
            f"{ratio:.2f}",
            _ratio(figures.processor_to_floor(case.name, MILLION)),
        )
        for ratio, case, ours, floor in sorted(listed, key=lambda one: one[0])
    ]
    head = (
        "audit",
        "s",
        "rows/s",
        "processor s",
        "MB",
        "floor s",
        "to the floor",
        "processor s to the floor's",
    )
    about = (
        "Whole commands on 1 million rows of JSON Lines (of each input, where there are two), and bare "
        "decoding of the same bytes."
    )
    return _table("Every audit beside the floor", about, head, rows)


def _growth(figures: Figures) -> str:
    rows = []
    for case in CASES:
        timings = [figures.of(case.name, size) for size in SIZES]
        if sum(one is not None for one in timings) > 1:
            cells = [f"{one.seconds:.2f} s, {_megabytes(one.peak)} MB" if one else "" for one in timings]
            rows.append((case.name, *cells, _ratio(figures.to_floor(case.name, SIZES[-1]))))
    head = ("rows", *(f"{size:,}" for size in SIZES), "to the floor at 10 million")
    about = "Whole commands, and the peak memory of all of their processes."
    return _table("How cost grows with rows", about, head, rows)


def _peers(figures: Figures) -> str:
    rows = []
    for case in CASES:
        for size in SIZES:
            for peer in case.peers:
                ours, theirs = figures.of(case.name, size), figures.of(case.name, size, peer.name)
                if ours and theirs:
                    rows.append(
                        (
                            f"{case.name}: {peer.name}",
                            f"{size:,}",
                            f"{ours.seconds:.2f}",
                            f"{theirs.seconds:.2f}",
                            _ratio(theirs.seconds / ours.seconds),
                            _megabytes(ours.peak),
                            _megabytes(theirs.peak),
                        )
                    )
    head = ("audit: peer", "rows", "s", "peer's s", "peer's / ours", "MB", "peer's MB")
    about = (
        "Whole commands from the same file, start-up included, both of which find the same numbers. A ratio "
        "above 1 says that the audit is faster."
    )
    return _table("Beside peers", about, head, rows)


def _bootstrap(figures: Figures) -> str:
    rows = []
    for timing in figures:
        theirs = figures.of(timing.case, timing.rows, "scipy")
        if timing.case.startswith("bootstrap") and timing.contender == "tally" and theirs:
            distinct = timing.case.split()[2]
            seconds = (f"{timing.seconds:.4f}", f"{theirs.seconds:.2f}")
            rows.append((f"{timing.rows:,}", distinct, *seconds, _ratio(theirs.seconds / timing.seconds)))
    about = (
        "An interval of a mean difference, 2,000 resamples, beside `scipy.stats.bootstrap`, in one process."
    )
    head = ("cases", "distinct differences", "s", "scipy's s", "scipy's / ours")
    return _table("Bootstrap intervals", about, head, rows)


def _columns(figures: Figures) -> str:
    """Lay out what reading Parquet costs without the start of a command."""
    case = "classification-parquet"
    rows = []
    for size in SIZES:
        ours = figures.of(case, size)
        bare = [figures.of(case, size, f"floor: {name}") for name in ("polars", "columns")]
        if ours and ours.inside and all(bare):
            ratios = [_ratio(figures.inside_to_floor(case, size, name)) for name in ("polars", "columns")]
            seconds = [f"{one.inside:.3f}" for one in bare if one and one.inside]
            rows.append((f"{size:,}", f"{ours.inside:.3f}", *seconds, *ratios))
    about = (
        "Without start-up: the audit (digest of the file and checks included), and bare reads of its columns."
    )
    head = ("rows", "classification s", "polars reads s", "pyarrow reads s", "to polars", "to pyarrow")
    return _table("Columns of Parquet", about, head, rows)


def _processes(figures: Figures) -> str:
    """Lay out what several processes gain, and what they cost."""
    rows = []
    for case in CASES:
        ours, alone = figures.of(case.name, MILLION), figures.of(case.name, MILLION, ALONE)
        if ours and alone and case.sizes[-1] > MILLION:  # of others they did not run in turn
            cells = [
                (f"{one.seconds:.2f}", f"{one.processor:.2f}", _megabytes(one.peak)) for one in (ours, alone)
            ]
            rows.append((case.name, *cells[0], *cells[1]))
    about = "1 million rows, with as many processes as the command takes by itself, and with `--jobs 1`."
    head = ("audit", "s", "processor s", "MB", "one process: s", "processor s", "MB")
    return _table("Processes", about, head, rows)


def _memory(figures: Figures) -> str:
    rows = []
    for case in CASES:
        for less, more, contender in ((MILLION, 10 * MILLION, "tally"), (HELD, MILLION, ALONE)):
            found = figures.bytes_a_row(case.name, less, more, contender)
            if case.holds and found is not None:
                size = f"{found:,.0f}" if found >= 0 else "none: the larger is held on disk"
                rows.append((case.name, case.holds, size, f"{less:,} and {more:,}"))
    about = (
        "Audits that hold something of each record: what one more adds to the peak, told from the peaks at "
        "two sizes: of one process up to a million rows, else of all. The rest hold counts, and their peak "
        "is that of the pieces in which files are read."
    )
    return _table("Bytes a record", about, ("audit", "holds each", "bytes", "rows"), rows)


def _ratio(found: float | None) -> str:
    if found is None:
        return ""
    return f"{found:,.0f}" if found >= 100 else f"{found:.1f}" if found >= 10 else f"{found:.2f}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f}"
