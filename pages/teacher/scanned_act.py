"""Doing what a button on the scanned class's part asks for, and keeping what went wrong for the page's next draw."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable

import streamlit as st

from components.intake.page_regions import ScanFault
from storage.connect import in_words

PROBLEM = "scan_problem"
log = logging.getLogger("second_marker")


def attempt(act: Callable[[], None]) -> bool:
    """Whether it was done. Where not, the page says why."""
    try:
        act()
    except ScanFault as fault:
        st.session_state[PROBLEM] = str(fault)
    except sqlite3.Error as error:
        log.exception("The database could not do what a scan needed.")
        st.session_state[PROBLEM] = f"Nothing was changed. {in_words(error)}"
    except OSError as error:
        log.exception("A scan's file could not be kept.")
        st.session_state[PROBLEM] = (
            f"The data folder could not take the file ({error.strerror}). Free some space on the disk, then try again."
        )
    else:
        return True
    return False
