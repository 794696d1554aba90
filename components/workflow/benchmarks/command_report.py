"""The command `report`: the trials, and what one came to, on the terminal or as files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from components.agreement import count_of
from components.marking import MarkError
from components.workflow.agreement.export import csv_bytes
from components.workflow.benchmarks.command_endpoint import path_of
from components.workflow.benchmarks.text_table import in_text
from components.workflow.trial.load import load
from components.workflow.trial.report import TrialReport, trial_report
from storage import Store, trials


def add_report(report: argparse.ArgumentParser) -> None:
    report.add_argument("trial", type=int, nargs="?")
    report.add_argument("--out", metavar="FOLDER", help="write the report as HTML and every table as CSV there")
    report.set_defaults(do=_report)


def say_verdict(store: Store, trial_id: int) -> None:
    """Print the trial's verdict and how to read on."""
    verdict = _of(store, trial_id).verdict
    print("\n".join(said for said in (verdict.sentence, verdict.caution) if said))
    print(f"The whole of it: report {trial_id}, or the app's Trials page.", file=sys.stderr)


def _report(store: Store, asked: argparse.Namespace) -> int:
    if asked.trial is None:
        _list(store)
        return 0
    report = _of(store, asked.trial)
    if asked.out:
        _write(report, path_of(asked.out), asked.trial)
    else:
        _print(report)
    return 0


def _of(store: Store, trial_id: int) -> TrialReport:
    try:
        return trial_report(load(store, trial_id))
    except LookupError as error:
        raise MarkError(f"There is no trial {trial_id}. The command “report” without a number lists them.") from error
    except ValueError as error:
        raise MarkError(f"The report cannot be made: {error}") from error


def _list(store: Store) -> None:
    with store.read() as db:
        listed = trials.listed(db)
    for each in listed:
        said = f"{count_of(each.arms, 'arm')}, {count_of(each.responses, 'response')}"
        print(f"{each.id:>4}  {each.title} · {each.exam} · {said} · {each.status}")
    if not listed:
        print("There is no trial yet. Begin with the command “trial”.", file=sys.stderr)


def _print(report: TrialReport) -> None:
    data = report.figures.data
    print(f"{data.title} · {data.exam} · {count_of(int(data.response_ids.size), 'response')}")
    for section in report.sections:
        print(f"\n{section.title}\n{'=' * len(section.title)}")
        print("\n\n".join([*section.said, *(in_text(table) for table in section.tables if table.rows)]))


def _write(report: TrialReport, folder: Path, trial_id: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"trial_{trial_id}_report.html": report.html()}
    for table in report.tables():
        files[f"trial_{trial_id}_{table.name.replace(' ', '_').lower()}.csv"] = csv_bytes(table)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        print(folder / name)
