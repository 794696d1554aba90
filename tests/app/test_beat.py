"""A page that draws itself again loses no press."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from pages.shared.beat import draw_again

    @st.fragment(run_every=1)
    def watch() -> None:
        st.caption("watching")
        draw_again()

    watch()
    if st.button("Import"):
        st.success("Imported")


def test_a_press_below_a_job_that_has_just_ended_is_not_lost() -> None:
    at = AppTest.from_function(_page).run()
    at.button[0].click().run()
    assert [said.value for said in at.success] == ["Imported"]
    assert [said.value for said in at.caption] == ["watching"]
