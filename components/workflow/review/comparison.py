"""What a remedy changed: the judge's marks before and under the draft, beside the teacher's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from components.marking import Proposal, ProposalStatus
from storage.remedies import Remedy, Result, Sampled


class Change(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    GAINED = "now has a proposal"
    LOST = "has no proposal now"
    FAILED = "failed"
    OLDER = "before is by another version"
    NONE = "no proposal"
    WAITING = "not tried yet"


@dataclass(frozen=True)
class Compared:
    """One response. `before` and `after` are marks, None where the judge proposed none.

    A mark that the judge proposed under another version of the scheme than the draft starts from is no `before`.
    """

    response_id: int
    chosen: bool
    teacher: float
    before: float | None
    after: float | None
    change: Change


@dataclass(frozen=True)
class Summary:
    """Of `n` tried responses, those with a mark both before and after (`both`) against the teacher's.

    Means are of AI − teacher over these, None where there are none.
    """

    n: int
    both: int
    exact_before: int
    exact_after: int
    mean_before: float | None
    mean_after: float | None
    better: int
    worse: int
    gained: int
    lost: int
    failed: int
    older: int

    @property
    def sentence(self) -> str:
        """On 20 responses: exact with the teacher 8 → 15, mean difference −0.7 → −0.1; 3 got worse."""
        parts = []
        if self.mean_before is not None and self.mean_after is not None:
            parts += [
                f"exact with the teacher {self.exact_before} → {self.exact_after}, mean difference "
                f"{_signed(self.mean_before)} → {_signed(self.mean_after)}",
                f"{self.better} got better, {self.worse} got worse",
            ]
        for count, words in (
            (self.gained, "have a proposal now that had none"),
            (self.lost, "have none now"),
            (self.failed, "failed"),
            (self.older, "left out, as what was proposed before was under another version of the scheme"),
        ):
            parts += [f"{count} {words}"] if count else []
        if self.n and not parts:
            parts = ["the judge proposed no mark, before or now"]
        said = "; ".join(parts) or "nothing has been tried yet"
        return f"On {self.n} response{'' if self.n == 1 else 's'}: {said}."


def compared(remedy: Remedy, results: dict[int, Result]) -> list[Compared]:
    """Every response of the sample in its order, those not tried yet too."""
    return [_one(each, results.get(each.response_id), remedy.scheme_id) for each in remedy.sample]


def summary(rows: Sequence[Compared], *, chosen: bool | None = None) -> Summary:
    """Of all that were tried, or of those chosen for their disagreement, or of the random others."""
    tried = [row for row in rows if row.change is not Change.WAITING and chosen in (None, row.chosen)]
    before = [row.before - row.teacher for row in tried if row.before is not None and row.after is not None]
    after = [row.after - row.teacher for row in tried if row.before is not None and row.after is not None]
    count = {change: sum(row.change is change for row in tried) for change in Change}
    return Summary(
        n=len(tried),
        both=len(before),
        exact_before=sum(apart == 0 for apart in before),
        exact_after=sum(apart == 0 for apart in after),
        mean_before=sum(before) / len(before) if before else None,
        mean_after=sum(after) / len(after) if after else None,
        better=count[Change.BETTER],
        worse=count[Change.WORSE],
        gained=count[Change.GAINED],
        lost=count[Change.LOST],
        failed=count[Change.FAILED],
        older=count[Change.OLDER],
    )


def _one(each: Sampled, result: Result | None, base: int) -> Compared:
    if result is None or result.after is None:
        return Compared(each.response_id, each.chosen, each.teacher, None, None, Change.WAITING)
    older = result.before is not None and result.before_scheme_id != base
    before = None if result.before is None or older else result.before.mark
    after = result.after.mark
    change = _change(each.teacher, before, after, result.after)
    if older and change is not Change.FAILED:
        change = Change.OLDER
    return Compared(each.response_id, each.chosen, each.teacher, before, after, change)


def _change(teacher: float, before: float | None, after: float | None, proposal: Proposal) -> Change:
    if proposal.status is ProposalStatus.FAILED:
        return Change.FAILED
    if before is None:
        return Change.NONE if after is None else Change.GAINED
    if after is None:
        return Change.LOST
    nearer = abs(before - teacher) - abs(after - teacher)
    return Change.BETTER if nearer > 0 else Change.WORSE if nearer < 0 else Change.SAME


def _signed(amount: float) -> str:
    said = f"{amount:+.1f}"
    return "0.0" if said in ("+0.0", "-0.0") else said.replace("-", "−")
