"""Two judges side by side on the same responses, and what versions of a judge have made of an exam."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from components.agreement import (
    Interval,
    JudgeComparison,
    QuestionPairs,
    Share,
    Statistic,
    count_of,
    exam_from_sums,
    judge_comparison,
    kappa_text,
    quadratic_weighted_kappa_interval,
    question_sums,
    share,
)
from components.agreement.cluster import RESAMPLES, SEED
from components.agreement.sums import Sums
from components.workflow.agreement.chosen import chosen
from components.workflow.agreement.figures import Alike, each_pair
from components.workflow.agreement.selection import Selection
from storage import Store, judges, pair_rows
from storage.exams import StoredQuestion
from storage.pair_rows import CommonCell, VersionCell

FEWEST_FOR_QWK = 10
FEWEST_FOR_AGGREGATE = 20  # pairs on the median question: as an exam's headline figure is chosen
TOO_FEW = Statistic(None, f"QWK is shown from {FEWEST_FOR_QWK} pairs")


@dataclass(frozen=True)
class JudgeChoice:
    """A judge with agreement pairs in an exam, and how many."""

    id: int
    name: str
    n: int


@dataclass(frozen=True)
class OneJudge:
    """A judge against the teacher on one question; `mean_signed` in marks a response, + where the judge is lenient."""

    exact: Share
    mean_signed: float
    qwk: Statistic


@dataclass(frozen=True)
class QuestionSideBySide:
    """`difference` is the QWK of `a` less that of `b`, its interval over responses, both resampled together."""

    number: str
    n: int
    a: OneJudge
    b: OneJudge
    difference: Statistic


@dataclass(frozen=True)
class SideBySide:
    """Two judges on the responses that both have proposed on and a teacher has marked blind or by import.

    `comparison` is None, with the `reason`, where there are none. `headline` says which of its figures to show, and
    `a`, `b` and `difference` are those, with the small-n rule kept.
    """

    judge_a: str
    judge_b: str
    reason: str
    comparison: JudgeComparison | None
    headline: Literal["aggregate", "pooled"]
    a: Statistic
    b: Statistic
    difference: Statistic
    questions: tuple[QuestionSideBySide, ...]
    sentence: str


@dataclass(frozen=True)
class JudgeVersion:
    """What one version of a judge has proposed on responses that have pairs.

    `model` is as the server reported it. `scheme_version` is given where the selection is one question. The days (UTC)
    are those of its proposals. `mean_signed` is in marks a response, + where the judge is lenient.
    """

    judge_id: int
    judge: str
    model: str
    prompt_version: str
    scheme_version: int | None
    first_day: str
    last_day: str
    n: int
    exact: Share
    mean_signed: float
    qwk: Statistic


def judges_with_pairs(store: Store, exam_id: int) -> tuple[JudgeChoice, ...]:
    """The judges that a selection of the exam can be about, by name."""
    with store.read() as db:
        return tuple(JudgeChoice(*row) for row in pair_rows.judges_with_pairs(db, exam_id))


def side_by_side(store: Store, selection: Selection, judge_a: int, judge_b: int) -> SideBySide:
    """The two judges on the same responses of the selection, whatever judge it names.

    Raises LookupError where there is no such exam or judge.
    """
    with store.read() as db:
        stored = (judges.get(db, judge_a), judges.get(db, judge_b))
        found = chosen(db, replace(selection, judge_id=judge_a))
        cells = pair_rows.common_cells(db, found.wanted, judge_a, judge_b) if judge_a != judge_b else []
    first, second = stored
    if first is None or second is None:
        raise LookupError(f"There is no judge {judge_a if first is None else judge_b}.")
    if not cells:
        reason = (
            f"No response here has proposals by both {first.name} and {second.name} and a teacher's mark given blind "
            "or imported. Have both propose on the same responses."
        )
        if judge_a == judge_b:
            reason = "These are one and the same judge. Choose another to compare it with."
        nothing = Statistic(None, reason)
        return SideBySide(first.name, second.name, reason, None, "aggregate", nothing, nothing, nothing, (), reason)
    by_question = _by_question(cells, found.questions)
    comparison = _comparison(by_question)
    median = float(np.median([sum(cell.n for cell in part) for _, part in by_question]))
    headline: Literal["aggregate", "pooled"] = (
        "pooled" if median < FEWEST_FOR_AGGREGATE and len(by_question) > 1 else "aggregate"
    )
    questions = tuple(_question(stored, part) for stored, part in by_question)
    a, b, difference = _headline(comparison, headline, questions)
    sentence = _sentence(first.name, second.name, comparison.n, a, b, difference)
    return SideBySide(first.name, second.name, "", comparison, headline, a, b, difference, questions, sentence)


def _by_question(
    cells: Iterable[CommonCell], questions: Sequence[StoredQuestion]
) -> list[tuple[StoredQuestion, list[CommonCell]]]:
    grouped: dict[int, list[CommonCell]] = defaultdict(list)
    for cell in cells:
        grouped[cell.question_id].append(cell)
    return [(stored, grouped[stored.id]) for stored in questions if grouped[stored.id]]


def _comparison(by_question: Sequence[tuple[StoredQuestion, list[CommonCell]]]) -> JudgeComparison:
    rows = [(stored, cell) for stored, part in by_question for cell in part]
    return judge_comparison(
        [cell.a for _, cell in rows],
        [cell.b for _, cell in rows],
        [cell.teacher for _, cell in rows],
        [stored.id for stored, _ in rows],
        [stored.question.max_mark for stored, _ in rows],
        [cell.n for _, cell in rows],
    )


def _headline(
    comparison: JudgeComparison, headline: str, questions: Sequence[QuestionSideBySide]
) -> tuple[Statistic, Statistic, Statistic]:
    if comparison.n < FEWEST_FOR_QWK:
        return TOO_FEW, TOO_FEW, TOO_FEW
    if len(questions) == 1:  # its interval is over responses, as there is nothing to resample over
        return questions[0].a.qwk, questions[0].b.qwk, questions[0].difference
    if headline == "pooled":
        return comparison.a.pooled, comparison.b.pooled, comparison.pooled_difference
    return comparison.a.aggregate, comparison.b.aggregate, comparison.difference


def _sentence(name_a: str, name_b: str, n: int, a: Statistic, b: Statistic, difference: Statistic) -> str:
    if n < FEWEST_FOR_QWK:
        return f"Too early to say: {count_of(n, 'response')} with both judges' marks and a teacher's."
    if a.value is None or b.value is None or difference.value is None:
        return f"They cannot be compared: {a.note or b.note or difference.note}."
    lead = f"On the same {n:,} responses QWK with teachers is {kappa_text(a.value)} for {name_a} and "
    text = f"{lead}{kappa_text(b.value)} for {name_b}"
    if difference.interval is None:
        return f"{text}."
    low, high = difference.interval.low, difference.interval.high
    by = f"by {kappa_text(abs(difference.value))} (likely {kappa_text(low)} to {kappa_text(high)})"
    if low <= 0 <= high:
        return f"{text}: they differ {by}, which may be chance."
    return f"{text}: {name_a if low > 0 else name_b} is closer, {by}."


def _question(stored: StoredQuestion, cells: Sequence[CommonCell]) -> QuestionSideBySide:
    n = sum(cell.n for cell in cells)
    a, b = ([(cell.a, cell.teacher, cell.n) for cell in cells], [(cell.b, cell.teacher, cell.n) for cell in cells])
    one, other = _one_judge(a), _one_judge(b)
    return QuestionSideBySide(stored.question.number, n, one, other, _difference(one.qwk, other.qwk, cells))


def _one_judge(alike: Sequence[Alike]) -> OneJudge:
    return OneJudge(_exact(alike), _mean_signed(alike), _qwk(alike))


def _exact(alike: Sequence[Alike]) -> Share:
    return share(sum(n for ai, teacher, n in alike if ai == teacher), sum(n for *_, n in alike))


def _mean_signed(alike: Sequence[Alike]) -> float:
    return sum((ai - teacher) * n for ai, teacher, n in alike) / sum(n for *_, n in alike)


def _qwk(alike: Sequence[Alike]) -> Statistic:
    return (
        TOO_FEW if sum(n for *_, n in alike) < FEWEST_FOR_QWK else quadratic_weighted_kappa_interval(*each_pair(alike))
    )


def _difference(a: Statistic, b: Statistic, cells: Sequence[CommonCell]) -> Statistic:
    """Percentiles over responses: how often a response with these marks is drawn is multinomial."""
    if a.value is None or b.value is None:
        return Statistic(None, a.note or b.note)
    times = np.array([cell.n for cell in cells])
    drawn = np.random.default_rng(SEED).multinomial(times.sum(), times / times.sum(), RESAMPLES).astype(np.float64)
    teacher = np.array([cell.teacher for cell in cells])
    qwk = [_resampled(drawn, np.array(marks), teacher) for marks in zip(*((c.a, c.b) for c in cells), strict=True)]
    apart = qwk[0] - qwk[1]
    low, high = np.quantile(apart[np.isfinite(apart)], [0.025, 0.975])
    if low == high:
        return Statistic(a.value - b.value, "no interval: the difference shows no sampling spread")
    return Statistic(a.value - b.value, "", Interval(float(low), float(high), "bootstrap over responses"))


def _resampled(drawn: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return Sums(drawn.sum(axis=1), drawn @ x, drawn @ y, drawn @ (x * x), drawn @ (y * y), drawn @ (x * y)).qwk


def judge_versions(store: Store, selection: Selection) -> tuple[JudgeVersion, ...]:
    """The versions of the judges on the desk, or of the one that the selection names, the earliest first.

    A response counts for the version whose proposal its pair is of: the one that stood when the teacher marked it,
    else the judge's newest. Raises LookupError where there is no such exam.
    """
    with store.read() as db:
        found = chosen(db, selection)
        names = {judge.id: judge.name for judge in (*judges.listed(db), *judges.retired(db))}
        cells = pair_rows.version_cells(db, found.wanted, found.judged) if found.judged else []
    one = len(found.questions) == 1
    versions: dict[tuple[int, str, str, int | None], list[VersionCell]] = defaultdict(list)
    for cell in cells:
        versions[cell.judge_id, cell.model, cell.prompt_version, cell.scheme_version if one else None].append(cell)
    made = [
        _version(names[judge_id], part, scheme_version, found.questions)
        for (judge_id, _, _, scheme_version), part in versions.items()
    ]
    return tuple(sorted(made, key=lambda version: (version.judge, version.first_day, version.scheme_version or 0)))


def _version(
    judge: str, cells: Sequence[VersionCell], scheme_version: int | None, questions: Sequence[StoredQuestion]
) -> JudgeVersion:
    alike = [(cell.ai, cell.teacher, cell.n) for cell in cells]
    return JudgeVersion(
        judge_id=cells[0].judge_id,
        judge=judge,
        model=cells[0].model,
        prompt_version=cells[0].prompt_version,
        scheme_version=scheme_version,
        first_day=min(cell.first for cell in cells)[:10],
        last_day=max(cell.last for cell in cells)[:10],
        n=sum(cell.n for cell in cells),
        exact=_exact(alike),
        mean_signed=_mean_signed(alike),
        qwk=_qwk_of(cells, questions),
    )


def _qwk_of(cells: Sequence[VersionCell], questions: Sequence[StoredQuestion]) -> Statistic:
    by_question: dict[int, list[Alike]] = defaultdict(list)
    for cell in cells:
        by_question[cell.question_id].append((cell.ai, cell.teacher, cell.n))
    if len(by_question) == 1:
        return _qwk(next(iter(by_question.values())))
    sums = []
    for stored in questions:
        if by_question[stored.id]:
            question = stored.question
            marks = each_pair(by_question[stored.id])
            sums.append(question_sums(QuestionPairs(question.number, *marks, question.max_mark, question.mark_step)))
    return exam_from_sums(sums).qwk
