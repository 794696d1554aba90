"""Sends what is being typed to the server after a pause, not only when the box is left."""

from __future__ import annotations

import streamlit as st

_COMPONENT = st.components.v2.component(
    "second_marker_keep_typing",
    html="<span></span>",
    js="""
const PAUSE = 700

// Ctrl+Enter in a text area, Enter in a line: by these Streamlit takes what a box holds while the box keeps the focus.
function hand(box) {
  const enter = { key: "Enter", code: "Enter", keyCode: 13, bubbles: true, cancelable: true }
  box.dispatchEvent(new KeyboardEvent("keydown", { ...enter, ctrlKey: box.tagName === "TEXTAREA" }))
}

export default function () {
  let timer, box
  const now = () => {
    clearTimeout(timer)
    if (box?.isConnected) hand(box)
    box = undefined
  }
  // What was typed in the last moment is on its way but not there: the browser asks whether to leave all the same.
  const leaving = event => {
    if (!box?.isConnected) return
    now()
    event.preventDefault()
  }
  const typed = ({ target, isComposing }) => {
    const line = target.tagName === "INPUT" && target.type === "text" && !target.getAttribute("role")
    if (isComposing || !(line || target.tagName === "TEXTAREA")) return
    if (!target.closest("[data-testid=stTextInput], [data-testid=stTextArea]")) return
    box = target
    clearTimeout(timer)
    timer = setTimeout(now, PAUSE)
  }
  document.addEventListener("input", typed, true)
  document.addEventListener("compositionend", typed, true)
  document.addEventListener("visibilitychange", now)
  addEventListener("beforeunload", leaving)
  return () => {
    now()
    document.removeEventListener("input", typed, true)
    document.removeEventListener("compositionend", typed, true)
    document.removeEventListener("visibilitychange", now)
    removeEventListener("beforeunload", leaving)
  }
}
""",
)


def keep_typing(key: str) -> None:
    """Watch the text boxes of the page that this stands on. It shows nothing itself."""
    _COMPONENT(key=key, height="content")
