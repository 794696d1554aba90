"""How the agreement page's figures are measured, for who wants to know."""

from __future__ import annotations

import streamlit as st

HOW = """
- **Pair**: an AI's and a teacher's mark on the same response. Agreement counts a teacher's latest *blind* mark (no
  proposal shown) or *imported* mark. Where two teachers marked a response, the later mark counts. A blind mark undone
  after its reveal still counts. “No response” makes no pair.
- **Blind and visible are never pooled.** Marks given with the proposal in view make the accept rate alone, in a box of
  its own. A mark revised after a blind mark's reveal counts in neither; the blind mark stays in agreement.
- **Judge**: the one whose proposals stand on the marking page, unless a filter names another. Objective questions are
  marked by calculation, the others by the judge chosen for the exam.
- **QWK**, quadratic weighted kappa: agreement beyond chance, where a difference of two marks weighs four times as much
  as one mark. 1 is perfect, 0 is chance. While the median question has under 20 pairs the exam's QWK is pooled over the
  questions; later it is the mean of the questions' QWK, weighted by their marks.
- **Few pairs**: under 10 pairs no QWK is shown, under 30 it is provisional; where all marks are identical it cannot be
  measured. A group of candidates is compared from 20 responses on.
- **Two teachers**: QWK of two teachers on the responses that both have marked without seeing the AI's mark: what may
  be expected of a second marker.
- **Within tolerance**: no further apart than the question allows two markers to be.
- **Mean difference**: AI − teacher, in marks. Above 0 the AI is lenient, below 0 it is severe. By how good a response
  is, it is told by the mean of both marks: by the teacher's alone even a fair AI would look severe on the best.
- **Likely** ranges and lines are 95% intervals: Wilson's for shares, the delta method's for one question's QWK, t for
  mean differences, over questions for the exam's.
- **Limits of agreement** (Bland and Altman): the mean difference ± 1.96 SD; 95 of 100 differences lie between.
- **Over time** the band is wider than a 95% interval (anytime-valid): it holds however often you look, so marking may
  stop once it is narrow enough. A **CUSUM** adds up by how much the AI differs from what it did on the first 100 blind
  marks; past its limit, the AI has become more lenient or more severe.
- **The judge's confidence**: marks are taken from the surest down, and at each step it is counted how many of them are
  outside tolerance (coverage–error curve).
- **The pull of the AI's mark** (anchoring): exact agreement with the proposal in view less that of blind marks, on the
  questions that have both, with Newcombe's interval.
- **Groups** (fairness): each response's difference divided by the SD of teachers' marks on its question; the mean of a
  group's candidates less that of all others, with an interval over candidates and, for the many groups looked at,
  Holm's correction.
- **Many questions** are looked at at once. Where the page says that a direction is no noise, that is allowed for.
"""


def explain() -> None:
    with st.expander("How these are measured"):
        st.markdown(HOW)
