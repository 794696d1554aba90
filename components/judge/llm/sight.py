"""What of a response and its question a model is shown, in which messages, and the form of its reply to them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from components.judge.llm.endpoint import Endpoint
from components.judge.llm.figures import check_figures, figure_prompts_hash, with_figures, with_figures_before
from components.judge.llm.picture_limits import limits_of, scaled
from components.judge.llm.prompt import (
    Message,
    Prompt,
    both,
    messages,
    picture_prompts_hash,
    prompt_for,
    transcribing_messages,
    transcribing_prompt,
    with_pictures,
)
from components.judge.llm.protocol import Protocol
from components.judge.llm.schema import schema_for, transcript_schema
from components.judge.transcribed import confirmed
from components.marking import Exemplar, Question, Response, Scheme

Form = Callable[[bool], dict[str, Any]]


@dataclass(frozen=True)
class Sight:
    """`blind` is whether the model is known to take no pictures: settled once for a response, whatever is found out
    while it is with the model."""

    endpoint: Endpoint
    blind: bool

    @property
    def picture_version(self) -> str:
        """Of how answers' pictures are read, as a judge's `version` is of all else: with pictures the two go
        together."""
        return hashlib.sha256(f"{picture_prompts_hash()} {limits_of(self.endpoint)}".encode()).hexdigest()

    @property
    def figure_version(self) -> str:
        """Of how a question's pictures are shown, or told of where the model takes none."""
        return hashlib.sha256(f"{figure_prompts_hash()} {limits_of(self.endpoint)} {self.blind}".encode()).hexdigest()

    def looks(self, response: Response) -> bool:
        """Whether the model is to see the answer's pictures, not a teacher's transcript of them alone."""
        words_will_do = confirmed(response) and (self.blind or self.endpoint.reading == "transcribe")
        return bool(response.pictures) and not words_will_do

    def reads_first(self, response: Response) -> bool:
        """Whether the answer's pictures are copied out in a request of their own, to be marked after as words."""
        return self.endpoint.reading == "transcribe" and self.looks(response)

    def misses(self, question: Question) -> bool:
        """Whether the question has pictures that the model is not shown."""
        return self.blind and bool(question.figures)

    def marking_prompt(self, question: Question, scheme: Scheme, *, pictures: bool) -> Prompt:
        """The prompt for a mark, where the answer's `pictures` go with it or they do not."""
        prompt = prompt_for(scheme, question, self.endpoint.protocol)
        if pictures:
            prompt = with_pictures(prompt)
        return with_figures(prompt, seen=not self.blind) if question.figures else prompt

    def prompt(self, question: Question, scheme: Scheme, *, pictures: bool) -> Prompt:
        """As `marking_prompt`, together with that for copying the answer's pictures out where this comes first."""
        if pictures and self.endpoint.reading == "transcribe":
            marking = self.marking_prompt(question, scheme, pictures=False)
            return both(transcribing_prompt(marking), marking)
        return self.marking_prompt(question, scheme, pictures=pictures)

    def first_messages(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar]
    ) -> list[Message]:
        """The messages that the model is sent first. Raises PictureError for a picture that cannot be sent."""
        if self.reads_first(response):
            # Without the question's pictures: what is not there cannot be copied out as the candidate's. They go with
            # the request for a mark, so one that cannot be sent is found before this one is paid for.
            check_figures(question, self.endpoint)
            reader = transcribing_prompt(prompt_for(scheme, question, self.endpoint.protocol))
            return transcribing_messages(reader, question, scaled(response, self.endpoint))
        if self.looks(response):
            return self.marking_messages(question, scheme, scaled(response, self.endpoint), exemplars)
        words = response.in_words() if response.pictures else response
        return self.marking_messages(question, scheme, words, exemplars)

    def marking_messages(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar]
    ) -> list[Message]:
        """The messages for a mark on the response, whose pictures are scaled already. Raises PictureError."""
        prompt = self.marking_prompt(question, scheme, pictures=bool(response.pictures))
        asking = messages(prompt, question, scheme, response, exemplars)
        return with_figures_before(asking, prompt, question, self.endpoint) if question.figures else asking

    def form(self, scheme: Scheme, response: Response) -> Form:
        """The form of the reply to `first_messages`."""
        if self.reads_first(response):
            return lambda bounds: transcript_schema(bounds=bounds)
        return self.marking_form(scheme, pictures=self.looks(response))

    def marking_form(self, scheme: Scheme, *, pictures: bool) -> Form:
        """The form of a reply with a mark, and where the answer's pictures were sent, with what was read on them."""
        return lambda bounds: schema_for(scheme, self.endpoint.protocol, bounds=bounds, pictures=pictures)


def shown_exemplars(response: Response, exemplars: Sequence[Exemplar], protocol: Protocol) -> list[Exemplar]:
    """The examples shown with the response: never itself, and none by a published protocol, which has none."""
    return [each for each in exemplars if protocol is Protocol.FULL and each.response_id != response.id]
