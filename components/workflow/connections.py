"""The judges that can be asked now, with their keys in memory."""

from __future__ import annotations

import logging
import os
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Lock
from typing import Any

from components.judge import Judge
from components.judge.llm import Capabilities, ConnectionReport, Endpoint, LLMJudge, Protocol, test_connection
from components.judge.objective import ObjectiveJudge
from components.judge.offline import EXACT_NAME, ExactWordsJudge, OfflineJudge
from storage import Store, judges
from storage.judges import StoredJudge

log = logging.getLogger(__name__)

# Settings of an endpoint that make a judge what it is, stored where they are not the usual ones.
_OWN = ("temperature", "seed", "max_tokens", "reasoning_effort", "samples", "reading", "without_ruling")
EXACT = "exact"  # the setting `wording` of the offline matcher that wants exact words


class Connections:
    """The LLM judges that can be asked now. Their keys live here, in memory, and nowhere else."""

    def __init__(self) -> None:
        self._connected: dict[int, LLMJudge] = {}
        self._tests: dict[str, Future[ConnectionReport]] = {}
        self._testers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="second-marker-connection-test")
        self._lock = Lock()

    @classmethod
    def from_environment(cls, store: Store) -> Connections:
        """Connections with the endpoint that the environment names, and with every judge whose key it still holds."""
        connections = cls()
        endpoint = Endpoint.from_environment()
        with store.read() as db:
            stored = [judge for judge in judges.listed(db) if judge.kind == judges.LLM]
            retired = {judge.name for judge in judges.retired(db)}
        if endpoint is not None and default_name(endpoint) not in retired:
            variable = "OPENAI_API_KEY" if endpoint.api_key else ""
            connections._connect_again(store, endpoint, variable, default_name(endpoint))
        for judge in stored:
            named: str | None = judge.settings.get("key_variable")
            if named is not None and (named == "" or os.environ.get(named)):
                key = os.environ.get(named, "") if named else ""
                connections._connect_again(store, endpoint_of(judge, key), named, judge.name)
        return connections

    def connect(self, store: Store, endpoint: Endpoint, key_variable: str | None, name: str = "") -> int:
        """The id of the judge with this endpoint and these settings, ready until the server stops.

        `key_variable` names the environment variable its key came from ("" where it needs none, None where it was
        typed); it alone is stored, and brings the judge back after a restart. Without a name it is called after its
        settings. Raises ValueError where another judge has the name.
        """
        with store.write() as db:
            settings = settings_of(endpoint)
            judge_id = judges.ensure(db, name.strip() or default_name(endpoint), judges.LLM, endpoint.model, settings)
            judges.note_reach(db, judge_id, key_variable, endpoint.at_once)
            found = judges.capabilities(db, endpoint.base_url, endpoint.model)
        with self._lock:
            self._connected[judge_id] = LLMJudge(
                endpoint, known=None if found is None else Capabilities.from_json(found)
            )
        return judge_id

    def _connect_again(self, store: Store, endpoint: Endpoint, key_variable: str, name: str) -> None:
        """At the start of the app, which a judge of the same name with other settings must not keep from starting."""
        try:
            self.connect(store, endpoint, key_variable, name)
        except ValueError as error:
            log.warning("A judge was not connected: %s", error)

    def connected(self, stored: StoredJudge) -> bool:
        """Whether the judge can be asked now."""
        return stored.kind in (judges.OBJECTIVE, judges.OFFLINE) or stored.id in self._connected

    def judge(self, stored: StoredJudge) -> Judge | None:
        """The judge itself, or None when its key is not in memory (after a restart) or it only ever was imported."""
        if stored.kind == judges.OBJECTIVE:
            return ObjectiveJudge()
        if stored.kind == judges.OFFLINE:
            return ExactWordsJudge() if stored.settings.get("wording") == EXACT else OfflineJudge()
        return self.llm(stored.id)

    def llm(self, judge_id: int) -> LLMJudge | None:
        """The connected language model of this judge, its key with it, or None."""
        with self._lock:
            return self._connected.get(judge_id)

    def keep_what_was_found(self, store: Store, judge_id: int) -> None:
        """Store what the judge's endpoint has turned out to take, so that it is not found out again."""
        judge = self.llm(judge_id)
        if judge is None or not judge.exchange.known:
            return
        endpoint, found = judge.endpoint, judge.exchange.found.to_json()
        with store.read() as db:
            if judges.capabilities(db, endpoint.base_url, endpoint.model) == found:
                return
        with store.write() as db:
            judges.note_capabilities(db, endpoint.base_url, endpoint.model, found)

    async def close(self) -> None:
        """Close what the running event loop has open to any endpoint."""
        with self._lock:
            connected = list(self._connected.values())
        for judge in connected:
            await judge.exchange.close()

    def start_test(self, store: Store, name: str, endpoint: Endpoint) -> None:
        """Begin a live round trip in the background; `test_result(name)` gives its report when it is there.

        What the endpoint turns out to take is kept, and counts from then on for the judges connected to it.
        """

        def test() -> ConnectionReport:
            report = test_connection(endpoint)
            if report.found is not None:
                with store.write() as db:
                    judges.note_capabilities(db, endpoint.base_url, endpoint.model, report.found.to_json())
                with self._lock:
                    for judge in self._connected.values():
                        if (judge.endpoint.base_url, judge.endpoint.model) == (endpoint.base_url, endpoint.model):
                            judge.exchange.found, judge.exchange.known = report.found, True
            return report

        with self._lock:
            self._tests[name] = self._testers.submit(test)

    def test_result(self, name: str) -> ConnectionReport | None:
        """The report of the test of this name, or None while it is under way. Raises KeyError where none was begun."""
        with self._lock:
            test = self._tests[name]
        return test.result() if test.done() else None


def settings_of(endpoint: Endpoint) -> dict[str, Any]:
    """What is stored of an endpoint: never its key."""
    settings: dict[str, Any] = {"base_url": endpoint.base_url, "protocol": endpoint.protocol}
    usual = Endpoint("", "")
    return settings | {
        name: getattr(endpoint, name) for name in _OWN if getattr(endpoint, name) != getattr(usual, name)
    }


def endpoint_of(judge: StoredJudge, key: str) -> Endpoint:
    """The endpoint of a stored judge, with this key."""
    settings = judge.settings
    endpoint = Endpoint(
        settings["base_url"], judge.model, key, protocol=Protocol(settings.get("protocol", Protocol.FULL))
    )
    return replace(endpoint, **{name: settings[name] for name in (*_OWN, "at_once") if name in settings})


def default_name(endpoint: Endpoint) -> str:
    """What a judge is called after its endpoint and the settings that are not the usual ones."""
    words = [f"{endpoint.model} at {endpoint.base_url}"]
    if endpoint.protocol is not Protocol.FULL:
        words.append(endpoint.protocol.named)
    if endpoint.temperature is not None:
        words.append(f"temperature {endpoint.temperature:g}")
    if endpoint.seed is not None:
        words.append(f"seed {endpoint.seed}")
    if endpoint.max_tokens is not None:
        words.append(f"at most {endpoint.max_tokens:,} tokens")
    if endpoint.reasoning_effort is not None:
        words.append(f"{endpoint.reasoning_effort} reasoning")
    if endpoint.samples > 1:
        words.append(f"asked {endpoint.samples} times")
    if endpoint.reading == "transcribe":
        words.append("pictures read first")
    if endpoint.without_ruling:
        words.append("paper lines removed")
    return ", ".join(words)


def default_judges(store: Store) -> tuple[int, int]:
    """The ids of the two judges that are always there: (by calculation, offline)."""
    with store.write() as db:
        return (
            judges.ensure(db, ObjectiveJudge.name, judges.OBJECTIVE),
            judges.ensure(db, OfflineJudge.name, judges.OFFLINE),
        )


def exact_judge(store: Store) -> int:
    """The id of the offline matcher that wants exact words, made if it is new: for trials, beside the usual one."""
    with store.write() as db:
        return judges.ensure(db, EXACT_NAME, judges.OFFLINE, settings={"wording": EXACT})
