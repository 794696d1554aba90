"""The mark scheme in the editor: points with their groups, levels, keys, free text, and how it will be seen."""

from __future__ import annotations

import streamlit as st

from components.marking import QuestionType
from components.widgets.author import show_scheme
from components.widgets.figures import plain
from components.workflow.exam_setup import QuestionBody
from components.workflow.exam_setup.body import ChoiceBody, GroupBody, NumericBody, PointBody, new_id
from pages.department.exam_setup_fields import Editor
from pages.department.exam_setup_levels import add_levels, show_levels
from pages.department.scheme_reading import reading_button

CHOICES = (QuestionType.SINGLE_CHOICE, QuestionType.MULTIPLE_CHOICE)
RULES = {"ours": "Ours: marks as set here", "published": "GAOKAO-Bench: half for a part, letters wherever they stand"}
CODES = "M1 A1 B1 dM1 MP1 … as your board writes them."


def show_scheme_fields(editor: Editor) -> None:
    """Every part of the scheme that fits the question's type or has something in it, then the whole as it is seen."""
    body, kind = editor.body, editor.body.type
    st.header("Mark scheme")
    if editor.may:
        reading_button(editor.store, editor.marker, editor.opened.exam_id, editor.opened.thread, editor.key("reading"))
    left, right = st.columns([3, 2])
    with left:
        editor.reasons("scheme")
        if kind in CHOICES or body.choice != ChoiceBody():
            _choice(editor)
        if kind == QuestionType.NUMERIC or body.numeric != NumericBody():
            _numeric(editor)
        for place, point in enumerate(body.points):
            _point(editor, place, point)
        for group in body.groups:
            _group(editor, group)
        for objective in body.objectives:
            show_levels(editor, objective)
        with st.container(horizontal=True):
            editor.button("Add a point", "add_point", _add_point, icon=":material/add:")
            editor.button(
                "Add a group",
                "add_group",
                _add_group,
                icon=":material/add:",
                help="Points that together give at most so many marks: “any three from”, or alternatives.",
            )
            editor.button("Add levels", "add_levels", add_levels, icon=":material/add:")
        editor.area("scheme_text", "Scheme in words: indicative content, general guidance", height=120)
        editor.area(
            "note",
            "Note to the judge",
            height=80,
            placeholder="Accept “speed” for “velocity” here.",
            help="What a language model should know when it marks this question.",
        )
    with right, st.container(border=True):
        st.caption("As it will be seen")
        scheme = editor.opened.checked.scheme
        if scheme is not None:
            show_scheme(scheme, "")
        else:
            st.caption("It is shown here once nothing is missing any more.")


def _point(editor: Editor, place: int, point: PointBody) -> None:
    path, body = f"points.{point.id}", editor.body
    with st.container(border=True, key=editor.key(f"box_{point.id}")):
        code, marks, group = st.columns([2, 2, 3])
        with code:
            editor.text(f"{path}.code", "Code", max_chars=40, help=CODES)
        with marks:
            editor.number(f"{path}.marks", "Marks", step=body.mark_step)
        with group:
            names = {"": "No group", **{each.code: _group_name(each) for each in body.groups if each.code}}
            editor.choice(f"{path}.group", "Group", list(names), format_func=lambda each: names.get(each, each))
        editor.area(f"{path}.text", "What earns it", height=68)
        editor.reasons(path)
        others = [each.code for each in (*body.points, *body.groups) if each.code and each.id != point.id]
        said = [
            name
            for name, given in (("accept", point.accept), ("reject", point.reject), ("needs", point.needs))
            if given
        ]
        with st.expander(
            "Accept, reject, depends on" + (f" ({', '.join(said)})" if said else ""), key=editor.key(f"more_{point.id}")
        ):
            editor.area(f"{path}.accept", "Accept: one wording a line", height=90)
            editor.area(f"{path}.reject", "Do not accept: one wording a line", height=90)
            editor.several(f"{path}.needs", "Only where these are given too", others)
            editor.tick(f"{path}.follow_through", "Follow through (ft)")
        with st.container(horizontal=True):
            editor.button(
                "Up", f"up_{point.id}", lambda body: _move(body, point.id, -1), disabled=place == 0, type="tertiary"
            )
            editor.button(
                "Down",
                f"down_{point.id}",
                lambda body: _move(body, point.id, 1),
                disabled=place == len(body.points) - 1,
                type="tertiary",
            )
            editor.button(
                "Alternative to this",
                f"or_{point.id}",
                lambda body: _alternative(body, point.id),
                type="tertiary",
                help="Another way to the same marks: both go into a group that gives them once.",
            )
            editor.button("Delete", f"delete_{point.id}", lambda body: _delete_point(body, point.id), type="tertiary")


def _group(editor: Editor, group: GroupBody) -> None:
    path = f"groups.{group.id}"
    with st.container(border=True, key=editor.key(f"box_{group.id}")):
        code, cap, text = st.columns([2, 2, 4])
        with code:
            editor.text(f"{path}.code", "Group", max_chars=40)
        with cap:
            editor.number(f"{path}.cap", "At most", step=editor.body.mark_step)
        with text:
            editor.text(f"{path}.text", "In words", placeholder="any three from", max_chars=300)
        editor.reasons(path)
        members = [point.code for point in editor.body.points if point.group == group.code and group.code]
        st.caption(f"Points in it: {plain(', '.join(members)) or 'none yet. Choose this group at a point.'}")
        editor.button("Delete", f"delete_{group.id}", lambda body: _delete_group(body, group.id), type="tertiary")


def _choice(editor: Editor) -> None:
    with st.container(border=True, key=editor.key("box_choice")):
        editor.area("choice.options", "Options, one a line", height=120, placeholder="A  the nucleus\nB  the ribosome")
        editor.text("choice.key", "Key", placeholder="B, or ACD, or B or C", max_chars=200)
        editor.text(
            "choice.each",
            "Keys of several sub-questions answered in one response",
            placeholder="B, D, A, C, A",
            max_chars=400,
            help="In place of the key. Each sub-question is worth an equal share of the marks.",
        )
        with st.expander("Part marks", key=editor.key("more_choice")):
            editor.number("choice.subset_marks", "Marks for a right selection that is incomplete", step=1.0)
            editor.area("choice.partial", "Marks for other selections, one a line", height=90, placeholder="AC 1")
            editor.choice("choice.rule", "Rule", list(RULES), format_func=lambda rule: RULES.get(rule, rule))
        editor.reasons("choice")


def _numeric(editor: Editor) -> None:
    with st.container(border=True, key=editor.key("box_numeric")):
        editor.area("numeric.correct", "Right answer; others as good, one a line", height=90, placeholder="9.8 m/s^2")
        first, second, third = st.columns(3)
        with first:
            editor.number("numeric.tolerance", "May differ by", format="%.10g")
        with second:
            editor.number(
                "numeric.relative_tolerance",
                "May differ by a share",
                format="%.10g",
                help="0.05 is 5% of the right answer.",
            )
        with third:
            editor.number("numeric.significant_figures", "Significant figures", min_value=1, step=1, format="%d")
        editor.tick("numeric.unit_required", "The unit must be given")
        editor.area("numeric.partial", "Marks for other answers, one a line", height=90, placeholder="98 1")
        editor.reasons("numeric")


def _group_name(group: GroupBody) -> str:
    return f"{group.code} (at most {group.cap or 0:g})"


def _add_point(body: QuestionBody) -> None:
    body.points = [*body.points, PointBody(id=new_id(), code=_free(body, "MP"))]


def _add_group(body: QuestionBody) -> None:
    body.groups = [*body.groups, GroupBody(id=new_id(), code=_free(body, "G"), text="any from")]


def _alternative(body: QuestionBody, point_id: str) -> None:
    """Another point beside this one, both in a group that gives the marks once."""
    place = next((at for at, each in enumerate(body.points) if each.id == point_id), None)
    if place is None:
        return
    point = body.points[place]
    if not point.group:
        group = GroupBody(id=new_id(), code=_free(body, "G"), text="either", cap=point.marks)
        body.groups = [*body.groups, group]
        point.group = group.code
    other = PointBody(id=new_id(), code=_free(body, "MP"), marks=point.marks, group=point.group)
    body.points = [*body.points[: place + 1], other, *body.points[place + 1 :]]


def _move(body: QuestionBody, point_id: str, by: int) -> None:
    points = list(body.points)
    place = next((at for at, each in enumerate(points) if each.id == point_id), None)
    if place is not None:
        points.insert(max(0, place + by), points.pop(place))
        body.points = points


def _delete_point(body: QuestionBody, point_id: str) -> None:
    gone = {each.code for each in body.points if each.id == point_id}
    body.points = [each for each in body.points if each.id != point_id]
    _no_longer_needed(body, gone)


def _delete_group(body: QuestionBody, group_id: str) -> None:
    gone = {each.code for each in body.groups if each.id == group_id}
    body.groups = [each for each in body.groups if each.id != group_id]
    for point in body.points:
        if point.group in gone:
            point.group = ""
    _no_longer_needed(body, gone)


def _no_longer_needed(body: QuestionBody, gone: set[str]) -> None:
    left = {each.code for each in (*body.points, *body.groups)}
    for point in body.points:
        point.needs = [need for need in point.needs if need not in gone or need in left]


def _free(body: QuestionBody, stem: str) -> str:
    taken = {each.code for each in (*body.points, *body.groups)}
    return next(code for n in range(1, len(taken) + 2) if (code := f"{stem}{n}") not in taken)
