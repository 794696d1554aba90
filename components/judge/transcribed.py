"""Marking a picture by the words that a teacher has confirmed it to say, for judges that read typed words alone."""

from __future__ import annotations

from collections.abc import Callable

from components.marking import Evidence, Flag, Proposal, Response, Verdict

FLAG = Flag(
    kind="transcript", text="Marked from the transcript that a teacher has confirmed; the picture itself was not read."
)


def confirmed(response: Response) -> bool:
    """Whether the response has pictures and a teacher's transcript of them."""
    return bool(response.pictures and response.transcript.strip())


def from_transcript(propose: Callable[[Response], Proposal], response: Response) -> Proposal:
    """The proposal on the response's words, evidence moved to where it stands. It says what it was made from."""
    made = propose(response.in_words())
    verdicts = tuple(_moved(verdict, response) for verdict in made.verdicts)
    return made.model_copy(update={"verdicts": verdicts, "flags": (*made.flags, FLAG)})


def _moved(verdict: Verdict, response: Response) -> Verdict:
    """The verdict with its evidence placed in text or transcript, which `in_words` had put one after another."""
    first = len(response.in_words().text) - len(response.transcript)
    return verdict.model_copy(update={"evidence": tuple(_placed(item, first) for item in verdict.evidence)})


def _placed(item: Evidence, first: int) -> Evidence:
    if item.start is None or item.end is None or item.start < first:
        return item
    place = {"start": item.start - first, "end": item.end - first, "in_transcript": True}
    return item.model_copy(update=place)
