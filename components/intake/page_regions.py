"""Where answers stand on a page, and the one error of scans."""

from __future__ import annotations

from dataclasses import dataclass


class ScanFault(ValueError):
    """A scan or an answer book that cannot be used. The message names the file or the row and says what to do."""


@dataclass(frozen=True)
class TemplateRegion:
    """A rectangle with an answer. `page` counts from 1; the rest are fractions of the page from its top left corner.

    Raises ScanFault for a rectangle that is empty or leaves the page.
    """

    question: str
    page: int
    x: float
    y: float
    w: float
    h: float

    def __post_init__(self) -> None:
        inside = self.x >= 0 and self.y >= 0 and self.x + self.w <= 1 + 1e-9 and self.y + self.h <= 1 + 1e-9
        if not self.question.strip() or self.page < 1 or not (self.w > 0 and self.h > 0 and inside):
            raise ScanFault(
                f"The region for question “{self.question}” on page {self.page} is empty or leaves the page. "
                "Draw it again inside the page."
            )

    def corners(self, margin_x: float = 0.0, margin_y: float = 0.0) -> tuple[float, float, float, float]:
        """Left, top, right, bottom with a margin around, kept on the page."""
        return (
            max(0.0, self.x - margin_x),
            max(0.0, self.y - margin_y),
            min(1.0, self.x + self.w + margin_x),
            min(1.0, self.y + self.h + margin_y),
        )
