"""A model server for measuring: every reply takes the same time, however many are asked for at once.

Run as `python -m tests.fixed_latency_server SECONDS [LOG]`; prints its base URL. Each response it is asked about is
written to the log, a line each, when its request arrives. Ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from typing import TextIO

GOOD = {
    "abstain": None,
    "points": [
        {"code": code, "evidence": ["denatured"], "reason": "Said.", "awarded": True, "not_sure": False}
        for code in ("M1", "A1")
    ],
}
_ABOUT = re.compile(rb"# Response (r\d+)")


def _reply() -> bytes:
    message = {"role": "assistant", "content": json.dumps(GOOD)}
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 200, "total_tokens": 1200},
    }
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n\r\n"
    return head.encode() + data


async def _serve(seconds: float, log: TextIO) -> None:
    reply = _reply()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(re.search(rb"content-length: (\d+)", head.lower())[1])  # type: ignore[index]
                body = await reader.readexactly(length)
                if about := _ABOUT.search(body):
                    log.write(f"{about[1].decode()}\n")
                    log.flush()
                await asyncio.sleep(seconds)
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=512)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    os._exit(0)  # with open connections as they are


if __name__ == "__main__":
    with open(sys.argv[2] if len(sys.argv) > 2 else os.devnull, "a", encoding="utf-8") as log:
        asyncio.run(_serve(float(sys.argv[1]), log))
