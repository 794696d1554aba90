"""What a model is asked when it sits a benchmark: the words from assets/prompts/benchmarks, the item as data."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Template

from components.intake.benchmarks.items import Benchmark, Item
from components.judge.llm import Endpoint
from components.judge.llm.fence import neutralised
from components.judge.llm.prompt import FOLDER, Message
from components.marking import format_mark
from components.workflow.benchmarks.settings import SittingSettings
from components.workflow.benchmarks.subjects import subject_of

VERSIONS = {Benchmark.GAOKAO_BENCH: "gaokao.zh.v1", Benchmark.E_EVAL: "e_eval.zh.v1", Benchmark.M3KE: "m3ke.en.v1"}
WITH_STEPS = {Benchmark.M3KE: "m3ke_steps.en.v1"}  # E-EVAL's file has both
LETTERS = "ABCD"
_SECTION = re.compile(r"^\[(\w+)\]\n", re.MULTILINE)
_FENCE = re.compile(r"<(?=\s*/?\s*question\b)", re.IGNORECASE)


@dataclass(frozen=True)
class BenchmarkPrompt:
    """A prompt file: its version (the file's name), the SHA-256 of its bytes, its sections by name."""

    version: str
    hash: str
    sections: dict[str, str]

    def render(self, section: str, **values: object) -> str:
        """A section with its places filled in; a half character (lone surrogate), which cannot be sent, becomes ?."""
        filled = Template(self.sections[section].strip("\n")).substitute(values)
        return filled.encode("utf-8", "replace").decode("utf-8")

    def subject(self, name: str, otherwise: str) -> str:
        """A subject in the prompt's language."""
        named = dict(line.split(" = ", 1) for line in self.sections["subjects"].splitlines() if " = " in line)
        return named.get(name, otherwise)

    @property
    def stamp(self) -> str:
        """Version and hash, as a sitting keeps them."""
        return f"{self.version} {self.hash}"


@lru_cache(maxsize=8)
def prompt_of(benchmark: Benchmark, *, reasoned: bool) -> BenchmarkPrompt:
    """The prompt by which a benchmark is asked; `reasoned` is chain of thought."""
    version = WITH_STEPS.get(benchmark, VERSIONS[benchmark]) if reasoned else VERSIONS[benchmark]
    file = (FOLDER / "benchmarks" / f"{version}.txt").read_bytes()
    parts = _SECTION.split(file.decode("utf-8"))
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    return BenchmarkPrompt(version, hashlib.sha256(file).hexdigest(), sections)


def messages(item: Item, settings: SittingSettings, examples: str = "") -> list[Message]:
    """What the model is sent for an item, after the `examples` as `worked` gives them."""
    prompt = prompt_of(item.benchmark, reasoned=settings.reasoned)
    if item.benchmark is Benchmark.GAOKAO_BENCH:
        return _gaokao(prompt, item)
    question = _question(prompt, item)
    if item.benchmark is Benchmark.E_EVAL:
        words = prompt.render(
            "user",
            subject=prompt.subject(item.task, item.task.replace("_", " ")),
            examples=examples,
            question=question,
            ending=prompt.render("ending_with_steps" if settings.reasoned else "ending"),
        )
    else:
        words = prompt.render("user_with_examples" if examples else "user", examples=examples, question=question)
    return [{"role": "user", "content": words}]


def worked(settings: SittingSettings, shots: Sequence[Item]) -> str:
    """Worked questions as they go before a question, with their explanations where the model is to reason."""
    rendered = []
    for shot in shots:
        prompt = prompt_of(shot.benchmark, reasoned=settings.reasoned)
        section = "example_with_steps" if settings.reasoned else "example"
        question, answer = _question(prompt, shot), "".join(shot.key)
        rendered.append(prompt.render(section, question=question, answer=answer, steps=_data(shot.analysis)))
    return "".join(f"{each}\n\n" for each in rendered)


def inputs_hash(endpoint: Endpoint, prompt: BenchmarkPrompt, sent: Sequence[Message]) -> str:
    """One hash over all that a reply depends on: the prompt, the endpoint with its settings, and what is sent."""
    settings = endpoint.settings | {"efforts": endpoint.efforts}
    parts = [prompt.stamp, endpoint.base_url, endpoint.model, settings, list(sent)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def _gaokao(prompt: BenchmarkPrompt, item: Item) -> list[Message]:
    subject = subject_of(item)
    task = prompt.render(
        item.kind,
        subject=prompt.subject(subject, ""),
        count=max(1, len(item.key)),
        points=format_mark(item.points),
    )
    question = _data(item.question)
    if item.options:
        question = f"{question}\n{prompt.render('options', **_options(item))}"
    return [
        {"role": "system", "content": prompt.render("system")},
        {"role": "user", "content": prompt.render("user", task=task, question=question)},
    ]


def _question(prompt: BenchmarkPrompt, item: Item) -> str:
    return prompt.render("question", question=_data(item.question), **_options(item))


def _options(item: Item) -> dict[str, str]:
    return {letter: _data(item.options.get(letter, "")) for letter in LETTERS}


def _data(text: str) -> str:
    """A text of the benchmark's, from which nothing can end our fence or a turn of the chat."""
    return _FENCE.sub("‹", neutralised(text))
