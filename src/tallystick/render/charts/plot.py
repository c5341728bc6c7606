"""What can be drawn of a report: its name, its title, and the same said in words."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct


class Plot(Struct, frozen=True):
    """A chart that a report has.

    Parameters
    ----------
    name
        Words and hyphens, unique in the report: ``reliability``, ``slices-category``.
    title
        What is measured, in a line.
    about
        What is seen, in a sentence or two with the numbers that matter: the text alternative of the picture.
        It may hold labels from data, and is escaped nowhere.
    """

    name: str
    title: str
    about: str


class Drawing(Struct, frozen=True):
    """A plot, and how it is drawn: a function of the plot that imports altair and gives its chart."""

    plot: Plot
    draw: Callable[[Plot], Any]
