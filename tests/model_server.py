"""A model server for tests: it speaks the chat completions' contract, and a function of the test says each reply."""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# From the words of a request's last message to (HTTP status, body).
Reply = Callable[[str], tuple[int, dict[str, Any]]]


def completion(
    content: dict[str, Any] | str, model: str, tokens_in: int = 0, tokens_out: int = 0
) -> tuple[int, dict[str, Any]]:
    """A good HTTP answer that holds this content; it reports tokens only where there are any."""
    text = content if isinstance(content, str) else json.dumps(content)
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    body: dict[str, Any] = {"id": "c", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]}
    if tokens_in or tokens_out:
        total = tokens_in + tokens_out
        body["usage"] = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total}
    return 200, body


@dataclass
class Said:
    """One HTTP answer: a body that is text goes out as HTML, any other as JSON."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def model_server(reply: Reply) -> Iterator[str]:
    """The base URL of a server on this machine that answers every request by `reply`."""
    with serving(lambda asked, headers: Said(*reply(words_of(asked["messages"][-1])))) as base_url:
        yield base_url


def words_of(message: dict[str, Any]) -> str:
    """The words of a message, those of its parts put together; pictures are left out."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


@contextmanager
def serving(answer: Callable[[dict[str, Any], dict[str, str]], Said]) -> Iterator[str]:
    """The base URL of a server that gives `answer` each request's JSON and its headers, names in small letters."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = answer(asked, {name.lower(): value for name, value in self.headers.items()})
            kind = "text/html" if isinstance(said.body, str) else "application/json"
            data = said.body.encode() if isinstance(said.body, str) else json.dumps(said.body).encode()
            self.send_response(said.status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **said.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def noting(waits: list[float]) -> Callable[[float], Awaitable[None]]:
    """A sleep for a judge that takes no time, and writes down how long it was to be."""

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    return sleep
