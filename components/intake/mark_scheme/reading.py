"""Where the reading of a mark scheme stands: the question at hand, and what the next line may carry on."""

from __future__ import annotations

from components.intake.mark_scheme.building import Building, RawPoint
from components.intake.mark_scheme.numbering import Place


class Reading:
    """`mode` is "level" or "indicative" while such a list goes on; `group` the open group; `last` the last point."""

    def __init__(self, listed: bool) -> None:
        self.done: list[Building] = []
        self.totals: list[tuple[str, float, int]] = []
        self.headings: list[int] = []
        self.place: Place | None = None
        self._now: Building | None = None
        self.after_blank = True
        self.listed = listed
        self.group: int | None = None
        self.mode = ""
        self.or_next = False
        self.notes = False
        self.lettered = False
        self.bulleted = False
        self.counted = 0
        self.last: RawPoint | None = None
        self.last_text = ""

    @property
    def now(self) -> Building:
        """The question at hand: one without a number where no line has opened any."""
        if self._now is None:
            self._now = Building("")
            self.done.append(self._now)
        return self._now

    def open(self, place: Place) -> None:
        """Begins a question, or goes on with it where it was begun before."""
        self.place = place
        found = next((question for question in self.done if question.number == place.number), None)
        if found is None:
            found = Building(place.number)
            self.done.append(found)
            self.notes = False
        if self._now is not found:
            self.counted = 0
        self._now = found
        self.close()

    def close(self) -> None:
        """Ends whatever list or level was being read."""
        self.group, self.mode, self.or_next, self.last, self.last_text = None, "", False, None, ""

    def blank(self) -> None:
        self.after_blank = True

    def add(self, points: list[RawPoint], number: int) -> None:
        for point in points:
            if self.or_next:
                self.now.route += 1
                self.or_next = False
            point.group = self.group
            point.route = self.now.route
            point.lines.append(number)
            self.now.points.append(point)
            self.last = point

    def members(self) -> int:
        return sum(point.group == self.group for point in self.now.points)
