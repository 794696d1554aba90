"""What the command line says of a model's endpoint."""

from __future__ import annotations

import argparse
import os
from typing import get_args

from components.judge.llm import Endpoint
from components.judge.llm.endpoint import DEFAULT_AT_ONCE, OPENAI_BASE_URL, ReasoningEffort
from components.workflow.benchmarks.sitting_here import connect
from components.workflow.connections import Connections
from storage import Store

EFFORTS: tuple[str, ...] = get_args(ReasoningEffort)


def add_endpoint(parser: argparse.ArgumentParser) -> None:
    """All but the model's name and its reasoning effort."""
    parser.add_argument(
        "--base-url", default=OPENAI_BASE_URL, help="of an OpenAI-compatible server (usual: %(default)s)"
    )
    parser.add_argument("--key-variable", default="OPENAI_API_KEY", metavar="NAME", help="holds the key (%(default)s)")
    parser.add_argument(
        "--cap", type=float, metavar="DOLLARS", help="spend no more; needs a price in assets/prices.toml"
    )
    parser.add_argument("--at-once", type=int, default=DEFAULT_AT_ONCE, help="requests out together (%(default)s)")
    parser.add_argument("--temperature", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--max-tokens", type=int, help="longest reply")
    parser.add_argument("--dry-run", action="store_true", help="only say what it would take")


def connected(
    store: Store,
    connections: Connections,
    asked: argparse.Namespace,
    model: str,
    effort: ReasoningEffort | None = None,
) -> int:
    """The id of the judge that is this model at the endpoint asked for, ready to be asked."""
    key = os.environ.get(asked.key_variable, "").strip()
    endpoint = Endpoint(
        asked.base_url,
        model,
        key,
        temperature=asked.temperature,
        seed=asked.seed,
        max_tokens=asked.max_tokens,
        reasoning_effort=effort,
        at_once=max(1, asked.at_once),
    )
    return connect(store, connections, endpoint, asked.key_variable if key else "")
