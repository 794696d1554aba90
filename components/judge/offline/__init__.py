"""A marker for a machine with no key and no network: wording check at first, then learned from the teacher's marks."""

from components.judge.offline.exact import EXACT_NAME, ExactWordsJudge
from components.judge.offline.judge import OfflineJudge
from components.judge.offline.learned import LEAST_MARKS, LearnedMarker, MarkedAnswer, NotEnough, train

__all__ = [
    "EXACT_NAME",
    "LEAST_MARKS",
    "ExactWordsJudge",
    "LearnedMarker",
    "MarkedAnswer",
    "NotEnough",
    "OfflineJudge",
    "train",
]
