"""What a run may still spend."""

from __future__ import annotations

import asyncio

from components.judge.llm import RE_ASKS

CAP_REACHED = "Stopped at the spending cap"
LIKELY_TIMES = 1 + RE_ASKS  # a reply that cannot be used is asked for again


class CapReached(Exception):
    """The next response might take the run past its cap."""


class Purse:
    """Money is set aside before a response is sent, so that all that is out together cannot pass the cap.

    Set aside is three times the dearest response so far (its reply may be asked for again twice), at first three times
    the estimate; and until one price is known, one response is out at a time. `spent` and `dearest` are what there was
    before, where something is gone on with.
    """

    def __init__(self, cap: float | None, spent: float = 0.0, dearest: float = 0.0) -> None:
        self.cap = cap
        self.spent = spent
        self._dearest: float | None = dearest or None
        self._settled_any = False
        self._out: dict[int, float] = {}
        self._settled = asyncio.Condition()

    async def set_aside(self, response_id: int, estimate: float) -> None:
        """Waits until there is room for this response. Raises CapReached where there will be none."""
        if self.cap is None:
            return
        async with self._settled:
            while True:
                likely = LIKELY_TIMES * max(estimate, self._dearest or 0.0)
                room = self.spent + sum(self._out.values()) + likely <= self.cap
                if room and (self._settled_any or not self._out):
                    self._out[response_id] = likely
                    return
                if not self._out:
                    raise CapReached
                await self._settled.wait()

    async def settle(self, response_id: int, price: float | None) -> None:
        """The response has come back at this price; None where it is not known (it is taken as what was set aside)."""
        if self.cap is None:
            return
        async with self._settled:
            if response_id not in self._out:
                return
            likely = self._out.pop(response_id)
            self._settled_any = True
            self.spent += likely if price is None else price
            if price is not None:
                self._dearest = max(self._dearest or 0.0, price)
            self._settled.notify_all()

    def words(self) -> str:
        """Why the run ended, to a teacher."""
        cap = self.cap or 0.0
        places = 2 if round(cap, 2) == cap else 4
        return (
            f"{CAP_REACHED}: ${self.spent:,.4f} of ${cap:,.{places}f} is spent, and the next response "
            "might go past it. Raise the cap to go on."
        )
