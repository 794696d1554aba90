"""The command `trial`: several judges on a double-marked table, or on an exam that people have marked."""

from __future__ import annotations

import argparse
import sys

from components.marking import MarkError
from components.workflow.benchmarks.bar import Bar
from components.workflow.benchmarks.command_arms import add_arms, arms_of
from components.workflow.benchmarks.command_endpoint import path_of
from components.workflow.benchmarks.command_report import say_verdict
from components.workflow.benchmarks.importing_here import TableWanted, exam_of_table
from components.workflow.benchmarks.text_table import in_text
from components.workflow.benchmarks.trial_words import plan_table, plan_words
from components.workflow.connections import Connections
from components.workflow.trial.here import try_here
from components.workflow.trial.planning import TrialOptions, plan, usual_markers, written
from storage import Store, exams, judges, trial_marks
from storage.trial_marks import Whose


def add_trial(trial: argparse.ArgumentParser) -> None:
    trial.add_argument("what", help="a table with a row a response and the marks of two people, or an exam's number")
    trial.add_argument(
        "--columns",
        nargs="+",
        default=[],
        metavar="FIELD=COLUMN",
        help="where the table's headings are not the usual ones: candidate, question, answer, max_mark, mark_1, mark_2",
    )
    trial.add_argument("--sheet", help="of a workbook (usual: the first with anything in it)")
    trial.add_argument("--max-mark", type=float, help="where the table does not say")
    trial.add_argument("--question", default="", help="the question's number where the table does not say")
    trial.add_argument("--markers", nargs=2, default=("", ""), metavar=("FIRST", "SECOND"), help="whose marks to take")
    trial.add_argument("--questions", nargs="+", metavar="NUMBER", help="only these (usual: all written ones)")
    trial.add_argument("--title", default="")
    add_arms(trial)
    trial.set_defaults(do=_trial)


def _trial(store: Store, asked: argparse.Namespace) -> int:
    exam_id = _exam(store, asked)
    connections = Connections.from_environment(store)
    questions = _questions(store, exam_id, asked.questions)
    options = TrialOptions(
        exam_id=exam_id,
        arms=arms_of(store, connections, asked, exam_id, imported=True),
        title=asked.title,
        questions=questions,
        whose=_whose(store, exam_id, questions, asked),
        cap=asked.cap,
    )
    before = plan(store, connections, options)
    # An AI of the exam's files that has marked nothing of this is no part of it.
    heard = tuple(arm.choice for arm in before.arms if arm.kind != judges.IMPORTED or arm.known)
    if len(heard) < len(before.arms):
        options = options.model_copy(update={"arms": heard})
        before = plan(store, connections, options)
    print(in_text(plan_table(before)), file=sys.stderr)
    print(plan_words(before), file=sys.stderr)
    if asked.dry_run:
        return 0
    bar = Bar()
    try:
        trial_id, ended = try_here(store, connections, options, bar.draw)
    finally:
        bar.close()
    print(f"Trial {trial_id} {ended.status}: {ended.message}")
    if ended.status == "done":
        say_verdict(store, trial_id)
        return 0
    print(f"The same command goes on from here. What there is so far: report {trial_id}.", file=sys.stderr)
    return 1


def _exam(store: Store, asked: argparse.Namespace) -> int:
    if asked.what.isdecimal():
        with store.read() as db:
            exam = exams.get(db, int(asked.what))
            listed = [f"{each.id} ({each.title})" for each in exams.listed(db)]
        if exam is None:
            raise MarkError(f"There is no exam {asked.what}. There are {', '.join(listed) or 'none yet'}.")
        return exam.id
    pairs = [each.split("=", 1) for each in asked.columns]
    if not all(len(pair) == 2 and all(pair) for pair in pairs):
        raise MarkError("Write --columns as FIELD=COLUMN, such as mark_1='Teacher A'.")
    columns = dict(pairs)
    if len(columns) < len(pairs):
        raise MarkError("A field stands twice in --columns. Give each one column.")
    wanted = TableWanted(
        path_of(asked.what), columns, asked.max_mark, asked.question, asked.title, tuple(asked.markers), asked.sheet
    )
    exam_id, said = exam_of_table(store, wanted)
    print("\n".join(said), file=sys.stderr)
    return exam_id


def _questions(store: Store, exam_id: int, numbers: list[str] | None) -> tuple[int, ...] | None:
    if not numbers:
        return None
    with store.read() as db:
        known = {each.question.number: each.id for each in exams.questions(db, exam_id)}
    for number in numbers:
        if number not in known:
            raise MarkError(f"The exam has no question {number}. It has {', '.join(known)}.")
    return tuple(known[number] for number in numbers)


def _whose(store: Store, exam_id: int, questions: tuple[int, ...] | None, asked: argparse.Namespace) -> Whose | None:
    with store.read() as db:
        ids = [each.id for each in written(db, TrialOptions(exam_id=exam_id, questions=questions, arms=()))]
        people = {each.name: each.marker_id for each in trial_marks.markers_of(db, exam_id, ids)}
        usual = usual_markers(db, exam_id, ids)
    first, second = (name.strip() for name in asked.markers)
    if (second and not first) or first == second != "":
        raise MarkError("Give --markers two different names, the first of them of a person; the second may be ''.")
    if not first:
        return usual
    for name in (first, second):
        if name and name not in people:
            named = ", ".join(people) or "nobody"
            raise MarkError(f"{name} has marked none of these without the AI's in sight. Those who have: {named}.")
    return people[first], people[second] if second else None
