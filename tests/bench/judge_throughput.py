"""How much the judge adds to asking a model: `uv run python -m tests.bench.judge_throughput`.

Against a local server that takes 200 ms a reply, 64 at once, 5,000 responses: a bare AsyncOpenAI loop, which only
receives, beside a whole run, which judges, validates and stores. Goals: at most 1.10 × the bare loop, at most 1.25 ×
the ideal (5,000 / 64 × 0.2 s), peak memory under 200 MB. Both in processes of their own, in turn, in one run.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

RESPONSES, AT_ONCE, LATENCY = 5000, 64, 0.2
IDEAL = RESPONSES / AT_ONCE * LATENCY
ROUNDS = 1
ROOT = Path(__file__).parents[2]


@contextmanager
def latency_server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.fixed_latency_server", str(LATENCY)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        yield child.stdout.readline().strip()
        child.stdin.close()


def answers() -> list[str]:
    return [f"above forty degrees it is denatured, so the rate falls, no. {i}" for i in range(RESPONSES)]


def bare(base_url: str) -> dict[str, float]:
    """Seconds and peak megabytes of a loop that asks the same questions and does nothing with the replies."""
    from openai import AsyncOpenAI

    from components.judge.llm.prompt import messages, prompt_for
    from components.judge.llm.schema import schema_for
    from components.marking import Response
    from tests.support import two_point_question

    question, scheme = two_point_question()
    prompt = prompt_for(scheme, question)
    strict = {"name": "marking", "strict": True, "schema": schema_for(scheme)}
    form = {"type": "json_schema", "json_schema": strict}
    asked = iter(
        [messages(prompt, question, scheme, Response(id=f"r{i}", text=t), ()) for i, t in enumerate(answers())]
    )

    async def loop() -> float:
        client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)

        async def ask() -> None:
            for conversation in asked:
                await client.chat.completions.create(model="tiny", messages=conversation, response_format=form)

        started = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
        return time.perf_counter() - started

    return {"seconds": asyncio.run(loop()), "megabytes": peak_megabytes()}


def run(base_url: str) -> dict[str, float]:
    """Seconds and peak megabytes of a run of the app: judged, validated, stored."""
    from components.judge.llm import Endpoint
    from components.workflow.connections import Connections
    from components.workflow.worker import Worker
    from storage import judges
    from tests.support import add_exam, new_store, start_run

    with tempfile.TemporaryDirectory() as folder:
        store, connections = new_store(Path(folder)), Connections()
        exam_id, _ = add_exam(store, [answers()])
        with store.write() as db:
            judges.note_capabilities(
                db, base_url, "tiny", {"format": "json_schema", "bounds": True, "dropped": [], "efforts_refused": []}
            )
        judge_id = connections.connect(store, Endpoint(base_url, "tiny", at_once=AT_ONCE), "")
        start_run(store, exam_id, judge_id)
        started = time.perf_counter()
        assert Worker(store, connections).do_one()
        seconds = time.perf_counter() - started
        with store.read() as db:
            stored = db.execute("SELECT count(*) FROM proposals WHERE status = 'proposed' AND mark = 2").fetchone()[0]
        assert stored == RESPONSES, stored
    return {"seconds": seconds, "megabytes": peak_megabytes()}


def peak_megabytes() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024 / 1024 if sys.platform == "darwin" else peak / 1024


def measured(what: str, base_url: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.judge_throughput", what, base_url]
    child = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(child.stdout)
    return found


def main() -> None:
    print(f"{RESPONSES:,} responses, {AT_ONCE} at once, {LATENCY * 1000:.0f} ms each; ideal {IDEAL:.2f} s")
    ratios = []
    for i in range(1, ROUNDS + 1):
        with latency_server() as base_url:
            loop, whole = measured("bare", base_url), measured("run", base_url)
        ratios.append(whole["seconds"] / loop["seconds"])
        print(
            f"round {i}: bare loop {loop['seconds']:.2f} s = {loop['seconds'] / IDEAL:.2f} × ideal, "
            f"{loop['megabytes']:.0f} MB; run {whole['seconds']:.2f} s = {whole['seconds'] / IDEAL:.2f} × ideal "
            f"= {ratios[-1]:.2f} × bare, {whole['megabytes']:.0f} MB"
        )
    print(f"median: run = {sorted(ratios)[len(ratios) // 2]:.2f} × bare loop (goal 1.10)")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps({"bare": bare, "run": run}[sys.argv[1]](sys.argv[2])))
    else:
        main()
