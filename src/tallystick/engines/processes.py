"""The engine of several processes: this one and others, which ask for nothing but what they are told.

It knows no audit. Every process of a crew has a member that answers requests, all of it bytes; other
processes are this Python started anew, and speak through their standard input and output. A fault in one of
them is raised here; one that dies is a fault too, and when the crew breaks up all of them are gone.
"""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import IO, Any, Self

import msgspec

from .. import errors
from ..errors import EngineError, TallystickError
from . import heap

Answer = Callable[[bytes], bytes]
"""What a member does: it gives the answer to a request, or raises a TallystickError."""

AHEAD = 2
"""Requests that another process has at a time, so that it need not wait while this one is busy."""

ALONE = "--jobs 1 does it in one process"

_SIZE = 8


class Crew:
    """Processes that share the work of a run.

    Parameters
    ----------
    member
        Makes a member of an order and a name; it must be importable, since other processes find it by name.
    order
        What all members are told first.
    count
        How many processes, this one among them.
    """

    def __init__(self, member: Callable[[bytes, str], Answer], order: bytes, count: int) -> None:
        self._member, self._order, self._count = member, order, count
        self._others: list[_Other] = []

    def __enter__(self) -> Self:
        try:
            for number in range(1, self._count):
                self._others.append(_Other(self._member, self._order, str(number)))
            self._own = self._member(self._order, "0")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for other in self._others:
            other.end()

    def share(self, requests: Sequence[bytes], done: Callable[[int, bytes], None]) -> None:
        """Have every request answered by whichever member is free; `done` gets its number and its answer.

        Answers must be short, since nobody reads them while the next request is sent.

        Raises
        ------
        TallystickError
            The first fault, in the order of the requests, of those that were met.
        """
        _Shared(requests, done).work(self._own, self._others)

    def all(self, request: bytes) -> list[bytes]:
        """Have every member that did something answer a request; this process comes first."""
        asked = [other for other in self._others if other.used]
        for other in asked:
            other.send(request)
        return [self._own(request), *(other.receive() for other in asked)]


class _Shared:
    """Requests that members take one after another."""

    def __init__(self, requests: Sequence[bytes], done: Callable[[int, bytes], None]) -> None:
        self._waiting = deque(enumerate(requests))
        self._done, self._lock = done, Lock()
        self._faults: dict[int, TallystickError] = {}

    def work(self, own: Answer, others: "list[_Other]") -> None:
        threads = [Thread(target=self._feed, args=[other], daemon=True) for other in others]
        for thread in threads:
            thread.start()
        while (taken := self._next()) is not None:
            number, request = taken
            try:
                self._answered(number, own(request))
            except TallystickError as fault:
                self._failed(number, fault)
        for other, thread in zip(others, threads, strict=True):
            other.leave()
            thread.join()
        if self._faults:
            raise self._faults[min(self._faults)]

    def _feed(self, other: "_Other") -> None:
        """Keep another process busy, in a thread of this one."""
        held: deque[int] = deque()
        try:
            while other.wait():
                while len(held) < AHEAD and (taken := self._next()) is not None:
                    held.append(taken[0])
                    other.send(taken[1])
                if not held:
                    return
                self._answered(held[0], other.receive())
                held.popleft()
        except TallystickError as fault:
            self._failed(held[0] if held else -1, fault)

    def _next(self) -> tuple[int, bytes] | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting and not self._faults else None

    def _answered(self, number: int, answer: bytes) -> None:
        with self._lock:
            self._done(number, answer)

    def _failed(self, number: int, fault: TallystickError) -> None:
        with self._lock:
            self._faults[number] = fault


class _Other:
    """A member in another process."""

    def __init__(self, member: Callable[[bytes, str], Answer], order: bytes, name: str) -> None:
        self.used = False
        """Whether it did something, so that it has something to give."""
        self._ready, self._left = False, False
        start = f"import sys; sys.path[:] = {json.dumps(sys.path)}; from {__name__} import serve; serve()"
        apart: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
        try:
            self._process = subprocess.Popen(  # noqa: S603  this Python
                [sys.executable, "-c", start],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if os.environ.get("TALLY_TRACEBACK") else subprocess.DEVNULL,
                **apart,
            )
        except OSError as fault:
            raise EngineError("", f"no further process can be started: {fault.strerror}", ALONE) from fault
        self._send(msgspec.msgpack.encode([member.__module__, member.__qualname__, name, order]))

    def wait(self) -> bool:
        """Wait until it is ready; False where it was let go before."""
        if not self._ready and not self._left:
            try:
                self.receive()
            except EngineError:
                if not self._left:
                    raise
            else:
                self._ready = True
        return not self._left

    def leave(self) -> None:
        """Let it go if it has not begun: there is nothing left for it to do."""
        if not self.used:
            self._left = True
            self._process.kill()

    def send(self, request: bytes) -> None:
        """Send a request."""
        self.used = True
        self._send(request)

    def _send(self, message: bytes) -> None:
        pipe = self._process.stdin
        with suppress(OSError, ValueError):  # whoever waits for the answer meets the fault
            if pipe is not None:
                pipe.write(len(message).to_bytes(_SIZE, "big") + message)
                pipe.flush()

    def receive(self) -> bytes:
        """Wait for the answer to the request that was sent first.

        Raises
        ------
        TallystickError
            What it met, or that it is no more.
        """
        pipe = self._process.stdout
        answer = _message(pipe) if pipe is not None else None
        if answer is None:
            code = self._process.wait()
            raise EngineError("", f"a process ended before its work was done (exit {code})", ALONE)
        if answer[:1] == _WELL:
            return answer[1:]
        raise _fault(answer[1:])

    def end(self) -> None:
        """Be rid of it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()


_WELL, _ILL = b"+", b"-"


def serve() -> None:
    """Be a member of a crew: answer what comes on standard input, until it ends."""
    asked, said = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    heap.keep()
    own: Answer | None = None
    for message in iter(lambda: _message(asked), None):
        try:
            if own is None:
                module, called, name, order = msgspec.msgpack.decode(message)
                own = getattr(sys.modules.get(module) or __import__(module, fromlist=["_"]), called)(
                    order, name
                )
                answer = _WELL
            else:
                answer = _WELL + own(message)
        except TallystickError as fault:
            answer = _ILL + _told(fault)
        except Exception as fault:  # noqa: BLE001  it is told where it can be read
            what = f"a process failed: {type(fault).__name__}: {fault}"
            answer = _ILL + _told(EngineError("", what, ALONE))
        said.write(len(answer).to_bytes(_SIZE, "big") + answer)
        said.flush()


def _message(pipe: IO[bytes]) -> bytes | None:
    """Read a message: its size, then itself; None at the end, or where this end was closed meanwhile."""
    try:
        head = pipe.read(_SIZE)
        size = int.from_bytes(head, "big")
        body = pipe.read(size) if len(head) == _SIZE else b""
    except ValueError:
        return None
    return body if len(head) == _SIZE and len(body) == size else None


def _told(fault: TallystickError) -> bytes:
    return msgspec.msgpack.encode([type(fault).__name__, fault.where, fault.what, fault.hint])


def _fault(told: bytes) -> TallystickError:
    kind, where, what, hint = msgspec.msgpack.decode(told)
    made: TallystickError = getattr(errors, kind)(where, what, hint)
    return made
