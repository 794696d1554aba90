"""What a proposal depends on, as one hash: the same inputs to the same judge are answered from the store."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from components.judge import Judge
from components.judge.llm import LLMJudge, Protocol
from components.judge.objective import ObjectiveJudge
from components.marking import Exemplar
from components.workflow.exemplars import for_response
from storage.exams import StoredQuestion
from storage.responses import StoredResponse


def inputs_hashes(
    judge: Judge,
    question: StoredQuestion,
    answers: Sequence[StoredResponse],
    exemplars: Sequence[Exemplar] = (),
    shots: int = 0,
) -> dict[int, str]:
    """By response id: the judge's version, the question, its scheme, the examples shown, the answer's words, and where
    it has pictures, they, a teacher's transcript of them, and how the judge looks at pictures.

    The question's own pictures count too: a judge that is not shown them says so with its proposal, except by rule. The
    note in a scheme and the examples are for a language model; no other judge reads them.
    """
    unread = set() if isinstance(judge, LLMJudge) else {"note"}
    scheme = question.scheme.model_dump_json(exclude=unread)
    shared = f"{judge.version}\x00{question.question.model_dump_json()}\x00{scheme}\x00"
    if question.pictures and not isinstance(judge, ObjectiveJudge):
        shared += _figures(judge, question)
    start = hashlib.sha256(shared.encode("utf-8", "surrogatepass"))
    if not reads_exemplars(judge):
        exemplars = ()
    own = {exemplar.response_id for exemplar in exemplars}
    usual = _with_exemplars(start, for_response(exemplars, "", shots))
    hashes = {}
    for answer in answers:
        judged = answer.for_judge().id
        known = judged not in own
        inputs = usual.copy() if known else _with_exemplars(start, for_response(exemplars, judged, shots))
        inputs.update(answer.text.encode("utf-8", "surrogatepass"))
        if answer.pictures:
            inputs.update(_seen(judge, answer).encode("utf-8", "surrogatepass"))
        hashes[answer.id] = inputs.hexdigest()
    return hashes


def _figures(judge: Judge, question: StoredQuestion) -> str:
    looking = judge.sight.figure_version if isinstance(judge, LLMJudge) else ""
    shown = (part for each in question.pictures for part in (each.sha256, each.caption))
    return "\x00".join(("figures", looking, *shown, ""))


def _seen(judge: Judge, answer: StoredResponse) -> str:
    looking = judge.sight.picture_version if isinstance(judge, LLMJudge) else ""
    return "\x00".join(("", looking, *answer.pictures, answer.transcript))


def reads_exemplars(judge: Judge) -> bool:
    """Whether examples reach the judge: only a language model by our own protocol has a place for them."""
    return isinstance(judge, LLMJudge) and judge.endpoint.protocol is Protocol.FULL


def _with_exemplars(start: hashlib._Hash, exemplars: Sequence[Exemplar]) -> hashlib._Hash:
    inputs = start.copy()
    for exemplar in exemplars:
        inputs.update(exemplar.model_dump_json().encode("utf-8", "surrogatepass"))
    return inputs
