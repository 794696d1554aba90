"""The arms of a trial: which variants of a judge there are, what each is called, and which judge stands behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from pydantic import Field
from sqlite_utils import Database

from components.judge.llm import Endpoint, LLMJudge, Protocol
from components.judge.llm.endpoint import ReasoningEffort
from components.judge.offline import EXACT_NAME
from components.marking import Scheme
from components.marking.scheme import Frozen
from components.workflow.connections import EXACT, Connections, endpoint_of, exact_judge, settings_of
from components.workflow.exemplars import MOST_SHOTS
from storage import Store, judges
from storage.exams import StoredQuestion
from storage.judges import REACH, StoredJudge

NEW = 0  # the id of a judge that is made when the trial begins


class ArmChoice(Frozen):
    """One way of asking a judge. What is None is as the judge has it; an endpoint's own settings make another judge.

    `exact` is the offline matcher that wants exact words in place of the usual one.
    """

    judge_id: int
    protocol: Protocol | None = None
    effort: ReasoningEffort | None = None
    samples: int | None = Field(default=None, ge=1, le=9)
    shots: int = Field(default=0, ge=0, le=MOST_SHOTS)
    grading: bool = True
    criteria: bool = True
    repeat: int = Field(default=1, ge=1, le=3)
    exact: bool = False


@dataclass(frozen=True)
class Variants:
    """What is chosen for a judge: every combination becomes an arm, but for those that come to the same."""

    protocols: Sequence[Protocol | None] = (None,)
    efforts: Sequence[ReasoningEffort | None] = (None,)
    samples: Sequence[int | None] = (None,)
    shots: Sequence[int] = (0,)
    grading: bool = True
    criteria: Sequence[bool] = (True,)
    times: int = 1
    exact: bool = False  # for the offline matcher: the strict one too


def choices(stored: StoredJudge, wanted: Variants) -> list[ArmChoice]:
    """The arms of one judge. A published prompt takes no examples; Medly's sets the effort itself."""
    if stored.kind != judges.LLM:
        twins = (False, True) if wanted.exact and stored.kind == judges.OFFLINE and not stored.settings else (False,)
        return [ArmChoice(judge_id=stored.id, exact=exact) for exact in twins]
    own = Protocol(stored.settings.get("protocol", Protocol.FULL))
    found: dict[tuple[object, ...], ArmChoice] = {}
    for protocol, effort, samples, criteria, shots, repeat in product(
        wanted.protocols, wanted.efforts, wanted.samples, wanted.criteria, wanted.shots, range(1, wanted.times + 1)
    ):
        asked_by = protocol or own
        shown = shots if asked_by is Protocol.FULL else 0
        choice = ArmChoice(
            judge_id=stored.id,
            protocol=protocol,
            effort=None if asked_by is Protocol.MEDLY else effort,
            samples=samples,
            shots=shown,
            # An example's grading process names the very points that are withheld.
            grading=wanted.grading and criteria and bool(shown),
            criteria=criteria,
            repeat=repeat,
        )
        endpoint = endpoint_with(stored, choice)
        same = (tuple(sorted(settings_of(endpoint).items())), shown, choice.grading, criteria, repeat)
        found.setdefault(same, choice)
    return list(found.values())


def endpoint_with(stored: StoredJudge, choice: ArmChoice, key: str = "") -> Endpoint:
    """The judge's endpoint as the arm asks it."""
    return _changed(endpoint_of(stored, key), choice)


def stored_judge(db: Database, stored: StoredJudge, choice: ArmChoice) -> StoredJudge:
    """The judge of the arm: the chosen one, another that is stored, or one that is yet to be made (its id is NEW)."""
    if choice.exact:
        made = StoredJudge(NEW, EXACT_NAME, judges.OFFLINE, "", {"wording": EXACT}, None)
    elif stored.kind == judges.LLM:
        endpoint = endpoint_with(stored, choice)
        made = StoredJudge(NEW, stored.name, judges.LLM, stored.model, settings_of(endpoint), None)
    else:
        return stored
    alike = [each for each in (stored, *judges.listed(db), *judges.retired(db)) if _same(each, made)]
    return alike[0] if alike else made


def connect(store: Store, connections: Connections, stored: StoredJudge, choice: ArmChoice) -> int:
    """The id of the arm's judge, made and connected where it is new.

    Raises ValueError where it cannot be: its key is not in memory, or another judge has its name.
    """
    if choice.exact:
        return exact_judge(store)
    if stored.kind != judges.LLM:
        return stored.id
    base = connections.llm(stored.id)
    if base is None:
        raise ValueError(f"{stored.name} is not connected. Connect it again on the Judges page; its key is not stored.")
    with store.read() as db:
        known = stored_judge(db, stored, choice)
    if known.id != NEW and connections.llm(known.id) is not None:
        return known.id
    name = "" if known.id == NEW else known.name
    return connections.connect(store, _changed(base.endpoint, choice), stored.settings.get("key_variable"), name)


def unconnected(connections: Connections, stored: StoredJudge, choice: ArmChoice) -> LLMJudge | None:
    """A language model as the arm would ask it, to plan with; None where the judge it comes from is not connected."""
    base = connections.llm(stored.id)
    if base is None:
        return None
    return LLMJudge(_changed(base.endpoint, choice), known=base.exchange.found if base.exchange.known else None)


def without_criteria(question: StoredQuestion) -> StoredQuestion:
    """The question with its scheme withheld: a judge gives the whole answer one mark, 0 to its maximum.

    Question and model answer stay, as GAOKAO-Bench has it.
    """
    return replace(question, scheme=Scheme(max_mark=question.scheme.max_mark, mark_step=question.scheme.mark_step))


@dataclass(frozen=True)
class Named:
    """What an arm's name is made of."""

    judge: str
    kind: str
    model: str
    settings: dict[str, Any]
    shots: int = 0
    grading: bool = True
    criteria: bool = True
    repeat: int = 1


def names(arms: Sequence[Named]) -> list[str]:
    """A name for each arm, in their order, unlike every other: gpt-x · Medly's prompt · without criteria · again.

    It begins with the model's name; with the judge's own where two arms would else be called the same.
    """
    short = [_name(arm.model if arm.kind == judges.LLM and arm.model else arm.judge, arm) for arm in arms]
    times = Counter(short)
    own = [_name(arm.judge, arm) if times[name] > 1 else name for name, arm in zip(short, arms, strict=True)]
    seen: Counter[str] = Counter()
    told = []
    for name in own:
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told


def _name(first: str, arm: Named) -> str:
    return " · ".join([first, *_asked(arm.settings if arm.kind == judges.LLM else {}), *_shown(arm)])


def _asked(settings: dict[str, Any]) -> list[str]:
    protocol = Protocol(settings.get("protocol", Protocol.FULL))
    said = [] if protocol is Protocol.FULL else [protocol.named]
    if "temperature" in settings:
        said.append(f"temperature {settings['temperature']:g}")
    if "seed" in settings:
        said.append(f"seed {settings['seed']}")
    if "max_tokens" in settings:
        said.append(f"at most {settings['max_tokens']:,} tokens")
    if "reasoning_effort" in settings:
        said.append(f"{settings['reasoning_effort']} reasoning")
    if settings.get("samples", 1) > 1:
        said.append(f"{settings['samples']} samples")
    if settings.get("reading") == "transcribe":
        said.append("pictures read first")
    if settings.get("without_ruling"):
        said.append("paper lines removed")
    return said


def _shown(arm: Named) -> list[str]:
    said = []
    if arm.shots:
        plural = "" if arm.shots == 1 else "s"
        said.append(f"{arm.shots} example{plural}{'' if arm.grading else ', marks only'}")
    if not arm.criteria:
        said.append("without criteria")
    if arm.repeat > 1:
        said.append("again" if arm.repeat == 2 else f"again ({arm.repeat - 1})")
    return said


def _changed(endpoint: Endpoint, choice: ArmChoice) -> Endpoint:
    changes: dict[str, Any] = {
        "protocol": choice.protocol,
        "reasoning_effort": choice.effort,
        "samples": choice.samples,
    }
    changed = replace(endpoint, **{name: value for name, value in changes.items() if value is not None})
    # What a published prompt sets itself is no setting of the arm's.
    if choice.protocol is Protocol.MEDLY:
        return replace(changed, reasoning_effort=None)
    return replace(changed, temperature=None) if choice.protocol is Protocol.GAOKAO else changed


def _same(one: StoredJudge, other: StoredJudge) -> bool:
    return (one.kind, one.model, _own(one)) == (other.kind, other.model, _own(other))


def _own(judge: StoredJudge) -> dict[str, Any]:
    return {name: value for name, value in judge.settings.items() if name not in REACH}
