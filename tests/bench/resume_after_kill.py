"""32,534 responses, killed in the middle and resumed: `uv run python -m tests.bench.resume_after_kill`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.kill_and_resume import kill_and_resume

RESPONSES = 32_534


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        outcome = kill_and_resume(Path(folder), RESPONSES, latency=0.05, at_once=64, kill_after=40_000)
    twice = sum(times > 1 for times in outcome.asked.values())
    print(
        f"{RESPONSES:,} responses, killed with {outcome.stored_at_kill:,} stored; all done in {outcome.seconds:.0f} s"
    )
    print(f"asked before the retry: {len(outcome.asked):,} different responses, {twice} of them twice")
    print(f"lost with the server and said to be failed: {len(outcome.lost)}; asked in the retry: {len(outcome.again)}")
    print(f"without a proposal at the end: {outcome.unproposed}")


if __name__ == "__main__":
    main()
