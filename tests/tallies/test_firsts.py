from tallystick.tallies import Fingerprints, Firsts


def test_the_first_is_by_file_and_then_by_line_as_a_number() -> None:
    tally = Firsts()
    for place in ("b:2", "a:10", "a:9", "c:1"):
        tally.add("kind", place, f"at {place}")
    tally.add("other", "z:1", "else", 3)
    assert [tuple(one) for one in tally] == [("kind", "a:9", "at a:9", 4), ("other", "z:1", "else", 3)]
    assert [one.order for one in tally] == [("a:", 9), ("z:", 1)]


def test_fingerprints_tell_multisets_apart_and_not_orders() -> None:
    def printed(*texts: str) -> object:
        tally = Fingerprints()
        tally.add(["k"] * len(texts), texts)
        return dict(tally)["k"]

    assert printed("a", "b", "a") == printed("a", "a", "b")
    assert printed("a", "b", "a") != printed("a", "b", "b")
    assert printed("a") != printed("a", "a")
    assert printed("ab", "c") != printed("a", "bc")
