"""A judge on any OpenAI-compatible endpoint."""

from components.judge.llm.apart import apart
from components.judge.llm.connection import ConnectionReport, test_connection
from components.judge.llm.endpoint import Endpoint, is_base_url
from components.judge.llm.eyes import PictureTrial, try_pictures
from components.judge.llm.judge import RE_ASKS, LLMJudge
from components.judge.llm.protocol import Protocol
from components.judge.llm.transport import Capabilities, NotWanted, still_wanted

__all__ = [
    "RE_ASKS",
    "Capabilities",
    "ConnectionReport",
    "Endpoint",
    "LLMJudge",
    "NotWanted",
    "PictureTrial",
    "Protocol",
    "apart",
    "is_base_url",
    "still_wanted",
    "test_connection",
    "try_pictures",
]
