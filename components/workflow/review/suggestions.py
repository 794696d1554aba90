"""What to try against a pattern: in the note or in the scheme's wording, as the judge reads them."""

from __future__ import annotations

from components.judge.llm import Protocol
from components.judge.offline.judge import PICTURE
from components.marking import QuestionType
from storage import judges
from storage.exams import StoredQuestion
from storage.judges import StoredJudge

OFFLINE_READS = "The offline matcher reads the scheme's wording only, not the note."


def reads_note(judge: StoredJudge) -> bool:
    """Whether a note to the judge reaches it: only language models read one, and Medly's published prompt has none."""
    return judge.kind == judges.LLM and judge.settings.get("protocol", Protocol.FULL) != Protocol.MEDLY


def no_remedy(stored: StoredQuestion, judge: StoredJudge) -> str:
    """Why no change of the note or the wording can help this judge on this question; "" where it may."""
    if stored.question.type.objective:
        return "This question is marked by rule, without a judge that reads. Check its key instead."
    if judge.kind == judges.IMPORTED:
        return f"{judge.name}'s marks were imported, so it cannot be asked again. Choose another judge for this exam."
    unread = stored.question.type in (QuestionType.LEVELS, QuestionType.ESSAY) or (
        stored.scheme.objectives and not stored.scheme.points
    )
    if judge.kind == judges.OFFLINE and unread:
        return "The offline matcher leaves essays and levels to the teacher whatever the scheme says."
    return ""


def for_point(judge: StoredJudge, code: str, *, missed: bool) -> str:
    """For a point awarded too rarely, or too often."""
    if judge.kind == judges.OFFLINE:
        if missed:
            return f"{OFFLINE_READS} Add to {code} the wordings that candidates earned it with, under “accept”."
        return f"{OFFLINE_READS} Make the wording of {code} more telling, or list under “reject” what does not earn it."
    where = "In the note, or under" if reads_note(judge) else "Under"
    if missed:
        return f"{where} the “accept” of {code}, say in candidates' words what earns it."
    return f"{where} the “reject” of {code}, say what looks like it and does not earn it."


def for_bias(judge: StoredJudge, *, severe: bool) -> str:
    """For a judge that gives too little, or too much."""
    if judge.kind == judges.OFFLINE:
        wording = "accept wordings that candidates used" if severe else "list wordings that do not earn the mark"
        return f"{OFFLINE_READS} Look at the responses behind it and {wording}."
    what = "what is enough for the mark" if severe else "what is not enough for the mark"
    where = "note or in the scheme" if reads_note(judge) else "scheme"
    return f"Look at the responses behind it, and say in the {where} {what}."


def for_level(judge: StoredJudge, what: str) -> str:
    """For a level or mark that is never given."""
    where = "note or in the scheme" if reads_note(judge) else "scheme"
    if judge.kind == judges.OFFLINE:
        return f"{OFFLINE_READS} Add the wordings that earned teachers' {what}."
    return f"Say in the {where} what an answer at {what} looks like, with the words that tell it from its neighbours."


def for_no_proposal(judge: StoredJudge, *, mostly_failed: bool) -> str:
    """For a judge that proposes nothing too often."""
    if judge.kind == judges.OFFLINE:
        return f"{OFFLINE_READS} Marking points or a model answer give it something to match."
    if mostly_failed:
        return "Its replies could not be used. Retry them on the Runs page; if they fail again, try another model."
    return "Where its reason is that the scheme leaves something open, say it in the scheme."


def no_wording_helps(judge: StoredJudge, reason: str) -> str:
    """Why no wording can help where this is the reason for proposing nothing; "" where it may."""
    if judge.kind == judges.OFFLINE and reason == PICTURE:
        return "The offline matcher cannot read pictures; transcripts or a model that reads pictures help here."
    return ""


def for_quotes(judge: StoredJudge) -> str:
    """For verdicts that rest on words the answer does not have."""
    if judge.kind == judges.OFFLINE:
        return "Tell whoever looks after this server: the offline matcher should only quote what is there."
    where = "In the note, ask" if reads_note(judge) else "Ask in the scheme"
    return f"{where} for short quotes copied letter by letter; if it goes on, try another model."
