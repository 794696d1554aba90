"""The four figures of an exam's agreement, and whose marks they rest on."""

from __future__ import annotations

import streamlit as st

from components.widgets.figures import (
    count,
    lenient_short,
    lenient_text,
    percent,
    plain,
    qwk_value,
    share_text,
    signed,
    under_qwk,
)
from components.workflow.agreement.figures import ExamFigures


def tile(label: str, value: str, under: str, about: str = "") -> None:
    """A figure with a line of words under it."""
    with st.container(border=True, height="stretch", gap=None):
        st.metric(label, value, help=about or None)
        st.caption(under)


def show_tiles(figures: ExamFigures) -> None:
    overall = figures.overall
    agreement = overall.agreement
    with st.grid(4, min_column_width=140):
        method = "Pooled over the questions" if agreement.headline == "pooled" else "Mean over the questions, by marks"
        tile(
            "QWK",
            qwk_value(agreement.qwk),
            under_qwk(agreement.qwk, agreement.n),
            f"Quadratic weighted kappa: 1 is perfect, 0 is chance. {method}. {agreement.qwk.note}",
        )
        tile("Exactly the same", percent(agreement.exact), share_text(agreement.exact))
        tile("Within tolerance", percent(agreement.within), share_text(agreement.within), "Each question's own.")
        tile("Mean difference", signed(overall.mean_signed), lenient_short(overall.mean_signed), "AI − teacher.")
    st.caption(basis_text(figures))
    for part in figures.by_judge:
        st.markdown(
            f"- {plain(part.judges[0])} alone, {count(len(part.questions), 'question')}: "
            f"{part.agreement.sentence} {lenient_text(part.mean_signed)}"
        )


def basis_text(figures: ExamFigures) -> str:
    """Whose marks the figures rest on."""
    kinds = [(figures.blind_pairs, "blind"), (figures.imported_pairs, "imported")]
    made = " and ".join(f"{n:,} {kind}" for n, kind in kinds if n)
    parts = figures.by_judge or (figures.overall,)
    whose = "; ".join(
        f"{plain(part.judges[0])} on {count(len(part.questions), 'question')}" for part in parts if part.judges
    )
    return f"Teachers' marks: {made}. AI marks: {whose}."
