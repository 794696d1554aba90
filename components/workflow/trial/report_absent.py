"""What a trial cannot say because it was not planned for, and how the next one would."""

from __future__ import annotations

from components.workflow.trial.report_figures import TrialFigures
from components.workflow.trial.report_shapes import Section

_ABSENT = {
    "hand": "Typed against handwritten: all responses compared are of one kind. Try an exam that has both.",
    "criteria": "With and without the mark scheme: no two arms differ in that alone. Choose both when planning.",
    "shots": "More or fewer examples: no arms differ in that alone. Choose several numbers of examples for a language "
    "model that uses our own prompt.",
    "repeats": "The same judge twice: nothing was asked again. Choose “Ask everything twice” when planning.",
}
_ONE_HUMAN = (
    "How closely two people agree: every response was marked by one person. Import a second person's marks, or have a "
    "part marked blind, and begin another trial."
)


def absent_section(found: TrialFigures, sections: tuple[Section, ...]) -> Section | None:
    """A sentence for each comparison that is not among the sections; None where all are there."""
    there = {each.key for each in sections}
    said = [sentence for key, sentence in _ABSENT.items() if key not in there]
    if not found.data.double_marked:
        said.insert(0, _ONE_HUMAN)
    return Section("absent", "Not in this trial", tuple(said)) if said else None
