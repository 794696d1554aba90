"""Files of other programs, recognised by their layout, as the long table that the planner reads."""

from components.intake.forms.join import can_join, join
from components.intake.forms.maxima import with_checks, with_maxima
from components.intake.forms.people import PersonalColumn, Pseudonym
from components.intake.forms.recognise import Recognised, recognise
from components.intake.forms.tabled import Choices, FormQuestion, Tabled

__all__ = [
    "Choices",
    "FormQuestion",
    "PersonalColumn",
    "Pseudonym",
    "Recognised",
    "Tabled",
    "can_join",
    "join",
    "recognise",
    "with_checks",
    "with_maxima",
]
