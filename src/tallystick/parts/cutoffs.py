"""The depths at which rankings are judged: the options that audits of rankings share."""

from typing import Annotated

from msgspec import Meta, Struct

Cutoff = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class Cutoffs(Struct, frozen=True):
    """The cutoffs to report, and the one whose row is gated by name alone."""

    cutoff: Annotated[
        tuple[Cutoff, ...],
        Meta(min_length=1, description="Look at the first k of a ranking; repeatable."),
    ] = (1, 3, 5, 10)
    gate_cutoff: Annotated[
        Cutoff | None, Meta(description="The cutoff of the measures themselves; the largest by default.")
    ] = None

    def __post_init__(self) -> None:
        """Refuse to gate what is not reported."""
        if self.gated not in self.cutoff:
            raise ValueError(f"gate_cutoff: {self.gated} is not requested by --cutoff")

    @property
    def cutoffs(self) -> list[int]:
        """Every cutoff to report, ascending."""
        return sorted(set(self.cutoff))

    @property
    def gated(self) -> int:
        """The cutoff whose row the measures repeat."""
        return max(self.cutoff) if self.gate_cutoff is None else self.gate_cutoff
