"""Which columns of a table say who a candidate is, and the numbers that stand in for names."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from components.intake.columns import has_email, plain_heading
from components.intake.tables import Table

Kind = Literal["number", "name", "first name", "surname", "e-mail", "other"]

_WHO = r"(?:candidate|student|pupil|learner|examinee|participant|respondent|user)(?: s)?"
_ID = r"(?:number|no|id|num|code|ref|nr)"
# Surest first: where two columns could hold the number, the one of the earlier pattern does.
_NUMBERS = (
    rf"candidates?(?: s)? {_ID}|exam(?:ination)? {_ID}|anonym(?:ous|ised) {_ID}|考生编?号|准考证号|考号",
    rf"(?:student|pupil|learner|examinee|participant)(?: s)? {_ID}|id number|upn|学号|学生编?号",
    r"sis id|sid|sis user id|integration id",
    r"candidates?|考生",
    rf"{_ID}|(?:user|respondent|script|canvas) {_ID}|编号|序号",
    r"students?|pupils?|learners?|学生",
)
_OTHERS = (
    r"user ?names?|log ?in(?: id)?|sis log ?in id|ip(?: address)?|phone(?: number)?|mobile|telephone|address|post ?code"
    r"|dob|date of birth|birth ?day|nick ?name|uln|(?:mothers?|fathers?|parents?|guardians?)(?: s)?(?: .*)?"
    r"|手机号?|电话|身份证号?|出生日期"
)
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("e-mail", r"(?:.* )?e ?mails?(?: .*)?|(?:电子)?邮(?:箱|件)(?:地址)?"),
    ("first name", rf"(?:{_WHO} )?(?:(?:first|given|fore|preferred|middle) ?names?)|first|名"),
    ("surname", rf"(?:{_WHO} )?(?:(?:last|family|sur) ?names?)|last|姓"),
    ("name", rf"(?:(?:{_WHO}|full|legal|display|your|last first) )*names?|(?:考生|学生|您的|你的)?(?:姓名|名字)"),
    ("other", _OTHERS),
)
_NAME = re.compile(r"[^\W\d_]+(?:['’.\-][^\W\d_]*)*,?(?: [^\W\d_]+(?:['’.\-][^\W\d_]*)*)+")
_HAN_NAME = re.compile(r"[\u4e00-\u9fff]{2,4}")
_SAMPLE = 200
_NOBODY = frozenset({"", "anonymous", "anonymous user", "n/a", "-", "匿名"})
RUNNING_WIDTH = 4


@dataclass(frozen=True)
class PersonalColumn:
    """A column that says who somebody is. `is_number`: it gives the candidate numbers and so stays in the table."""

    column: str
    kind: Kind
    is_number: bool = False


@dataclass(frozen=True)
class Pseudonym:
    """Who stands behind a candidate number. `other` holds further cells by column, such as a second number."""

    number: str
    name: str
    email: str
    other: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class People:
    """The places of the columns that say who a candidate is. `spare` are further numbers, which are not used."""

    number: int | None
    first: int | None = None
    surname: int | None = None
    name: int | None = None
    email: int | None = None
    other: tuple[int, ...] = ()
    spare: tuple[int, ...] = ()

    def personal(self) -> tuple[int, ...]:
        """The places that may not stay in the table, in the order of the table."""
        known = (self.first, self.surname, self.name, self.email)
        return tuple(sorted({*(place for place in known if place is not None), *self.other}))

    def all(self) -> frozenset[int]:
        number = set() if self.number is None else {self.number}
        return frozenset({*self.personal(), *self.spare, *number})

    def person(self, cells: Sequence[str]) -> tuple[str, str]:
        """A row's name, of one column or of two, and e-mail address; blank where there is none or it is anonymous."""
        parts = [_cell(cells, self.first), _cell(cells, self.surname)]
        name = " ".join(part for part in parts if part) or _cell(cells, self.name)
        return name, _cell(cells, self.email)


def find_people(table: Table, taken: Iterable[int] = ()) -> People:
    """The columns by their headings and values; a column of names or addresses never gives the number."""
    skip = set(taken)
    plain = [plain_heading(column) for column in table.columns]
    kinds: dict[Kind, list[int]] = {}
    for place, heading in enumerate(plain):
        kind = None if place in skip else _kind(heading)
        if kind is not None:
            kinds.setdefault(kind, []).append(place)
    named = {place for places in kinds.values() for place in places}
    numbers: list[int] = []
    for pattern in _NUMBERS:
        for place, heading in enumerate(plain):
            if place in skip | named or not re.fullmatch(pattern, heading):
                continue
            values = [row[place] for row in table.rows[:_SAMPLE] if row[place].strip()]
            if values and holds_addresses(table, place):
                kinds.setdefault("e-mail", []).append(place)
            elif look_like_names(values):
                kinds.setdefault("name", []).append(place)
            else:
                numbers.append(place)
            named.add(place)
    first = {kind: places[0] for kind, places in kinds.items()}
    used = {first[kind] for kind in first if kind != "other"}
    filled = [place for place in numbers if any(row[place].strip() for row in table.rows)]
    number = filled[0] if filled else None
    return People(
        number=number,
        first=first.get("first name"),
        surname=first.get("surname"),
        name=first.get("name"),
        email=first.get("e-mail"),
        other=tuple(sorted(named - used - set(numbers))),
        spare=tuple(sorted(set(numbers) - {number})),
    )


def names_a_person(heading: str) -> bool:
    """Whether a heading is one of a candidate's number, name or address."""
    plain = plain_heading(heading)
    return _kind(plain) is not None or any(re.fullmatch(pattern, plain) for pattern in _NUMBERS)


def personal_columns(table: Table, people: People, *, number_kept: bool) -> tuple[PersonalColumn, ...]:
    """The personal columns in words, in the order of the table; `number_kept`: its number column gives the numbers."""
    kinds: dict[int, Kind] = {**dict.fromkeys(people.other, "other"), **dict.fromkeys(people.spare, "number")}
    of_a_kind: tuple[tuple[Kind, int | None], ...] = (
        ("e-mail", people.email),
        ("name", people.name),
        ("surname", people.surname),
        ("first name", people.first),
        ("number", people.number),
    )
    for kind, place in of_a_kind:
        if place is not None:
            kinds[place] = kind
    return tuple(
        PersonalColumn(table.columns[place], kind, is_number=number_kept and place == people.number)
        for place, kind in sorted(kinds.items())
    )


def holds_addresses(table: Table, place: int) -> bool:
    """Whether most cells of a column are e-mail addresses, and not texts that hold one."""
    values = [row[place].strip() for row in table.rows[:_SAMPLE] if row[place].strip()]
    return bool(values) and 2 * sum(has_email(value) and " " not in value for value in values) >= len(values)


def look_like_names(values: Sequence[str]) -> bool:
    """Whether most of the values are people's names: “Ada Lovelace”, “Lovelace, Ada”, 王小明. “Student A” is none."""
    texts = [" ".join(value.split()) for value in values]
    texts = [text for text in texts if text]
    if not texts:
        return False
    if 5 * sum(_HAN_NAME.fullmatch(text) is not None for text in texts) >= 4 * len(texts):
        return True
    names = [text for text in texts if _NAME.fullmatch(text) and text.split()[0][0].isupper() and len(text) < 60]
    openings = {text.split()[0] for text in names}
    several = len(texts) == 1 or len(openings) > max(1, len(set(names)) // 3)
    return 5 * len(names) >= 4 * len(texts) and several


def running(place: int) -> str:
    """The running number of the candidate at a place, from 0: 0001, 0002…"""
    return f"{place + 1:0{RUNNING_WIDTH}d}"


def names_apart(people: Sequence[tuple[Hashable, str, str]]) -> list[str]:
    """The names as candidate numbers, of (who it is, name, what else is known of them) a row.

    Where several people have one name, what else is known follows it in brackets.
    """
    who: dict[str, set[Hashable]] = {}
    written: dict[Hashable, str] = {}
    for key, name, _ in people:
        who.setdefault(name.casefold(), set()).add(key)
        written.setdefault(key, name)
    return [
        f"{written[key]} ({known})" if known and len(who[name.casefold()]) > 1 else written[key]
        for key, name, known in people
    ]


def suspected_width(numbers: Iterable[str]) -> int | None:
    """The width that candidate numbers may have had before a spreadsheet ate their leading zeros; else None.

    Suspected where numbers of digits differ in width, none begins with 0, and they do not just count 1, 2, 3….
    """
    distinct = set(numbers)
    if not distinct or not all(number.isascii() and number.isdigit() for number in distinct):
        return None
    widths = {len(number) for number in distinct}
    width = max(widths)
    if len(widths) == 1 or width < 3 or width > 12 or any(number.startswith("0") for number in distinct):
        return None
    if max(map(int, distinct)) <= 2 * len(distinct) + 10 or (width > 4 and min(widths) < width - 2):
        return None
    return width


def _kind(heading: str) -> Kind | None:
    return next((kind for kind, pattern in _KINDS if re.fullmatch(pattern, heading)), None)


def _cell(cells: Sequence[str], place: int | None) -> str:
    if place is None:
        return ""
    text = " ".join(cells[place].replace("\u200b", "").replace("\ufeff", "").split())
    return "" if text.casefold() in _NOBODY else text
