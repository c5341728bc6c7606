"""`python -m tallystick` is `tally`."""

from .cli import entry

entry()
