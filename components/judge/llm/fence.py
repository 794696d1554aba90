"""Keeping an answer data: defusing what could end its fence. Words meant for the marker: see talks_to_marker."""

from __future__ import annotations

import re
import unicodedata

# Fences of ours, and the marks by which chat templates of common models begin and end a turn.
_DELIMITERS = re.compile(
    r"[<＜〈]\s*[/／]?\s*(?:answer|example|system|user|assistant|developer|tool|think|start_of_turn|end_of_turn"
    r"|eos|bos)\b|[<＜]\s*[/／]?\s*s\s*[>＞]|[<＜][|｜][^<>|｜\n]{1,40}[|｜][>＞]|[<＜]{2}\s*/?\s*SYS|\[\s*/?\s*INST\s*\]",
    re.IGNORECASE,
)
_OPENINGS = str.maketrans({"<": "‹", "＜": "‹", "〈": "‹", ">": "›", "＞": "›", "〉": "›", "[": "(", "]": ")"})


def neutralised(text: str) -> str:
    """The text without characters that cannot be seen, its look-alikes of our fences and of chat turns defused."""
    lines = "\n".join(text.splitlines())
    seen = lines
    if not lines.replace("\n", "").replace("\t", "").isprintable():  # what is printable has none, and is most texts
        seen = "".join(c for c in lines if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    return _DELIMITERS.sub(lambda found: found.group().translate(_OPENINGS), seen).strip()
