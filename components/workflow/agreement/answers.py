"""Five questions of a head of department, each answered in plain words from an exam's figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from components.agreement import (
    ExamAgreement,
    Interval,
    SecondMarkerReport,
    Standing,
    Statistic,
    beyond_chance,
    count_of,
    exact_text,
    kappa_text,
    kappa_with_interval,
    mean_probability,
)
from components.workflow.agreement.figures import ExamFigures, QuestionFigures

TRUSTED_QWK = 0.7
"""Where marks of two sources are close enough to be used alike (Williamson, Xi and Breyer 2012)."""
CLOSE_TO_TEACHERS = 0.1
"""How much less than two teachers with each other an AI may agree with them (the same)."""
FEWEST_DOUBLE_MARKED = 30
FEWEST_PAIRS = 10
FEWEST_FOR_AGGREGATE = 20
OPEN = "It is not settled yet."
MOST_NAMED = 3

Page = Literal["mark", "review", "exams", "runs"]


@dataclass(frozen=True)
class Step:
    """Something to do next, the page it is done on, and what that page's address says."""

    text: str
    page: Page
    query: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    question: str
    text: str
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class _Bias:
    """A question on which the AI gives more, or less, than teachers on average."""

    figures: QuestionFigures
    mean: float
    own: bool  # its own interval excludes 0
    sure: bool  # and it stands out among all the questions that were looked at


def answers(figures: ExamFigures, disputes: int = 0, drift: str = "") -> tuple[Answer, ...]:
    """The five answers, in their order. `disputes` is how many responses wait for an adjudicator; `drift` says in a
    sentence that the AI's marks have moved, or is empty."""
    biases = _biases(figures.questions)
    return (
        Answer("Can we trust the AI's marks here?", _trust(figures)),
        Answer("Where not?", _where_not(figures)),
        Answer("In which direction?", _direction(figures, biases)),
        Answer("Is it noise?", _noise(biases, drift)),
        _next(figures, biases, disputes),
    )


def _trust(figures: ExamFigures) -> str:
    agreement = figures.overall.agreement
    if agreement.n == 0:
        return (
            "There is nothing to go by yet: no response has both an AI's mark and the mark of a teacher who had not "
            "seen it."
        )
    if agreement.qwk_n < FEWEST_PAIRS:
        few = "" if agreement.qwk_n == agreement.n else ", hardly two of them on one question"
        return (
            f"Too early to say: {count_of(agreement.n, 'pair')} so far{few}. {exact_text(agreement.exact)}. "
            f"From {FEWEST_PAIRS} pairs on there is a figure."
        )
    qwk = agreement.qwk
    if qwk.value is None:
        return f"It cannot be measured: {qwk.note or 'on each question all marks are the same'}."
    report = figures.second_marker
    return (
        f"{_verdict(figures, qwk)} On {_pairs_text(figures)} the AI agrees with teachers at "
        f"{kappa_with_interval('QWK', qwk)}{_coverage_text(agreement)}"
        f"{_against_teachers(report) if report is not None else ''}. {exact_text(agreement.exact)}."
    )


def _verdict(figures: ExamFigures, qwk: Statistic) -> str:
    """Both of the rule's halves must hold for a yes: the AI with teachers, and where two of them marked the same, no
    less than they with each other. Where either is open, so is the answer."""
    assert qwk.value is not None
    agreement, report = figures.overall.agreement, figures.second_marker
    if agreement.standing is not Standing.PLAIN:
        return "Too early to say for sure."
    covered = agreement.qwk_coverage
    double = None if report is None or report.n < FEWEST_DOUBLE_MARKED else _delta(report).interval
    if 2 * covered.marks < covered.of_marks or qwk.interval is None:
        verdict = OPEN
    elif qwk.interval.high < TRUSTED_QWK:
        verdict = "Not without a teacher's eye."
    elif double is not None and double.high < -CLOSE_TO_TEACHERS:
        verdict = "Not without a teacher's eye: teachers agree better with each other than with the AI."
    elif qwk.interval.low < TRUSTED_QWK or (double is not None and double.low < -CLOSE_TO_TEACHERS):
        verdict = OPEN
    else:
        verdict = "Largely, yes." if double is None else "Yes, about as much as a second teacher's."
    return verdict


def _coverage_text(agreement: ExamAgreement) -> str:
    covered = agreement.qwk_coverage
    return "" if covered.questions == covered.of_questions else f", over {covered}"


def _delta(report: SecondMarkerReport) -> Statistic:
    return report.delta if _has_many(report) else report.pooled_delta


def _has_many(report: SecondMarkerReport) -> bool:
    return report.n >= FEWEST_FOR_AGGREGATE * max(1, len(report.questions))


def _against_teachers(report: SecondMarkerReport) -> str:
    """How close two teachers are to each other, and the AI to them, on the responses that all have marked."""
    with_ai, humans = (report.r_a, report.r_h) if _has_many(report) else (report.pooled_r_a, report.pooled_r_h)
    if report.n < FEWEST_DOUBLE_MARKED or with_ai.value is None or humans.value is None:
        return ""
    interval = _delta(report).interval
    known = interval is not None and not interval.low <= 0 <= interval.high
    return (
        f"; on the {report.n:,} that two teachers marked they agree with each other at {kappa_text(humans.value)} and "
        f"the AI with them at {kappa_text(with_ai.value)}, a difference that is {'' if known else 'not '}"
        "more than chance"
    )


def _pairs_text(figures: ExamFigures) -> str:
    blind, imported = figures.blind_pairs, figures.imported_pairs
    if not imported:
        return f"{blind:,} blind {'pair' if blind == 1 else 'pairs'}"
    if not blind:
        return f"{count_of(imported, 'pair')} with imported marks"
    return f"{count_of(blind + imported, 'pair')} ({blind:,} blind, {imported:,} imported)"


def _where_not(figures: ExamFigures) -> str:
    enough = [q for q in figures.questions if q.agreement.n >= FEWEST_PAIRS]
    known = [q for q in enough if q.agreement.qwk.value is not None]
    identical = [q for q in enough if q.agreement.qwk.value is None]
    few = [q for q in figures.questions if q.agreement.n < FEWEST_PAIRS]
    if not enough:
        return f"No question has {FEWEST_PAIRS} pairs yet, so none can be judged by itself."
    weak = sorted((q for q in known if _is_weak(q)), key=lambda q: q.agreement.qwk.value or 0.0)
    parts = []
    if weak:
        parts.append(f"On {_named(weak, _qwk_of)}.")
    elif known:
        parts.append(
            f"No question stands out as weak among the {len(known)} that can be judged."
            if len(known) > 1
            else "The one question that can be judged does not stand out as weak."
        )
    if identical:
        parts.append(f"On {_numbers(identical)} all marks are one and the same, so QWK cannot be measured.")
    if few:
        parts.append(f"There is too little to judge {_numbers(few)} by: a figure needs {FEWEST_PAIRS} pairs.")
    return " ".join(parts)


def _is_weak(q: QuestionFigures) -> bool:
    """Whether the question's QWK is, even at the upper end of its interval, below what may be trusted, or below that
    of two teachers on it. Without an interval its value must do: a judge that gives everyone one mark has none."""
    qwk = q.agreement.qwk
    if qwk.value is None:
        return False
    teachers = q.teachers.value if q.double_marked >= FEWEST_PAIRS and q.teachers.value is not None else TRUSTED_QWK
    return (qwk.value if qwk.interval is None else qwk.interval.high) < min(TRUSTED_QWK, teachers)


def _qwk_of(q: QuestionFigures) -> str:
    assert q.agreement.qwk.value is not None
    likely = q.agreement.qwk.interval
    text = f"{q.agreement.kappa_name} {kappa_text(q.agreement.qwk.value)}"
    if "no spread" in q.agreement.qwk.note:
        return f"{text}: a marker gave everyone the same mark"
    return text if likely is None else f"{text}, likely {kappa_text(likely.low)} to {kappa_text(likely.high)}"


def _biases(questions: Sequence[QuestionFigures]) -> list[_Bias]:
    tested = [q for q in questions if q.agreement.n >= FEWEST_PAIRS and q.agreement.differences.sd.value is not None]
    chances = [
        mean_probability(
            q.agreement.differences.mean_signed.value or 0.0, q.agreement.differences.sd.value or 0.0, q.agreement.n
        )
        for q in tested
    ]
    return [
        _Bias(q, q.agreement.differences.mean_signed.value or 0.0, chance < 0.05, sure)
        for q, chance, sure in zip(tested, chances, beyond_chance(chances), strict=True)
    ]


def _direction(figures: ExamFigures, biases: Sequence[_Bias]) -> str:
    mean, percent = figures.overall.mean_signed, figures.overall.agreement.bias_percent
    if mean.value is None or percent.value is None:
        return "That needs pairs of marks."
    if abs(mean.value) < 0.005:
        parts = ["Over all, the AI gives neither more nor less than teachers."]
    else:
        way = "lenient" if mean.value > 0 else "severe"
        parts = [f"Over all, the AI is {way} by {abs(mean.value):.2f} marks a response, {_percent_text(percent)}."]
    for way, sign in (("lenient", 1), ("severe", -1)):
        found = sorted((b for b in biases if b.own and b.mean * sign > 0), key=lambda b: -abs(b.mean))
        if found:
            parts.append(f"It is {way} on {_named([b.figures for b in found], _marks_of)}.")
    return " ".join(parts)


def _percent_text(percent: Statistic) -> str:
    assert percent.value is not None
    text = f"{_signed(percent.value)} of the maximum"
    if percent.interval is None:
        return text
    low, high = percent.interval.low, percent.interval.high
    either = ", so it may be neither" if low < 0 < high else ""
    return f"{text} (likely {_signed(low)} to {_signed(high)}{either})"


def _signed(percent: float) -> str:
    return f"{percent:+.1f}%".replace("-", "−")


def _marks_of(q: QuestionFigures) -> str:
    return f"by {abs(q.agreement.differences.mean_signed.value or 0.0):.1f} marks"


def _noise(biases: Sequence[_Bias], drift: str) -> str:
    after = f" {drift}" if drift else ""
    if not biases:
        return f"That cannot be told yet: no question has {FEWEST_PAIRS} pairs.{after}"
    sure = [b.figures for b in biases if b.sure]
    perhaps = [b.figures for b in biases if b.own and not b.sure]
    looked = f"the {len(biases)} questions" if len(biases) > 1 else "the one question"
    if not sure and not perhaps:
        return f"It may well be: on none of {looked} is the difference more than chance would bring.{after}"
    parts = []
    if sure:
        parts.append(
            f"Not on {_numbers(sure)}: with {count_of(len(biases), 'question')} looked at, chance alone would bring a "
            "difference like that in less than one exam in 20."
        )
    if perhaps:
        parts.append(
            f"On {_numbers(perhaps)} it may be: with {count_of(len(biases), 'question')} looked at, about one in 20 "
            "shows as much by chance."
        )
    return " ".join(parts) + after


def _next(figures: ExamFigures, biases: Sequence[_Bias], disputes: int) -> Answer:
    exam = {"exam": str(figures.exam.id)}
    steps: list[Step] = []
    if not figures.overall.judges:
        steps.append(Step("Have a judge propose marks for this exam.", "runs"))
    elif figures.overall.agreement.n == 0 and not figures.exam.blind and not figures.exam.blind_share:
        steps.append(Step("Switch on the blind sample for this exam: only marks given blind can be compared.", "exams"))
    if disputes:
        one = disputes == 1
        steps.append(
            Step(
                f"Settle the {'one response' if one else f'{disputes:,} responses'} of this exam on which the marks "
                "are further apart than tolerance.",
                "review",
                exam,
            )
        )
    for bias in sorted((b for b in biases if b.sure), key=lambda b: -abs(b.mean))[:1]:
        way = "lenient" if bias.mean > 0 else "severe"
        number = bias.figures.question.number
        steps.append(
            Step(
                f"Look into question {number}, where the AI is {way} {_marks_of(bias.figures)}: "
                "see the pattern, try a remedy.",
                "review",
                {**exam, "question": number, "show": "patterns"},
            )
        )
    more = _more_pairs(figures)
    if more is not None:
        steps.append(more)
    if not steps:
        return Answer("What should I do next?", "Nothing is pressing. Look again when more has been marked.")
    lead = "One thing:" if len(steps) == 1 else f"{('Two', 'Three', 'Four')[len(steps) - 2]} things, in this order:"
    return Answer("What should I do next?", lead, tuple(steps))


def _more_pairs(figures: ExamFigures) -> Step | None:
    """Where marking a few more responses blind tells most: the question that is nearest to being settled."""
    if not figures.overall.judges:
        return None
    open_ = [
        (int(q.enough.value) - q.agreement.n, q)
        for q in figures.questions
        if q.agreement.qwk.value is not None and q.enough.value is not None and _undecided(q.agreement.qwk.interval)
    ]
    short = [(FEWEST_PAIRS - q.agreement.n, q) for q in figures.questions if 0 < q.agreement.n < FEWEST_PAIRS]
    exam = str(figures.exam.id)
    for wanted, text in (
        (open_, "About {n} more pairs on question {number} would settle it: mark there, blind."),
        (short, "{n} more pairs on question {number} would give a first figure: mark there, blind."),
    ):
        missing = [(n, q) for n, q in wanted if n > 0]
        if missing:
            n, q = min(missing, key=lambda each: (each[0], each[1].question.number))
            said = text.format(n=f"{n:,}", number=q.question.number)
            said = said.replace("1 more pairs", "1 more pair") if n == 1 else said
            return Step(said, "mark", {"exam": exam, "question": q.question.number})
    return None


def _undecided(interval: Interval | None) -> bool:
    """Whether an interval leaves open on which side of what may be trusted a question is."""
    return interval is not None and interval.low < TRUSTED_QWK <= interval.high


def _numbers(questions: Sequence[QuestionFigures]) -> str:
    return _named(questions, None)


def _named(questions: Sequence[QuestionFigures], figure: Callable[[QuestionFigures], str] | None) -> str:
    """question 4(a); questions 4(a) (its figure), 5(b) (its figure) and 2 more."""
    shown = [q.question.number + ("" if figure is None else f" ({figure(q)})") for q in questions[:MOST_NAMED]]
    return f"question{'' if len(questions) == 1 else 's'} {_joined(shown, len(questions) - MOST_NAMED)}"


def _joined(shown: list[str], left_out: int) -> str:
    if left_out > 0:
        shown = [*shown, f"{left_out} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
