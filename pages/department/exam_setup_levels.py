"""Levels of response in the editor: the bands of each assessment objective."""

from __future__ import annotations

import streamlit as st

from components.widgets.figures import plain
from components.workflow.exam_setup import QuestionBody
from components.workflow.exam_setup.body import LevelBody, ObjectiveBody, new_id
from pages.department.exam_setup_fields import Editor


def show_levels(editor: Editor, objective: ObjectiveBody) -> None:
    """One set of levels, the highest first, as boards print them."""
    path = f"objectives.{objective.id}"
    with st.container(border=True, key=editor.key(f"box_{objective.id}")):
        code, name = st.columns([1, 3])
        with code:
            editor.text(f"{path}.code", "Objective", max_chars=40, placeholder="AO1")
        with name:
            editor.text(f"{path}.name", "Its name", max_chars=200)
        editor.reasons(path)
        for level in sorted(objective.levels, key=lambda each: -(each.level or 0)):
            _level(editor, path, objective.id, level)
        with st.container(horizontal=True):
            editor.button("Add a level", f"level_{objective.id}", lambda body: _add_level(body, objective.id))
            editor.button(
                f"Delete {plain(objective.code) or 'these levels'}",
                f"delete_{objective.id}",
                lambda body: _delete(body, objective.id),
                type="tertiary",
            )


def _level(editor: Editor, path: str, objective_id: str, level: LevelBody) -> None:
    here = f"{path}.levels.{level.id}"
    first, second, third = st.columns(3)
    with first:
        editor.number(f"{here}.level", "Level", min_value=0, step=1, format="%d")
    with second:
        editor.number(f"{here}.low", "From", step=editor.body.mark_step)
    with third:
        editor.number(f"{here}.high", "To", step=editor.body.mark_step)
    editor.area(f"{here}.descriptor", "Descriptor", height=90)
    editor.button(
        f"Delete level {level.level or ''}".rstrip(),
        f"delete_{level.id}",
        lambda body: _delete_level(body, objective_id, level.id),
        type="tertiary",
    )


def add_levels(body: QuestionBody) -> None:
    """A new set of levels: three equal bands of what the question is out of, where that can be shared out."""
    taken = {each.code for each in body.objectives}
    code = next(name for n in range(1, len(taken) + 2) if (name := f"AO{n}") not in taken)
    most = body.max_mark or 0
    width = most / 3
    levels = []
    if most >= 3 * body.mark_step and (width / body.mark_step).is_integer() and not body.objectives:
        for n in range(1, 4):
            low = (n - 1) * width + body.mark_step
            levels.append(LevelBody(id=new_id(), level=n, low=low, high=n * width))
    else:
        levels.append(LevelBody(id=new_id(), level=1, low=body.mark_step))
    body.objectives = [*body.objectives, ObjectiveBody(id=new_id(), code=code, levels=levels)]


def _add_level(body: QuestionBody, objective_id: str) -> None:
    for objective in body.objectives:
        if objective.id == objective_id:
            number = max((each.level or 0 for each in objective.levels), default=0) + 1
            top = max((each.high or 0 for each in objective.levels), default=0)
            new = LevelBody(id=new_id(), level=number, low=top + body.mark_step)
            objective.levels = [*objective.levels, new]


def _delete_level(body: QuestionBody, objective_id: str, level_id: str) -> None:
    for objective in body.objectives:
        if objective.id == objective_id:
            objective.levels = [each for each in objective.levels if each.id != level_id]


def _delete(body: QuestionBody, objective_id: str) -> None:
    body.objectives = [each for each in body.objectives if each.id != objective_id]
