"""A judge on any OpenAI-compatible endpoint."""

from components.judge.llm.connection import ConnectionReport, test_connection
from components.judge.llm.endpoint import Endpoint
from components.judge.llm.judge import RE_ASKS, LLMJudge
from components.judge.llm.protocol import Protocol
from components.judge.llm.transport import Capabilities

__all__ = ["RE_ASKS", "Capabilities", "ConnectionReport", "Endpoint", "LLMJudge", "Protocol", "test_connection"]
