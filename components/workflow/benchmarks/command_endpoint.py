"""What the command line says of a model's endpoint."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import get_args

from components.judge.llm import Endpoint, is_base_url
from components.judge.llm.endpoint import DEFAULT_AT_ONCE, OPENAI_BASE_URL, ReasoningEffort
from components.marking import MarkError
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
    parser.add_argument("--at-once", type=at_least_one, default=DEFAULT_AT_ONCE, help="requests out (%(default)s)")
    parser.add_argument("--temperature", type=temperature, help="0 to 2")
    parser.add_argument("--seed", type=seed)
    parser.add_argument("--max-tokens", type=at_least_one, help="longest reply")
    parser.add_argument("--dry-run", action="store_true", help="only say what it would take; nothing is stored")


def connected(
    store: Store,
    connections: Connections,
    asked: argparse.Namespace,
    model: str,
    effort: ReasoningEffort | None = None,
) -> int:
    """The id of the judge that is this model at the endpoint asked for, ready to be asked. Raises MarkError for an
    address or a name that cannot be one."""
    if not model.strip():
        raise MarkError("Give --model the name of a model, as the server knows it.")
    if not is_base_url(asked.base_url):
        raise MarkError(f"“{asked.base_url}” is no address of a server: it begins with http:// or https://.")
    key = os.environ.get(asked.key_variable, "").strip()
    endpoint = Endpoint(
        asked.base_url,
        model,
        key,
        temperature=asked.temperature,
        seed=asked.seed,
        max_tokens=asked.max_tokens,
        reasoning_effort=effort,
        at_once=asked.at_once,
    )
    return connect(store, connections, endpoint, asked.key_variable if key else "")


def at_least_one(said: str) -> int:
    number = int(said)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{said} is not 1 or more")
    return number


def temperature(said: str) -> float:
    number = float(said)
    if not 0 <= number <= 2:
        raise argparse.ArgumentTypeError(f"{said} is not from 0 to 2")
    return number


def seed(said: str) -> int:
    number = int(said)
    if abs(number) >= 2**63:
        raise argparse.ArgumentTypeError(f"{said} has too many digits")
    return number


def path_of(said: str) -> Path:
    """A path as it was typed, with ~ for a home. Raises MarkError for nobody's home."""
    try:
        return Path(said).expanduser()
    except RuntimeError as error:
        raise MarkError(f"“{said}” begins with the home of somebody who has none here.") from error
