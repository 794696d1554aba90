"""Loads published benchmarks: recognises the files, reads each, and says what was found wrong in them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from components.intake.benchmarks.e_eval import read_e_eval
from components.intake.benchmarks.files import ENDINGS, content_of, files_in, unpacked
from components.intake.benchmarks.findings import Findings, files_listed, shown
from components.intake.benchmarks.gaokao import read_gaokao
from components.intake.benchmarks.gaokao_criteria import Criteria, Criterion, same_question
from components.intake.benchmarks.items import Benchmark, Item, Loaded, ShippedResult
from components.intake.benchmarks.m3ke import read_m3ke
from components.intake.errors import IntakeError

_KINDS = {".json": Benchmark.GAOKAO_BENCH, ".jsonl": Benchmark.M3KE, ".csv": Benchmark.E_EVAL}
_MOST_LEFT_OUT = 10

_Key = tuple[str, str, str]


class _Part:
    """What will be one Loaded, while its files are read."""

    def __init__(self, benchmark: Benchmark, name: str) -> None:
        self.benchmark, self.name = benchmark, name
        self.findings = Findings()
        self._items: dict[_Key, Item] = {}
        self._results: dict[_Key, ShippedResult] = {}
        self._shared: set[tuple[str, str]] = set()  # tasks and numbers of several questions

    def add(self, file: str, items: Iterable[Item], results: Iterable[ShippedResult]) -> None:
        for item in items:
            known = self._items.get(_key(item))
            if known is not None and _without_criteria(known) == _without_criteria(item):
                self._take_again(file, known, item)
                continue
            numbered = self._numbered(file, item, self._items)
            self._items[_key(numbered)] = numbered
        for result in results:
            if self._is_repeated(file, result.item, self._results.get(_key(result.item)) == result):
                continue
            numbered = self._numbered(file, result.item, self._results)
            self._results[_key(numbered)] = result.model_copy(update={"item": numbered})

    def _take_again(self, file: str, known: Item, item: Item) -> None:
        """A question that is there, and comes again: with its criteria perhaps, or with others."""
        if item.criteria and not known.criteria:
            self._items[_key(known)] = item
        elif item.criteria and item != known:
            self.findings.add(file, "there twice, with other marking criteria; the first are kept.", item.number)
        else:
            self._is_repeated(file, item, known == item)

    def _is_repeated(self, file: str, item: Item, same: bool) -> bool:
        if same:
            self.findings.add(file, "there twice, word for word; the second is left out.", item.number)
        return same

    def _numbered(self, file: str, item: Item, known: Container[_Key]) -> Item:
        """The item under a number that no other of its task has."""
        number, times = item.number, 1
        while (item.task, item.split, number) in known:
            times += 1
            number = f"{item.number}-{times}"
        if number == item.number:
            return item
        self.findings.add(file, "another question has its number; told apart by its own.", item.number, detail=number)
        self._shared |= {(item.task, item.number), (item.task, number)}
        return item.model_copy(update={"number": number})

    def take_criteria(self, criteria: Criteria, questions: Mapping[_Key, Item]) -> None:
        """Give each written question that has none its criteria: those of the same one among `questions`, else those
        that were told of its number."""
        for key, item in self._items.items():
            self._items[key] = self._with_criteria(item, criteria, questions)
        for key, result in self._results.items():
            item = self._with_criteria(result.item, criteria, questions)
            self._results[key] = result.model_copy(update={"item": item})

    def _with_criteria(self, item: Item, criteria: Criteria, questions: Mapping[_Key, Item]) -> Item:
        if item.criteria or not item.open:
            return item
        known = questions.get(_key(item))
        if known is not None and not same_question(known, item):
            return item
        told = (known.criteria if known is not None else "") or criteria.of(item, self._shared)
        return item.model_copy(update={"criteria": told}) if told else item

    def written(self) -> dict[_Key, Item]:
        """Its written questions."""
        return {key: item for key, item in self._items.items() if item.open}

    def loaded(self) -> Loaded:
        items, results = tuple(self._items.values()), tuple(self._results.values())
        private = sum(1 for item in items if not item.open and not item.key and not _key_fault(item))
        if private:
            self.findings.note(
                f"{private:,} question{'s have' if private > 1 else ' has'} no answer in the files (private test "
                "answers). A model can sit them; its answers are written to a submission file instead of marked."
            )
        return Loaded(
            benchmark=self.benchmark, name=self.name, items=items, results=results, report=self.findings.lines()
        )


def load_folder(path: Path | str) -> list[Loaded]:
    """The benchmarks in a folder, or in one file or ZIP, as `load_files` gives them; files are read one at a time.

    Raises IntakeError, in words, where there is no such folder or nothing in it is of a benchmark.
    """
    try:
        path = Path(path).expanduser()
        single = path.is_file()
    except (OSError, RuntimeError, ValueError):  # too long a name, nobody's home, a folder that may not be looked into
        raise IntakeError(f"“{str(path)[:80]}” cannot be opened. Check where the benchmark's files are.") from None
    if not single:
        return load_files(files_in(path))
    name = f"{path.resolve().parent.name}/{path.name}"
    if path.suffix.lower() not in (*ENDINGS, ".zip"):
        raise _of_no_benchmark(name)
    return load_files([(name, content_of(path, name))])


def load_files(files: Iterable[tuple[str, bytes]]) -> list[Loaded]:
    """The benchmarks that files hold, given by name (with its folders, where known) and content; ZIPs are opened.

    One Loaded has all questions of a benchmark; shipped results are one Loaded a folder, named by it. What is wrong
    in a row is in the report, with file and row. So are files that are of no benchmark, as long as another is; else
    IntakeError says in words what was found.
    """
    parts: dict[tuple[Benchmark, str], _Part] = {}
    left_out: list[tuple[str, str]] = []
    told: list[Criterion] = []
    loose = Findings()  # about files of criteria alone
    for name, content in unpacked(files):
        findings = Findings()
        try:
            benchmark, items, results, criteria = _read(name, content, findings)
        except IntakeError as error:
            left_out.append((name, str(error)))
            continue
        told += criteria
        if not items and not results:
            loose.join(findings)
            continue
        group = _group(name, results[0]) if results else ""
        part = parts.setdefault((benchmark, group), _Part(benchmark, group or benchmark.named))
        part.findings.join(findings)
        part.add(shown(name), items, results)
    if not parts:
        raise _only_criteria(len(told)) if told else _nothing_found(left_out)
    next(iter(parts.values())).findings.join(loose)
    _give_criteria([part for part in parts.values() if part.benchmark is Benchmark.GAOKAO_BENCH], told)
    loaded = [part.loaded() for part in parts.values()]
    loaded[0] = loaded[0].model_copy(update={"report": (*_said(left_out), *loaded[0].report)})
    return loaded


def _give_criteria(parts: Sequence[_Part], told: Sequence[Criterion]) -> None:
    questions = {key: item for part in parts for key, item in part.written().items()}
    if not parts or not (told or any(item.criteria for item in questions.values())):
        return
    criteria = Criteria(told)
    for part in parts:
        part.take_criteria(criteria, questions)
    for line in criteria.lines():
        parts[0].findings.note(line)


def _read(
    name: str, content: bytes, findings: Findings
) -> tuple[Benchmark, list[Item], list[ShippedResult], list[Criterion]]:
    benchmark = _KINDS.get(PurePosixPath(name).suffix.lower())
    if benchmark is Benchmark.GAOKAO_BENCH:
        found = read_gaokao(name, content, findings)
        return benchmark, found.items, found.results, found.criteria
    if benchmark is Benchmark.M3KE:
        return benchmark, read_m3ke(name, content, findings), [], []
    if benchmark is Benchmark.E_EVAL:
        return benchmark, read_e_eval(name, content, findings), [], []
    raise _of_no_benchmark(name)


def _without_criteria(item: Item) -> Item:
    return item.model_copy(update={"criteria": ""})


def _only_criteria(count: int) -> IntakeError:
    return IntakeError(
        f"There are marking criteria for {count:,} question{'s' if count > 1 else ''} and no questions. Load them "
        "together with the folder of questions or results that they belong to."
    )


def _of_no_benchmark(name: str) -> IntakeError:
    return IntakeError(
        f"“{name}” is of no benchmark: GAOKAO-Bench comes as JSON, M3KE as JSON lines (.jsonl), E-EVAL as CSV."
    )


def _group(name: str, result: ShippedResult) -> str:
    """Where results came from: the last two folders, or the model where the files came without."""
    folders = PurePosixPath(name).parent.parts[-2:]
    return "/".join(folders) or result.model or "results"


def _key(item: Item) -> _Key:
    return item.task, item.split, item.number


def _key_fault(item: Item) -> bool:
    return any(fault.startswith(("the answer", "the key")) for fault in item.faults)


def _nothing_found(left_out: list[tuple[str, str]]) -> IntakeError:
    if not left_out:
        return IntakeError(
            "There is no JSON, JSON-lines or CSV file there. Choose the folder with a benchmark's files."
        )
    if len(left_out) == 1:
        return IntakeError(left_out[0][1])
    return IntakeError(
        f"None of the {len(left_out):,} files is of GAOKAO-Bench, E-EVAL or M3KE. The first: {left_out[0][1]}"
    )


def _said(left_out: list[tuple[str, str]]) -> tuple[str, ...]:
    said = [f"Left out: {reason}" for _, reason in left_out[:_MOST_LEFT_OUT]]
    more = [name for name, _ in left_out[_MOST_LEFT_OUT:]]
    return (*said, f"Left out as well, of no benchmark: {files_listed(more)}.") if more else tuple(said)
