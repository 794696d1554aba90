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
    if (data.profile) sessionStorage.setItem(NAME, data.profile)
    else if (sessionStorage.getItem(NAME)) setTriggerValue("recalled", sessionStorage.getItem(NAME))
  } catch { /* a browser without storage asks again after a reload */ }
}
""",
)


def remember_profile(token: str) -> str:
    """Keep a profile's token in the tab; where it is "", gives the one the tab kept, once the browser has said so."""
    result = _COMPONENT(
        key="remembered_profile", data={"profile": token}, height="content", on_recalled_change=lambda: None
    )
    recalled = getattr(result, "recalled", None)
    return recalled if isinstance(recalled, str) else ""
