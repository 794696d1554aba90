"""Reading which options an answer chooses, and what that choice earns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from components.judge.objective.correction import taken_back
from components.judge.objective.denial import denied_after, denied_before, denied_label, denies
from components.judge.objective.reading import Judgement, Unreadable, plain, trimmed
from components.marking import ChoiceKey, format_mark

Selection = frozenset[str]

_UNNAMED_OPTIONS = "ABCDEFGH"
_OPENING = " \n([{<*_\"'"
_CLOSING = " \n)]}>*_\"'.,;:!"
_CUE = re.compile(
    r"(?:\b(?:(?:final|correct|right|my|the) ){0,3}(?:answers?|ans|choice|options?)\b|答案|故选|应选|选项|选择?)"
    r"(?:\s*(?:(?:is|are|was|should be|must be|would be)\b|选项|应该|应当|应|为|是|选))*[\s\])}:=.*(\[-]*",
    re.IGNORECASE,
)
_WEAK_CUE = re.compile(r"(?:options?|选项)\W*$", re.IGNORECASE)
_LEAD_IN = re.compile(
    r"(?:(?:i\s+(?:think|choose|chose|pick|picked|believe|would say|say|go for|went for)|i'?d say|it(?:'s| is| must be)"
    r"|because of|we (?:choose|pick))\s+)+(?:(?:it(?:'s| is)|that|option|the|answer|is)\s+)*",
    re.IGNORECASE,
)
_CONNECTIVE = r"(?:because|since|as|cos|coz|'cause|cause|due|is|for|which|not|rather|instead|so that|因为|正确)"
_BETWEEN = r"(?:\s*(?:,|;|/|&|\+|\band\b|和|与|及|\s)\s*)"
_JUDGED_RIGHT = re.compile(r"([A-H])\s*(?:项)?\s*(?:是|为)?\s*(?:对|正确|√|✓)")
_EITHER = re.compile(r"\bor\b|\beither\b|或|还是")


@dataclass(frozen=True)
class Choice:
    """The options an answer chooses, and where in the text it says so."""

    selection: Selection
    start: int
    end: int
    sure: bool


def mark_choice(key: ChoiceKey, max_mark: float, text: str, several: bool) -> Judgement:
    """The mark a choice earns. `several` says that more than one option may be chosen.

    Raises Unreadable where no option, or no single reading of the options, can be made out.
    """
    labels = option_labels(key)
    right = [_selection(entry, labels) for entry in key.correct]
    if not right:
        raise Unreadable("The mark scheme has no key for this question. Please add one, or mark it yourself.")
    partial = {_selection(entry, labels): marks for entry, marks in key.partial.items()}
    several = several or any(len(selection) > 1 for selection in [*right, *partial])
    choice = read_choice(text, key, several)
    mark, reason = _worth(choice.selection, right, partial, key, max_mark)
    return Judgement(mark, reason, choice.start, choice.end, choice.sure)


def _worth(
    chosen: Selection, right: list[Selection], partial: dict[Selection, float], key: ChoiceKey, max_mark: float
) -> tuple[float, str]:
    name, key_names = _name(chosen), " or ".join(_name(selection) for selection in right)
    if chosen in right:
        return max_mark, f"{name} is the key." if len(right) == 1 else f"{name} is one of the keys, {key_names}."
    if chosen in partial:
        return partial[chosen], f"The mark scheme gives {name} {_marks(partial[chosen])}; the key is {key_names}."
    whole = next((selection for selection in right if chosen < selection), None)
    if whole is not None and key.subset_marks is not None:
        return key.subset_marks, f"{name} is part of the key {_name(whole)} with nothing wrong in it."
    if whole is not None:
        return 0.0, f"{name} is only part of the key, {_name(whole)}."
    return 0.0, f"{name} is not the key, {key_names}."


def _marks(mark: float) -> str:
    return f"{format_mark(mark)} mark" + ("" if mark == 1 else "s")


def _name(selection: Selection) -> str:
    joiner = "" if all(len(label) == 1 for label in selection) else ", "
    return joiner.join(sorted(selection))


def option_labels(key: ChoiceKey) -> tuple[str, ...]:
    """The labels an answer may use, in capitals: the scheme's own, or A to H and the key's where it names none."""
    if key.options:
        return tuple(label.strip().upper() for label in key.options)
    named = {char for entry in (*key.correct, *key.each) for char in entry.upper() if char.isalnum()}
    return tuple(sorted(named | set(_UNNAMED_OPTIONS)))


def _selection(entry: str, labels: tuple[str, ...]) -> Selection:
    """The labels in "B", "ACD", "A, C" or "ii". Raises Unreadable for anything else, naming the key."""
    chosen: set[str] = set()
    for piece in re.findall(r"\w+", entry.upper()):
        for label in [piece] if piece in labels else piece:
            if label not in labels:
                raise Unreadable(
                    f"The key {entry} names {label}, which is not an option. Please correct the mark scheme."
                )
            chosen.add(label)
    if not chosen:
        raise Unreadable("The mark scheme has an empty key for this question. Please correct it.")
    return frozenset(chosen)


def read_choice(text: str, key: ChoiceKey, several: bool) -> Choice:
    """The options chosen in "B", "b)", "Answer: B", "A, D", "选B", "B because …", or an option's own words.

    Raises Unreadable for an answer that is blank, names no option, names more than the question allows, or wavers.
    """
    clean = plain(text)
    labels = option_labels(key)
    if len({found.group(1) for found in _JUDGED_RIGHT.finditer(clean)}) > 1:
        raise Unreadable("The answer judges several options one by one. Please decide which it chooses.")
    by_words = _by_words(clean, key.options, several)
    try:
        by_letter = _by_letter(clean, labels, several)
    except Unreadable:
        if by_words is None:
            raise
        by_letter = None
    choice = by_letter or by_words
    if choice is None:
        raise _no_option(clean, labels)
    if by_letter and taken_back(clean, by_letter.start, by_letter.end):
        raise Unreadable(f"The answer names {_name(by_letter.selection)} and takes it back. Please decide.")
    if by_letter and by_words and by_letter.selection != by_words.selection:
        raise Unreadable(
            f"This answer can be read as {_name(by_letter.selection)} or, by its words, as "
            f"{_name(by_words.selection)}. Please decide which is meant."
        )
    if not several and len(choice.selection) > 1:
        raise Unreadable(
            f"The answer names {_listed(choice.selection)}, and the question asks for one option. "
            "Please decide whether it earns the mark."
        )
    return choice


def _no_option(clean: str, labels: tuple[str, ...]) -> Unreadable:
    word = clean.strip(_OPENING + _CLOSING).upper()
    if len(word) == 1 and word.isalnum():
        return Unreadable(f"{word} is not one of the options, {', '.join(labels)}. Please mark this answer yourself.")
    return Unreadable("No option can be read in this answer. Please mark it yourself.")


def _listed(labels: Iterable[str]) -> str:
    *others, last = sorted(labels)
    return f"{', '.join(others)} and {last}"


def _by_letter(clean: str, labels: tuple[str, ...], several: bool) -> Choice | None:
    start, end = trimmed(clean, 0, len(clean), _OPENING + _CLOSING)
    body = clean[start:end]
    run = _run_pattern(labels)
    if re.fullmatch(run, body, re.IGNORECASE):
        return Choice(_labels_in(body, labels), start, end, True)
    if re.fullmatch(rf"{run}(?:\s*(?:\bor\b|或|还是)\s*{run})+\??", body, re.IGNORECASE):
        raise Unreadable(f"The answer wavers between options ({body}). Please decide what it earns.")
    return _after_cue(clean, labels, run, several) or _leading(clean, start, end, labels, run)


def _run_pattern(labels: tuple[str, ...]) -> str:
    """One or more labels: "B", "AD", "A, D and E", "(A)(C)"."""
    single = "".join(re.escape(label) for label in labels if len(label) == 1)
    long = [re.escape(label) for label in sorted(labels, key=len, reverse=True) if len(label) > 1]
    token = "|".join([*long, *([f"[{single}]+"] if single else [])])
    bracketed = rf"[(\[]?(?:{token})[)\].]?"
    return rf"{bracketed}(?:(?:{_BETWEEN}|(?<=[)\]])){bracketed})*"


def _labels_in(body: str, labels: tuple[str, ...]) -> Selection:
    chosen: set[str] = set()
    for piece in re.findall(r"[^\W_]+", re.sub(r"\band\b|[和与及]", " ", body, flags=re.IGNORECASE).upper()):
        chosen.update([piece] if piece in labels else piece)
    return frozenset(chosen)


def _after_cue(clean: str, labels: tuple[str, ...], run: str, several: bool) -> Choice | None:
    """Letters after "answer", "option", "答案" or "选". Raises Unreadable where two such places disagree."""
    found: list[Choice] = []
    for cue in _CUE.finditer(clean):
        match = re.compile(rf"{run}(?![^\W_一-鿿])", re.IGNORECASE).match(clean, cue.end())
        if match is None or not _is_label_word(match.group(), clean[match.end() :]) or denied_before(clean, cue):
            continue
        if _EITHER.match(clean[match.end() :].lstrip()):
            raise Unreadable("The answer wavers between options. Please decide what it earns.")
        if denied_after(clean, match.end()):
            continue
        start, end = trimmed(clean, *match.span(), _OPENING + _CLOSING)
        found.append(Choice(_labels_in(match.group(), labels), start, end, cue.start() <= _first(clean)))
    strong = [choice for choice in found if not _WEAK_CUE.search(clean, 0, choice.start)]
    found = strong or found
    if len({choice.selection for choice in found}) > 1:
        named = ", then ".join(_name(choice.selection) for choice in found)
        raise Unreadable(f"The answer names different options in different places ({named}). Please decide.")
    if found and _lists_another(clean, found[-1], several):
        raise Unreadable("The answer goes on to list another option. Please decide which is meant.")
    return found[-1] if found else None


def _lists_another(clean: str, choice: Choice, several: bool) -> bool:
    """Whether another option is set out after this one, as where options are copied: "A. ①② B. ①③".

    Of one option alone only the next letter counts after B and on, which a reason may well follow: "B. D. Copperfield".
    """
    line = clean[choice.end :].split("\n", 1)[0]
    other = re.search(r"(?<![A-Za-z'])[A-Z](?=[.)\]:] *[^\s.,;:!)\]])", line) if line[:1] in (".", ")", "]") else None
    if other is None or other.group() in choice.selection or denied_after(line, other.end()):
        return False
    return several or choice.selection <= {"A", "I"} or ord(other.group()) == ord(max(choice.selection)[-1]) + 1


def _first(clean: str) -> int:
    return len(clean) - len(clean.lstrip(_OPENING))


def _is_label_word(word: str, after: str) -> bool:
    """Whether letters in prose are labels rather than a word: capitals, or one letter that is not the article "a".

    No article has a mark after it ("A. water", "(a) water"). "a.m." is a word, and "A.B" no single label.
    """
    marked, word = word.rstrip(), word.strip(_OPENING + _CLOSING)
    if len(word) == 1 and re.match(r"\.[A-Za-z]\.|\.[A-H]\s*$", after):
        return False
    if word in ("A", "I", "a", "i") and not marked.endswith((".", ")", "]")):
        return re.match(rf"\s*(?:$|[^\w\s]|\n|{_CONNECTIVE}\b|[一-鿿])", after, re.IGNORECASE) is not None
    return len(word) == 1 or not re.search(r"[a-z]{2}", re.sub(r"\band\b", "", word))


def _leading(clean: str, start: int, end: int, labels: tuple[str, ...], run: str) -> Choice | None:
    """A letter that opens the answer: "B because …", "(b) it is …". The article in "A plant …" is not one."""
    lead = _LEAD_IN.match(clean, start)
    at = lead.end() if lead else start
    match = re.compile(rf"{run}(?![^\W_一-鿿])(?!')", re.IGNORECASE).match(clean, at)
    if match is None or not _is_label_word(match.group(), clean[match.end() :]):
        return None
    tail = clean[match.end() : end]
    chosen = _labels_in(match.group(), labels)
    single = "".join(re.escape(label) for label in labels if len(label) == 1 and label.isalpha())
    for other in re.finditer(rf"(?<![\w'])[{single or '∅'}](?![\w'])", tail):
        label = other.group()
        article = label in ("A", "I") and not _is_label_word(label, tail[other.end() :])
        rejected = denied_after(tail, other.end()) or denied_label(tail[: other.start()])
        if label not in chosen and not article and not rejected:
            raise Unreadable(
                f"The answer begins with {_name(chosen)} and goes on to name {label}. Please decide which is meant."
            )
    if _EITHER.match(tail.lstrip()) or denied_after(clean, match.end()):
        raise Unreadable(f"The answer names {_name(chosen)} without clearly choosing it. Please mark it yourself.")
    first, last = trimmed(clean, *match.span(), _OPENING + _CLOSING)
    return Choice(chosen, first, last, False)


def _by_words(clean: str, options: dict[str, str], several: bool) -> Choice | None:
    """The option whose own text is the answer, with or without a letter in front."""
    by_wording: dict[str, set[str]] = {}
    for label, words in options.items():
        by_wording.setdefault(_wording(plain(words)), set()).add(label.strip().upper())
    by_wording.pop("", None)
    start, end = trimmed(clean, 0, len(clean))
    whole = _option_with(clean[start:end], by_wording)
    if whole:
        return Choice(whole, start, end, True)
    parts = [part for part in re.split(r"\n|;", clean) if part.strip()]
    if several and len(parts) > 1:
        found = [_option_with(part, by_wording) for part in parts]
        if all(found):
            return Choice(frozenset().union(*(part for part in found if part)), start, end, True)
    return None


def _option_with(text: str, by_wording: dict[str, set[str]]) -> Selection | None:
    lead = _LEAD_IN.match(text)
    lettered = None if denies(text) else re.match(r"\s*[(\[]?\w{1,3}(?:[)\].:,;]+|\s+-\s|\s)\s*", text)
    cue = _CUE.match(text.lstrip())
    tries = [text, *(text[m.end() :] for m in (lead, lettered) if m)]
    if cue:
        tries.append(text.lstrip()[cue.end() :])
    for attempt in tries:
        labels = by_wording.get(_wording(attempt))
        if labels is not None and len(labels) == 1:
            return frozenset(labels)
    return None


def _wording(text: str) -> str:
    return re.sub(r"\s+", " ", text.strip(" \n.,;:!$\"'")).casefold()
