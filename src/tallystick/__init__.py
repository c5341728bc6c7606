"""Tallystick decides from files of predictions whether a model may ship, and lets anybody check it.

import tallystick

report = tallystick.run("calibration", "predictions.jsonl", bins=10, gates=["ece <= 0.05"])
report.passed, report.ece
report.save("report.json")
"""

__version__ = "0.1.0"

from .audits import AUDITS
from .errors import RecordError, ReportError, SourceError, TallystickError, UsageError
from .report import Report
from .run import run
from .verify import verify

audits = tuple(AUDITS)
"""Names of all audits."""

__all__ = [
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
