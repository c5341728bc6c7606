"""Texts that mean something to terminals, pages, XML, TOML or runners, and what may never come out."""

import re
import unicodedata

MARK = "zq9"
"""Stands in most nasty texts, so that a test finds them wherever they end up."""

NASTY = [
    *(f"{MARK}{chr(code)}x" for code in (*range(1, 32), *range(0x7F, 0xA0))),
    f"{MARK}\x1b[7;5mred\x1b[0m",
    f"{MARK}\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    f"{MARK}\x1b[2J\x1b[H",
    f"{MARK}\x9b31m",
    *(
        f"{MARK}{mark}x"
        for mark in "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ),
    *(
        f"{MARK}{mark}x"
        for mark in "\u00ad\u034f\u115f\u200b\u200c\u200d\u2060\u2062\u3164\ufe0f\ufeff\uffa0"
    ),
    *(
        f"{MARK}{mark}x"
        for mark in "\u0085\u2028\u2029\u00a0\u3000\ufffe\uffff\ufff9\ue000\U000e0041\U0010ffff"
    ),
    f"{MARK}[red]x[/red]",
    f"{MARK}[link=https://evil.example]x[/link]",
    f"{MARK}[/]",
    f"{MARK}:smile:",
    f"{MARK}</script><script>alert(1)</script>",
    f"{MARK}<img src=x onerror=alert(1)>",
    f"{MARK}<!-- x -->",
    f"{MARK}]]>",
    f"{MARK}&amp;&#x202e;&lt;",
    f"{MARK}{{{{x}}}}{{% x %}}{{# x #}}${{x}}",
    f"{MARK}$x$ \\(x\\)",
    f"[{MARK}](https://evil.example)",
    f"![{MARK}](https://evil.example/x.png)",
    f"[{MARK}]: https://evil.example",
    f"https://evil.example/{MARK}",
    f"www.evil.example/{MARK}",
    f"{MARK}@evil.example",
    f"@{MARK}",
    f"#1 {MARK}",
    f"# {MARK}",
    f"- {MARK}",
    f"1. {MARK}",
    f"> {MARK}",
    f"```{MARK}",
    f"`{MARK}` ``",
    f"\\`{MARK}\\",
    f"|{MARK}|x|\\|",
    f"*{MARK}* __x__ ~~x~~",
    f" {MARK} ",
    f"{MARK}\n\n# x",
    f"{MARK}\r\n::error::x",
    f"::error::{MARK}",
    f"::stop-commands::{MARK}",
    f"##[error]{MARK}",
    f'"{MARK}"\'',
    f'{MARK}"\n[release]\n',
    f"{MARK}%0A%25",
    f"={MARK}()",
    "\u05d0\u05d1\u05d2" + MARK,
    f"{MARK}e\u0301\U0001f600\u6f22",
    f"\u0301{MARK}",
    f"{MARK}{'long ' * 60}",
]
"""Labels, ids, names of fields or of files that somebody else chose."""

UNSEEN = {
    0x034F,
    0x115F,
    0x1160,
    0x17B4,
    0x17B5,
    *range(0x180B, 0x1810),
    0x3164,
    *range(0xFE00, 0xFE10),
    0xFFA0,
}
"""Characters that no terminal shows, though their categories are those of letters and marks."""

STYLED = re.compile(r"\x1b\[(?:0|1|2|3[12346]|[12];3[12346])m")
"""The styles that a report has."""


def unsafe(text: str) -> set[str]:
    """Name the characters of an output that could steer who shows it; lines may end."""
    return {
        f"U+{ord(c):04X}"
        for c in text
        if (unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and c != "\n")
        or ord(c) in UNSEEN
        or 0xE0000 <= ord(c) <= 0xE0FFF
    }


def unstyled(text: str) -> str:
    """Take away what a terminal is sent by a report itself: its styles, and the returns of its lines."""
    return STYLED.sub("", text).replace("\r\n", "\n")
