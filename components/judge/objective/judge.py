"""The judge for choice and numeric questions: by rule, no model."""

from __future__ import annotations

from collections.abc import Sequence

from components.judge.objective.by_published import BY_RULE, mark_by_published
from components.judge.objective.choice import mark_choice
from components.judge.objective.numeric import mark_numeric
from components.judge.objective.reading import Judgement, Unreadable
from components.judge.objective.sequences import mark_sequence
from components.judge.talks_to_marker import flagging_talk
from components.judge.transcribed import confirmed, from_transcript
from components.marking import (
    Confidence,
    Evidence,
    Exemplar,
    Flag,
    Proposal,
    Question,
    QuestionType,
    Response,
    Scheme,
    WholeVerdict,
    abstain,
    propose_from,
)

PICTURE = (
    "The answer is a picture, and only words are marked by calculation. Mark it yourself, or write down what it says "
    "as its transcript and ask again."
)


class ObjectiveJudge:
    """Marks single choice, several choices, sequences of choices and numeric answers by calculation.

    An answer it cannot read in one way gets no proposal and the reason why, never 0. A readable answer that is not the
    key gets the marks of the scheme's partial table, or 0, and the reason. A scheme that names the published rule is
    marked by that one, and each of its proposals says so.
    """

    name = "Checked by calculation"
    version = "2"

    @flagging_talk
    def propose(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        """A proposal on one response; abstained where the rule cannot decide. Exemplars are of no use to it.

        Pictures are marked by a teacher's transcript of them, where there is one.
        """
        if confirmed(response):
            return from_transcript(lambda words: self.propose(question, scheme, words), response)
        published = question.type is not QuestionType.NUMERIC and scheme.choice and scheme.choice.rule == "published"
        label = f"{self.name}, {BY_RULE}" if published else self.name
        try:
            judgement = _judged(question, scheme, response)
        except Unreadable as reason:
            return abstain(label, str(reason))
        quote = response.text[judgement.start : judgement.end]
        verdict = WholeVerdict(
            mark=judgement.mark,
            evidence=(Evidence(quote=quote, start=judgement.start, end=judgement.end),),
            reason=judgement.reason,
        )
        flags = (Flag(kind="picture", text="The response also has a picture, which was not read."),)
        sure = judgement.sure and not response.pictures
        return propose_from(
            (verdict,),
            scheme,
            label=label,
            confidence=Confidence.SURE if sure else Confidence.FAIRLY_SURE,
            flags=flags if response.pictures else (),
        )


def _judged(question: Question, scheme: Scheme, response: Response) -> Judgement:
    if not question.type.objective:
        raise Unreadable("Only choice and numeric questions are marked by calculation. Please use another judge.")
    if response.blank:
        raise Unreadable("The answer is blank.")
    if not response.text.strip():
        raise Unreadable(PICTURE)
    if question.type is QuestionType.NUMERIC:
        if scheme.numeric is None:
            raise Unreadable("The mark scheme has no numeric key for this question. Please add one.")
        return mark_numeric(scheme.numeric, scheme.max_mark, response.text, question.text)
    if scheme.choice is None:
        raise Unreadable("The mark scheme has no choice key for this question. Please add one.")
    if scheme.choice.rule == "published":
        return mark_by_published(scheme.choice, scheme.max_mark, response.text)
    if scheme.choice.each:
        return mark_sequence(scheme.choice, scheme.max_mark, response.text)
    several = question.type is QuestionType.MULTIPLE_CHOICE
    return mark_choice(scheme.choice, scheme.max_mark, response.text, several)
