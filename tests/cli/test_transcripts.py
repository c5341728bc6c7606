"""What `tally` prints is what its transcripts say; `python tools/transcripts.py --write` renews them."""

from pathlib import Path

import pytest

from transcripts import perform, transcripts


@pytest.mark.parametrize("path", transcripts(), ids=lambda path: path.stem)
def test_a_transcript_is_what_is_printed(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert perform(text, tmp_path / "data") == text
