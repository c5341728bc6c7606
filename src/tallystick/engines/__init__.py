"""Engines: units to tallies. An engine knows no audit; it updates, encodes and merges what it is given."""
