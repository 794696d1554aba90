"""One answer on which a judge breaks is a failed proposal, not the end of the others."""

from __future__ import annotations

import logging

from components.judge import Judge
from components.marking import Proposal, ProposalStatus, Question, Scheme
from components.workflow.looking import for_judge
from storage import Store
from storage.responses import StoredResponse

log = logging.getLogger(__name__)
MARK_IT = "Mark it yourself."  # what a teacher can do about it on the marking desk


def proposal_or_failure(
    store: Store, judge: Judge, question: Question, scheme: Scheme, answer: StoredResponse, what_next: str = ""
) -> Proposal:
    """What a judge that sends nothing proposes, or a failed proposal where it breaks."""
    try:
        return judge.propose(question, scheme, for_judge(store, answer))
    except Exception:
        return broke(judge.name, answer, what_next)


def broke(judge: str, answer: StoredResponse, what_next: str = "") -> Proposal:
    """The failed proposal in place of the exception being handled, which is logged; `what_next` is for its reader."""
    log.exception("%s broke on response %s.", judge, answer.id)
    reason = f"The judge broke on this answer; the server's log has the details. {what_next}".rstrip()
    return Proposal(status=ProposalStatus.FAILED, label=judge, reason=reason)
