"""The most that a run, a trial or a sitting may spend: chosen before it starts, and raised where it has ended it."""

from __future__ import annotations

import streamlit as st

from components.widgets.figures import plain

LEAST, STEP, CENTS = 0.01, 1.0, "%.2f"  # US dollars
TOO_LOW = "A spending cap is an amount above 0."


def choose_cap(key: str, told: str, width: int = 300) -> float | None:
    """The box for a cap in US dollars; None where it is left empty. `told` says what happens when it is reached."""
    cap: float | None = st.number_input(
        "Spending cap in US dollars",
        min_value=LEAST,
        value=None,
        step=STEP,
        format=CENTS,
        placeholder="no cap",
        key=key,
        width=width,
        help=told,
    )
    return cap


def say_of_cap(doubt: str, refused: str) -> None:
    """That the cap will not do, and why the last press on Start was refused; each may be empty.

    To be called after the button that starts. A cap is taken in as its box is left, often by that very press: what then
    came or went above the button would move it from under the pointer, and the press would be lost.
    """
    if doubt:
        st.warning(plain(doubt))
    if refused:
        st.error(plain(refused))


def above_cap(price: float | None, cap: float | None, then: str) -> str:
    """That the estimate is above the cap, and what `then` happens; "" where it is not, or either is not known."""
    if price is None or cap is None or price <= cap:
        return ""
    return f"The estimate is above the cap of ${cap:,.2f}: {then}"


def choose_new_cap(key: str, ended_at: float | None) -> None:
    """The box for a higher cap in place of the one that ended it, twice that unless changed; kept under `key`."""
    st.number_input(
        "New cap in US dollars",
        min_value=LEAST,
        value=max(LEAST, 2 * (ended_at or 0)),
        step=STEP,
        format=CENTS,
        key=key,
        width=220,
    )
