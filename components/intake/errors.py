"""The one error of intake."""

from __future__ import annotations


class IntakeError(ValueError):
    """A file that cannot be read. The message names the file and says what to do; it is for a teacher to read."""
