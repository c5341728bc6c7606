"""Dot plots with intervals: a row for each label, group, slice or measure, a panel for each measure."""

from collections.abc import Sequence
from functools import partial

from .lines import Dots, Line
from .names import labels
from .panels import draw
from .plot import Drawing, Plot
from .rows import SHOWN, Estimate, lower_is_better, plural, short, within, words


def drawing(
    name: str, title: str, lines: Sequence[Line], dots: Dots, notes: Sequence[str] = ()
) -> Drawing | None:
    """Draw lines, the worst by the first measure on top, where something is defined."""
    defined = [line for line in lines if any(one.value is not None for one in line.estimates.values())]
    if not defined:
        return None
    first = dots.measures[0]
    kept = sorted(defined, key=partial(_rank, measure=first)) if dots.sorts else defined
    said = list(notes)
    if len(kept) > SHOWN:
        worst = f"The {SHOWN} worst by {within(first)}, and {len(kept) - SHOWN:,} more that are not drawn."
        said[:0] = [worst, *_tied(kept, first)]
    if missing := len(lines) - len(defined):
        said.append(f"{plural(missing, 'row')} left out, where everything is undefined.")
    about = " ".join([_about(kept, dots), *said])
    plot = Plot(name, title, about)
    return Drawing(plot, partial(draw, lines=kept[:SHOWN], dots=dots, notes=said))


def _tied(lines: Sequence[Line], measure: str) -> list[str]:
    """Say of how many lines those drawn last are no worse than the first that are not drawn."""
    last, after = (line.estimates[measure].value for line in lines[SHOWN - 1 : SHOWN + 1])
    if last is None or last != after:
        return []
    alike = [line.estimates[measure].value == last for line in lines]
    said = f"{plural(sum(alike), 'row')} have {within(measure)} {short(last)}"
    return [f"{said}: {sum(alike[:SHOWN])} of them are drawn."]


def _rank(line: Line, measure: str) -> tuple[bool, float]:
    value = line.estimates[measure].value
    return value is None, 0 if value is None else -value if lower_is_better(measure) else value


def _about(lines: Sequence[Line], dots: Dots) -> str:
    """Say what is seen: each line of a few, else the ends of each measure."""
    names = labels(line.name for line in lines)
    if len(lines) <= 4 and len(dots.measures) == 1:
        said = [f"{name} {line.estimates[dots.measures[0]]}" for name, line in zip(names, lines, strict=True)]
        return f"{'' if dots.axis else words(dots.measures[0]) + ': '}{', '.join(said)}."
    told = []
    for measure in dots.measures:
        held = [
            (one, name)
            for line, name in zip(lines, names, strict=True)
            if (one := line.estimates[measure]).value is not None
        ]
        if held:
            least, most = min(held, key=_value), max(held, key=_value)
            ends = [f"{short(_value(end))} ({end[1]})" for end in (least, most)]
            goes = f"is {ends[0]}" if least is most else f"goes from {ends[0]} to {ends[1]}"
            told.append(f"{dots.said(measure)} {goes}.")
    return f"{plural(len(lines), 'row')}. {' '.join(told)}"


def _value(held: tuple[Estimate, str]) -> float:
    return held[0].value or 0.0
