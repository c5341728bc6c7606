"""The work of a run, shared: parts of files go to processes, and their tallies come back and are merged."""

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from tempfile import TemporaryDirectory
from threading import Event, Thread

import msgspec
import numpy as np

from . import units, work
from .audit import Sliced
from .engines.processes import Crew
from .errors import EngineError, SourceError
from .plan import Plan
from .share import Share
from .sources import Facts, cuts
from .sources.cuts import Part
from .sources.streams import Tape, opened
from .spill import WHERE, Piece
from .unique import Digester, doubled, merged
from .work import Arrange, Counted, Dealt, Given, Order, Read, Request, Tell

BUCKET = 8_000_000
"""Bytes of files for each bucket of records that are dealt out."""

PART = 8_000_000
"""Bytes of a part of lines whose records are dealt out, so that the pieces of a bucket are not small."""

SMALL = 2_000_000
"""Bytes of a part of lines that are counted as they are read: few, so that all processes end together."""

MOST = 512
"""Buckets at most."""


def accumulate(
    plan: Plan, share: Share, facts: list[Facts], max_file_bytes: int | None, input_format: str | None
) -> Sliced | None:
    """Count the records of files, and say in `facts` what is known of each.

    Returns
    -------
    The tallies; None where a value that must be unique is in two parts, which only one process can name.
    """
    stamps = [cuts.stamp(path) for _, path in share.files]
    dealt = units.dealt_by(plan.audit, plan.inputs) is not None
    each = PART if dealt else SMALL
    parts = [cuts.cut(name, path, each, max_file_bytes, input_format) for name, path in share.files]
    known = [Facts(name, path) for name, path in share.files]
    facts += known
    with _folder() if dealt else nullcontext() as folder:
        run = _Run(plan, share, parts, known, folder, max_file_bytes, input_format)
        digested = [Facts(name, path) for name, path in share.files]
        failed = Event()
        aside = Thread(target=_digest, args=[digested, parts, failed], daemon=True)
        aside.start()
        try:
            state = run.work()
        except BaseException:
            failed.set()
            raise
        aside.join()
    for own, whole, stamp in zip(known, digested, stamps, strict=True):
        if whole.sha256 is not None:
            own.sha256, own.bytes = whole.sha256, whole.bytes
        stamp.check()
        if own.sha256 is None or own.bytes != stamp.size:
            raise SourceError(stamp.path, "changed while it was read")
    return state


def _folder() -> TemporaryDirectory[str]:
    """Make a folder for records, which goes with the run; never elsewhere than where the user wants them."""
    wanted = os.environ.get("TMPDIR")
    try:
        return TemporaryDirectory(prefix="tallystick-", dir=wanted or None, ignore_cleanup_errors=True)
    except OSError as fault:
        what = f"records cannot be kept meanwhile: {fault.strerror}"
        raise EngineError(wanted or "temporary folder", what, WHERE) from fault


def _digest(known: Sequence[Facts], parts: Sequence[Sequence[Part]], failed: Event) -> None:
    """Take the digest of each file that is read in parts; what cannot be read is met where it is counted."""
    for facts, cut in zip(known, parts, strict=True):
        if cut[0].kind != "whole":
            try:
                with opened(facts.name) as stream:
                    for _ in Tape(stream, facts).pieces():
                        if failed.is_set():
                            return
            except SourceError:
                facts.sha256 = None


class _Run:
    """One run whose work is shared."""

    def __init__(
        self,
        plan: Plan,
        share: Share,
        parts: Sequence[Sequence[Part]],
        known: Sequence[Facts],
        folder: str | None,
        max_file_bytes: int | None,
        input_format: str | None,
    ) -> None:
        self._plan = plan
        self._facts = [facts for facts, cut in zip(known, parts, strict=True) for _ in cut]
        buckets = min(MOST, 1 << max(0, share.size // BUCKET).bit_length())
        self._order = Order(
            audit=plan.audit.name,
            revision=plan.audit.revision,
            options=msgspec.msgpack.encode(plan.options),
            settings=plan.settings,
            slices=plan.slices,
            inputs=tuple(plan.inputs),
            parts=tuple(part for cut in parts for part in cut),
            max_file_bytes=max_file_bytes,
            input_format=input_format,
            key=Digester().key,
            folder=folder,
            buckets=buckets,
        )
        self._processes = min(share.processes, len(self._facts))

    def work(self) -> Sliced | None:
        """Have all parts read, and what was dealt out arranged; merge what comes back."""
        with Crew(work.member, msgspec.msgpack.encode(self._order), self._processes) as crew:
            crew.share([_asked(Read(number)) for number in range(len(self._facts))], self._read)
            if units.dealt_by(self._plan.audit, self._plan.inputs):
                self._arrange(crew)
            given = [msgspec.msgpack.decode(one, type=Given) for one in crew.all(_asked(work.Give()))]
            if self._repeated(crew, given):
                return None
        state, *others = (self._decoded(one.state) for one in given)
        for other in others:
            state.merge(other)
        return state

    def _read(self, number: int, answer: bytes) -> None:
        """Note what is known of a part."""
        counted, facts = msgspec.msgpack.decode(answer, type=Counted), self._facts[number]
        facts.records += counted.records
        facts.blank_lines += counted.blank_lines
        facts.bytes += self._order.parts[number].size
        if counted.sha256 is not None:
            facts.bytes, facts.sha256 = counted.bytes, counted.sha256

    def _arrange(self, crew: Crew) -> None:
        """Have each bucket counted, of which every process may hold pieces."""
        buckets: list[list[Piece]] = [[] for _ in range(self._order.buckets)]
        for answer in crew.all(_asked(Dealt())):
            held = msgspec.msgpack.decode(answer, type=list[list[Piece]])
            for number, pieces in enumerate(held):
                buckets[number] += pieces
        crew.share([_asked(Arrange(pieces)) for pieces in buckets if pieces], lambda _number, _answer: None)

    def _repeated(self, crew: Crew, given: Sequence[Given]) -> bool:
        """Whether a value that must be unique was met by two processes."""
        for source in given[0].unique:
            runs = [np.frombuffer(one.unique[source], np.uint64) for one in given]
            if len(doubtful := doubled(merged(runs))):
                told = crew.all(_asked(Tell(source, doubtful.tobytes())))
                met = Counter(value for one in told for value in msgspec.msgpack.decode(one, type=list[str]))
                if met and max(met.values()) > 1:
                    return True
        return False

    def _decoded(self, state: bytes) -> Sliced:
        made = self._plan.state()
        made.decode(state)
        return made


def _asked(request: Request) -> bytes:
    return msgspec.msgpack.encode(request)
