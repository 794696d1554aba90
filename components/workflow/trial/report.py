"""A trial's report, as Medly's paper prints it: figures, verdict and sections from the trial's marks alone."""

from __future__ import annotations

from dataclasses import dataclass

from components.workflow.agreement.tables import Table
from components.workflow.trial.data import TrialData
from components.workflow.trial.report_absent import absent_section
from components.workflow.trial.report_alike import arms_section, criteria_section, repeats_section, shots_section
from components.workflow.trial.report_apart import hand_section, questions_section
from components.workflow.trial.report_bias_cost import bias_section, cost_section
from components.workflow.trial.report_figures import TrialFigures, trial_figures
from components.workflow.trial.report_html import trial_html
from components.workflow.trial.report_sections import (
    judges_section,
    subjects_section,
    unmarked_section,
    verdict_section,
)
from components.workflow.trial.report_shapes import Section
from components.workflow.trial.report_tables import trial_tables, trial_zip
from components.workflow.trial.report_verdict import TrialVerdict, trial_verdict


@dataclass(frozen=True)
class TrialReport:
    """All there is to say about a trial. `sections` come in the order in which a reader wants them; what the trial
    cannot compare (no handwriting, no repeats) is said in one of them."""

    figures: TrialFigures
    verdict: TrialVerdict
    sections: tuple[Section, ...]

    def html(self) -> bytes:
        """One file that opens in any browser and prints."""
        printed = tuple(
            questions_section(self.figures, letters=True) if each.key == "questions" else each for each in self.sections
        )
        return trial_html(self.figures, printed).encode()

    def zip(self) -> bytes:
        """Every table as CSV."""
        return trial_zip(self.figures, self.verdict)

    def tables(self) -> tuple[Table, ...]:
        return trial_tables(self.figures, self.verdict)


def trial_report(data: TrialData) -> TrialReport:
    """The report. Raises ValueError naming a mark that is off its question's scale."""
    figures = trial_figures(data)
    verdict = trial_verdict(figures)
    if not data.marked:
        alone = (unmarked_section(figures, verdict), repeats_section(figures), arms_section(figures))
        return TrialReport(figures, verdict, tuple(each for each in alone if each is not None))
    made = (
        verdict_section(figures, verdict),
        subjects_section(figures),
        judges_section(figures),
        bias_section(figures),
        cost_section(figures),
        hand_section(figures),
        questions_section(figures),
        criteria_section(figures),
        shots_section(figures),
        repeats_section(figures),
        arms_section(figures),
    )
    sections = tuple(each for each in made if each is not None)
    absent = absent_section(figures, sections)
    return TrialReport(figures, verdict, sections if absent is None else (*sections, absent))
