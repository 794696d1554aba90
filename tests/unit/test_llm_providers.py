"""How providers differ in what they answer, by the shapes that they document or that people recorded; none is called.

What any provider may do is in test_llm_judge.py. Here is what one of them words or places in its own way.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest

from components.judge import JudgeStopped
from components.judge.llm import Endpoint, LLMJudge, Protocol, is_base_url
from components.judge.llm import test_connection as try_connection
from components.marking import (
    MarkingPoint,
    Proposal,
    ProposalStatus,
    Question,
    QuestionType,
    Response,
    Scheme,
)
from tests.model_server import Said, serving

QUESTION = Question(number="4", type=QuestionType.SHORT, text="Why does bread dough rise?", max_mark=2)
POINTS = Scheme(max_mark=2, points=(MarkingPoint(code="P1", text="yeast"), MarkingPoint(code="P2", text="gas")))
RESPONSE = Response(id="r-11", text="the yeast makes a gas and it pushes the dough up")
KEY = "key-of-a-teacher"


def verdicts(*awarded: bool) -> str:
    codes = zip(("P1", "P2"), ("the yeast", "a gas"), awarded, strict=True)
    parts = [{"code": c, "evidence": [q], "reason": "", "awarded": a, "not_sure": False} for c, q, a in codes]
    return json.dumps({"abstain": None, "points": parts})


BOTH = verdicts(True, True)


def reply(
    message: dict[str, Any] | None = None,
    finish: str | None = "stop",
    choice: dict[str, Any] | None = None,
    **body: Any,
) -> Said:
    """A 200 whose message, choice and body have what a provider puts there beside the contract's own fields."""
    said = {"role": "assistant", "content": BOTH, **(message or {})}
    whole = {"index": 0, "finish_reason": finish, "message": said, **(choice or {})}
    return Said(body={"id": "c", "object": "chat.completion", "created": 1, "choices": [whole], **body})


def used(tokens_in: int, tokens_out: int, **more: Any) -> dict[str, Any]:
    total = tokens_in + tokens_out
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": total, **more}


def openai_error(status: int, message: str, code: str | None = None, param: str | None = None, **headers: str) -> Said:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = "invalid_request_error"
    return Said(status, {"error": {"message": message, "type": kind, "param": param, "code": code}}, named)


def azure_error(status: int, code: str, message: str, **headers: str) -> Said:
    """Azure's gateway: no type, and the status once more as a word."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(status, {"error": {"code": code, "message": message}}, named)


def gemini_error(status: int, message: str, state: str, *details: dict[str, Any]) -> Said:
    """A list of one error, in the form of Google's own APIs."""
    error = {"code": status, "message": message, "status": state}
    return Said(status, [{"error": {**error, **({"details": list(details)} if details else {})}}])


def violation(description: str) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"description": description}]}


def quota(quota_id: str, wait: str = "") -> tuple[dict[str, Any], ...]:
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota_id}]}
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait}
    return (failure, retry) if wait else (failure,)


def ollama_error(status: int, message: str, kind: str = "api_error") -> Said:
    return Said(status, {"error": {"message": message, "type": kind, "param": None, "code": None}})


def vllm_error(status: int, message: str, kind: str = "BadRequestError", param: str | None = None) -> Said:
    """The code is the status, a number."""
    return Said(status, {"error": {"message": message, "type": kind, "param": param, "code": status}})


def old_vllm_error(status: int, message: str, kind: str = "BadRequestError") -> Said:
    """Before the error had a place of its own in the body."""
    return Said(status, {"object": "error", "message": message, "type": kind, "param": None, "code": status})


def llama_error(status: int, message: str, kind: str = "invalid_request_error", **more: Any) -> Said:
    return Said(status, {"error": {"code": status, "message": message, "type": kind, **more}})


class Provider:
    """A server that gives scripted answers one after another, and keeps what it was asked."""

    def __init__(self) -> None:
        self.script: deque[Said] = deque()
        self.asked: list[dict[str, Any]] = []
        self.slept: list[float] = []
        self.base_url = ""

    def will(self, *answers: Said) -> Provider:
        self.script.extend(answers)
        return self

    def answer(self, asked: dict[str, Any], headers: dict[str, str]) -> Said:
        self.asked.append(asked)
        return self.script.popleft() if self.script else Said(418, {"error": {"message": "nothing scripted"}})

    def endpoint(self, **settings: Any) -> Endpoint:
        return Endpoint(base_url=self.base_url, model="tiny", api_key=KEY, **settings)

    def judge(self, **settings: Any) -> LLMJudge:
        """The one place where these tests make a judge; it does not sleep, and notes how long it would have."""

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        return LLMJudge(self.endpoint(**settings), sleep=sleep)

    def propose(self, **settings: Any) -> Proposal:
        return self.judge(**settings).propose(QUESTION, POINTS, RESPONSE)

    def formats(self) -> list[str]:
        """The format of every request; a schema without list lengths is "unbounded"."""
        asked = [json.dumps(request.get("response_format", {"type": "text"})) for request in self.asked]
        names = [json.loads(form)["type"] for form in asked]
        return [
            "unbounded" if name == "json_schema" and "minItems" not in form else name
            for name, form in zip(names, asked, strict=True)
        ]


@pytest.fixture
def provider() -> Iterator[Provider]:
    scripted = Provider()
    with serving(scripted.answer) as scripted.base_url:
        yield scripted


# --- A good reply in each one's shape -------------------------------------------------------------------------------

SAFE = {"hate": {"filtered": False, "severity": "safe"}, "jailbreak": {"filtered": False, "detected": False}}
THOUGHT = "P1 holds. Perhaps " + verdicts(False, False)
GOOD_REPLIES = {
    "OpenAI": reply(
        {"refusal": None, "annotations": []},
        model="gpt-5.4-mini-2026-03-17",
        usage=used(100, 84, completion_tokens_details={"reasoning_tokens": 64, "rejected_prediction_tokens": 0}),
        service_tier="default",
        system_fingerprint=None,
    ),
    "Azure": reply(
        {"refusal": None},
        choice={"content_filter_results": SAFE, "logprobs": None},
        model="gpt-5.4-mini-2026-03-17",
        prompt_filter_results=[{"prompt_index": 0, "content_filter_results": SAFE}],
        usage=used(100, 84, prompt_tokens_details={"audio_tokens": 0, "cached_tokens": 0}),
    ),
    "Gemini": reply(
        {"extra_content": {"google": {"thought_signature": "bm90aGluZw=="}}},
        model="models/gemini-3-flash-preview",
        usage=used(100, 84),
    ),
    "Ollama": reply({"reasoning": THOUGHT}, model="qwen3:8b", system_fingerprint="fp_ollama", usage=used(100, 84)),
    "vLLM": reply(
        {"refusal": None, "reasoning_content": THOUGHT, "tool_calls": [], "function_call": None, "audio": None},
        choice={"stop_reason": None, "token_ids": None, "logprobs": None},
        model="Qwen/Qwen3-8B",
        usage=used(100, 84, prompt_tokens_details=None),
        prompt_logprobs=None,
        kv_transfer_params=None,
    ),
    "llama.cpp": reply(
        {"reasoning_content": THOUGHT},
        model="qwen3-8b-q4_k_m.gguf",
        system_fingerprint="b9244-b28a2f372",
        usage=used(100, 84),
        timings={"prompt_n": 100, "predicted_n": 84, "predicted_per_second": 41.5, "cache_n": 0},
    ),
    "LM Studio": reply(
        {"reasoning_content": THOUGHT, "tool_calls": []}, model="qwen/qwen3-8b", usage=used(100, 84), stats={}
    ),
}


@pytest.mark.parametrize("name", GOOD_REPLIES)
def test_a_good_reply_is_read_with_the_model_and_tokens_that_the_provider_reports(
    provider: Provider, name: str
) -> None:
    provider.will(GOOD_REPLIES[name])
    proposal = provider.propose()
    assert (proposal.status, proposal.mark) == (ProposalStatus.PROPOSED, 2)
    assert proposal.usage.model == GOOD_REPLIES[name].body["model"]
    assert (proposal.usage.tokens_in, proposal.usage.tokens_out) == (100, 84)
    assert proposal.usage.raw_reply == BOTH
    assert len(provider.asked) == 1


@pytest.mark.parametrize("usage", [{}, {"usage": None}, {"usage": {"prompt_tokens": None, "completion_tokens": None}}])
def test_a_reply_without_usage_or_end_is_a_good_reply_of_no_tokens(provider: Provider, usage: dict[str, Any]) -> None:
    provider.will(reply(finish=None, model="tiny", **usage))
    proposal = provider.propose()
    assert proposal.mark == 2
    assert (proposal.usage.tokens_in, proposal.usage.tokens_out) == (0, 0)


THOUGHT_ONLY = {
    "Ollama": reply({"content": "", "reasoning": THOUGHT}, model="gemma4:26b"),
    "vLLM": reply({"content": None, "reasoning_content": THOUGHT}, model="Qwen/Qwen3-8B"),
    "llama.cpp": reply({"content": "", "reasoning_content": THOUGHT}, finish="length", model="tiny"),
    "Gemini": reply(
        choice={"message": {"role": "assistant"}}, finish="length", model="gemini-3-flash", usage=used(9, 0)
    ),
}


@pytest.mark.parametrize("name", THOUGHT_ONLY)
def test_a_model_that_only_thought_is_asked_again_and_its_thoughts_are_no_verdicts(
    provider: Provider, name: str
) -> None:
    provider.will(THOUGHT_ONLY[name], GOOD_REPLIES["vLLM"])
    assert provider.propose().mark == 2
    assert len(provider.asked) == 2
    assert [message["role"] for message in provider.asked[1]["messages"]].count("assistant") == 0


@pytest.mark.parametrize("finish", ["content_filter: PROHIBITED_CONTENT", "content_filter: RECITATION"])
def test_a_reply_that_gemini_withholds_altogether_fails_without_a_verdict(provider: Provider, finish: str) -> None:
    withheld = Said(body={"model": "gemini-3-flash", "choices": [{"index": 0, "finish_reason": finish}]})
    provider.will(withheld, withheld, withheld)
    proposal = provider.propose()
    assert (proposal.status, proposal.mark, proposal.usage.raw_reply) == (ProposalStatus.FAILED, None, "")


# --- What stops the judge: key, place, model, quota, memory ---------------------------------------------------------

NO_KEY = "does not accept the key"
NO_MODEL = "does not know the model tiny"
NO_QUOTA = "no credit or quota left"
WRONG_SUBSCRIPTION = "Access denied due to invalid subscription key or wrong API endpoint."
NO_LOCATION = "User location is not supported for the API use."
STOPS = {
    "Azure: wrong key": (azure_error(401, "401", WRONG_SUBSCRIPTION), NO_KEY),
    "Gemini: wrong key": (gemini_error(400, "API key not valid. Pass a valid one.", "INVALID_ARGUMENT"), NO_KEY),
    "Gemini: old key": (gemini_error(400, "API key expired. Renew the API key.", "INVALID_ARGUMENT"), NO_KEY),
    "vLLM: wrong key": (Said(401, {"error": "Unauthorized"}), NO_KEY),
    "llama.cpp: wrong key": (llama_error(401, "Invalid API Key", "authentication_error"), NO_KEY),
    "OpenAI: region": (
        openai_error(403, "Country, region, or territory not supported", "unsupported_country_region_territory"),
        "does not serve your region",
    ),
    "Gemini: region": (gemini_error(400, NO_LOCATION, "FAILED_PRECONDITION"), "does not serve your region"),
    "OpenAI: project": (openai_error(403, "Project `p` has no access to model `tiny`", "model_not_found"), NO_KEY),
    "Azure: deployment": (
        azure_error(404, "DeploymentNotFound", "The API deployment for this resource does not exist."),
        "The server says: The API deployment for this resource",
    ),
    "Azure: address": (azure_error(404, "404", "Resource not found"), "is not the right address"),
    "Gemini: model": (gemini_error(404, "models/tiny is not found for API version v1main", "NOT_FOUND"), NO_MODEL),
    "Gemini: odd model": (
        gemini_error(400, "* GenerateContentRequest.model: unexpected model name format", "INVALID_ARGUMENT"),
        NO_MODEL,
    ),
    "Ollama: model": (
        ollama_error(404, 'model "tiny" not found, try pulling it first', "not_found_error"),
        'The server says: model "tiny" not found, try pulling it first',
    ),
    "vLLM: model": (vllm_error(404, "The model `tiny` does not exist.", "NotFoundError", "model"), NO_MODEL),
    "older vLLM: model": (old_vllm_error(404, "The model `tiny` does not exist.", "NotFoundError"), NO_MODEL),
    "llama.cpp: model": (llama_error(400, "model 'tiny' not found"), NO_MODEL),
    "LM Studio: model": (openai_error(400, 'Invalid model identifier "tiny".', "model_not_found", "model"), NO_MODEL),
    "LM Studio: none loaded": (openai_error(400, "No models loaded.", param="model"), "says: No models loaded"),
    "LM Studio: several loaded": (openai_error(400, "Several are loaded. Say which.", param="model"), NO_MODEL),
    "older LM Studio: none loaded": (Said(400, {"error": "No models loaded. Please load one."}), NO_MODEL),
    "Ollama: memory": (
        ollama_error(500, "model requires more system memory (8.4 GiB) than is available (5.0 GiB)"),
        "too little memory for the model tiny",
    ),
    "OpenAI: quota": (
        openai_error(429, "You exceeded your current quota, check your billing details.", "insufficient_quota"),
        NO_QUOTA,
    ),
    "OpenAI: account": (openai_error(429, "Your account is not active", "billing_not_active"), NO_QUOTA),
    "Gemini: a day's quota": (
        gemini_error(
            429,
            "You exceeded your current quota. Please retry in 31.5s.",
            "RESOURCE_EXHAUSTED",
            *quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "31s"),
        ),
        "The day's quota",
    ),
    "Gemini: no free quota": (
        gemini_error(
            429,
            "You exceeded your current quota.\n* Quota exceeded for metric: free_tier_requests, limit: 0, model: tiny\n"
            "Please retry in 45.57s.",
            "RESOURCE_EXHAUSTED",
        ),
        NO_QUOTA,
    ),
    "Gemini: quota": (gemini_error(429, "You exceeded your current quota.", "RESOURCE_EXHAUSTED"), NO_QUOTA),
}


@pytest.mark.parametrize("name", STOPS)
def test_what_no_request_can_get_round_stops_the_judge_at_once_in_words(provider: Provider, name: str) -> None:
    said, words = STOPS[name]
    provider.will(said)
    with pytest.raises(JudgeStopped) as stopped:
        provider.propose()
    assert words in str(stopped.value)
    assert len(provider.asked) == 1


def test_the_servers_own_words_about_the_model_do_not_repeat_the_key(provider: Provider) -> None:
    provider.will(openai_error(404, f"No model tiny for {KEY}", "model_not_found"))
    with pytest.raises(JudgeStopped, match="No model tiny for") as stopped:
        provider.propose()
    assert KEY not in str(stopped.value)


def test_a_connection_report_passes_on_ollamas_hint_to_pull_the_model(provider: Provider) -> None:
    provider.will(ollama_error(404, 'model "tiny" not found, try pulling it first', "not_found_error"))
    report = try_connection(provider.endpoint())
    assert not report.ok
    assert "try pulling it first" in report.message


# --- What waiting helps ---------------------------------------------------------------------------------------------

TIER = "have exceeded token rate limit of your current OpenAI S0 pricing tier."
OPENAI_RATE = (
    "Rate limit reached for tiny on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in {}. You "
    "can increase your rate limit by adding a payment method at https://platform.openai.com/account/billing."
)
WAITS = {
    "OpenAI": (openai_error(429, OPENAI_RATE.format("20s"), "rate_limit_exceeded"), 20),
    "OpenAI, under a second": (openai_error(429, OPENAI_RATE.format("810ms"), "rate_limit_exceeded"), 0.81),
    "OpenAI, split seconds": (openai_error(429, OPENAI_RATE.format("29.082s"), "rate_limit_exceeded"), 29.082),
    "Azure, by header": (azure_error(429, "429", f"Requests {TIER}", Retry_After="22"), 22),
    "Azure, by the finer header": (
        azure_error(429, "429", f"Requests {TIER}", retry_after_ms="2500", Retry_After="3"),
        2.5,
    ),
    "Azure, in words": (azure_error(429, "429", f"Requests {TIER} Please retry after 22 seconds."), 22),
    "Azure, in other words": (azure_error(429, "429", "Rate limit is exceeded. Try again in 2 seconds."), 2),
    "Gemini, a minute's quota": (
        gemini_error(
            429,
            "You exceeded your current quota, please check your plan and billing details.",
            "RESOURCE_EXHAUSTED",
            *quota("GenerateContentInputTokensPerModelPerMinute-FreeTier", "27s"),
        ),
        27,
    ),
    "Gemini, in words": (
        gemini_error(429, "You exceeded your current quota. Please retry in 20.04466179s.", "RESOURCE_EXHAUSTED"),
        20.04466179,
    ),
    "llama.cpp, loading": (llama_error(503, "Loading model", "unavailable_error"), 10),
}


@pytest.mark.parametrize("name", WAITS)
def test_a_passing_limit_is_waited_out_for_as_long_as_the_provider_asks(provider: Provider, name: str) -> None:
    said, seconds = WAITS[name]
    provider.will(said, GOOD_REPLIES["vLLM"])
    assert provider.propose().mark == 2
    assert len(provider.slept) == 1
    assert seconds <= provider.slept[0] <= seconds + 0.5


BUSY = {
    "OpenAI: no wait named": openai_error(429, OPENAI_RATE.format("a while"), "rate_limit_exceeded"),
    "Gemini: overloaded": gemini_error(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"),
    "Gemini: exhausted": gemini_error(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED"),
    "Ollama: queue full": ollama_error(503, "server busy, please try again.  maximum pending requests exceeded"),
    "Ollama: runner": ollama_error(500, "llama runner process has terminated: exit status 2"),
    "vLLM: engine": vllm_error(500, "EngineCore encountered an issue.", "InternalServerError"),
    "Azure: fault": azure_error(500, "InternalServerError", "The server had an error processing your request."),
}


@pytest.mark.parametrize("name", BUSY)
def test_a_busy_or_failing_server_is_tried_again_after_a_second(provider: Provider, name: str) -> None:
    provider.will(BUSY[name], GOOD_REPLIES["vLLM"])
    assert provider.propose().mark == 2
    assert len(provider.slept) == 1
    assert 0.5 <= provider.slept[0] <= 1


def test_a_limit_of_hours_fails_the_response_at_once_and_says_how_long(provider: Provider) -> None:
    provider.will(azure_error(429, "429", f"Requests {TIER} Please retry after 86400 seconds."))
    proposal = provider.propose()
    assert proposal.status is ProposalStatus.FAILED
    assert "asks to wait 86400 seconds" in proposal.reason
    assert provider.slept == []


# --- What fails one response ----------------------------------------------------------------------------------------

TOO_LONG = "together are too long for this model"
FILTERED = "content filter refused this response"
FILTER_RESULT = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {"violence": {"filtered": True}}}
FAILURES = {
    "OpenAI: length": (openai_error(400, "Too many.", "context_length_exceeded", "messages"), TOO_LONG),
    "OpenAI: larger than a minute's tokens": (
        openai_error(429, "Request too large for tiny: Limit 30000, Requested 30601.", "rate_limit_exceeded"),
        TOO_LONG,
    ),
    "Gemini: length": (
        gemini_error(
            400, "The input token count (1200293) exceeds the maximum number of tokens allowed.", "INVALID_ARGUMENT"
        ),
        TOO_LONG,
    ),
    "vLLM: length": (
        vllm_error(400, "This model's maximum context length is 2048 tokens. However, you requested 2664 tokens."),
        TOO_LONG,
    ),
    "older vLLM: length": (old_vllm_error(400, "max_tokens must be at least 1, got -186."), TOO_LONG),
    "llama.cpp: length": (
        llama_error(
            400,
            "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
            "exceed_context_size_error",
            n_prompt_tokens=4390,
            n_ctx=4096,
        ),
        TOO_LONG,
    ),
    "llama.cpp: length while writing": (llama_error(500, "Context size has been exceeded.", "server_error"), TOO_LONG),
    "LM Studio: length": (
        Said(400, {"error": "The number of tokens to keep is greater than the context length. Load it with more."}),
        TOO_LONG,
    ),
    "Azure: filter": (
        Said(
            400,
            {
                "error": {
                    "message": "The response was filtered due to the prompt.",
                    "type": None,
                    "param": "prompt",
                    "code": "content_filter",
                    "status": 400,
                    "innererror": FILTER_RESULT,
                }
            },
        ),
        FILTERED,
    ),
    "llama.cpp: not supported": (
        llama_error(501, "This server does not do that.", "not_supported_error"),
        "refused the request (501): This server does not do that.",
    ),
    "Gemini: refusal in its own words": (
        gemini_error(400, "Please ensure that roles alternate.", "INVALID_ARGUMENT", violation("Turn 3 is a user's.")),
        "refused the request (400): Please ensure that roles alternate. Turn 3 is a user's.",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_is_wrong_with_one_response_fails_it_in_words_and_is_not_tried_again(
    provider: Provider, name: str
) -> None:
    said, words = FAILURES[name]
    provider.will(said)
    proposal = provider.propose()
    assert (proposal.status, proposal.mark) == (ProposalStatus.FAILED, None)
    assert words in proposal.reason
    assert len(provider.asked) == 1
    assert provider.slept == []


# --- What is left out -----------------------------------------------------------------------------------------------


def unknown_names(*names: str) -> Said:
    said = "\n".join(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in names)
    return gemini_error(400, said, "INVALID_ARGUMENT", *(violation(line) for line in said.split("\n")))


LITERAL = "1 validation error: [{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': 'Input should be"
LEFT_OUT: dict[str, tuple[list[Said], dict[str, Any], set[str]]] = {
    "OpenAI: a reasoning model": (
        [
            openai_error(
                400, "Unsupported parameter: 'max_tokens'. Use the other.", "unsupported_parameter", "max_tokens"
            ),
            openai_error(400, "Only the default (1) value is supported.", "unsupported_value", "temperature"),
            openai_error(400, "Unsupported parameter: 'seed' is not supported.", "unsupported_parameter", "seed"),
        ],
        {"temperature": 0.0, "max_tokens": 300, "seed": 7},
        {"max_completion_tokens"},
    ),
    "Azure: an effort by the parameter alone": (
        [openai_error(400, "Invalid value: 'none'.", "invalid_value", "reasoning_effort")],
        {"reasoning_effort": "none"},
        set(),
    ),
    "Gemini: names that it has no field for": (
        [unknown_names("seed")],
        {"temperature": 0.0, "seed": 7},
        {"temperature"},
    ),
    "vLLM: an effort that it does not list": ([vllm_error(400, LITERAL)], {"reasoning_effort": "minimal"}, set()),
    "vLLM: more tokens than the context": (
        [
            vllm_error(400, "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context"),
            vllm_error(400, "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context"),
        ],
        {"max_tokens": 9000},
        set(),
    ),
    "Ollama: a model that cannot think": (
        [ollama_error(400, '"tiny" does not support thinking', "invalid_request_error")],
        {"reasoning_effort": "low", "seed": 7},
        {"seed"},
    ),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_setting_refused_in_the_providers_words_is_left_out_for_good(provider: Provider, name: str) -> None:
    refusals, settings, kept = LEFT_OUT[name]
    provider.will(*refusals, GOOD_REPLIES["vLLM"], GOOD_REPLIES["vLLM"])
    judge = provider.judge(**settings)
    for _ in range(2):
        assert judge.propose(QUESTION, POINTS, RESPONSE).mark == 2
    for request in provider.asked[-2:]:
        assert set(request) - {"model", "messages", "response_format"} == kept
    assert len(provider.asked) == len(refusals) + 2
    assert set(provider.formats()) == {"json_schema"}


def test_gemini_names_several_unknown_fields_at_once_and_each_is_left_out(provider: Provider) -> None:
    provider.will(unknown_names("temperature", "seed"), unknown_names("seed"), GOOD_REPLIES["Gemini"])
    assert provider.propose(temperature=0.0, seed=7).mark == 2
    assert set(provider.asked[-1]) == {"model", "messages", "response_format"}


def test_medlys_least_effort_is_found_on_azure_where_only_the_parameter_is_named(provider: Provider) -> None:
    refused = openai_error(400, "Invalid value. Supported values are: 'low' and 'high'.", None, "reasoning_effort")
    provider.will(refused, refused, reply({"content": '{"mark": 1}'}, model="tiny"))
    assert provider.propose(protocol=Protocol.MEDLY).mark == 1
    assert [request["reasoning_effort"] for request in provider.asked] == ["none", "minimal", "low"]


# --- Structured output ----------------------------------------------------------------------------------------------

SCHEMA_PLACE = "Unknown name \"additionalProperties\" at 'generation_config.response_schema': Cannot find field."
STATES = "The specified schema produces a constraint that has too many states for serving."
GENERIC = "Request contains an invalid argument."
XGRAMMAR = "The provided JSON schema contains features not supported by xgrammar."
LADDERS: dict[str, tuple[list[Said], list[str]]] = {
    "OpenAI: an older model": (
        [openai_error(400, "Invalid parameter of type 'json_schema'.", None, "response_format")],
        ["json_schema", "json_object"],
    ),
    "Azure: an older API": (
        [azure_error(400, "BadRequest", "response_format value as json_schema is enabled only for later versions")],
        ["json_schema", "json_object"],
    ),
    "Gemini: a keyword it has no field for": (
        [gemini_error(400, SCHEMA_PLACE, "INVALID_ARGUMENT", violation(SCHEMA_PLACE))],
        ["json_schema", "json_object"],
    ),
    "Gemini: list lengths are too much": (
        [gemini_error(400, STATES, "INVALID_ARGUMENT")],
        ["json_schema", "unbounded"],
    ),
    "Gemini: the schema is too much": (
        [gemini_error(400, STATES, "INVALID_ARGUMENT")] * 2,
        ["json_schema", "unbounded", "json_object"],
    ),
    "Gemini: list lengths, told in a detail alone": (
        [gemini_error(400, "Invalid.", "INVALID_ARGUMENT", violation(STATES))],
        ["json_schema", "unbounded"],
    ),
    "Gemini: list lengths, not told at all": (
        [gemini_error(400, GENERIC, "INVALID_ARGUMENT")],
        ["json_schema", "unbounded"],
    ),
    "vLLM: list lengths": ([vllm_error(400, XGRAMMAR)], ["json_schema", "unbounded"]),
    "vLLM: a schema": ([vllm_error(400, XGRAMMAR)] * 2, ["json_schema", "unbounded", "json_object"]),
    "llama.cpp: a grammar": (
        [llama_error(400, "Failed to initialize samplers: failed to parse grammar")],
        ["json_schema", "json_object"],
    ),
    "llama.cpp: an unnamed fault": (
        [llama_error(400, "Failed to initialize samplers: std::exception")],
        ["json_schema", "json_object"],
    ),
    "llama.cpp: a schema": (
        [llama_error(400, "Unable to generate parser for this template. JSON schema error at #: nowhere not found")],
        ["json_schema", "json_object"],
    ),
    "Ollama: a grammar, as a fault of its own": (
        [ollama_error(500, "failed to parse grammar")],
        ["json_schema", "json_object"],
    ),
    "LM Studio: no plain JSON": (
        [
            Said(400, {"error": "JSON schema is not valid for this model."}),
            Said(400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
        ],
        ["json_schema", "json_object", "text"],
    ),
}


@pytest.mark.parametrize("name", LADDERS)
def test_a_format_refused_in_the_providers_words_is_made_plainer_and_no_more_than_needed(
    provider: Provider, name: str
) -> None:
    refusals, formats = LADDERS[name]
    provider.will(*refusals, GOOD_REPLIES["vLLM"], GOOD_REPLIES["vLLM"])
    judge = provider.judge()
    for _ in range(2):
        assert judge.propose(QUESTION, POINTS, RESPONSE).mark == 2
    assert provider.formats() == [*formats, formats[-1]]
    assert provider.slept == []


def test_a_server_that_names_list_lengths_though_none_were_sent_is_not_asked_for_ever(provider: Provider) -> None:
    provider.will(*[vllm_error(400, "minItems is not supported.")] * 9)
    proposal = provider.propose()
    assert proposal.status is ProposalStatus.FAILED
    assert provider.formats() == ["json_schema", "unbounded", "json_object", "text"]


def test_geminis_unexplained_refusal_does_not_cost_the_schema(provider: Provider) -> None:
    provider.will(*[gemini_error(400, GENERIC, "INVALID_ARGUMENT")] * 2, GOOD_REPLIES["Gemini"])
    judge = provider.judge()
    assert GENERIC in judge.propose(QUESTION, POINTS, RESPONSE).reason
    assert judge.propose(QUESTION, POINTS, RESPONSE).mark == 2
    assert provider.formats() == ["json_schema", "unbounded", "unbounded"]


def test_a_server_that_takes_the_schema_and_does_not_keep_to_it_is_told_what_was_wrong(provider: Provider) -> None:
    loose = {"P1": True, "P2": "yes"}
    fenced = f"Here you are:\n```json\n{BOTH}\n```"
    provider.will(
        reply({"content": json.dumps(loose)}, model="llama3.2", system_fingerprint="fp_ollama"),
        reply({"content": fenced}, model="llama3.2", system_fingerprint="fp_ollama"),
    )
    assert provider.propose().mark == 2
    assert provider.formats() == ["json_schema", "json_schema"]
    assert "no verdict on marking point P1, P2" in provider.asked[1]["messages"][-1]["content"]


def test_an_error_that_lm_studio_sends_as_a_success_fails_the_response_in_its_words(provider: Provider) -> None:
    provider.will(Said(body={"object": "error", "error": {"message": "The model has crashed."}, "choices": []}))
    proposal = provider.propose()
    assert proposal.status is ProposalStatus.FAILED
    assert "The model has crashed." in proposal.reason


def test_one_withheld_reply_does_not_cost_the_schema_for_good(provider: Provider) -> None:
    nothing = Said(body={"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": []})
    provider.will(nothing, nothing, nothing, reply(model="m"))
    judge = provider.judge()
    assert judge.propose(QUESTION, POINTS, RESPONSE).status is ProposalStatus.FAILED
    assert judge.propose(QUESTION, POINTS, RESPONSE).mark == 2
    forms = [asked.get("response_format", {"type": "text"})["type"] for asked in provider.asked]
    assert forms == ["json_schema", "json_object", "text", "json_schema"]


def test_words_in_parts_are_read_as_one_text(provider: Provider) -> None:
    parts = [{"type": "text", "text": BOTH[:20]}, {"type": "text", "text": BOTH[20:]}]
    provider.will(reply({"content": parts}, model="m"))
    assert provider.propose().mark == 2


def test_a_filter_that_names_its_own_reason_is_still_the_filter(provider: Provider) -> None:
    provider.will(*[reply({"content": None}, "content_filter: RECITATION", model="m")] * 3)
    assert "content filter stopped it" in provider.propose().reason


def test_thinking_that_only_the_total_counts_is_counted_as_received(provider: Provider) -> None:
    usage = {"prompt_tokens": 300, "completion_tokens": 40, "total_tokens": 1000}
    provider.will(reply(model="m", usage=usage))
    assert provider.propose().usage.tokens_out == 700


@pytest.mark.parametrize(
    ("said", "one"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("https://api.openai.com/v1", True),
        ("http://[::1]:8080/v1", True),
        ("https://名字.example/v1", True),
        ("http://127.0.0.1:8080/v1http://127.0.0.1:44347/v1", False),
        ("127.0.0.1:8080/v1", False),
        ("ftp://127.0.0.1/v1", False),
        ("http:///v1", False),
        ("http://host:port/v1", False),
        ("http://a host/v1", False),
        ("http://", False),
        ("", False),
    ],
)
def test_a_base_url_is_one_web_address(said: str, one: bool) -> None:
    assert is_base_url(said) is one
