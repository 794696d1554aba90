"""Patterns in what the desk's judge proposes, against teachers' marks: what a head of department may act on.

They are suspicions out of many comparisons, so each says the number of responses it rests on, none is named below
ten, and `Findings.comparisons` says among how many it was found.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlite_utils import Database

from components.workflow.review import suggestions
from components.workflow.review.looked import LEAST, Kind, Looked, Pattern
from components.workflow.review.point_patterns import in_points
from components.workflow.review.scale_patterns import in_differences, in_levels, in_marks
from storage import Store, exams, judges, verdicts
from storage.exams import Exam, StoredQuestion
from storage.judges import StoredJudge
from storage.verdicts import OnDesk

__all__ = ["LEAST", "Findings", "Kind", "Pattern", "find_patterns"]
NEWEST = 2_000  # pairs and proposals of a question that are looked at, so that a million cost no more
TOO_MANY = 0.2  # share of answers without a proposal
TOO_MANY_QUOTES = 0.1  # share of quotes that are not in the answer


@dataclass(frozen=True)
class Findings:
    """The patterns, dearest first. `few` are the numbers of questions with too few marked responses to tell."""

    patterns: tuple[Pattern, ...]
    comparisons: int
    pairs: int
    few: tuple[str, ...]

    def named(self, key: str) -> Pattern | None:
        """The pattern with this key, where it is still found."""
        return next((pattern for pattern in self.patterns if pattern.key == key), None)


def find_patterns(store: Store, exam_id: int, question_id: int | None = None) -> Findings:
    """The patterns of an exam, or of one of its questions. An archived exam has none."""
    with store.read() as db:
        exam = exams.get(db, exam_id)
        if exam is None:
            return Findings((), 0, 0, ())
        known = {judge.id: judge for judge in (*judges.listed(db), *judges.retired(db))}
        wanted = [stored for stored in exams.questions(db, exam_id) if question_id in (None, stored.id)]
        looked = [each for stored in wanted if (each := _looked(db, exam, stored, known)) is not None]
    patterns: list[Pattern] = []
    comparisons = 0
    for each in looked:
        found, compared = _in_question(each)
        patterns += found
        comparisons += compared
    # Of two that cost the same the more telling kind comes first; the key keeps the order the same every time.
    patterns.sort(key=lambda each: (-each.cost, list(Kind).index(each.kind), -len(each.responses), each.key))
    few = tuple(each.stored.question.number for each in looked if len(each.rows) < LEAST)
    return Findings(tuple(patterns), comparisons, sum(len(each.rows) for each in looked), few)


def _looked(db: Database, exam: Exam, stored: StoredQuestion, known: dict[int, StoredJudge]) -> Looked | None:
    """The question with the judge whose proposals stand on its desk, or None where none do."""
    desk = verdicts.on_desk(db, stored.id, NEWEST)
    judge = known.get(desk[0].judge_id if desk else exam.judge_id or 0)
    if judge is None:
        return None
    rows = verdicts.marked(db, exam.id, stored.id, judge.id, NEWEST)
    of_newest = [row for row in rows if row.scheme_id == stored.scheme_id]
    older = len(of_newest) < LEAST and len(of_newest) < len(rows)
    return Looked(stored, judge, rows if older else of_newest, desk, older)


def _in_question(looked: Looked) -> tuple[list[Pattern], int]:
    points, compared_points = in_points(looked)
    # A mark never given is no news where the point is known that is never awarded.
    marks, compared_marks = ([], 0) if points else in_marks(looked)
    leaning, compared_means = in_differences(looked)
    levels, compared_levels = in_levels(looked)
    desk, compared_desk = _in_desk(looked)
    compared = compared_points + compared_marks + compared_means + compared_levels + compared_desk
    return [*points, *marks, *leaning, *levels, *desk], compared


def _in_desk(looked: Looked) -> tuple[list[Pattern], int]:
    """Answers without a proposal, blank ones apart, and quotes that are not in the answer."""
    answers = [each for each in looked.desk if not each.blank]
    if len(answers) < LEAST:
        return [], 0
    found = [_without_proposal(looked, answers), _unverified(looked, answers)]
    return [each for each in found if each is not None], len(found)


def _without_proposal(looked: Looked, answers: list[OnDesk]) -> Pattern | None:
    left = [each for each in answers if each.status == "abstained"]
    failed = [each for each in answers if each.status == "failed"]
    without, n = [*left, *failed], len(answers)
    if len(without) <= TOO_MANY * n:
        return None
    parts = [f"{len(part):,} {word}" for part, word in ((left, "left to the teacher"), (failed, "failed")) if part]
    reason = Counter(each.reason for each in without).most_common(1)[0][0]
    sentence = (
        f"The AI proposes no mark on {len(without):,} of {n:,} answers to {looked.where} "
        f"({len(without) / n:.0%}): {', '.join(parts)}. Most often it says: “{reason}”"
    )
    return looked.pattern(
        Kind.NO_PROPOSAL,
        "",
        sentence,
        n=n,
        counts=(("left to the teacher", len(left)), ("failed", len(failed)), ("answers", n)),
        cost=0.0,
        responses=[each.response_id for each in without],
        suggestion=suggestions.for_no_proposal(looked.judge, mostly_failed=len(failed) > len(left)),
        bar=suggestions.no_wording_helps(looked.judge, reason),
    )


def _unverified(looked: Looked, answers: list[OnDesk]) -> Pattern | None:
    quotes = sum(each.verdicts.quotes for each in answers)
    unverified = sum(each.verdicts.unverified for each in answers)
    if quotes < LEAST or unverified <= TOO_MANY_QUOTES * quotes:
        return None
    concerned = [each.response_id for each in answers if each.verdicts.unverified]
    sentence = (
        f"On {looked.where} {unverified:,} of {quotes:,} quotes that the AI rests its verdicts on are not in the "
        f"answer ({unverified / quotes:.0%})."
    )
    return looked.pattern(
        Kind.QUOTES,
        "",
        sentence,
        n=len(answers),
        counts=(("not in the answer", unverified), ("quotes", quotes)),
        cost=0.0,
        responses=concerned,
        suggestion=suggestions.for_quotes(looked.judge),
    )
