"""Definitions: arrays, counts and rationals in, numbers out. Nothing here validates, reads or rounds."""
