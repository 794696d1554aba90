"""Benchmarks: load a published one, let a model sit it, and see what it knows and what shipped results say."""

import streamlit as st

from components.widgets.figures import count, plain
from pages.pilot.benchmarks_exams import LEFT_OUT
from pages.pilot.benchmarks_load import SHIPPED, load_panel, loaded_sets, shipped_section
from pages.pilot.benchmarks_sit import sit_panel
from pages.pilot.benchmarks_sittings import show_sitting, watch
from pages.shared import guard
from pages.shared.desk_services import services
from storage import benchmarks, sitting_progress, sittings

SHOWN = 10
MORE, NOTICE, PROBLEM = "benchmark_sittings_shown", "benchmark_notice", "benchmark_problem"

marker = guard.enter(guard.LEADS)
store, connections = services().store, services().connections
state = st.session_state


def show_more() -> None:
    state[MORE] = state.get(MORE, SHOWN) + SHOWN


st.title("Benchmarks")
st.caption(
    "A model that cannot sit the paper should not mark it. Let it sit GAOKAO-Bench, E-EVAL or M3KE here: what it knows "
    "of each subject then stands on its judge's card. Results that were shipped with GAOKAO-Bench are worked out again."
)
if notice := state.pop(NOTICE, ""):
    st.success(plain(notice))
    st.toast(plain(notice))  # what was pressed may be far down the page
if left_out := state.pop(LEFT_OUT, ""):
    st.warning(plain(left_out))
if problem := state.pop(PROBLEM, ""):
    st.error(plain(problem))
    st.toast(plain(problem), icon=":material/error:")
limit = state.get(MORE, SHOWN)
with store.read() as db:
    sets = benchmarks.listed(db)
    listed = sittings.listed(db, limit=limit + 1)
    states = {each.id: sitting_progress.state_of(db, each) for each in listed}
load_panel(store, marker, opened=not sets)
if not sets and not state.get(SHIPPED):
    st.info(
        "Get a benchmark's files from its authors (the README says where), then load their folder or ZIP above.",
        title="No benchmark yet",
    )
loaded_sets(store, sets)
shipped_section(store, marker)
if sets:
    sit_panel(store, connections, sets, marker)
    st.subheader("Sittings")
    if not listed:
        st.info("Choose a benchmark and a judge above, and see what it would take before you start.", title="None yet")
under_way = [each.id for each in listed[:limit] if states[each.id].active]
if under_way:
    watch(store, under_way)
for each in listed[:limit]:
    if each.id not in under_way:
        show_sitting(store, connections, each, states[each.id], marker)
if len(listed) > limit:
    st.button(f"Show older sittings ({count(limit, 'sitting')} shown)", on_click=show_more)
