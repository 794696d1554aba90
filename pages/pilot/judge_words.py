"""Judges in words: what one is, how it is asked, what its endpoint takes. Plain text."""

from __future__ import annotations

from typing import Any

from components.judge.llm import Capabilities, Endpoint, Protocol
from components.judge.llm.connection import notices
from components.workflow.connections import endpoint_of
from storage import judges
from storage.judges import StoredJudge

WHAT = {
    judges.OBJECTIVE: "Marks choice and numeric questions by rule. No model, no network. Always there.",
    judges.OFFLINE: "Matches words, and learns from your marks. Not an LLM; no network. Always there.",
    judges.IMPORTED: "Marks brought in from another tool. It cannot be asked for more.",
}
EXACT_WORDS = (
    "Matches words as the scheme spells them, and learns nothing: stricter than the usual one, to compare with it on "
    "trial. Not an LLM; no network."
)
ASKS = {
    Protocol.FULL: "a verdict on each part of the mark scheme, with quoted evidence and a reason",
    Protocol.MEDLY: "one whole mark and no reasons, at the model's least reasoning effort",
    Protocol.GAOKAO: "the grading process and the total, asked in Chinese at temperature 0",
}
NOT_ASKED_YET = "Not asked for a mark yet: what it takes is found out at the first reply."


def what(judge: StoredJudge) -> str:
    """What a judge is that is no language model."""
    return EXACT_WORDS if judge.kind == judges.OFFLINE and judge.settings else WHAT[judge.kind]


def prompt(protocol: Protocol) -> str:
    """Full prompt: a verdict on each part …"""
    return f"{capital(protocol.named if protocol is not Protocol.FULL else 'full prompt')}: {ASKS[protocol]}."


def how_asked(judge: StoredJudge) -> str:
    """A language model's settings as a sentence, those that are the model's own left out."""
    endpoint = endpoint_of(judge, "")
    set_here = set_words(endpoint)
    own = f"Settings: {', '.join(set_here)}." if set_here else "Settings: the model's own."
    return f"{own} {once_or_more(endpoint.samples)}, up to {endpoint.at_once} requests at once."


def set_words(endpoint: Endpoint) -> list[str]:
    """The settings that are sent with each request, and how pictures are."""
    said = []
    if "temperature" in endpoint.settings:
        said.append(f"temperature {endpoint.settings['temperature']:g}")
    if endpoint.seed is not None:
        said.append(f"seed {endpoint.seed}")
    if endpoint.max_tokens is not None:
        said.append(f"at most {endpoint.max_tokens:,} tokens a reply")
    if endpoint.protocol is Protocol.MEDLY:
        said.append("least reasoning")
    elif endpoint.reasoning_effort is not None:
        said.append(f"{endpoint.reasoning_effort} reasoning")
    if endpoint.reading == "transcribe":
        said.append("pictures read first")
    if endpoint.without_ruling:
        said.append("paper lines removed")
    return said


def once_or_more(samples: int) -> str:
    """How often it is asked for one proposal."""
    if samples == 1:
        return "Asked once for a proposal"
    return f"Asked {samples} times for a proposal, of which the middle mark counts"


def key_words(settings: dict[str, Any]) -> str:
    """Where the judge's key is."""
    variable = settings.get("key_variable")
    if variable is None:
        return "Its key was typed here: it is kept in memory until the server stops, and never stored."
    return f"Its key is in the environment variable {variable}." if variable else "It needs no key."


def takes(found: dict[str, Any] | None) -> str:
    """What the endpoint turned out to take."""
    if found is None:
        return NOT_ASKED_YET
    known = Capabilities.from_json(found)
    eyes = {True: ["It takes pictures."], False: ["It cannot read pictures."], None: []}[known.pictures]
    return " ".join([replies_as(known), *notices(known), *eyes])


def replies_as(found: Capabilities) -> str:
    """In what form the endpoint replies."""
    if found.format == "text":
        return "Replies as plain text, from which the JSON is taken."
    if found.format == "json_schema":
        return "Replies as JSON in the form asked for, which its server keeps to."
    return "Replies as JSON; its form is checked here."


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sendable(text: str) -> str:
    """Text as a browser can be sent it: half a character (a lone surrogate), which a model may reply, becomes ?."""
    return text.encode("utf-8", "replace").decode("utf-8")
