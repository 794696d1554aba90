"""What every page needs and a server has once: the store, the judges' connections, the background worker."""

from __future__ import annotations

import gc
from dataclasses import dataclass

import streamlit as st

from components.workflow import demo
from components.workflow.connections import Connections
from components.workflow.worker import Worker
from storage import Store, open_store


@dataclass(frozen=True)
class Services:
    store: Store
    connections: Connections
    worker: Worker


@st.cache_resource(show_spinner="Opening the marking desk …", on_release=lambda services: services.worker.stop())
def services() -> Services:
    """The server's services, made at the first visit: on a fresh data folder that installs the demo exam."""
    store = open_store()
    demo.install_if_fresh(store)
    connections = Connections.from_environment(store)
    worker = Worker(store, connections)
    worker.start()
    # What is loaded by now stays for good; leaving it out of every later collection keeps those short.
    gc.collect()
    gc.freeze()
    return Services(store, connections, worker)
