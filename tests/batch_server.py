"""A server for tests that implements the endpoints of files and batches, from their public contract.

A batch moves one state on at each look (validating → in_progress → finalizing → completed) unless the test says how it
goes on. Its lines are answered by a function of the test when it is made final, in the order that the test gives.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse

from tests.model_server import Said, completion

# From a request line's custom_id and body to (HTTP status, body of the reply), or None: no line for it at all.
Answer = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]] | None]
# From a state to the next.
ON = {"validating": "in_progress", "in_progress": "finalizing", "finalizing": "completed", "cancelling": "cancelled"}


def output_line(custom_id: str, status: int, body: dict[str, Any]) -> dict[str, Any]:
    """A line of an output or error file."""
    response = {"status_code": status, "request_id": f"req_{custom_id}", "body": body}
    return {"id": f"batch_req_{custom_id}", "custom_id": custom_id, "response": response, "error": None}


class BatchServer:
    """The server's state, for a test to look at and to change. `refuse` may answer a request in the server's place."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.base_url = ""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.next_state: Callable[[dict[str, Any]], str] = lambda batch: ON.get(batch["status"], batch["status"])
        self.refuse: Callable[[str, str], Said | None] = lambda method, path: None
        self.after_creating: Callable[[], Said | None] = lambda: None
        self.order: Callable[[list[str]], list[str]] = lambda lines: lines
        self.keeps_metadata = True
        self.asked: list[str] = []

    def count(self, request: str) -> int:
        """How many requests of this kind ("POST /batches") there were."""
        return self.asked.count(request)

    def handle(self, method: str, target: str, kind: str, data: bytes) -> Said:
        url = urlparse(target)
        path = url.path.removeprefix("/v1")
        self.asked.append(f"{method} {re.sub(r'/(file|batch)-[0-9]+', '/{id}', path)}")
        refused = self.refuse(method, path)
        if refused is not None:
            return refused
        if method == "POST":
            return self._post(path.strip("/").split("/"), kind, data) or _no_such(path)
        return self._get(path.strip("/").split("/"), parse_qs(url.query)) or _no_such(path)

    def _get(self, path: list[str], query: dict[str, list[str]]) -> Said | None:
        match path:
            case ["files", file_id] if file_id in self.files:
                return Said(body=self._file(file_id))
            case ["files", file_id, "content"] if file_id in self.files:
                return Said(body=self.files[file_id].decode(), headers={"Content-Type": "application/jsonl"})
            case ["batches"]:
                return self._list(query)
            case ["batches", batch_id] if batch_id in self.batches:
                batch = self.batches[batch_id]
                self._go_to(batch, self.next_state(batch))
                return Said(body=batch)
        return None

    def _post(self, path: list[str], kind: str, data: bytes) -> Said | None:
        match path:
            case ["files"]:
                return self._keep(kind, data)
            case ["batches"]:
                return self._create(json.loads(data))
            case ["batches", batch_id, "cancel"] if batch_id in self.batches:
                self.batches[batch_id]["status"] = "cancelling"
                return Said(body=self.batches[batch_id])
        return None

    def _keep(self, kind: str, data: bytes) -> Said:
        message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + data)
        fields = {part.get_param("name", header="content-disposition"): part for part in message.iter_parts()}
        assert fields["purpose"].get_payload(decode=True) == b"batch"
        return Said(body=self._file(self._add_file(fields["file"].get_payload(decode=True))))

    def _add_file(self, content: bytes) -> str:
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = content
        return file_id

    def _file(self, file_id: str) -> dict[str, Any]:
        size = len(self.files[file_id])
        return {
            "id": file_id, "object": "file", "bytes": size, "created_at": 4_000_000_000, "filename": "batch.jsonl",
            "purpose": "batch", "status": "processed",
        }  # fmt: skip

    def _create(self, asked: dict[str, Any]) -> Said:
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        batch_id = f"batch-{len(self.batches) + 1}"
        total = self.files[asked["input_file_id"]].count(b"\n")
        self.batches[batch_id] = {
            "id": batch_id, "object": "batch", "endpoint": asked["endpoint"], "completion_window": "24h",
            "created_at": 4_000_000_000, "input_file_id": asked["input_file_id"], "status": "validating",
            "metadata": asked.get("metadata") if self.keeps_metadata else None, "output_file_id": None,
            "error_file_id": None, "request_counts": {"completed": 0, "failed": 0, "total": total},
        }  # fmt: skip
        return self.after_creating() or Said(body=self.batches[batch_id])

    def _list(self, query: dict[str, list[str]]) -> Said:
        """Newest first, two at a time, whatever limit is asked for: the caller must turn the pages."""
        listed = [*reversed(self.batches.values())]
        after = query.get("after", [""])[0]
        ids = [batch["id"] for batch in listed]
        start = ids.index(after) + 1 if after else 0
        page = listed[start : start + 2]
        ends = {"first_id": page[0]["id"] if page else None, "last_id": page[-1]["id"] if page else None}
        return Said(body={"object": "list", "data": page, "has_more": start + 2 < len(listed), **ends})

    def _go_to(self, batch: dict[str, Any], state: str) -> None:
        if state != batch["status"] and state in ("completed", "expired", "cancelled"):
            self._answer_lines(batch)
        batch["status"] = state

    def _answer_lines(self, batch: dict[str, Any]) -> None:
        good, bad = [], []
        for line in self.files[batch["input_file_id"]].decode().splitlines():
            request = json.loads(line)
            reply = self.answer(request["custom_id"], request["body"])
            if reply is not None:
                (good if reply[0] < 400 else bad).append(json.dumps(output_line(request["custom_id"], *reply)))
        batch["request_counts"] |= {"completed": len(good), "failed": len(bad)}
        for name, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                batch[name] = self._add_file("".join(f"{line}\n" for line in self.order(lines)).encode())


def _no_such(path: str) -> Said:
    return Said(404, {"error": {"message": f"No such thing: {path}", "code": None, "param": None}})


@contextmanager
def batch_server(answer: Answer) -> Iterator[BatchServer]:
    """A server on this machine; its address is `base_url`."""
    state, lock = BatchServer(answer), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with lock:
                said = state.handle(self.command, self.path, self.headers.get("Content-Type", ""), data)
            body = said.body.encode() if isinstance(said.body, str) else json.dumps(said.body).encode()
            self.send_response(said.status)
            headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **said.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _do

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    state.base_url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def always(content: dict[str, Any] | str, model: str, tokens_in: int = 0, tokens_out: int = 0) -> Answer:
    """Answers every line with this content."""
    return lambda custom_id, body: completion(content, model, tokens_in, tokens_out)
