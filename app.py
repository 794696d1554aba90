"""Second Marker: opens the store, signs the person in, builds the navigation."""

import logging

import streamlit as st

from pages.shared import guard
from pages.shared.desk_services import services
from pages.shared.press import forget_presses
from storage import StoreError

log = logging.getLogger("second_marker")
st.set_page_config(page_title="Second Marker", page_icon="assets/icon.png", layout="wide")

try:
    services()
except StoreError as error:
    st.error(str(error), title="The database cannot be opened")
    st.stop()

# Before the profile: its browser-side memory may answer at once, and the page asked for must be known by then.
page = st.navigation(guard.pages_for_role())
guard.choose_profile()
try:
    page.run()
except Exception:
    log.exception("A page met an error.")
    st.error(
        "Your marks are safe: each is stored the moment you give it. Reload the page; if this comes back, "
        "the person who runs this server finds the details in its log.",
        title="Something went wrong on this page",
    )
forget_presses()
