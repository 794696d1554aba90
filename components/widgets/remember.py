"""Keeps the chosen profile in this browser tab, so that reloading the page does not ask again."""

from __future__ import annotations

import streamlit as st

_COMPONENT = st.components.v2.component(
    "second_marker_remember",
    html="<span></span>",
    js="""
const NAME = "second-marker-profile"

export default function ({ data, setTriggerValue }) {
  try {
    if (data.profile !== null) sessionStorage.setItem(NAME, String(data.profile))
    else if (sessionStorage.getItem(NAME)) setTriggerValue("recalled", Number(sessionStorage.getItem(NAME)))
  } catch { /* a browser without storage asks again after a reload */ }
}
""",
)


def remember_profile(profile: int | None) -> int | None:
    """Keep `profile` in the tab; where it is None, gives the one the tab last kept, once the browser has said so."""
    result = _COMPONENT(
        key="remembered_profile", data={"profile": profile}, height="content", on_recalled_change=lambda: None
    )
    recalled = getattr(result, "recalled", None)
    return recalled if isinstance(recalled, int) else None
