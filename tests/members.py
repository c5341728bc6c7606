"""Members of a crew for the tests, where other processes can import them."""

import os
import signal
import time
from collections.abc import Callable

from tallystick.errors import RecordError


def echo(order: bytes, name: str) -> Callable[[bytes], bytes]:
    """Make a member that answers with what it was told, or ends as it is asked to."""

    def answer(request: bytes) -> bytes:
        if name != "0" and request == b"die":
            os.kill(os.getpid(), signal.SIGKILL)
        if name != "0" and request == b"break":
            raise ZeroDivisionError("by zero")
        if name != "0" and request == b"refuse":
            raise RecordError("f:7", "no", "a hint")
        if name == "0":
            time.sleep(0.05)
        return order + b":" + request

    return answer
