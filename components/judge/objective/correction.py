"""Whether an answer takes back the option that it names: "B but now C", "I chose B at first", "答案是B，改为C"."""

from __future__ import annotations

import re

from components.judge.objective.denial import denied_after

_NEAR = 80  # characters before an option in which a word that dates it is looked for

_AT_FIRST_AFTER = re.compile(
    r"\s*[)\]]?\s*(?:at first|at the (?:start|beginning)|to (?:begin|start) with|in the beginning|initially|originally"
    r"|previously|earlier)\b",
    re.IGNORECASE,
)
_AT_FIRST_BEFORE = re.compile(
    r"(?:\b(?:at first|at the (?:start|beginning)|to (?:begin|start) with|initially|originally|(?:i|we) first"
    r"|used to (?:think|choose|say))\b|(?:一开始|起初|起先|最初|原先|原来|本来|原本)(?!的))"
    # A reason that tells of a beginning is none: "Initially it is at rest, so the answer is B".
    r"(?:(?!\b(?:but|now|then|finally|however|so|therefore|hence|thus|because)\b|现在|后来|但|故|所以|因此)"
    r"[^.!?;\n。！？；，,]){0,40}\Z"
    r"|\b(?:first|original|initial|previous|earlier) (?:answer|ans|choice|guess|thought|idea)\W+(?:(?:was|is)\W+)?\Z",
    re.IGNORECASE,
)
_OTHER = r"(?:option +|选?项? *)?[(\[]?(?P<other>[B-H]|A(?! +[a-z]))(?![\w'-])"
_GOES_ON = (
    r"(?:i|i'?ve|i'?m|have|am|it|it'?s|that|is|was|my|mind|to|the|answer|think|want|go|going|with|for|now|choose|chose"
    r"|pick|picked|say|mean|changed?|changing|switch(?:ed)?|actually|would|should|be|then|wait|sorry|no)\b[ ,:.]*"
)
_INSTEAD = re.compile(
    r"\s*[)\].,;，。；:–—-]*\s*(?:"
    rf"(?i:(?:but|now|actually|wait|sorry|oops|correction|changed?|switch(?:ed)?|i mean)\b[ ,:.]*(?:{_GOES_ON})*)"
    rf"|(?i:(?:then|later|no|however|rather)\b[ ,:.]*(?:{_GOES_ON})+)"
    r"|(?:→|-+>|=+>) *"
    r"|(?:但是?|不过|后来|现在|然后|又|再|我|觉得|想|最后){0,4}(?:改|换|更正|变)(?:[为成到选]|答案?|[:：]){0,3} *"
    r"|(?:但是?|不过|后来|现在|不对)[,，]?(?:我|觉得|认为|想|应该?|是|选|为){1,5} *"
    r")" + _OTHER,
)


def taken_back(text: str, start: int, end: int) -> bool:
    """Whether the option at start…end is said to be an earlier choice, or another is put in its place."""
    if _AT_FIRST_AFTER.match(text, end) or _AT_FIRST_BEFORE.search(text[max(0, start - _NEAR) : start]):
        return True
    instead = _INSTEAD.match(text, end)
    if instead is None or denied_after(text, instead.end()):
        return False
    return instead["other"] not in text[start:end].upper()
