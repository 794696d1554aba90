"""Proposing a mark for one response."""

from components.judge.base import Judge, JudgeStopped

__all__ = ["Judge", "JudgeStopped"]
