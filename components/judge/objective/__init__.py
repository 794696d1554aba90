"""Marking choice and numeric questions by rule, without a model."""

from components.judge.objective.judge import ObjectiveJudge

__all__ = ["ObjectiveJudge"]
