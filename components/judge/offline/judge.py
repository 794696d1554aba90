"""The judge for a machine with no key: matches words, and learns from the teacher's marks. Not an LLM."""

from __future__ import annotations

from collections.abc import Sequence

from components.judge.offline.learned import LearnedMarker
from components.judge.offline.wording import Answer
from components.judge.offline.wording_check import (
    AWARDED,
    FOUND,
    PointMatch,
    Reference,
    match_points,
    match_whole,
    negation_flags,
    quote,
    reference,
    scaled_mark,
    verdict,
)
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

NAME = "Offline matcher"
NOT_AN_LLM = f"{NAME}, not an LLM"
WORDING_LABEL = f"{NOT_AN_LLM} · wording check only (QWK about .38; a second teacher .89)"
PICTURE = (
    "The offline matcher cannot read pictures. Mark this answer yourself, or write down what it says as its transcript "
    "and ask again."
)
NOT_SEEN = Flag(kind="figure", text="The question has a picture that the offline matcher has not seen.")
CLEAR_MARGIN = 0.2  # from the share that earns a mark, on either side, beyond which a point is clear
MOST_QUOTES = 5


class OfflineJudge:
    """Proposes from the wording alone, or, given a LearnedMarker for the question, from the teacher's own marks.

    Deterministic, no network, no weights. Abstains in words for blanks, pictures, essays, questions marked by rule,
    schemes with nothing to match, and where what it learned does not hold on the teacher's own marks.
    """

    name = NAME
    version = "wording 1"
    wording_label = WORDING_LABEL
    cut: type[Answer] = Answer  # how an answer is cut into what wordings are looked for in

    def __init__(self, learned: LearnedMarker | None = None) -> None:
        self.learned = learned

    @property
    def label(self) -> str:
        """What stands on every proposal: what this judge is and how well it does."""
        return f"{NOT_AN_LLM} · {self.learned.figures}" if self.learned else self.wording_label

    @flagging_talk
    def propose(
        self, question: Question, scheme: Scheme, response: Response, exemplars: Sequence[Exemplar] = ()
    ) -> Proposal:
        """A proposal for one response, or an abstention with its reason. `exemplars` are not used: see `train`.

        Pictures are marked by a teacher's transcript of them, where there is one.
        """
        if question.figures:
            made = self.propose(question.model_copy(update={"figures": ()}), scheme, response)
            return made.model_copy(update={"flags": (NOT_SEEN, *made.flags)}) if made.mark is not None else made
        if confirmed(response):
            return from_transcript(lambda words: self.propose(question, scheme, words), response)
        ref = reference(question, scheme)
        reason = self._reason_to_abstain(question, scheme, response, ref)
        if reason:
            return abstain(self.label, reason)
        answer = self.cut(response.text, question.language)
        if self.learned:
            return self._learned_proposal(self.learned, scheme, answer, ref)
        return self._points_proposal(scheme, answer, ref) if ref.points else self._whole_proposal(scheme, answer, ref)

    def matches(self, ref: Reference, answer: Answer) -> list[PointMatch]:
        """How each point of the scheme fares in the answer."""
        return match_points(ref, answer)

    def _reason_to_abstain(self, question: Question, scheme: Scheme, response: Response, ref: Reference) -> str:
        reasons = (
            (response.blank, "The answer is blank."),
            (bool(response.pictures), PICTURE),
            (
                question.type is QuestionType.ESSAY,
                "Matching words says nothing about the quality of an essay. Mark it yourself.",
            ),
            (question.type.objective, "This question is marked by rule, not by matching words."),
        )
        plain = next((reason for applies, reason in reasons if applies), "")
        return plain or (
            _reason_not_to_trust(self.learned, scheme) if self.learned else _nothing_to_match(question, scheme, ref)
        )

    def _points_proposal(self, scheme: Scheme, answer: Answer, ref: Reference) -> Proposal:
        found = self.matches(ref, answer)
        flags = negation_flags(found)
        return propose_from(
            tuple(verdict(point, answer) for point in found),
            scheme,
            label=self.label,
            confidence=_wording_confidence(found, flags),
            flags=flags,
        )

    def _whole_proposal(self, scheme: Scheme, answer: Answer, ref: Reference) -> Proposal:
        share, sentences = match_whole(ref, answer)
        mark = scaled_mark(share, scheme)
        reason = (
            f"The scheme has no marking points. {share:.0%} of the wording of its text or model answer is in the "
            f"answer, scaled onto 0 to {scheme.max_mark:g}: {mark:g}."
        )
        evidence = _distinct(tuple(part for match in sentences for part in quote(match, answer)))
        whole = WholeVerdict(mark=mark, evidence=evidence, reason=reason, not_sure=True)
        return propose_from((whole,), scheme, label=self.label, confidence=Confidence.UNSURE)

    def _learned_proposal(self, learned: LearnedMarker, scheme: Scheme, answer: Answer, ref: Reference) -> Proposal:
        guess = learned.guess(answer.text)
        reason = f"{guess.mark:g}: answers like this one got about this mark."
        flags: tuple[Flag, ...] = ()
        if ref.points:
            found = match_points(ref, answer)
            flags = negation_flags(found)
            evidence = tuple(part for point in found for part in verdict(point, answer).evidence)
            reason += f" Wording check, for the reasons only: {', '.join(f'{p.code} {p.label}' for p in found)}."
        else:
            evidence = tuple(part for match in match_whole(ref, answer)[1] for part in quote(match, answer))
        whole = WholeVerdict(
            mark=guess.mark,
            evidence=_distinct(evidence),
            reason=reason,
            not_sure=guess.confidence is Confidence.UNSURE,
        )
        return propose_from((whole,), scheme, label=self.label, confidence=guess.confidence, flags=flags)


def _nothing_to_match(question: Question, scheme: Scheme, ref: Reference) -> str:
    if question.type is QuestionType.LEVELS or (scheme.objectives and not scheme.points):
        return "A levels scheme asks for judgement of quality, which matching words cannot give. Mark it yourself."
    if ref.empty:
        return "The scheme has no marking points, text or model answer to match. Add one, or mark it yourself."
    return ""


def _reason_not_to_trust(learned: LearnedMarker, scheme: Scheme) -> str:
    if learned.scale != scheme.scale:
        return "The marks it learned from are on another scale than this scheme's. Train it on new marks."
    if not learned.trusted:
        return f"{learned.source}, but not well enough to propose. {learned.reason}"
    return ""


def _wording_confidence(found: list[PointMatch], flags: tuple[Flag, ...]) -> Confidence:
    """Never sure: a matched word is no proof. Fairly sure where something matched and every point is clear.

    Nothing matching is no ground for 0: another wording may be as right.
    """
    clear = all(point.match.share >= FOUND or point.match.share <= AWARDED - CLEAR_MARGIN for point in found)
    matched = any(point.awarded for point in found)
    return Confidence.FAIRLY_SURE if clear and matched and not flags else Confidence.UNSURE


def _distinct(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(evidence))[:MOST_QUOTES]
