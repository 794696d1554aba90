"""What keeps a remedy from being drafted, tried or applied."""

from __future__ import annotations


class RemedyError(ValueError):
    """The message says, to a head of department, why not and what to do next."""
