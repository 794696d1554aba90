"""What the command line says of the arms of a trial: judges, and what of them is varied."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from typing import cast

from components.judge.llm import Protocol
from components.judge.llm.endpoint import ReasoningEffort
from components.marking import MarkError
from components.workflow.benchmarks.command_endpoint import EFFORTS, add_endpoint, connected
from components.workflow.connections import Connections, default_judges
from components.workflow.exemplars import MOST_SHOTS
from components.workflow.trial.arms import ArmChoice, Variants, choices
from storage import Store, judges, marks_given
from storage.judges import StoredJudge

CRITERIA = ("with", "without")


def add_arms(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", nargs="+", default=[], help="as the server knows it; several are compared")
    parser.add_argument(
        "--judges",
        nargs="+",
        default=[],
        metavar="NAME",
        help="judges that the app knows, by name; * and ? stand for any letters",
    )
    parser.add_argument("--offline", action="store_true", help="the offline matcher, which needs no network")
    parser.add_argument("--exact", action="store_true", help="and the one that wants exact words")
    parser.add_argument("--protocols", nargs="+", type=Protocol, choices=list(Protocol), default=[], help="prompts")
    parser.add_argument("--shots", nargs="+", type=int, default=[0], help=f"marked examples, 0 to {MOST_SHOTS}")
    parser.add_argument("--reasoning-effort", nargs="+", choices=EFFORTS, default=[])
    parser.add_argument("--samples", nargs="+", type=int, default=[], help="askings for one mark; the middle counts")
    parser.add_argument(
        "--criteria", nargs="+", choices=CRITERIA, default=["with"], help="the mark scheme shown or withheld"
    )
    parser.add_argument("--twice", action="store_true", help="ask everything twice: does a judge agree with itself?")
    add_endpoint(parser)


def arms_of(
    store: Store, connections: Connections, asked: argparse.Namespace, exam_id: int, *, imported: bool
) -> tuple[ArmChoice, ...]:
    """The arms asked for; with `imported` the AIs whose marks came with the exam too. Raises MarkError for no judge."""
    models = [connected(store, connections, asked, model) for model in asked.model]
    offline = [default_judges(store)[1]] if asked.offline or asked.exact else []
    with store.read() as db:
        listed = {judge.id: judge for judge in judges.listed(db) if judge.kind != judges.OBJECTIVE}
        came_along = [judge_id for judge_id, _ in marks_given.judges_of(db, exam_id)] if imported else []
    named = _named(listed.values(), asked.judges)
    theirs = [each for each in came_along if each in listed and listed[each].kind == judges.IMPORTED]
    chosen = list(dict.fromkeys([*models, *named, *offline, *theirs]))
    if not chosen:
        raise MarkError("Name a judge: --model, --judges or --offline.")
    return tuple(arm for judge_id in chosen for arm in choices(listed[judge_id], _variants(asked)))


def _named(listed: Collection[StoredJudge], wanted: Sequence[str]) -> list[int]:
    """The judges of these names, in their order. Raises MarkError for a name that fits none."""
    found: list[int] = []
    for each in wanted:
        fits = [judge.id for judge in listed if fnmatchcase(judge.name.casefold(), each.casefold())]
        if not fits:
            raise MarkError(f"No judge is called “{each}”. There are {', '.join(judge.name for judge in listed)}.")
        found += fits
    return found


def _variants(asked: argparse.Namespace) -> Variants:
    efforts = [cast(ReasoningEffort, each) for each in asked.reasoning_effort]
    return Variants(
        protocols=asked.protocols or (None,),
        efforts=efforts or (None,),
        samples=asked.samples or (None,),
        shots=asked.shots,
        criteria=[each == CRITERIA[0] for each in asked.criteria],
        times=2 if asked.twice else 1,
        exact=asked.exact,
    )
