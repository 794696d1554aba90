"""A judge on any OpenAI-compatible endpoint."""

from components.judge.llm.connection import ConnectionReport, test_connection
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.judge import LLMJudge
from components.judge.llm.protocol import Protocol

__all__ = ["ConnectionReport", "Endpoint", "LLMJudge", "Protocol", "test_connection"]
