"""The small words of mark schemes: numbers, marks, codes, bullets, alternatives, what to accept and reject."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_CHINESE = "零一二三四五六七八九十"
NUMBER = rf"(?:\d{{1,2}}|{'|'.join(_WORDS)}|两|[{_CHINESE}])"
RANGE = r"(\d{1,3})\s*(?:-|–|—|−|―|~|～|to|至|到)+\s*(\d{1,3})"
_BULLET = re.compile(
    r"^\s*(?:[•◦●○▪▸‣·*■□◆➢►❖\uf0a7\uf0b7]|[-–—](?=\s))\s*(?=\S)|^\s*[①-⑳]\s*(?=\S)|^\s*\d{1,2}\)\s*(?=\S)"
)
_NUMBERED = re.compile(r"^\s*\d{1,2}\s*[.．、]\s*(?=[^\d\s])")
_AMOUNT = r"(\d{1,3}(?:\.\d{1,2})?|½|¼)"
# A bare "(1)" is a mark only after a gap or in Chinese; f(1) is not.
_MARK = re.compile(
    rf"(?:(?<=\s)|(?<=[\u3000-\u9fff。，；)）”])|^)\(\s*{_AMOUNT}\s*\)"
    rf"|\[\s*{_AMOUNT}\s*\]|[(\[（【]\s*{_AMOUNT}\s*(?:marks?|mks?|m|pts?|分)\s*[)\]）】]",
    re.IGNORECASE,
)
_TICKS = re.compile("[✓✔☑]+")
_LOOSE_MARK = re.compile(rf"(?:[,:;–—-]\s*|\s){_AMOUNT}\s*(?:marks?|m)\.?$|(?:\t|\s{{3,}}){_AMOUNT}$", re.IGNORECASE)
CODE = r"(?:(?:dd?|D)?[MABCPWER][0-6]|MP\d{1,2})(?:\*|\s?(?:ft|FT)\b|\s?dep\b(?!\s+(?:up)?on\b)|cso|cao|oe)?"
_CODES = rf"{CODE}(?:(?:\s*[,+&]\s*|\s*){CODE})*"
_LEADING = re.compile(rf"^[(\[]?({_CODES})[)\]]?(?=[\s:.,;]|$)")
CODES_IN_BRACKETS = re.compile(rf"\s*[(\[]({_CODES})[)\]]")
_TRAILING = re.compile(rf"(?:\s|[(\[])({_CODES})[)\]]?\s*$")


def number_of(word: str) -> int:
    """The value of a NUMBER."""
    if word.isdigit():
        return int(word)
    if word == "两":
        return 2
    return _CHINESE.index(word) if word in _CHINESE else _WORDS.index(word.lower())


def amount_of(written: str) -> float:
    return {"½": 0.5, "¼": 0.25}.get(written) or float(written)


def chinese(text: str) -> bool:
    return re.search(r"[\u4e00-\u9fff]", text) is not None


def unbulleted(text: str, numbered: bool = False) -> tuple[bool, str]:
    """Whether a bullet stood before the text, and the text without it; "1." is one only where `numbered`."""
    found = _BULLET.match(text) or (_NUMBERED.match(text) if numbered else None)
    return (True, text[found.end() :].strip()) if found else (False, text.strip())


def tidy(text: str) -> str:
    """The text without what only parts it from the next: spaces, semicolons, commas, the Chinese full stop."""
    return re.sub(r"\s+", " ", re.sub(r"…{2,}|\.{4,}", " ", text)).strip(" ;；，,。、")


def marked_pieces(text: str) -> list[tuple[str, float | None]]:
    """The text cut after each mark in brackets, with that mark; None for what has no mark after it."""
    text = _TICKS.sub(lambda found: f" ({len(found[0])}) ", text)
    pieces: list[tuple[str, float | None]] = []
    place = 0
    for found in _MARK.finditer(text):
        before = tidy(text[place : found.start()])
        amount = next(amount_of(group) for group in found.groups() if group)
        if before or not pieces:
            pieces.append((before, amount))
        place = found.end()
    loose = _LOOSE_MARK.search(text.strip()) if not pieces else None
    if loose:
        amount = next(amount_of(group) for group in loose.groups() if group)
        return [(tidy(text.strip()[: loose.start()]), amount)]
    rest = tidy(text[place:])
    return pieces + ([(rest, None)] if rest.strip(".") else [])


def ends_in_mark(text: str) -> bool:
    pieces = marked_pieces(text)
    return bool(pieces) and pieces[-1][1] is not None


def codes_of(run: str) -> list[str]:
    return [re.sub(r"\s", "", code).replace("FT", "ft").replace("DM", "dM") for code in re.findall(CODE, run)]


def leading_codes(text: str) -> tuple[list[str], str]:
    """The codes before the text, and the text without them, a colon or "for"."""
    found = _LEADING.match(text)
    if not found:
        return [], text
    rest = text[found.end() :].strip()
    rest = re.sub(r"^(?:[:.;]|[-–—](?=\s))\s*", "", rest)
    return codes_of(found[1]), re.sub(r"^for\b:?\s*", "", rest)


def coded_pieces(text: str) -> list[tuple[str, str]]:
    """("IQR = 41 − 27", "M1") for each code in brackets where several are in one line and the last ends it; else []."""
    found = list(CODES_IN_BRACKETS.finditer(text))
    if len(found) < 2 or text[found[-1].end() :].strip(" .;"):
        return []
    starts = [0, *(match.end() for match in found)]
    pieces = [(tidy(text[start : match.start()]), match[1]) for start, match in zip(starts, found, strict=False)]
    return pieces if all(words for words, _ in pieces) else []


def trailing_codes(text: str) -> tuple[list[str], str]:
    found = _TRAILING.search(text)
    return (codes_of(found[1]), tidy(text[: found.start()])) if found else ([], text)


_WORD = re.compile(r"[^\W\d_]{3}|[\u4e00-\u9fff]")


def alternatives(text: str) -> list[str]:
    """The whole wordings that a slash or "or" parts; one entry where it parts words inside a sentence."""
    for parting in (r"\s+OR\s+", r"\s+/+\s+", r"(?<!,)\s+or\s+"):
        pieces = [tidy(piece) for piece in re.split(parting, text)]
        sums = "/" in parting and ("=" in text or not all(_WORD.search(piece) for piece in pieces))
        if len(pieces) > 1 and all(pieces) and not sums and ("OR" in parting or _alike(pieces, "or" in parting)):
            return pieces
    return [text]


def _alike(pieces: list[str], by_or: bool) -> bool:
    """Two roots ("x = 2 or x = −2") are both wanted, and a list ("hot, cold or wet") is one answer."""
    lengths = [len(piece.split()) for piece in pieces]
    if by_or and (all("=" in piece for piece in pieces) or any("," in piece for piece in pieces) or max(lengths) > 7):
        return False
    return max(lengths) <= 2 * min(lengths) and max(lengths) - min(lengths) <= 2


_VERBS = {
    "reject": r"do(?:\s+not|n['’]t)\s+(?:accept|allow|credit)|reject|refuse|不接受|不给分",
    "accept": r"(?:also\s+|or\s+)?(?:accept|allow|condone)|也可|接受",
    "ignore": r"ignore|disregard|忽略",
}
_OTHER_KIND = re.compile(rf"(?:[.;,。；，]|\n)\s*(?:(?:and|but)\s+)?(?=(?i:{'|'.join(_VERBS.values())})\b|NOT\b)")
_NO_MARKS = re.compile(
    r"^(?:若|如果?)?(?:只|仅)?(?:写出|写|答出|答|填)?(?P<what>[^()（）]{1,30}?)的?(?:也|均|则)?不(?:给|得)分[。；]?$"
)
_PREFIX = {kind: re.compile(rf"^(?:{verbs})(?:\s*[:：]\s*|\s+)(?=\S)", re.IGNORECASE) for kind, verbs in _VERBS.items()}
_NOT = re.compile(r"^(?:NOT\b:?|Not:)\s*(?=\S)")
_ANY_VERB = "|".join(_VERBS.values())
_LOUD = "(?:DO NOT )?(?:ACCEPT|ALLOW|CREDIT|CONDONE)|REJECT|REFUSE|IGNORE"
_INNER = re.compile(
    rf"[(（\[]((?i:{_ANY_VERB}|not)\b[^()（）\[\]]*)[)）\]]\s*[.;；。]?$|[.;；。]\s+((?i:{_ANY_VERB})\b.*|NOT\b.*)$"
    rf"|(?:^|\s)((?:{_LOUD})\b(?!.*\b(?:{_LOUD})\b).*)$"
)


@dataclass
class Remarks:
    """What is said beside a point of other wordings."""

    accept: list[str] = field(default_factory=list)
    reject: list[str] = field(default_factory=list)
    ignore: list[str] = field(default_factory=list)

    def add(self, kind: str, written: str) -> None:
        """What is said of `kind`, but for what says itself that it is of another: “hot; do not accept warm”."""
        for part in _OTHER_KIND.split(written):
            own = remark(part)
            getattr(self, own[0] if own else kind).extend(entries(own[1] if own else part))

    def extend(self, more: Remarks) -> None:
        self.accept += more.accept
        self.reject += more.reject
        self.ignore += more.ignore


def entries(written: str) -> list[str]:
    """A list as written in an "Accept" column or line: by lines, semicolons, spaced slashes, and OR."""
    found = [tidy(unbulleted(entry)[1]) for entry in re.split(r"\n|[;；]|(?<!\d)\s/+\s(?!\d)|\sOR\s", written)]
    return [whole for entry in found if entry for whole in alternatives(entry)]


def remark(text: str) -> tuple[str, str] | None:
    """(accept, reject or ignore; what) for a line that starts so."""
    for kind, pattern in _PREFIX.items():
        found = pattern.match(text)
        if found:
            return kind, text[found.end() :].strip()
    found = _NOT.match(text)
    if found:
        return "reject", text[found.end() :].strip()
    found = _NO_MARKS.match(text)
    return ("reject", found["what"].strip("“”\"'‘’")) if found else None


def without_remarks(text: str) -> tuple[str, Remarks]:
    """The text without "(accept: …)" and "; NOT …" at its end, and what those say."""
    found_remarks = Remarks()
    while found := _INNER.search(text):
        inner = re.sub("^not ", "NOT ", found[1] or found[2] or found[3])
        said = [remark(part) for part in re.split(rf"[;.]\s*(?=(?i:{_ANY_VERB})\b|NOT\b)", inner)]
        if None in said or not tidy(text[: found.start()]) or any(general(what) for _, what in filter(None, said)):
            break
        for kind, what in filter(None, said):
            found_remarks.add(kind, what)
        text = text[: found.start()].strip()
    return text, found_remarks


def general(what: str) -> bool:
    """Advice to the marker rather than a wording: any other valid answer, follow through, one mark for…"""
    return (
        re.match(
            r"(?:any\b.*\b(?:valid|reasonable|sensible|suitable|correct|appropriate|other|equivalent)"
            rf"|ft\b|follow[- ]through|ecf\b|{NUMBER}\s+marks?\b|(?:equivalent|reasonable|other)\b)",
            what,
            re.IGNORECASE,
        )
        is not None
    )
