"""Whether the AI treats some candidates otherwise than the rest: each class, tier or other group against all others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from components.agreement import GroupBias, Statistic, beyond_chance, count_of, group_bias, standardised_bias
from components.workflow.agreement.chosen import chosen
from components.workflow.agreement.selection import Selection
from storage import Store, pair_rows


@dataclass(frozen=True)
class GroupFairness:
    """One group of candidates, as ("class", "11B"), against all others.

    `difference` is in standard deviations of teachers' marks, + where the AI favours the group; None, with the reason
    in its note, under 20 responses on either side. `beyond_chance` takes into account how many groups were looked at.
    """

    column: str
    value: str
    difference: Statistic
    n: int
    candidates: int
    others: int
    other_candidates: int
    beyond_chance: bool
    sentence: str


def fairness(store: Store, selection: Selection) -> tuple[GroupFairness, ...]:
    """Every group of the exam's candidates over the selection's pairs, in the order of columns and values.

    Each response's difference is divided by the SD of teachers' marks on its question in the selection. Empty where
    candidates carry no groups. Raises LookupError where there is no such exam.
    """
    with store.read() as db:
        found = chosen(db, selection)
        groups = pair_rows.groups_of(db, selection.exam_id)
        rows = pair_rows.of_candidates(db, found.wanted, found.judged) if groups and found.judged else []
    candidate = np.array([row.candidate_id for row in rows], dtype=np.int64)
    z = standardised_bias([row.ai for row in rows], [row.teacher for row in rows], [row.question_id for row in rows])
    of_candidates = _Candidates.of(z, candidate)
    made: list[tuple[tuple[str, str], GroupBias, float | None]] = []
    for group, members in groups.items():
        bias = group_bias(z, candidate, np.isin(candidate, list(members)))
        made.append((group, bias, None if bias.difference.interval is None else of_candidates.probability(members)))
    tested = [chance for _, _, chance in made if chance is not None]
    standing = iter(beyond_chance(tested))
    return tuple(
        _fairness(group, bias, chance is not None and next(standing), len(tested)) for group, bias, chance in made
    )


def comparisons_text(groups: tuple[GroupFairness, ...]) -> str:
    """How many comparisons were made, and what that means, for the head of the table."""
    shown = [group for group in groups if group.difference.value is not None]
    if not groups:
        return "The candidates of this exam carry no groups, such as class or tier. They can come with an import."
    if not shown:
        return "No group can be compared yet: each needs 20 responses with both marks, and so do the other candidates."
    beyond = sum(group.beyond_chance for group in shown)
    found = "none stands out" if not beyond else f"{beyond} {'stands' if beyond == 1 else 'stand'} out"
    if len(shown) == 1:
        return f"One comparison was made; {'it stands' if beyond else 'it does not stand'} out beyond chance."
    return (
        f"{len(shown)} comparisons were made, and of 20 about one looks like something by chance alone. Allowing for "
        f"that (Holm's method), {found}."
    )


def _fairness(group: tuple[str, str], bias: GroupBias, beyond: bool, compared: int) -> GroupFairness:
    return GroupFairness(
        column=group[0],
        value=group[1],
        difference=bias.difference,
        n=bias.n,
        candidates=bias.candidates,
        others=bias.others,
        other_candidates=bias.other_candidates,
        beyond_chance=beyond,
        sentence=_sentence(group[1], bias, beyond, compared),
    )


def _sentence(value: str, bias: GroupBias, beyond: bool, compared: int) -> str:
    difference = bias.difference
    if difference.value is None:
        return f"{value}: {difference.note}."
    sign = 1 if difference.value >= 0 else -1
    interval, low = "", 0.0
    if difference.interval is not None:
        low, high = sorted((sign * difference.interval.low, sign * difference.interval.high))
        interval = f" ({_sd(low)} to {_sd(high)})"
    on, apart = f"on {count_of(bias.n, 'response')}", _sd(abs(difference.value))
    if apart == "0.00":
        return f"The AI treats {value} like the others: 0.00 SD apart{interval}, {on}."
    text = (
        f"The AI is {apart} SD more {'lenient' if sign > 0 else 'severe'} to {value} than to the others{interval}, {on}"
    )
    if difference.interval is None:
        return f"{text}."
    if beyond:
        return f"{text}."
    if low > 0:
        return f"{text}; with {compared} groups looked at, chance may bring as much."
    return f"{text}; chance may bring as much."


def _sd(value: float) -> str:
    text = f"{value:.2f}".replace("-", "−")
    return "0.00" if text == "−0.00" else text


@dataclass(frozen=True)
class _Candidates:
    """Each candidate's responses with a figure, and the sum of their z."""

    ids: np.ndarray
    n: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, z: np.ndarray, candidate: np.ndarray) -> _Candidates:
        given = np.isfinite(z)
        ids, codes = np.unique(candidate[given], return_inverse=True)
        return cls(ids, np.bincount(codes).astype(np.float64), np.bincount(codes, weights=z[given]))

    def probability(self, group: frozenset[int]) -> float:
        """How often chance alone brings a difference at least this large: the p of the t test whose interval
        `group_bias` gives."""
        from scipy.special import stdtr  # noqa: PLC0415

        member = np.isin(self.ids, list(group))
        (mean, variance, freedom), (other_mean, other_variance, other_freedom) = (
            self._side(side) for side in (member, ~member)
        )
        both = variance + other_variance
        degrees = both**2 / (variance**2 / freedom + other_variance**2 / other_freedom)
        return float(2 * stdtr(degrees, -abs(mean - other_mean) / math.sqrt(both)))

    def _side(self, side: np.ndarray) -> tuple[float, float, int]:
        """(mean, its variance, degrees of freedom)"""
        n, total = self.n[side], self.total[side]
        mean, units = float(total.sum() / n.sum()), n.size
        squares = float(((total - mean * n) ** 2).sum())
        return mean, units / (units - 1) * squares / float(n.sum()) ** 2, units - 1
