"""Reading one letter, A to D, in a model's whole reply: as E-EVAL and M3KE are read, and strictly, our own way."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from components.judge.objective.choice import read_choice as read_choice_of
from components.judge.objective.reading import LONGEST_ANSWER, Unreadable
from components.judge.objective.replies import Kind, read_reply
from components.marking import ChoiceKey

_LETTERS = "ABCD"
_THOUGHTS = re.compile(r"(?:<think(?:ing)?>|\A)(?:(?!<think).)*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_WRAPPER = re.compile(r"\\(?:mathrm|mathbf|textbf|text|rm)\s*\{([^{}]*)\}")
_BOXED = re.compile(r"\\boxed\s?\{([^{}]{0,200})\}")
_TAG = re.compile(r"</?(?:eo\w|answer|b|strong)>", re.IGNORECASE)
_EMPHASIS = re.compile(r"[*`$]|(?<![A-Za-z0-9_])_+(?=[A-Da-d](?![A-Za-z]))|(?<=[A-Da-d])_+(?![A-Za-z0-9])")

_BARE = r"([A-D](?![A-Za-z'’])|[a-d](?=\s*(?:[.,;:)\]】。、]|$)))"
_LETTER = r"[(\[\"'“‘【<{]*" + _BARE  # only after a word: looked for anywhere, a long row of brackets takes minutes
_DENIED_AFTER = r"(?!\s*[)\]】]?\s*(?:选?项)?\s*(?:是|明显|显然)?\s*(?:错|不对|不正确))"
_PHRASES = re.compile(
    rf"答案\s*[】\]]?\s*(?:应该|应当|应)?\s*(?:是|为|选)?\s*:?\s*(?:选项|选|项)?\s*{_LETTER}{_DENIED_AFTER}"
    rf"|(?<![不别勿未误错])选(?:择)?\s*(?:答案|选项)?\s*:?\s*{_LETTER}{_DENIED_AFTER}"
    rf"|选项\s*{_LETTER}\s*[)\]】]?\s*(?:是)?正确(?!吗)"
    rf"|{_BARE}\s*[)\]】]?\s*(?:选?项)?是正确的"
    rf"|正确的?(?:一项|选项)\s*(?:是|为)?\s*:?\s*{_LETTER}{_DENIED_AFTER}"
    r"|(?i:(?<!wrong )(?<!incorrect )\b(?:option|answer|choice)\s*(?:(?:is|should be|must be)\s*:?|:)\s*"
    r"(?:option\s+)?)[(\[\"'“‘【]*([A-D](?![A-Za-z'’])|[a-d](?=\s*(?:[.,;:)\]】。,;]|$)))"
)
_OPENING = re.compile(
    r"[\s(\[\"'“‘【<{]*([A-D])(?![A-Za-z'’])"
    r"(?!\s*[)\]】]?\s*(?:[、,/&或和与]|\bor\b|\band\b)\s*[A-D](?![A-Za-z'’]))"
    r"(?!\s*[)\].、:】]?\s*(?:选?项)?\s*(?:是|is|was|are)?\s*(?:错|不|wrong|incorrect|not\b|false))"
)
_ARTICLE = re.compile(r"\s+(?!(?:because|since|as|is|for)\b)[a-z]")


def read_eeval(reply: str, *, reasoned: bool = False) -> str | None:
    """The letter that E-EVAL's reading takes from a reply; None where it finds none, which is not a wrong answer.

    The whole reply being a letter; else its first character; else the last of the phrases “答案是X”, “选X”, “X是正确的”
    and their kin. With `reasoned`, for chain of thought, the phrases alone count: the first character of reasoning
    is no answer. As published, the first character counts even where its option is turned down ("A错误，…").
    Source: AI-EDU-LAB/E-EVAL, code/evaluator_series/evaluators/chatgpt.py and chatglm.py. Beyond it, full-width
    letters, brackets, bold type, lower case, English phrases and a missing full stop are read, and the first letter
    of a word ("Because") or of several ("AB") is not.
    """
    text = _tidied(reply)
    whole = _whole(text)
    if whole is not None:
        return whole
    first = re.match(r"[\s(\[\"'“‘【<{]*([A-D](?![A-Za-z'’])|[a-d](?=\s*(?:[.,:;)\]】、。]|[一-鿿])))", text)
    if first and not reasoned:
        return first[1].upper()
    return _last_phrase(text)


def read_m3ke(reply: str, *, reasoned: bool = False) -> str | None:
    """The letter a reply gives after M3KE's prompt, which ends in “the correct option is: ”; None where there is none.

    The whole reply being a letter; else a letter standing alone at its start, as what completes the prompt's sentence
    (not the first of all four options gone through, and only failing a phrase where words follow it at once); else
    the last of “the correct option is X”, “the answer is X”, “答案是X”, “选X” and their kin. With `reasoned`, for chain
    of thought, the phrases alone count.
    Source: the prompt is the paper's (arXiv 2305.10263); neither its repository nor the data card has code that reads
    replies, so this reading follows from the prompt and is ours.
    """
    text = _tidied(reply)
    whole = _whole(text)
    if whole is not None:
        return whole
    opening = None if reasoned else _OPENING.match(text)
    if not opening or (opening[1] == "A" and (_ARTICLE.match(text, opening.end()) or _goes_through_all(text))):
        return _last_phrase(text)
    marked_off = re.match(r"\s*(?:[.,:;)\]】、。]|\n|$)", text[opening.end() :])
    return opening[1] if marked_off else _last_phrase(text) or opening[1]


def read_choice(reply: str, options: Mapping[str, str] | None = None) -> str | None:
    """The one option, A to D, that a reply chooses, read strictly; None where it can be read in no or several ways.

    What stands after 【答案】 is the answer. Else what the reply states to be its answer, whatever letters it goes
    through on the way; where its statements differ, only a last one that is put as the conclusion ("so", "所以",
    "final") counts. Else a letter alone or at the opening. Options called right or wrong one by one are no choice:
    the question may ask for the wrong one. With `options`, by letter, an option's own words are a choice too.
    Thoughts in <think> are left out; a reply cut off in them has no answer.
    """
    text = without_thoughts(reply)
    if re.search(r"[【\[]\s*答案\s*[】\]]", text):
        field = read_reply(text, Kind.SINGLE_CHOICE, 1)
        return field.answers[0] if field else None
    text = _tidied(text)
    whole = _whole(text)
    if whole is not None:
        return whole
    statements = _statements(text)
    if statements:
        first_line, stated = _whole(text.split("\n", 1)[0]), _stated(statements, text)
        return stated if first_line in (None, stated) else None
    return _concluded(text) or _opening_or_words(text, options)


@dataclass(frozen=True)
class _Statement:
    letters: str  # more than one where it names several
    end: int
    final: bool


_STRICT = r"[(\[\"'“‘【<{]*((?-i:[A-D]{1,4}(?![A-Za-z'’])|[a-d](?=\s*(?:[.,;:)\]】。、]|$))))"
_STATEMENT = re.compile(
    rf"(?<!wrong )(?<!incorrect )\b(?:answer|option|choice)\s*(?:is|are|was|should be|must be|would be|:|=)\s*:?\s*"
    rf"(?:(?:clearly|likely|probably|therefore|thus|definitely|the|option|choice|letter)\s+)*{_STRICT}"
    rf"|\b(?:i|we)(?:'d|'ll| would| will)?\s+(?:choose|chose|pick|select|go with|go for)\s+(?:option\s+)?{_STRICT}"
    rf"|(?<![A-Za-z])([A-D])\)?\s+is\s+(?:the\s+)?(?:correct|right|best)\s+(?:answer|option|choice)"
    rf"|答案\s*(?:应该|应当|可能|只能|就|应)?\s*(?:是|为|选)?\s*:?\s*(?:选项|选)?\s*{_STRICT}"
    rf"|(?<!不)正确的?(?:一项|选项|说法|做法)?\s*(?:应该|应)?(?:是|为|:)\s*(?:选项)?\s*{_STRICT}"
    rf"|(?<![不别勿未误错若果设会])选(?!项)(?:择)?\s*(?:答案|选项|项)?\s*:?\s*{_STRICT}"
    rf"|(?<![A-Za-z])([A-D])\s*(?:选?项)?\s*(?:是|为)?最?(?:正确答案|符合题意)",
    re.IGNORECASE,
)
_FINAL = re.compile(
    r"(?:\b(?:so|therefore|thus|hence|finally|final|conclusion|overall)\b|综上|所以|因此|因而|故|最终|可见|由此|总之)"
    r"[^.。!！?？\n]{0,30}$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"\s*[)\]】\"'”’}]*\s*(?:选?项)?\s*(?:(?:是|is|was)\s*)?(?:错|不对|不正确|不是|wrong|incorrect|not\b|除外|以外|吗|么|呢|[?？])"
    r"|的?(?:同学|理由|原因|人)",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\s*[)\]】]?\s*(?:(?:或者?|还是|/|\bor\b)\s*(?:选项|option\s)?\s*[(\[]?([A-D])(?![A-Za-z'’])"
    r"|(?:和|与|及|、|&|\band\b|,)\s*(?:选项|option\s)?\s*[(\[]?([A-D])(?![A-Za-z'’])"
    r"(?!\s*[)\]】]?\s*(?:选?项|is\b|are\b|was\b|错|不|对|正|的|中|说|[.:]\s*\S)))",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"\bactually\b|\bcorrection\b|\bmistake\b|\bsecond thoughts?\b|\bchange my\b|\bwait\b|更正|改为|改成|改选|修正"
    r"|不对,",
    re.IGNORECASE,
)
_LONE_LETTER = re.compile(r"(?<![A-Za-z])(?:[B-D](?![A-Za-z'’])|A(?![A-Za-z'’]|\s[a-z]))")  # not the article
_CALLED_RIGHT = re.compile(
    r"(?<![A-Za-z])([A-D])(?![A-Za-z'’])[^,。;.\n]{0,24}?(?<!不)(?<!in)(?:正确|\bcorrect\b|\bright\b)"
)
_CONCLUDED = re.compile(
    r"(?:所以|因此|因而|综上|故|(?i:\b(?:so|therefore|thus|hence)\b))[^。.!\n]{0,12}?"
    r"(?<![A-Za-z])([A-D])(?![A-Za-z'’])\s*(?:选?项)?\s*(?:是|is\s)?\s*(?:the\s)?(?:正确|correct\b|right\b)[^。.\n]{0,12}[。.!]?\s*\Z"
)
_LAST_SENTENCE = 120  # characters
_LETTERED = re.compile(r"[(\[\"'“‘]*(?:([A-D])\s*[.):、,;\]]|([a-d])[.)])")
_OPENS = 40  # characters within which a choice is the reply's opening, not a letter of its reasoning
_TURNED_DOWN = re.compile(r"[不别勿未]选|\A[A-D]\s*选?项|\bnot (?:choose|pick|select)\b", re.IGNORECASE)
_JUDGED = re.compile(
    r"(?<![A-Za-z])([A-D])\s*(?:选?项)?[,:]?\s*(?:[^,。;\n]{0,12})(?:正确|错误|[对错](?!于)|right|wrong|correct)"
)


def _statements(text: str) -> list[_Statement]:
    found = []
    for match in _STATEMENT.finditer(text):
        letters = next(group for group in match.groups() if group)
        if letters == "a" and re.match(r"\s+[A-Za-z]", text[match.end() :]):
            continue  # the article
        if _TAKEN_BACK.match(text, match.end()):
            continue
        another = _ANOTHER.match(text, match.end())
        named = (letters + ((another[1] or another[2]) if another else "")).upper()
        final = _FINAL.search(text[max(0, match.start() - 60) : match.end() - 1]) is not None
        found.append(_Statement(named, match.end(), final))
    return found


def _stated(statements: list[_Statement], text: str) -> str | None:
    last = statements[-1]
    agreed = len({statement.letters for statement in statements}) == 1
    if len(set(last.letters)) != 1 or not (agreed or last.final):
        return None
    after = text[last.end :]
    taken_back = _CORRECTED.search(after) and any(letter != last.letters[0] for letter in _LONE_LETTER.findall(after))
    return None if taken_back else last.letters[0]


def _concluded(text: str) -> str | None:
    """The only option called right in the whole reply, where its last sentence concludes so: "所以选项D是正确的"."""
    last = _CONCLUDED.search(text[-_LAST_SENTENCE:])
    right = {match[1] for match in _CALLED_RIGHT.finditer(text)}
    return last[1] if last and right == {last[1]} else None


def _opening_or_words(text: str, options: Mapping[str, str] | None) -> str | None:
    judged = {match[1] for match in _JUDGED.finditer(text)}
    if len(text) > LONGEST_ANSWER or len(judged) > 1 or _TURNED_DOWN.search(text):
        return None
    lettered = _LETTERED.match(text)
    first = next(group for group in lettered.groups() if group).upper() if lettered else ""
    if lettered and not options and not set(_LONE_LETTER.findall(text, lettered.end())) - {first}:
        return first
    key = ChoiceKey(options=dict(options) if options else dict.fromkeys(_LETTERS, ""), correct=())
    try:
        choice = read_choice_of(text, key, False)
    except Unreadable:
        return None
    (letter,) = choice.selection
    named = options or letter in text[choice.start : choice.end]  # a small letter among words may be an algebraic one
    return letter if letter in _LETTERS and named and choice.start <= _OPENS and first in ("", letter) else None


def _tidied(reply: str) -> str:
    """Full-width made ordinary; bold, code and TeX marks, tags and thoughts left out."""
    text = unicodedata.normalize("NFKC", without_thoughts(reply))
    text = _WRAPPER.sub(r"\1", text)
    text = _BOXED.sub(r" final answer: \1 ", text)
    text = _EMPHASIS.sub("", _TAG.sub(" ", text))
    return re.sub(r" ?\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", text)).strip()


def without_thoughts(reply: str) -> str:
    """The reply after its thoughts; nothing of thoughts that were cut off."""
    return _OPEN_THOUGHT.sub(" ", _THOUGHTS.sub(" ", reply))


def _whole(text: str) -> str | None:
    """The letter where there is nothing else but brackets and punctuation."""
    letter = re.fullmatch(r"[\W_]*([A-Da-d])[\W_]*", text)
    return letter[1].upper() if letter else None


def _goes_through_all(text: str) -> bool:
    return all(re.search(rf"(?<![A-Za-z]){letter}\s*[.、:)]", text) for letter in "BCD")


def _last_phrase(text: str) -> str | None:
    found = [next(group for group in match.groups() if group) for match in _PHRASES.finditer(text)]
    return found[-1].upper() if found else None
