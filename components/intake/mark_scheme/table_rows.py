"""Rows of a mark scheme's table: which column is what, and the lines of a row's cells handed to the line reader."""

from __future__ import annotations

import re

from components.intake.mark_scheme import bands, numbering, wording
from components.intake.mark_scheme.building import RawGroup, RawLevel, RawPoint
from components.intake.mark_scheme.draft import SourceLine
from components.intake.mark_scheme.lines import read_line
from components.intake.mark_scheme.points import coded_points, coded_worth, split_point
from components.intake.mark_scheme.reading import Reading
from components.intake.mark_scheme.totals import alone_mark, total

_COLUMNS = {
    "question": r"questions?(?:\s+(?:number|no\.?))?|q\.?|qu\.?|qn\.?|no\.?|number|part|item|题号|序号|小题",
    "marks": r"marks?(?:\s+available)?|mks?|total(?:\s+marks?)?|max(?:imum)?(?:\s+marks?)?|分值|分数|得分|满分",
    "level": r"levels?|bands?|等级|等次|层次",
    "descriptor": r"descriptors?|descriptions?|level\s+descriptors?|performance|等级描述|描述",
    "partial": r"partial\s+(?:marks?|credit)",
    "accept": r"(?:also\s+)?(?:accept|allow)(?:able)?(?:\s+answers?)?|accept/allow|condone",
    "reject": r"reject|do\s+not\s+(?:accept|allow|credit)|don['’]t\s+accept|not",
    "ignore": r"ignore|disregard",
    "ao": r"aos?\b.{0,20}|assessment\s+objectives?",
    "indicative": r"indicative\s+content",
    "guidance": r"(?:additional\s+|extra\s+|examiner['’]?s?\s+|marking\s+)?(?:guidance|notes?|comments?|information)"
    r"|评分说明|说明|备注",
    "answer": r"(?:expected\s+|model\s+|correct\s+|acceptable\s+|sample\s+)?(?:answers?|responses?|solutions?)"
    r"|key\s+ideas?|working|(?:marking\s+|mark\s+)?(?:points?|scheme)|scheme|content|参考答案|答案|评分标准|得分点|答案要点|要点|答案(?:与|及)评分标准",
}
_WORTH = re.compile(
    r"[(\[（]?\s*(?:max\.?\s*)?(\d{1,3}(?:\.\d{1,2})?)\s*(?:marks?|m|分)?\s*(?:max\.?)?\s*[)\]）]?", re.I
)
_PATTERNS = {role: re.compile(rf"^(?:{names})\s*:?$", re.I) for role, names in _COLUMNS.items()}


def roles_of(cells: tuple[str, ...]) -> dict[int, str] | None:
    """The role of each column where the row is a heading row, None where it is not."""
    roles: dict[int, str] = {}
    for place, cell in enumerate(cells):
        plain = re.sub(r"\*\*|\s+", lambda found: " " if found[0].isspace() else "", cell).strip()
        role = next((role for role, pattern in _PATTERNS.items() if pattern.match(plain)), None)
        if (role is None and bands.objective(plain)) or (role is None and re.fullmatch(r"AO\s?\d", plain)):
            role = "objective"
        if role:
            roles[place] = role
    known = set(roles.values())
    useful = known & {"answer", "descriptor", "indicative", "objective", "guidance"}
    return roles if len(roles) >= 2 and useful and known & {"question", "marks", "level", "answer"} else None


class TableReader:
    """Reads the rows of one table after another."""

    def __init__(self, reader: Reading) -> None:
        self._reader = reader
        self._roles: dict[int, str] | None = None
        self._heads: tuple[str, ...] = ()

    def end(self) -> None:
        self._roles = None

    def row(self, line: SourceLine) -> bool:
        """Whether the row was understood, as a heading row or under one."""
        if all(re.fullmatch(r"\s*:?-*:?\s*", cell) for cell in line.cells):
            return self._roles is not None
        roles = roles_of(line.cells)
        if roles is not None:
            self._roles, self._heads = roles, line.cells
            self._reader.close()
            return True
        if self._roles is None:
            return False
        cells: dict[str, str] = {}
        for place, cell in enumerate(line.cells):
            role = self._roles.get(place)
            # Bullets often stand in one line of a cell.
            words = re.sub(r"\s+([•●▪◦])\s*", r"\n\1 ", cell.strip())
            if role and words:
                cells[role] = f"{cells[role]}\n{words}" if role in cells else words
        if "level" in self._roles.values() or "descriptor" in self._roles.values():
            return self._level_row(line, cells)
        return self._point_row(line, cells)

    def _level_row(self, line: SourceLine, cells: dict[str, str]) -> bool:
        now = self._reader.now
        head = cells.get("level", "")
        named = re.search(r"\d{1,2}", head)
        marks = bands.cell_range(cells.get("marks", ""))
        inside = re.search(wording.RANGE, head[named.end() :]) if named else None
        if marks is None and inside:
            marks = float(inside[1]), float(inside[2])
        alone = bands.band(head)
        if marks is None and alone and alone.low is not None and alone.high is not None:
            marks = alone.low, alone.high
        ranged = bands.cell_range(head)
        level = int(named[0]) if named else 0
        if marks is None and ranged:
            marks, level = ranged, 0
        if marks is None:
            return False
        columns = [
            (bands.objective(self._heads[place]) or (self._heads[place].strip().upper(), ""), line.cells[place])
            for place, role in (self._roles or {}).items()
            if role == "objective" and place < len(line.cells)
        ] or [((now.objective or bands.DEFAULT_OBJECTIVE, ""), cells.get("descriptor") or cells.get("answer", ""))]
        for (objective, name), descriptor in columns:
            if name:
                now.names[objective] = name
            if objective != bands.DEFAULT_OBJECTIVE:
                now.aos.append(objective)
            text = "\n".join(wording.unbulleted(piece)[1] for piece in descriptor.split("\n"))
            now.levels.append(RawLevel(objective, level, *marks, text, lines=[line.number]))
        now.lines.append(line.number)
        return True

    def _point_row(self, line: SourceLine, cells: dict[str, str]) -> bool:
        reader = self._reader
        if self._sum_row(line.number, cells):
            return True
        place = numbering.cell_place(cells["question"], reader.place) if "question" in cells else None
        if place is not None:
            reader.open(place)
        elif "question" in cells:
            return False
        now = reader.now
        now.lines.append(line.number)
        now.aos.extend(bands.objectives_in(cells.get("ao", "")))
        before = len(now.points)
        reader.after_blank = False
        indicative = [wording.tidy(wording.unbulleted(piece)[1]) for piece in cells.get("indicative", "").split("\n")]
        now.indicative.extend(piece for piece in indicative if piece)
        marks = cells.get("marks", "")
        codes = [code for piece in marks.split("\n") for code in wording.leading_codes(piece.strip())[0]]
        worth = _WORTH.fullmatch(marks)
        written = cells.get("guidance", "")
        beside = [point for piece in written.split("\n") for point in coded_points(piece)]
        whole = worth is None or sum(coded_worth(point) for point in beside) == float(worth[1])
        if self._band_row(line.number, cells):
            return True
        if codes:
            self._coded(line.number, cells.get("answer", ""), codes)
        elif beside and whole and not any(coded_points(piece) for piece in cells.get("answer", "").split("\n")):
            if cells.get("answer"):
                now.guidance.append(f"Answer: {wording.tidy(cells['answer'])}")
        else:
            self._answers(line.number, cells.get("answer", ""))
        made = now.points[before:]
        if worth:
            now.rows.append(float(worth[1]))
            self._share(made, float(worth[1]))
            if beside and not whole:
                cells = {**cells, "partial": cells.pop("guidance")}
            self._partial(line.number, cells.get("partial", ""), made, float(worth[1]))
        self._remarks(line.number, cells, made, bool(codes))
        reader.close()
        return True

    def _sum_row(self, number: int, cells: dict[str, str]) -> bool:
        """A row that only sums up: "Total | 5", "(4 marks)"."""
        head = cells.get("question", cells.get("answer", ""))
        said = total(" ".join([head, cells.get("marks", "")]).strip()) if head else None
        alone = alone_mark(head) if list(cells) == ["question"] else None
        if said is None and alone is None:
            return False
        main = self._reader.place.main.partition(".")[0] if self._reader.place else ""
        self._reader.totals.append((main, said or alone or 0.0, number))
        return True

    def _band_row(self, number: int, cells: dict[str, str]) -> bool:
        """A level that stands in the answers' column, its marks in the marks' column; or the row of no marks."""
        marks = bands.cell_range(cells.get("marks", ""))
        if marks == (0.0, 0.0):
            return True
        answer = cells.get("answer", "")
        found = bands.band(answer.split("\n")[0]) if answer else None
        if found is None:
            return False
        self._answers(number, answer)
        level = self._reader.now.levels[-1]
        if level.low is None and marks is not None:
            level.low, level.high = marks
        for piece in cells.get("guidance", "").split("\n"):
            if piece.strip():
                self._reader.now.guidance.append(piece.strip())
        self._reader.close()
        return True

    def _partial(self, number: int, written: str, made: list[RawPoint], worth: float) -> None:
        """Codes for less than the whole answer share its marks."""
        now = self._reader.now
        before, route = len(now.points), now.route
        for piece in written.split("\n"):
            if piece.strip() and not read_line(self._reader, number, piece):
                now.guidance.append(piece.strip())
        partial, now.route = now.points[before:], route
        if partial:
            for point in made + partial:
                point.group, point.route = len(now.groups), 0
            now.groups.append(RawGroup("the answer, or part marks", worth, lines=[number]))

    def _coded(self, number: int, answer: str, codes: list[str]) -> None:
        pieces = [piece.strip() for piece in answer.split("\n") if piece.strip()]
        texts = pieces if len(pieces) == len(codes) else [" ".join(pieces)] * len(codes)
        for code, text in zip(codes, texts, strict=True):
            read_line(self._reader, number, f"{code} {wording.unbulleted(text)[1]}")

    def _answers(self, number: int, answer: str) -> None:
        for piece in answer.split("\n"):
            if piece.strip():
                read_line(self._reader, number, piece)
                self._reader.last_text = piece

    def _share(self, made: list[RawPoint], worth: float) -> None:
        """One line is worth the row's marks; several share them, or are any that come to them."""
        open_points = [point for point in made if point.marks is None and not point.written]
        for point in open_points:
            point.plain = False
        if len(open_points) == 1 and len(made) == 1 and open_points[0].group is None:
            open_points[0].marks = worth

    def _remarks(self, number: int, cells: dict[str, str], made: list[RawPoint], coded: bool) -> None:
        reader = self._reader
        for kind in ("accept", "reject", "ignore"):
            for place, piece in enumerate(cells.get(kind, "").split("\n")):
                if piece.strip() and made:
                    matched = made[place] if cells[kind].count("\n") == len(made) - 1 else made[-1]
                    matched.remarks.add(kind, piece)
                elif piece.strip():
                    reader.now.guidance.append(f"{kind.capitalize()}: {piece.strip()}")
        for piece in cells.get("guidance", "").split("\n"):
            said = wording.remark(piece.strip())
            if said and len(made) == 1 and not wording.general(said[1]):
                made[0].remarks.add(*said)
            elif piece.strip() and coded:
                if len(made) == 1:
                    made[0].depends.extend(split_point(piece).depends)
                reader.now.guidance.append(piece.strip())
            elif piece.strip() and not (coded_points(piece) and read_line(reader, number, piece)):
                reader.now.guidance.append(piece.strip())
