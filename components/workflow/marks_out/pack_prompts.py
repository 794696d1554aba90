"""The prompts behind an exam's proposals: whether they still read as they did, and their words where they do."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from components.judge.llm.prompt import FOLDER, VERSION, load

_VERSION = re.compile(r"[a-z_]{1,40}\.([a-z]{2})\.v\d{1,4}", re.ASCII)
_MOST_PARTS = 6


class PromptState(StrEnum):
    SAME = "reads as it did: its words are in prompts/"
    CHANGED = "has changed since: the words that this version of the app has are not the ones that were used"
    GONE = "is not in this version of the app"


@dataclass(frozen=True)
class PromptBehind:
    """A prompt as proposals record it. A version with + was made of several files, all of whose words were sent."""

    version: str
    hash: str
    proposals: int
    state: PromptState
    files: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        return {
            "prompt_version": self.version,
            "prompt_hash": self.hash,
            "proposals": self.proposals,
            "state": f"The prompt {self.state}.",
            "files": list(self.files),
        }


def prompts_behind(used: Iterable[tuple[str, str, int]]) -> list[PromptBehind]:
    """What has become of each (version, hash, number of proposals)."""
    made = []
    for version, digest, proposals in used:
        state, files = _state(version.split(" + "), digest)
        made.append(PromptBehind(version, digest, proposals, state, files))
    return made


def prompt_texts(behind: Iterable[PromptBehind]) -> Iterator[tuple[str, bytes]]:
    """(name in the pack, bytes) of each prompt file that reads as it did, and of the words that go with it."""
    for name in sorted({name for prompt in behind for name in prompt.files}):
        yield name, (FOLDER / name.removeprefix("prompts/")).read_bytes()


def _state(parts: Sequence[str], digest: str) -> tuple[PromptState, tuple[str, ...]]:
    found = [_VERSION.fullmatch(part) for part in parts]
    if len(parts) > _MOST_PARTS or not all(found):
        return PromptState.GONE, ()
    try:
        hashes = _hashes(parts)
        if digest not in hashes:
            return PromptState.CHANGED, ()
        words = {f"words.{match[1]}.{VERSION}" for match in found if match}
        return PromptState.SAME, tuple(f"prompts/{name}.txt" for name in (*parts, *sorted(words)))
    except (OSError, ValueError):
        return PromptState.GONE, ()


def _hashes(parts: Sequence[str]) -> set[str]:
    """What the parts' hash may be: two are hashed together, and either may have been two already."""
    if len(parts) == 1:
        return {load(parts[0]).hash}
    return {
        hashlib.sha256((first + second).encode()).hexdigest()
        for at in range(1, len(parts))
        for first in _hashes(parts[:at])
        for second in _hashes(parts[at:])
    }
