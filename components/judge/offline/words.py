"""Cuts text into comparable words, numbers and equations, each knowing where it stands in the text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import snowballstemmer

SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "id": "indonesian", "it": "italian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip

# Words that say nothing about the subject. Comparatives and directions stay out: they carry marks.
_STOP_WORDS = """
    a an the this that these those it its is are was were be been being am do does did done has have had having
    will would shall should can could may might must of in on at to for from by with as into onto about and or but
    so because if when then than which who whom whose what where why how there here he she they them their his her
    we us our you your i my me also very just such some any each other one student candidate candidates answer
    answers mention mentions mentioned state states stated idea reference allow accept ignore eg ie etc owtte
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
_NEGATIONS = """
    no not never none neither nor cannot without cant dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt
    shouldnt hasnt havent hadnt nicht kein keine nie ne pas jamais sans nunca sin nao não mai senza niet geen
    inte ingen ikke 不 没 没有 无 未 非
"""
NEGATIONS = frozenset(_NEGATIONS.split())

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹½¼¾⅓⅔"
_PIECE = re.compile(
    rf"(?P<unspaced>[{_UNSPACED}]++)"
    r"|(?P<number>\d{1,3}(?:,\d{3})++(?:\.\d++)?(?!\d)|\d++(?:\.\d++)?|\.\d++)"
    rf"|(?P<word>[^\W\d_{_SMALL}](?:[^\W_{_SMALL}]|[\u0300-\u036f])*+(?:['’][^\W\d_{_SMALL}]++)?)"
    r"|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]++|[½¼¾⅓⅔])"
    r"|(?P<relation>[=<>≤≥≈≠])"
    r"|(?P<operator>[-+−–*×·÷/^±])"
    r"|(?P<bracket>[()\[\]√])"
)
_OPERATORS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "[": "(", "]": ")"})
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_FRACTIONS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_FUNCTIONS = frozenset({"sqrt", "sinh", "cosh", "tanh", "theta", "alpha", "beta"})
_LATEX = (
    (re.compile(r"\\[dt]?frac\{(\w+)\}\{(\w+)\}"), r"\1/\2"),
    (re.compile(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:times|cdot)(?![a-z])"), "×"),
    (re.compile(r"\\(?:leq?)(?![a-z])"), "≤"),
    (re.compile(r"\\(?:geq?)(?![a-z])"), "≥"),
    (re.compile(r"\\(?:text|mathrm|left|right|quad|,|;|!)"), " "),
    (re.compile(r"[\\${}]"), " "),
)
_TIMES_LETTER = re.compile(r"\*(?=[^\W\d]|\()")  # 2*x is 2x
_SIGNS = "+-*/()"
LONGEST_WORD = 60  # characters
LONGEST_FORMULA = 80  # pieces


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or equation of a text. `key` is what is compared; `exact` allows no spelling slips."""

    key: str
    start: int
    end: int
    exact: bool = False
    stop: bool = False
    negation: bool = False


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str
    text: str
    start: int
    end: int


def stemmer_language(language: str) -> str:
    """The snowball stemmer for a language code such as `en` or `de-AT`; English where there is none."""
    return SNOWBALL.get(language.casefold()[:2], "english")


def tokens(text: str, language: str = "en") -> list[Token]:
    """The tokens of a text in order, `text[token.start:token.end]` being each one's own words.

    Chinese, Japanese and Thai, written without spaces, give overlapping pairs of characters. `3x = 12` is one exact
    token whose key is `3x=12`. Takes time proportional to the length of the text.
    """
    pieces = _with_times([_Piece(m.lastgroup or "", m.group(), m.start(), m.end()) for m in _PIECE.finditer(text)])
    stemmer = stemmer_language(language)
    found: list[Token] = []
    at = 0
    while at < len(pieces):
        end = _end_of_run(pieces, at)
        run = _without_loose_signs(pieces[at:end]) if end > at + 1 else []
        if _is_formula(run):
            found.append(Token(_formula_key(run), run[0].start, run[-1].end, exact=True))
        else:
            for piece in pieces[at:end]:
                found.extend(_plain_tokens(piece, stemmer))
        at = end
    return found


def without_latex(text: str) -> str:
    """An author's text with the commonest LaTeX turned into plain signs, so that `\\frac{1}{2}` reads 1/2."""
    for pattern, plain in _LATEX:
        text = pattern.sub(plain, text)
    return text


def sides(key: str) -> frozenset[str]:
    """What stands on either side of the equals signs of an equation: `x=12/3=4` gives x, 12/3 and 4."""
    return frozenset(_in_order(side) for side in key.split("="))


def holds_part(side: str, part: str) -> bool:
    """Whether a formula holds another between its signs: `1560*1.025^3` holds `1.025^3`, not `25^3`."""
    at = side.find(part)
    while at >= 0:
        end = at + len(part)
        if (at == 0 or side[at - 1] in _SIGNS) and (end == len(side) or side[end] in _SIGNS):
            return True
        at = side.find(part, at + 1)
    return False


def _in_order(side: str) -> str:
    """A plain product or sum with its parts in order, so that 0.65*2400 is 2400*0.65."""
    for sign, others in (("*", "+-/()"), ("+", "*-/()")):
        if sign in side and not any(other in side for other in others):
            return sign.join(sorted(side.split(sign)))
    return side


def _plain_tokens(piece: _Piece, stemmer: str) -> list[Token]:
    if piece.kind == "number":
        return [Token(_number_key(piece.text), piece.start, piece.end, exact=True)]
    if piece.kind == "power" and piece.text in _FRACTIONS:
        return [Token(_FRACTIONS[piece.text], piece.start, piece.end, exact=True)]
    if piece.kind == "unspaced":
        return _pairs(piece)
    if piece.kind != "word":
        return []
    word = _folded(piece.text)
    plain = word.replace("'", "").replace("’", "")
    return [
        Token(
            _stem(plain, stemmer),
            piece.start,
            piece.end,
            exact=any(c.isdigit() for c in plain),
            stop=plain in STOP_WORDS,
            negation=plain in NEGATIONS,
        )
    ]


def _pairs(piece: _Piece) -> list[Token]:
    text = piece.text
    if len(text) == 1:
        return [Token(text, piece.start, piece.end, negation=text in NEGATIONS)]
    return [
        Token(text[i : i + 2], piece.start + i, piece.start + i + 2, negation=text[i] in NEGATIONS)
        for i in range(len(text) - 1)
    ]


def _with_times(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces with each letter x between two numbers read as the times sign it stands for."""
    return [
        _Piece("operator", "×", piece.start, piece.end)
        if piece.text in ("x", "X") and 0 < i < len(pieces) - 1 and _numbers(pieces[i - 1], pieces[i + 1])
        else piece
        for i, piece in enumerate(pieces)
    ]


def _numbers(left: _Piece, right: _Piece) -> bool:
    return (left.kind in ("number", "power") or left.text in (")", "]")) and right.kind == "number"


def _end_of_run(pieces: list[_Piece], at: int) -> int:
    """Where the pieces that could be one formula with piece `at` end; at + 1 where nothing could."""
    end = at + 1
    if _is_atom(pieces[at]) or pieces[at].kind in ("bracket", "operator"):
        while end < min(len(pieces), at + LONGEST_FORMULA) and _belongs(pieces[end - 1], pieces[end]):
            end += 1
    return end


def _without_loose_signs(run: list[_Piece]) -> list[_Piece]:
    """A run without the signs it ends in, and without brackets that stand round it or match nothing in it."""
    while run:
        depths = list(accumulate(_depth(piece) for piece in run))
        closes = next((i for i, depth in enumerate(depths) if depth <= 0), None)
        if run[-1].kind in ("operator", "relation") or (_depth(run[-1]) == -1 and depths[-1] < 0):
            run = run[:-1]
        elif _depth(run[0]) == 1 and closes is None:
            run = run[1:]
        elif _depth(run[0]) == 1 and closes == len(run) - 1:
            run = run[1:-1]
        elif run[0].kind == "operator" and not (run[0].text in "-−–" and len(run) > 1 and _touch(run[0], run[1])):
            run = run[1:]
        else:
            break
    return run


def _touch(left: _Piece, right: _Piece) -> bool:
    return left.end == right.start


def _depth(piece: _Piece) -> int:
    return {"(": 1, "[": 1, ")": -1, "]": -1}.get(piece.text, 0)


def _is_formula(run: list[_Piece]) -> bool:
    if len(run) < 2:
        return False
    kinds = {piece.kind for piece in run}
    relates = "relation" in kinds and run[0].kind != "relation" and any(_is_atom(piece) for piece in run)
    return relates or ("number" in kinds and bool(kinds & {"operator", "power"}))


def _is_atom(piece: _Piece) -> bool:
    if piece.kind == "word":
        return len(piece.text) <= 3 or piece.text.casefold() in _FUNCTIONS or any(c.isdigit() for c in piece.text)
    return piece.kind in ("number", "power")


def _belongs(left: _Piece, right: _Piece) -> bool:
    """Whether two neighbouring pieces are of one formula: around a sign spaces may stand, elsewhere none."""
    if not (_is_atom(right) or right.kind in ("relation", "operator", "bracket")):
        return False
    gap = right.start - left.end
    if left.kind in ("relation", "operator") or right.kind in ("relation", "operator"):
        return gap <= 3
    return gap == 0


def _formula_key(run: list[_Piece]) -> str:
    parts = [_formula_part(piece) for piece in run]
    return "=".join(_in_order(side) for side in _TIMES_LETTER.sub("", "".join(parts)).split("="))


def _formula_part(piece: _Piece) -> str:
    if piece.kind == "number":
        return _number_key(piece.text)
    if piece.kind == "power":
        return _FRACTIONS.get(piece.text) or "^" + piece.text.translate(_SUPERSCRIPTS)
    return _folded(piece.text).translate(_OPERATORS)


def _number_key(text: str) -> str:
    whole, _, decimals = unicodedata.normalize("NFKC", text).replace(",", "").partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:LONGEST_WORD]).casefold()


@lru_cache(maxsize=20_000)
def _stem(word: str, stemmer: str) -> str:
    return str(snowballstemmer.stemmer(stemmer).stemWord(word)) or word
