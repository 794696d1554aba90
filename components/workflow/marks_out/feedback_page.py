"""The words and the look of a candidate's feedback. Everything that comes in is data, and escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from components.marking import Question, format_mark
from components.workflow.marks_out.credit import Credit
from components.workflow.marks_out.student_words import plain
from components.workflow.marks_out.totals import ExamTotals, QuestionMark, ScriptTotal, State

STYLE = """
:root { color-scheme: light; }
body { margin: 0 auto; max-width: 46rem; padding: 1.5rem; background: #fff; color: #111; overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 0 0 .4rem; display: flex; justify-content: space-between; gap: 1rem; }
h3 { font-size: .95rem; margin: .7rem 0 .2rem; }
section { border-top: 2px solid #1b2430; margin-top: 1.4rem; padding-top: .7rem; }
p, ul { margin: .3rem 0 .6rem; }
.kept { white-space: pre-wrap; }
.answer { border-left: 3px solid #8a93a0; padding-left: .7rem; }
.comment { border: 1px solid #8a93a0; padding: .5rem .7rem; }
.small { color: #3c4653; font-size: .87rem; }
.mark { white-space: nowrap; }
figure { margin: .6rem 0; }
figcaption { color: #3c4653; font-size: .87rem; }
img { display: block; max-width: 100%; height: auto; border: 1px solid #c9d0d9; }
@page { size: A4; margin: 16mm 15mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  h1, h2, h3 { break-after: avoid; }
  img { max-height: 235mm; }
  figure, .comment, li { break-inside: avoid; }
}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_SAID = {
    State.NO_RESPONSE: "no response",
    State.NOT_MARKED: "not marked yet",
    State.NO_ANSWER: "no answer",
    State.NOT_CHOSEN: "not chosen",
}


@dataclass(frozen=True)
class QuestionFeedback:
    """One question for its candidate. `answer` is what was typed; `pictures` are data: addresses of JPEGs, with what
    teachers drew on them. `credit` and `comment` are there only once a person has decided. `figures` are the question's
    own pictures, each with its caption."""

    question: Question
    mark: QuestionMark
    answer: str
    pictures: tuple[str, ...]
    credit: Credit | None
    comment: str
    figures: tuple[tuple[str, str], ...] = ()


def feedback_page(totals: ExamTotals, script: ScriptTotal, questions: Sequence[QuestionFeedback]) -> str:
    """A whole document, which its own policy forbids to ask any host for anything."""
    title = f"{totals.exam.title}: candidate {script.candidate}"
    body = [f"<h1>{escape(totals.exam.title)}</h1>", f"<p>Candidate {escape(script.candidate)}</p>"]
    body += [f"<p>{escape(line)}</p>" for line in _total(script)]
    body += [_question(totals, each) for each in questions]
    return (
        f'<!doctype html>\n<html lang="en-GB"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _total(script: ScriptTotal) -> Iterable[str]:
    if not script.complete:
        yield (
            f"Not all of your answers have a mark yet. So far: {format_mark(script.total)} of "
            f"{format_mark(script.out_of)} marks."
        )
        return
    grade = f" · grade {script.grade}" if script.grade else ""
    yield f"{format_mark(script.total)} of {format_mark(script.out_of)} marks ({script.percent:.0f}%){grade}"


def _question(totals: ExamTotals, shown: QuestionFeedback) -> str:
    number = shown.question.number
    parts = [f'<h2><span>Question {escape(number)}</span><span class="mark">{escape(_mark(shown.mark))}</span></h2>']
    if not shown.mark.counts and shown.mark.state is not State.NOT_CHOSEN:
        parts.append(f'<p class="small">{escape(_not_counted(totals, number))}</p>')
    parts.append(f'<p class="kept">{escape(plain(shown.question.text))}</p>')
    for place, (address, caption) in enumerate(shown.figures, 1):
        words = caption.strip() or f"Picture {place} of question {number}"
        below = f"<figcaption>{escape(caption)}</figcaption>" if caption.strip() else ""
        parts.append(f'<figure><img src="{escape(address)}" alt="{escape(words)}">{below}</figure>')
    if shown.answer.strip():
        parts.append(f'<h3>Your answer</h3><p class="kept answer">{escape(shown.answer)}</p>')
    for place, address in enumerate(shown.pictures, 1):
        words = f"Your answer to question {number}, page {place}"
        parts.append(f'<figure><img src="{escape(address)}" alt="{escape(words)}"></figure>')
    if shown.credit is not None:
        found = shown.credit
        parts += [
            _list("You earned", found.earned),
            _list("What your answer reached", found.levels),
            _list("What would have earned more", found.missed),
        ]
        if found.earned or found.levels or found.missed:
            parts.append(f'<p class="small">{escape(found.source)}</p>')
    if shown.comment.strip():
        parts.append(f'<h3>Your teacher writes</h3><p class="kept comment">{escape(shown.comment)}</p>')
    return "<section>" + "\n".join(part for part in parts if part) + "</section>"


def _mark(mark: QuestionMark) -> str:
    most = format_mark(mark.max_mark)
    if mark.state is State.MARKED:
        return f"{format_mark(mark.mark)} of {most}"
    return f"{_SAID[mark.state]} · 0 of {most}" if mark.state is State.NO_RESPONSE else _SAID[mark.state]


def _not_counted(totals: ExamTotals, number: str) -> str:
    section = next(each for each in totals.rules.sections if number in each.questions)
    best = "best question" if section.answer == 1 else f"best {section.answer} questions"
    return f"Not counted in your total, which has your {best} of {section.title}."


def _list(title: str, lines: Sequence[str]) -> str:
    return f"<h3>{title}</h3><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>" if lines else ""
