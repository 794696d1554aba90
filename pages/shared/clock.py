"""Moments as the reader's own clock shows them."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import streamlit as st


def moment_text(moment: str) -> str:
    """A stored moment by this browser's clock: 14:05 today, else 12 May, 14:05, with its year where that is another."""
    zone = ZoneInfo(st.context.timezone) if st.context.timezone else None
    local = datetime.fromisoformat(moment).astimezone(zone)
    today = datetime.now(zone).date()
    if local.date() == today:
        return f"{local:%H:%M}"
    return f"{local.day} {local:%b}{'' if local.year == today.year else f' {local.year}'}, {local:%H:%M}"
