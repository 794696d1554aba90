"""Exemplars: which decided responses of a question a judge is shown as examples, and what is said of each.

Standardisation responses come first, in the order the head of department chose them. Others follow by one rule, which
covers the marks given before it repeats any: next comes the mark that has been shown least, of several the one
furthest from all that have been shown more, and the lower of two that are as far; the very first is the lowest. So
marks 0 to 4 come as 0, 4, 2, 1, 3, then again from the lowest; and however early one stops, what is shown is spread.
Only where one example alone is wanted does it come from the middle of the marks given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlite_utils import Database

from components.judge.llm.prompt import prompt_for
from components.marking import (
    Decision,
    Exemplar,
    LevelVerdict,
    MarkError,
    PointVerdict,
    Scheme,
    Stage,
    Verdict,
    format_mark,
    total,
    verdict_name,
)
from components.marking.scheme import Frozen
from storage import decisions, proposals, responses, standardisation, standings
from storage.exams import StoredQuestion

MOST_SHOTS = 5
_UNANCHORED = (Stage.BLIND, Stage.IMPORTED, Stage.ADJUDICATED)


@dataclass(frozen=True)
class _Words:
    awarded: str
    not_awarded: str
    level: str
    mark: str
    colon: str
    joint: str


# By the language of the prompt that the examples stand in.
_WORDS = {
    "en": _Words("awarded", "not awarded", "level {}", "mark {}", ": ", "; "),
    "zh": _Words("给分", "不给分", "第 {} 级", "{} 分", "：", "；"),
}


class Chosen(Frozen):
    """One example as it was when a run was queued: `model_dump()` is its JSON, `Chosen(**json)` brings it back.

    `grading` is the teacher's grading process in words; "" where a judge is shown answer and mark only.
    """

    response_id: int
    mark: float
    grading: str = ""


def choose(db: Database, question: StoredQuestion, shots: int, *, grading: bool) -> tuple[Chosen, ...]:
    """The question's examples in the order they are shown, fewer where there are no more decided responses.

    One more than `shots`, so that a response which is itself an example is still shown `shots` of them; () for 0.
    """
    if shots <= 0:
        return ()
    marked = [each for each in decisions.human_marks(db, question.id) if _has_words(each[1])]
    marks = {response_id: mark for response_id, _, mark, _ in marked}
    ids = [response_id for response_id in standardisation.of_question(db, question.id) if response_id in marks]
    ids = ids[: shots + 1]
    best_first = sorted(marked, key=lambda each: (each[3] not in _UNANCHORED, each[0]))
    waiting: dict[float, list[int]] = {}
    for response_id, _, mark, _ in best_first:
        if response_id not in ids:
            waiting.setdefault(mark, []).append(response_id)
    shown = Counter(marks[response_id] for response_id in ids)
    while len(ids) <= shots and waiting:
        mark = _middle(waiting) if shots == 1 and not ids else _next_mark(waiting, shown)
        ids.append(waiting[mark].pop(0))
        shown[mark] += 1
        if not waiting[mark]:
            del waiting[mark]
    return tuple(
        Chosen(
            response_id=response_id,
            mark=marks[response_id],
            grading=_grading(db, question, response_id) if grading else "",
        )
        for response_id in ids
    )


def loaded(db: Database, chosen: Sequence[Chosen]) -> tuple[Exemplar, ...]:
    """The examples with their answers, as a judge takes them: read once for a question, then `for_response` each.

    One whose exam has been archived is left out.
    """
    stored = [(each, responses.get(db, each.response_id)) for each in chosen]
    return tuple(
        Exemplar(response_id=found.for_judge().id, text=found.text, mark=each.mark, grading=each.grading)
        for each, found in stored
        if found is not None
    )


def for_response(exemplars: Sequence[Exemplar], response_id: str, shots: int) -> tuple[Exemplar, ...]:
    """At most `shots` of the examples, never the response itself. `response_id` is a judge's: `for_judge().id`."""
    return tuple(each for each in exemplars if each.response_id != response_id)[: max(shots, 0)]


def _has_words(text: str) -> bool:
    """Whether anything is to be seen: an answer of spaces and of characters without a shape is blank."""
    return any(character.isprintable() and not character.isspace() for character in text)


def _middle(waiting: dict[float, list[int]]) -> float:
    given = sorted(waiting)
    return given[(len(given) - 1) // 2]


def _next_mark(waiting: dict[float, list[int]], shown: Counter[float]) -> float:
    least = min(shown[mark] for mark in waiting)
    more = [mark for mark, times in shown.items() if times > least]

    def nearest(mark: float) -> float:
        return min((abs(mark - other) for other in more), default=0.0)

    return min((mark for mark in waiting if shown[mark] == least), key=lambda mark: (-nearest(mark), mark))


def _grading(db: Database, question: StoredQuestion, response_id: int) -> str:
    """How the teacher came to the mark, a line a part: points or verdicts where the decision has them, its comment."""
    standing = standings.get(db, response_id)
    assert standing is not None
    decision = next(each for each in decisions.live(db, response_id) if each.id == standing.decision_id)
    words = _WORDS[prompt_for(question.scheme, question.question).version.split(".")[1]]
    lines = [_line(verdict, words) for verdict in _verdicts(db, question.scheme, decision)]
    return "\n".join(line for line in [*lines, decision.comment.strip()] if line)


def _verdicts(db: Database, scheme: Scheme, decision: Decision) -> Sequence[Verdict]:
    """The proposal's verdicts where the teacher's mark and ticks are its own, else the ticks alone.

    None where they do not come to the mark: the scheme has changed since.
    """
    if decision.proposal_id is not None:
        proposal = proposals.get(db, decision.proposal_id).proposal
        awarded = {v.code for v in proposal.verdicts if isinstance(v, PointVerdict) and v.awarded}
        ticked_alike = decision.points is None or set(decision.points) == awarded
        if ticked_alike and proposal.mark == decision.mark and _come_to(decision.mark, proposal.verdicts, scheme):
            return proposal.verdicts
    if decision.points is None:
        return ()
    unknown = set(decision.points) - {point.code for point in scheme.points}
    ticked = [PointVerdict(code=point.code, awarded=point.code in decision.points) for point in scheme.points]
    return ticked if not unknown and _come_to(decision.mark, ticked, scheme) else ()


def _come_to(mark: float | None, verdicts: Sequence[Verdict], scheme: Scheme) -> bool:
    try:
        return bool(verdicts) and total(verdicts, scheme) == mark
    except MarkError:
        return False


def _line(verdict: Verdict, words: _Words) -> str:
    """M1: awarded; “the enzyme is denatured”; why it is so. Quotes are only those found in the answer."""
    said = [f"“{evidence.quote}”" for evidence in verdict.evidence if evidence.verified]
    if verdict.reason.strip():
        said.append(verdict.reason.strip())
    if isinstance(verdict, PointVerdict):
        outcome = [words.awarded if verdict.awarded else words.not_awarded]
    elif isinstance(verdict, LevelVerdict):
        outcome = [words.level.format(verdict.level), words.mark.format(format_mark(verdict.mark))]
    else:  # its mark stands above the grading already
        return words.joint.join(said)
    return verdict_name(verdict) + words.colon + words.joint.join([*outcome, *said])
